"""Lowering: noise that is written as a function of other draws becomes the draw of its own law.

A block of statements is read in order. The variables that hold draws, and functions of draws, are
filled into the expression where they are used. Where that expression has a known law
(`dpaudit.formal.lifting.laws`) and the draws are used nowhere else, one draw of that law stands
for all of them. The distribution of all that is returned stays the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.best_index import indexed
from dpaudit.formal.lifting.choosing import chosen
from dpaudit.formal.lifting.counted_loops import counted
from dpaudit.formal.lifting.frozen import thawed
from dpaudit.formal.lifting.helpers import with_helpers
from dpaudit.formal.lifting.named_noise import SOURCES, is_normal
from dpaudit.formal.lifting.pairs import unpaired
from dpaudit.formal.lifting.rejecting import without_rejection
from dpaudit.formal.lifting.selecting import selected, unpacked
from dpaudit.formal.lifting.shared_tails import merged
from dpaudit.formal.lifting.stored_limits import first_of_orders, limited_in_place
from dpaudit.formal.lifting.unchanged import changes_nothing
from dpaudit.formal.program import (
    Assign,
    Branch,
    Call,
    Choice,
    Closure,
    Comprehension,
    Constant,
    Draw,
    Evaluate,
    Expression,
    For,
    Function,
    Logic,
    Name,
    Named,
    Node,
    Place,
    Raise,
    Return,
    Statement,
    Update,
)

Block = tuple[Statement, ...]
_ROUNDS = 40
_VALUE: dict[type, str] = {
    Assign: "value",
    Return: "value",
    Evaluate: "value",
    Update: "value",
    Branch: "test",
    For: "iterable",
}


def simplified(body: Block, parameters: Sequence[str], defaults: Mapping[str, Constant]) -> Block:
    """Return the body of a function in the spelling that is proved: draws, choices, selections.

    Parameters
    ----------
    body : tuple of Statement
    parameters : sequence of str
    defaults : dict of str to Constant
    """
    body = with_helpers(thawed(counted(body), tuple(parameters)), tuple(parameters))
    body = without_rejection(merged(body), tuple(parameters), defaults)
    body = indexed(first_of_orders(limited_in_place(unpaired(body))))
    return selected(chosen(lowered(body, parameters), parameters, defaults), parameters)


def lowered(body: Block, parameters: Sequence[str]) -> Block:
    """Return the body of a function, its noise drawn from the laws that it has.

    Parameters
    ----------
    body : tuple of Statement
    parameters : sequence of str
    """
    if not any(isinstance(n, Draw) and n.family in SOURCES for s in body for n in _inner(s)):
        return body
    body, _ = _rewritten(_unpacked(body), parameters)
    for _ in range(_ROUNDS):
        for candidate in _joined(body):
            found, changed = _rewritten(candidate, parameters)
            if changed:
                body = found
                break
        else:
            return body
    return body


_inner = rewriting.inner


def _with_its_law(node: Expression, place: Place) -> tuple[Expression | None, bool]:
    """Return a draw of the law of an expression, if there is one, and whether it is located."""
    if is_normal(node):
        return None, False
    from dpaudit.formal.lifting.laws import law_of, written  # the algebra takes long to import

    law = law_of(node)
    return (None, False) if law is None else (written(law, place), law.location is not None)


def _unpacked(body: Block) -> Block:
    """Return a body in which draws that are assigned side by side are so one after the other."""
    found: list[Statement] = []
    for statement in body:
        whole = rewriting.with_blocks(statement, _unpacked)
        drawn = isinstance(whole, Assign) and rewriting.draws(whole.value)
        found += unpacked((whole,)) if drawn else (whole,)
    return tuple(found)


def _rewritten(body: Block, parameters: Sequence[str]) -> tuple[Block, bool]:
    changed = False
    for _ in range(_ROUNDS):
        found = _Rewriter(body, parameters).block(body)
        if found is None:
            break
        body, changed = found, True
    return body, changed


@dataclass(frozen=True, slots=True)
class _Held:
    """A variable that holds a function of draws.

    Attributes
    ----------
    at : int
        The statement that stores it.
    value : Expression
        In terms of draws and of variables that hold none.
    reads : Counter of str
        The variables that the statement reads.
    """

    at: int
    value: Expression
    reads: Counter[str]


class _Rewriter:
    """One rewriting of a function; a new one is made for the next."""

    def __init__(self, body: Block, parameters: Sequence[str]) -> None:
        self.stored = rewriting.stores(*body) + Counter(parameters)
        self.named = rewriting.reads(*body)  # stores included

    def block(self, statements: Block) -> Block | None:
        """Return a block with one expression rewritten, None where there is none."""
        held: dict[str, _Held] = {}
        for at, statement in enumerate(statements):
            found = self._statement(statements, at, held)
            if found is not None:
                return found
            self._hold(statement, at, held)
        for at, statement in enumerate(statements):
            inside = self._inside(statement)
            if inside is not None:
                return (*statements[:at], inside, *statements[at + 1 :])
        return None

    def _hold(self, statement: Statement, at: int, held: dict[str, _Held]) -> None:
        """Note a variable that is stored once, with draws in it."""
        if not isinstance(statement, Assign) or not isinstance(statement.target, Name):
            return
        name, reads = statement.target.id, rewriting.reads(statement.value)
        if self.stored[name] != 1 or _draws_by(statement.value, held):
            return
        value = rewriting.filled(statement.value, {n: held[n].value for n in reads if n in held})
        if _may_move(value):
            held[name] = _Held(at, value, reads)

    def _statement(self, statements: Block, at: int, held: dict[str, _Held]) -> Block | None:
        statement = statements[at]
        field = _VALUE.get(type(statement))
        if field is None:
            return None
        found = self._expression(getattr(statement, field), statements, at, held)
        if found is None:
            return None
        new, dropped = found
        changed = replace(statement, **{field: new})  # type: ignore[arg-type]
        kept = (s for i, s in enumerate(statements[:at]) if i not in dropped)
        return (*kept, changed, *statements[at + 1 :])

    def _expression(
        self, node: Expression, statements: Block, at: int, held: dict[str, _Held]
    ) -> tuple[Expression, set[int]] | None:
        """Return an expression with a part rewritten, and the statements that are in it now."""
        used = self._used(node, held)
        found, located = None, False
        if used is not None:
            values = {n: held[n].value for n in used}
            if all(_unchanged(statements[held[n].at + 1 : at], values[n]) for n in used):
                whole = _inlined(rewriting.filled(node, values))
                found, located = _with_its_law(whole, node.place)
        if found is None or located:
            for child in operands(node):
                below = self._expression(child, statements, at, held)
                if below is not None:
                    return rewriting.exchanged(node, {id(child): below[0]}), below[1]
        if found is None or used is None:
            return None
        return found, {held[n].at for n in used}

    def _used(self, node: Expression, held: dict[str, _Held]) -> set[str] | None:
        """Return the variables with draws in an expression, None where others read them too."""
        reads = rewriting.reads(node)
        used: set[str] = set()
        waiting = [n for n in reads if n in held]
        while waiting:
            name = waiting.pop()
            if name not in used:
                used.add(name)
                waiting += [n for n in held[name].reads if n in held]
        if not used and not any(isinstance(n, Draw) for n in _inner(node)):
            return None
        for name in used:
            inside = reads[name] + sum(held[other].reads[name] for other in used)
            if self.named[name] != inside + 1:  # 1 for the statement that stores it
                return None
        return used

    def _inside(self, statement: Statement) -> Statement | None:
        """Return a statement with a block, or a part that is evaluated apart, rewritten."""
        for name in rewriting.BLOCKS:
            inner = getattr(statement, name, ())
            found = self.block(inner) if isinstance(inner, tuple) and inner else None
            if found is not None:
                return replace(statement, **{name: found})  # type: ignore[arg-type]
        for field in ("value", "test", "iterable"):
            value = getattr(statement, field, None)
            for part in () if value is None else _inner(value):
                for apart in _apart(part):
                    below = self._expression(apart, (), 0, {})
                    if below is not None:
                        return rewriting.exchanged(statement, {id(apart): below[0]})
        return None


def operands(node: Expression) -> Iterator[Expression]:
    """Yield the parts that are evaluated once whenever the expression is."""
    if isinstance(node, Draw | Comprehension | Closure | Choice | Logic | Named):
        return
    if isinstance(node, Call):
        yield from (*node.arguments, *(value for _, value in node.keywords))
        return
    for name in ("items", "value", "index"):
        part = getattr(node, name, None)
        for one in part if isinstance(part, tuple) else (part,):
            if isinstance(one, Node):
                yield one  # type: ignore[misc]


def _apart(node: Node) -> Iterator[Expression]:
    """Yield the parts that are evaluated seldom, or often."""
    if isinstance(node, Comprehension):
        yield node.element
    elif isinstance(node, Choice):
        yield from (node.yes, node.no)


def _draws_by(value: Expression, held: dict[str, _Held]) -> bool:
    """Return whether the arguments of a draw depend on other draws."""
    return any(
        n in held for part in _inner(value) if isinstance(part, Draw) for n in rewriting.reads(part)
    )


def _may_move(value: Expression) -> bool:
    """Return whether an expression has draws in it and may as well be evaluated later."""
    drawn = [part for part in _inner(value) if isinstance(part, Draw)]
    if not drawn or any(d.family not in SOURCES for d in drawn):
        return False
    nothing = {id(d): Constant(d.place, 0) for d in drawn}
    quiet = all(rewriting.is_quiet(a) for d in drawn for _, a in d.arguments)
    return quiet and rewriting.is_quiet(_inlined(rewriting.exchanged(value, dict(nothing))))


def _unchanged(between: Sequence[Statement], value: Expression) -> bool:
    """Return whether statements leave the variables of an expression as they are."""
    names = set(rewriting.reads(value))
    return all(
        (
            isinstance(s, Assign)
            and isinstance(s.target, Name)
            and s.target.id not in names
            and (not names or changes_nothing(s.value))
        )
        or (isinstance(s, Branch) and not s.no and all(isinstance(t, Raise) for t in s.yes))
        for s in between
    )


# --- functions of draws, and tests on them


def _inlined(node: Expression) -> Expression:
    """Return an expression with calls of functions that only compute written out."""
    for part in _inner(node):
        if isinstance(part, Call) and isinstance(part.function, Function):
            body = _written_out(part, part.function)
            if body is not None:
                return _inlined(rewriting.exchanged(node, {id(part): body}))
    return node


def _written_out(call: Call, function: Function) -> Expression | None:
    """Return the value of a call, where the function is a few assignments and a result."""
    given = dict(zip(function.parameters, call.arguments, strict=False)) | dict(call.keywords)
    known = {**function.defaults, **given}
    plain = function.starred is None and set(known) == set(function.parameters)
    if not plain or len(call.arguments) > len(function.parameters) or len(function.body) > 8:
        return None
    values: dict[str, Expression] = dict(known)
    body = next((b for b in _joined(function.body) if len(b) < len(function.body)), function.body)
    if not rewriting.draws_nothing(body):
        return None
    unread = {name for name, value in known.items() if not _is_plain(value)}
    for statement in body:
        value = rewriting.value_of(statement)
        if value is None or not rewriting.is_quiet(value):
            return None
        unread -= set(rewriting.reads(value))
        value = rewriting.filled(value, values)
        if isinstance(statement, Return):
            return None if unread else value  # what is left out may raise an error
        if not isinstance(statement, Assign) or not isinstance(statement.target, Name):
            return None
        if statement.target.id in unread:
            return None
        values[statement.target.id] = value
        unread |= set() if _is_plain(value) else {statement.target.id}
    return None


def _is_plain(value: Expression) -> bool:
    """Return whether to evaluate an expression raises no error."""
    if isinstance(value, Draw):
        return all(isinstance(a, Constant) for _, a in value.arguments)
    return isinstance(value, Constant | Name)


def _joined(body: Block) -> Iterator[Block]:
    """Yield the block with one branch written as one expression, for each that can be."""
    for at, statement in enumerate(body):
        if isinstance(statement, Branch):
            yield from _joined_at(body, at, statement)
        for name in rewriting.BLOCKS:
            inner = getattr(statement, name, ())
            if isinstance(inner, tuple) and inner:
                for found in _joined(inner):
                    changed = replace(statement, **{name: found})  # type: ignore[arg-type]
                    yield (*body[:at], changed, *body[at + 1 :])


def _joined_at(body: Block, at: int, branch: Branch) -> Iterator[Block]:
    before, after = body[:at], body[at + 1 :]
    if len(branch.yes) != 1 or len(branch.no) > 1:
        return
    yes = branch.yes[0]
    no = branch.no[0] if branch.no else None
    rest = after
    if no is None and isinstance(yes, Return) and after:
        no, rest = after[0], after[1:]
    if isinstance(yes, Return) and isinstance(no, Return):
        yield (
            *before,
            Return(branch.place, Choice(branch.place, branch.test, yes.value, no.value)),
            *rest,
        )
    if not isinstance(yes, Assign) or not isinstance(yes.target, Name):
        return
    if no is None and before:  # x = a, then x = b under a test
        first = before[-1]
        unread = yes.target.id not in rewriting.reads(branch.test, yes.value)
        if unread and isinstance(first, Assign) and isinstance(first.value, Constant):
            no, before = first, before[:-1]
    if isinstance(no, Assign) and isinstance(no.target, Name) and no.target.id == yes.target.id:
        value = Choice(branch.place, branch.test, yes.value, no.value)
        yield (*before, Assign(branch.place, yes.target, value), *rest)
