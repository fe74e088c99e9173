"""Reads the statements of a function, both arms of a branch and each loop twice."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from dpaudit.static.conditions import decided
from dpaudit.static.expressions import evaluate, exits, imported, named
from dpaudit.static.facts import Condition, Repeat, Rounds
from dpaudit.static.frames import Frame
from dpaudit.static.modules import Function
from dpaudit.static.parts import element, iterated
from dpaudit.static.values import PUBLIC, SIZE, Value, changed, joined, mixed, switched_on

_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def block(frame: Frame, body: Sequence[ast.stmt]) -> None:
    """Read statements in order; what follows an early exit stands under its condition."""
    depth = len(frame.under)
    for node in body:
        if not isinstance(node, ast.If):
            _statement(frame, node)
            continue
        arm = _branch(frame, node)
        if arm and isinstance(arm[-1], _ENDS):
            break  # nothing below is reached
        if arm is None and isinstance(node.body[-1], _ENDS):
            frame.under.append(Condition(_condition(frame, node.test), frame.place(node)))
    del frame.under[depth:]


def _condition(frame: Frame, test: ast.expr) -> Value:
    """Return the value of a test that was read before, without counting it again."""
    facts = frame.facts
    kept = len(facts.draws), len(facts.operations), len(facts.calls), len(facts.choices)
    value = evaluate(frame, test)
    del facts.operations[kept[1] :], facts.calls[kept[2] :], facts.choices[kept[3] :]
    return value


def _statement(frame: Frame, node: ast.stmt) -> None:
    match node:
        case ast.Expr():
            evaluate(frame, node.value)
        case ast.Assign(
            targets=[ast.Subscript(slice=ast.Name()) as entry],
            value=ast.BinOp(left=ast.Subscript() as held, op=op, right=more),
        ) if ast.unparse(held) == ast.unparse(entry):
            _augment(frame, ast.copy_location(ast.AugAssign(entry, op, more), node))
        case ast.Assign():
            value = evaluate(frame, node.value)
            for target in node.targets:
                grows = _adds_to(node.value, target)
                assign(frame, target, _running(frame, value) if grows else value)
                _cover_column(frame, node.value, target, value)
        case ast.AnnAssign():
            if node.value is not None:
                assign(frame, node.target, evaluate(frame, node.value))
        case ast.AugAssign():
            _augment(frame, node)
        case ast.Return():
            value = PUBLIC if node.value is None else evaluate(frame, node.value)
            exits(frame, "return", node, value)
            under = frame.under[frame.entered :]
            off = bool(under) and all(c.value.public for c in under)
            for condition in under:
                value = chosen(value, condition.value, node.lineno, covered=value.covered)
            (frame.settings if off else frame.returns).append(value)
        case ast.Raise():
            value = PUBLIC if node.exc is None else evaluate(frame, node.exc)
            exits(frame, "raise", node, value)
        case ast.For() | ast.AsyncFor():
            _for(frame, node)
        case ast.While():
            _while(frame, node)
        case ast.With() | ast.AsyncWith():
            for item in node.items:
                value = evaluate(frame, item.context_expr)
                if item.optional_vars is not None:
                    assign(frame, item.optional_vars, value)
            block(frame, node.body)
        case ast.Try():
            frame.reading.guarded += bool(node.handlers)
            block(frame, node.body)
            frame.reading.guarded -= bool(node.handlers)
            for handler in node.handlers:
                block(frame, handler.body)
            block(frame, node.orelse)
            block(frame, node.finalbody)
        case ast.Match():
            _match(frame, node)
        case ast.Assert():
            value = evaluate(frame, node.test)
            if not decided(frame.facts, value):
                frame.under.append(Condition(value, frame.place(node)))
                exits(frame, "raise", node, PUBLIC)
                frame.under.pop()
        case ast.Break():
            frame.facts.breaks += frame.under[-1:]
        case ast.Global():
            frame.globals |= set(node.names)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            function = Function(node, frame.module, closure=frame.names)
            frame.names[node.name] = Value(function=function)
        case ast.Import() | ast.ImportFrom():
            frame.names |= {
                name: imported(frame, dotted)
                for name, dotted in frame.module.imported_by(node).items()
            }
        case _:
            pass


def assign(frame: Frame, target: ast.expr, value: Value) -> None:
    """Bind a target; a part of something is joined with the rest of it."""
    match target:
        case ast.Name():
            if target.id in frame.globals:
                if not _hands_over(frame, target.id, value):
                    exits(frame, "store", target, value)
                frame.reading.stored[frame.module.path, target.id] = value
            frame.rebound.add(target.id)
            frame.names[target.id] = _under(frame, named(frame, target.id, value))
        case ast.Tuple() | ast.List():
            entries = value.items
            fits = entries is not None and len(entries) == len(target.elts)
            for i, part in enumerate(target.elts):
                if value.has("shape") and i:
                    assign(frame, part, PUBLIC)  # a number of columns
                    continue
                inner = part.value if isinstance(part, ast.Starred) else part
                assign(frame, inner, entries[i] if fits and entries else element(value))
        case ast.Subscript():
            index = evaluate(frame, target.slice)
            ordered = _is_array(frame, target.value)
            keys = frozenset() if frame.by_chance or ordered else index.tells
            into = changed(value.plain(), shape=value.shape | keys)
            name = _covered(frame, target, value)
            held = frame.names.get(name, PUBLIC)
            if held.tells:
                frame.names[name] = changed(into, shape=held.shape, marks=held.marks | {"covered"})
                frame.mutate(name)
                return
            _into(frame, target.value, into, target)
            if ordered and index.tells and value.public and isinstance(target.value, ast.Name):
                one_hot = frame.names[target.value.id]
                frame.names[target.value.id] = one_hot.marked("unary")
            _name_field(frame, target.value, index.text if index.public else "", value)
            if index.text and isinstance(target.value, ast.Name):  # a column is another now
                table = frame.names[target.value.id]
                frame.names[target.value.id] = changed(table, marks=table.marks - {"own"})
        case ast.Attribute():
            name = _dotted(target)
            held = frame.names.get(name.partition(".")[0], PUBLIC)
            if name.startswith("self."):
                if frame.this is None and not _takes(frame, value):
                    exits(frame, "store", target, value)
                frame.names[name] = value
            elif held.instance is not None and name.count(".") == 1:
                held.instance.held[target.attr] = value
            else:
                _into(frame, target.value, value, target)
        case ast.Starred():
            assign(frame, target.value, value)
        case _:
            pass


def _takes(frame: Frame, value: Value) -> bool:
    """Whether a constructor keeps the records that it is given, for the methods of its object."""
    return frame.function.name.endswith("__init__") and not _is_statistic(value)


def _is_statistic(value: Value) -> bool:
    return bool(value.marks & {"aggregate", "counted", "length"})


def _hands_over(frame: Frame, name: str, value: Value) -> bool:
    """Whether records are put into a variable of the module for its functions, which read it."""
    if _is_statistic(value):
        return False
    functions = (f.node for f in frame.module.functions.values() if f.node != frame.function.node)
    return any(
        isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
        for node in functions
        for n in ast.walk(node)
    )


def _is_array(frame: Frame, base: ast.expr) -> bool:
    """Whether a name is bound to what has its length already, and gets no new keys."""
    held = frame.names.get(base.id) if isinstance(base, ast.Name) else None
    return held is not None and held.has("array")


def _into(frame: Frame, base: ast.expr, value: Value, node: ast.AST) -> None:
    """Put a value into a part of a name: what the name held stays, beside it."""
    name = ""
    while isinstance(base, ast.Subscript | ast.Attribute):
        name = _dotted(base)
        if frame.this is not None and name.startswith("self.") and name.count(".") == 1:
            break
        base = base.value
    if isinstance(base, ast.Name):
        name = base.id
    elif not name:
        return
    if name not in frame.names and name in frame.module.names:
        exits(frame, "store", node, value)
    held = changed(_held(frame.names.get(name, PUBLIC), value), items=None)
    for condition in frame.under:
        if condition.value.noise and held.tells:  # a coin decides which entries are others
            marks = held.marks | ({"covered"} if frame.loops else set())
            draws = held.draws | condition.value.draws
            held = changed(held, tells=frozenset(), hidden=True, draws=draws, marks=marks)
    frame.names[name] = _under(frame, held)
    frame.mutate(name)


def _name_field(frame: Frame, base: ast.expr, name: str, value: Value) -> None:
    """Note what an entry or a column of a variable is now, and so what it holds as a whole.

    A table of which every private column was replaced tells what the new ones do.
    """
    variable = _dotted(base)
    held = frame.names.get(variable)
    if held is None or not name:
        if held is not None:
            marks = held.marks - {"fields"}
            frame.names[variable] = changed(held, fields=(), marks=marks)
        return
    fields = dict(held.fields) | {name: value}
    held = changed(held, fields=tuple(fields.items()))
    columns = frame.facts.relation.names
    if held.has("fields") or (columns and set(columns) <= set(fields)):
        whole = joined(*fields.values())
        shape = held.shape | whole.shape
        held = changed(held, tells=whole.tells, hidden=whole.hidden, draws=whole.draws, shape=shape)
    frame.names[variable] = held


def _held(one: Value, other: Value) -> Value:
    """Return what holds both: public entries beside noisy ones say nothing."""
    result = joined(one, other)
    marks = one.marks | (result.marks & other.marks)
    return changed(result, marks=marks, fields=one.fields, number=None, form=None)


def _under(frame: Frame, value: Value) -> Value:
    """Return a value as it is known after the branches and loops that it is bound in."""
    if frame.loops:
        value = changed(value, loops=value.loops | frozenset(frame.loops))
    return value


def _augment(frame: Frame, node: ast.AugAssign) -> None:
    together = ast.BinOp(_loaded(node.target), node.op, node.value)
    ast.copy_location(together, node)
    value = evaluate(frame, together)
    if isinstance(node.target, ast.Name | ast.Attribute) and isinstance(node.op, ast.Add):
        value = _running(frame, value)
    name = _covered(frame, node.target, value)
    if name:
        held = frame.names[name]
        frame.names[name] = changed(value, shape=held.shape, marks=held.marks | {"covered"})
        frame.mutate(name)
        return
    if isinstance(node.target, ast.Subscript):
        held = evaluate(frame, node.target.value)
        _cover_entry(frame, node.target, value)
        if not held.has("grows-by-key"):  # the key is there already
            _into(frame, node.target.value, changed(value.plain(), shape=held.shape), node.target)
            index = evaluate(frame, node.target.slice)
            _name_field(frame, node.target.value, index.text if index.public else "", value)
            return
    assign(frame, node.target, value)


def _cover_column(frame: Frame, node: ast.expr, target: ast.expr, value: Value) -> None:
    """Let a table of statistics tell nothing after noise is added to its column in place."""
    if not (isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)):
        return
    held = frame.names.get(target.value.id, PUBLIC)
    again = any(ast.unparse(n) == ast.unparse(target) for n in ast.walk(node)
                if isinstance(n, ast.Subscript))  # fmt: skip
    if again and not held.has("raw"):
        _cover(frame, target.value.id, value)


def _cover_entry(frame: Frame, target: ast.Subscript, value: Value) -> None:
    """Let a vector tell nothing after noise is added in place to an entry that is written out.

    How many entries it has is unknown: those that are not written out are taken for covered.
    """
    name = target.value.id if isinstance(target.value, ast.Name) else ""
    index = target.slice
    written = isinstance(index, ast.Constant) and isinstance(index.value, int)
    if written and len(frame.under) == frame.around:
        _cover(frame, name, value)


def _cover(frame: Frame, name: str, value: Value) -> None:
    """Let a variable tell nothing, as noise was added to what it holds."""
    held = frame.names.get(name, PUBLIC)
    if value.covered and held.tells:
        draws = held.draws | value.draws
        frame.names[name] = changed(held, tells=frozenset(), hidden=True, draws=draws)


def _adds_to(node: ast.expr, target: ast.expr) -> bool:
    """Whether an expression adds something to what a target holds: ``total = total + x``."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)):
        return False
    return ast.unparse(target) in (ast.unparse(node.left), ast.unparse(node.right))


def _running(frame: Frame, value: Value) -> Value:
    """Return a sum that every round of a loop adds to."""
    grows = frame.loops and value.tells and not value.draws
    return value.marked("running") if grows else value


def _covered(frame: Frame, target: ast.expr, value: Value) -> str:
    """Return the name of a container to each of whose entries a loop adds noise, else nothing."""
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
        return ""
    name = target.value.id
    if not frame.loops or not value.covered or name not in frame.names:
        return ""
    if len(frame.under) > frame.around:
        return ""  # some entries may be left out
    return name if frame.loops[-1] in evaluate(frame, target.slice).loops else ""


def _loaded(target: ast.Name | ast.Attribute | ast.Subscript) -> ast.expr:
    return target


def _branch(frame: Frame, node: ast.If) -> list[ast.stmt] | None:
    """Read a branch, and return the one arm that is ever taken; None where both may be."""
    test = evaluate(frame, node.test)
    if frame.loops and isinstance(node.test, ast.Compare) and _counts(frame, node.test):
        frame.facts.limited |= set(frame.loops)
    known = decided(frame.facts, test)
    if known is not None:
        arm = node.body if known else node.orelse
        block(frame, arm)
        return arm
    before = dict(frame.names)
    after: list[dict[str, Value]] = []
    for body in (node.body, node.orelse):
        frame.names = dict(before)
        frame.under.append(Condition(test, frame.place(node)))
        block(frame, body)
        frame.under.pop()
        if not (body and isinstance(body[-1], _ENDS)):
            after.append(frame.names)
        elif isinstance(body[-1], ast.Continue) and test.tells and not frame.by_chance:
            bound = ((n, v) for n, v in frame.names.items() if n in before and v != before[n])
            frame.skipped += [(name, value, test, node.lineno) for name, value in bound]
    frame.names = _merged(frame, before, after, test, node) if after else before
    return None


def _counts(frame: Frame, test: ast.Compare) -> bool:
    """Whether a test is of a number that the function, or a method of its class, counts up."""
    owner = frame.function.owner
    owned = [f.node for f in frame.module.functions.values() if owner and f.owner == owner]
    counted = {
        ast.unparse(n.target)
        for node in (frame.function.node, *owned)
        for n in ast.walk(node)
        if isinstance(n, ast.AugAssign) and isinstance(n.value, ast.Constant)
    }
    return any(ast.unparse(part) in counted for part in (test.left, *test.comparators))


def _merged(
    frame: Frame,
    before: dict[str, Value],
    arms: list[dict[str, Value]],
    test: Value,
    node: ast.If,
) -> dict[str, Value]:
    """Return the names after a branch: they tell of its condition where the arms differ.

    Noise in one arm alone of a branch on a setting is noise that the setting turns off. A bit and
    its complement look the same here: a coin chooses between what both arms bind.
    """
    names: dict[str, Value] = {}
    for name in {name for arm in arms for name in arm}:
        values = [arm[name] for arm in arms if name in arm]
        if test.public and not test.loops & set(frame.loops):
            values = switched_on(values, frame.facts.claimed)
        value = joined(*values)
        bound = test.noise and len(values) > 1 and values[0] != before.get(name)
        if len(arms) > 1 and (bound or any(v != values[0] for v in values)):
            covered = all(v.covered for v in values)
            coin = not frame.facts.is_additive(value)
            value = chosen(value, test, node.lineno, covered=covered, coin=coin)
        names[name] = value
    return names


def chosen(
    value: Value, test: Value, line: int, *, covered: bool = False, coin: bool = False
) -> Value:
    """Return a value that a condition chose: it tells of it, or chance covers what it tells.

    Chance does so too where it decides about each of the values that the data choose from. A coin
    covers the truth if the other values may be taken for it.
    """
    if test.tells and covered:
        return changed(value, hidden=True, number=None, form=None)
    if test.tells:
        branch = value.branch or (0 if value.tells else line)
        return changed(value, tells=value.tells | test.tells, branch=branch, number=None)
    if test.covered and value.tells and ((coin and test.noise) or not value.hidden):
        return mixed((value, test))
    if test.covered:
        return changed(value, hidden=value.hidden or test.hidden, draws=value.draws | test.draws)
    return value


def _for(frame: Frame, node: ast.For | ast.AsyncFor) -> None:
    over = evaluate(frame, node.iter)
    loop = frame.new_loop()
    entry = element(iterated(over))
    entry = changed(entry, loops=entry.loops | {loop}, number=None)
    entry = entry.marked("running") if over.has("running") else entry
    before = dict(frame.names)
    outer, around = frame.loops, frame.around
    frame.loops, frame.around = (*outer, loop), len(frame.under)
    if isinstance(node.iter, ast.Call) and _dotted(node.iter.func) == "range":
        frame.facts.rounds.append(Rounds(frame.place(node), loop, over))
    if over.tells and not any(isinstance(n, ast.Break | ast.Return) for n in ast.walk(node)):
        frame.facts.endless.add(loop)
    for _ in range(2):
        known = len(frame.facts.breaks)
        assign(frame, node.target, entry)
        skipped, frame.skipped = frame.skipped, []
        block(frame, node.body)
        for name, value, test, line in frame.skipped:  # rounds that end early
            both = joined(frame.names[name], value)
            covered = value.covered and frame.names[name].covered
            frame.names[name] = chosen(both, test, line, covered=covered)
        frame.skipped = skipped
        _stopped(frame, before, frame.facts.breaks[known:])
        frame.names = {
            name: joined(before[name], value)
            if name in before and before[name] != value and not _replaces(before[name], value)
            else value
            for name, value in frame.names.items()
        }
        grown = over.shape | (over.tells if over.has("keys") else frozenset())
        _note_growth(frame, loop, before, grown)
    frame.loops, frame.around = outer, around
    block(frame, node.orelse)


def _replaces(before: Value, after: Value) -> bool:
    """Whether a loop leaves nothing of a container: it covers it, or fills an empty list."""
    return after.has("covered") or (after.has("grows") and before.public)


def _stopped(frame: Frame, before: dict[str, Value], breaks: Sequence[Condition]) -> None:
    """Note that public names which a loop changes are noise where chance ends the loop."""
    draws = frozenset[int]().union(*(c.value.draws for c in breaks if c.value.noise))
    for name, value in frame.names.items() if draws else ():
        holds = value.maker or value.instance or value.function
        if value.public and not holds and before.get(name) != value:
            frame.names[name] = changed(value, draws=draws, number=None, form=None)


def _note_growth(frame: Frame, loop: int, before: dict[str, Value], grown: frozenset[str]) -> None:
    """Note that a list which grows by an entry a round has as many as there were rounds."""
    if not grown:
        return
    for name, value in frame.names.items():
        if value.has("grows") and name in before and loop in value.loops:
            frame.names[name] = changed(value, shape=value.shape | (grown & SIZE) | grown)


def _while(frame: Frame, node: ast.While) -> None:
    loop = frame.new_loop()
    outer, before = frame.loops, dict(frame.names)
    frame.loops = (*outer, loop)
    for _ in range(2):
        test = evaluate(frame, node.test)
        known = len(frame.facts.breaks)
        frame.under.append(Condition(test, frame.place(node)))
        block(frame, node.body)
        frame.under.pop()
        _stopped(frame, before, frame.facts.breaks[known:])
        merged = {}
        for name, value in frame.names.items():
            if name in before and before[name] != value:
                value = chosen(joined(before[name], value), test, node.lineno)
            merged[name] = value
        frame.names = merged
    frame.loops = outer
    if not frame.depth:
        frame.facts.loops.append((frame.place(node), node))
    _redrawn(frame, node)
    block(frame, node.orelse)


def _redrawn(frame: Frame, node: ast.While) -> None:
    """Note a private value with noise that the loop draws until a test on it suits."""
    if any(_accumulates(part) for part in ast.walk(node)):
        return
    drawn = {
        target.id: statement.value
        for statement in node.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    tests = [node.test, *(s.test for s in node.body if isinstance(s, ast.If) and _leaves(s))]
    for name in drawn:
        value = frame.names.get(name)
        if value is None or not value.has("blended") or value.has("moving"):
            continue
        for test in tests:
            names = {n.id for n in ast.walk(test) if isinstance(n, ast.Name)}
            if name in names and not names & (set(drawn) - {name}):
                frame.facts.repeats.append(Repeat(frame.place(test), name, value))


def _accumulates(node: ast.AST) -> bool:
    """Return whether something grows: then every round leaves, not the last alone."""
    if isinstance(node, ast.AugAssign | ast.Yield):
        return True
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and (node.func.attr in ("append", "add", "extend", "insert", "update"))
    )


def _leaves(node: ast.If) -> bool:
    return bool(node.body) and isinstance(node.body[-1], ast.Return | ast.Break)


def _match(frame: Frame, node: ast.Match) -> None:
    test = evaluate(frame, node.subject)
    before = dict(frame.names)
    arms = []
    for case in node.cases:
        frame.names = dict(before)
        for part in ast.walk(case.pattern):
            name = getattr(part, "name", None)
            if isinstance(name, str):
                frame.names[name] = test.plain()
        frame.under.append(Condition(test, frame.place(case.pattern)))
        block(frame, case.body)
        frame.under.pop()
        arms.append(frame.names)
    frame.names = {
        name: joined(*(arm[name] for arm in arms if name in arm))
        for name in {name for arm in arms for name in arm}
    }


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        base = _dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return node.id if isinstance(node, ast.Name) else ""
