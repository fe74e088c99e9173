"""Reads expressions: what each tells of the data, and how much of it noise covers."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import Literal

from dpaudit.static.arithmetic import combined
from dpaudit.static.conditions import compared, decided, is_whole, truth
from dpaudit.static.facts import Choice, Condition, Cut, Exit, Operation
from dpaudit.static.forms import Form, constant, symbol
from dpaudit.static.frames import Frame
from dpaudit.static.kept_seeds import dotted_name, is_constant
from dpaudit.static.library import (
    EPSILON,
    FAMILIES,
    GENERATOR_NAMES,
    PUBLIC_ATTRIBUTES,
    SECURE_MAKERS,
    SENSITIVITY,
)
from dpaudit.static.modules import Function, Module
from dpaudit.static.objects import Instance, constant_of, decorated, method_of
from dpaudit.static.parts import element, indexed, iterated
from dpaudit.static.releasers import chained, speaks_of_library
from dpaudit.static.values import (
    KEEPS,
    NOTHING,
    PUBLIC,
    SIZE,
    Maker,
    Value,
    changed,
    elementwise,
    joined,
    mixed,
)


def evaluate(frame: Frame, node: ast.expr) -> Value:
    """Return what is known of an expression's value."""
    frame.reading.step()
    match node:
        case ast.Constant():
            return _constant(node)
        case ast.Name():
            return _name(frame, node.id)
        case ast.Attribute():
            return _attribute(frame, node)
        case ast.BinOp():
            return _operation(frame, node)
        case ast.UnaryOp():
            return _unary(frame, node)
        case ast.Compare():
            return _compare(frame, node)
        case ast.BoolOp():
            return _connected(frame, node)
        case ast.Call():
            from dpaudit.static.calls import call

            return call(frame, node)
        case ast.Subscript():
            return _subscript(frame, node)
        case ast.IfExp():
            return _conditional(frame, node)
        case ast.Tuple() | ast.List() | ast.Set():
            return _sequence(frame, node)
        case ast.Dict():
            return _dict(frame, node)
        case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
            return _comprehension(frame, node)
        case ast.Lambda():
            return Value(function=Function(node, frame.module, closure=frame.names))
        case ast.NamedExpr():
            value = evaluate(frame, node.value)
            frame.names[node.target.id] = value
            return value
        case ast.JoinedStr():
            parts = [v.value for v in node.values if isinstance(v, ast.FormattedValue)]
            return joined(*(evaluate(frame, part) for part in parts)).plain()
        case ast.Starred() | ast.Await():
            return evaluate(frame, node.value)
        case ast.Yield():
            value = PUBLIC if node.value is None else evaluate(frame, node.value)
            frame.returns.append(value)
            exits(frame, "return", node, value)
            return PUBLIC
        case ast.YieldFrom():
            value = evaluate(frame, node.value)
            frame.returns.append(value)
            return value
        case ast.Slice():
            bounds = [
                evaluate(frame, b) for b in (node.lower, node.upper, node.step) if b is not None
            ]
            whole = {"whole"} if any(b.has("length") for b in bounds) else set()
            prefix = node.lower is None and node.step is None and mixed(bounds).loops
            return mixed(bounds).marked("slice", *whole, *(("prefix",) if prefix else ()))
    return PUBLIC


def exits(
    frame: Frame,
    kind: Literal["return", "raise", "log", "store"],
    node: ast.AST,
    value: Value,
) -> None:
    """Note a way out; what a called function returns is judged where it is used."""
    if frame.depth and kind == "return" and not frame.leaves:
        return
    if frame.depth and kind == "raise" and frame.reading.guarded:
        return  # it may be caught
    if kind == "return" and value.instance is not None:
        value = value.instance.value()
    frame.facts.exits.append(Exit(kind, frame.place(node), value, tuple(frame.under), node))


def choice(frame: Frame, node: ast.expr, test: Value, one: Value, other: Value) -> Value:
    """Return a value that is one or the other, by a condition, and note the choice."""
    place = frame.place(node)
    if not (test.public and one.public and other.public):
        frame.facts.choices.append(Choice(place, test, one, other))
    value = joined(one, other)
    if one.public != other.public and test.tells <= SIZE:  # where there is no record
        value = value.marked(*(m for m in one.marks | other.marks if m.startswith("moves:")))
    if any(v.has("extreme") for v in (one, other)) and (one.public or other.public):
        value = value.marked("extreme")
    if test.tells and one.public != other.public and test.has("mask", "vector"):
        value = value.marked("emptied")
    if test.tells and one.covered and other.covered:
        return changed(value, hidden=True, number=None)  # chance decides in either case
    if test.tells and one != other:
        branch = value.branch or (0 if value.tells else node.lineno)
        return changed(value, tells=value.tells | test.tells, branch=branch, number=None)
    if test.covered:
        coin = test.noise and not frame.facts.is_additive(value)
        if value.tells and (coin or not value.hidden):
            return elementwise((value, test))
        return _covered(value, test)
    return value


def _covered(value: Value, test: Value) -> Value:
    draws = value.draws | test.draws
    return changed(value, hidden=value.hidden or test.hidden, draws=draws)


def _conditional(frame: Frame, node: ast.IfExp) -> Value:
    test = evaluate(frame, node.test)
    known = decided(frame.facts, test)
    if known is not None:
        return evaluate(frame, node.body if known else node.orelse)
    return choice(frame, node, test, evaluate(frame, node.body), evaluate(frame, node.orelse))


def _connected(frame: Frame, node: ast.BoolOp) -> Value:
    """Return what is known of an operand that decides, or of all that may."""
    open_: list[Value] = []
    for operand in node.values:
        value = evaluate(frame, operand)
        known = decided(frame.facts, value)
        last = value
        if known is None or known == isinstance(node.op, ast.Or):
            open_.append(value)
        if known is not None and known == isinstance(node.op, ast.Or):
            break
    return elementwise(open_) if len(open_) > 1 else (open_ or [last])[0]


def _constant(node: ast.Constant) -> Value:
    value = node.value
    if value is None:
        return Value(marks=frozenset({"none"}))
    if isinstance(value, bool):
        return truth(PUBLIC, value)
    if not isinstance(value, int | float):
        return Value(text=value) if isinstance(value, str) else PUBLIC
    try:
        number = float(value)
    except OverflowError:
        return PUBLIC
    return Value(number=number, form=constant(number))


def _name(frame: Frame, name: str) -> Value:
    if name in frame.names:
        return frame.names[name]
    closure = frame.function.closure
    if closure is not None and name in closure:
        return closure[name]
    module = frame.module
    if (module.path, name) in frame.reading.stored:
        return frame.reading.stored[module.path, name]
    if name in module.functions:
        return Value(function=module.functions[name], text=name)
    if name in module.imports:
        return imported(frame, module.imports[name])
    if name in module.names:
        return _of_module(frame, name, module.names[name])
    return Value(text=name) if name in _TYPES else PUBLIC


_LONG = 10_000  # of a collection, as the syntax tree is written


def imported(frame: Frame, dotted: str) -> Value:
    """Return what is imported by its whole name: a function where its source is at hand."""
    return Value(text=dotted, function=frame.reading.project.function(dotted, frame.module))


_TYPES = frozenset({"float", "int", "str", "bool", "list", "tuple", "set", "dict", "bytes"})


def _of_module(frame: Frame, name: str, node: ast.expr) -> Value:
    """Return a name of the module: a number, a generator, or public for all that is known."""
    outside = Frame(frame.reading, Function(NOBODY, frame.module), depth=frame.depth + 1)
    if isinstance(node, ast.Lambda) or speaks_of_library(frame.module, node):
        return evaluate(outside, node)
    if isinstance(node, ast.Call):
        if ast.unparse(node.func) in ("partial", "functools.partial"):
            return evaluate(outside, node)
        maker = kept_generator(frame.module, node)
        if maker is not None:
            return Value(maker=maker)
        return Value(form=symbol(name), marks=frozenset({"global"}))
    if isinstance(node, ast.Dict | ast.List | ast.Tuple | ast.Set) and len(ast.dump(node)) < _LONG:
        return evaluate(outside, node).marked("global")
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return Value(form=symbol(name), marks=frozenset({"global"}))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return named(frame, name, Value(number=float(value), form=constant(float(value))))
    return Value(marks=frozenset({"global"}))


def kept_generator(module: Module, node: ast.expr) -> Maker | None:
    """Return the generator that an expression makes once, for all calls; None where it makes none.

    Parameters
    ----------
    module : Module
        Where it stands, for a variable of the module or the default of a parameter.
    node : expr
    """
    if not isinstance(node, ast.Call):
        return None
    dotted = dotted_name(module, node.func)
    if dotted in {"numpy.random.default_rng", "numpy.random.RandomState", "random.Random"}:
        given = (*node.args, *(keyword.value for keyword in node.keywords))
        if any(is_constant(module, each) for each in given):
            return Maker("module-seeded", made=(module.shown, node.lineno))
        return Maker("module-fresh")
    return Maker("secure") if dotted in SECURE_MAKERS else None


def named(frame: Frame, name: str, value: Value) -> Value:
    """Return a number under the name that it is given, where formulas of noise speak of that.

    It is delta, a sensitivity, or epsilon, if that is all that is claimed.
    """
    claimed = frame.facts.epsilon
    whole = name in EPSILON and (claimed is None or value.number == claimed)
    sensitivity = value.number != 1 and bool(SENSITIVITY.search(name))
    whole = whole or sensitivity or name == "delta"
    if value.number is None or value.form is None or value.form.powers:
        return value
    return changed(value, form=symbol(name)) if whole else value


def _attribute(frame: Frame, node: ast.Attribute) -> Value:
    base = evaluate(frame, node.value)
    if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
        held = frame.names.get(f"self.{node.attr}")
        owner = frame.module.classes.get(frame.function.owner)
        this = frame.this or (None if owner is None else Instance(owner, frame.module))
        if held is None and this is not None:
            held = _held(frame, node, this)
        if held is not None:
            return held
        return Value(form=symbol(f"self.{node.attr}"), marks=frozenset({"attribute"}))
    if node.attr in FAMILIES and (base.maker is not None or _is_handed_generator(node, base)):
        maker = base.maker or Maker("parameter")
        return Value(maker=maker, text=node.attr, marks=frozenset({"draw"}))
    if base.instance is not None:
        return _held(frame, node, base.instance) or PUBLIC
    if node.attr in PUBLIC_ATTRIBUTES:
        return PUBLIC
    if node.attr == "shape":
        return Value(tells=base.shape, shape=NOTHING, marks=frozenset({"shape"}))
    if node.attr in ("size", "empty"):
        size = Value(
            tells=base.shape, marks=frozenset({"length"}) if node.attr == "size" else NOTHING
        )
        whole = size.marked("whole") if is_whole(base) else size
        return whole if node.attr == "size" else truth(size, _not(decided(frame.facts, base)))
    if base.text and base.public and base.maker is None:
        dotted = f"{base.text}.{node.attr}"
        return Value(text=dotted, function=frame.reading.project.function(dotted, frame.module),
                     number=_MATH.get(dotted), form=_form_of(_MATH.get(dotted)))  # fmt: skip
    if node.attr in ("T", "values", "real", "at", "loc", "iloc", "str", "dt", "flat"):
        return base
    if base.public:
        return Value(params=base.params, text="", form=None, loops=base.loops)
    # A column of a table, or a part of a result.
    return changed(base, items=None, function=None)


def is_generator(node: ast.expr) -> bool:
    """Return whether the name of an expression is one that generators have."""
    return isinstance(node, ast.Name | ast.Attribute) and bool(
        GENERATOR_NAMES.search(ast.unparse(node))
    )


def _is_handed_generator(node: ast.Attribute, base: Value) -> bool:
    return base.public and not base.text and base.form is None and is_generator(node.value)


def _held(frame: Frame, node: ast.Attribute, this: Instance) -> Value | None:
    """Return an attribute of an object: what it holds, a property or a constant of its class."""
    if node.attr in this.held:
        return this.held[node.attr]
    method = method_of(frame.reading.project, this.node, this.module, node.attr)
    if method is not None and decorated(method, "property"):
        from dpaudit.static.calls import called

        return called(frame, node, method, (), {}, this)[0]
    if method is not None:
        return Value(function=method)
    constant = constant_of(this.node, node.attr)
    maker = None if constant is None else kept_generator(this.module, constant)
    if maker is not None:
        return Value(maker=maker)
    outside = Frame(frame.reading, Function(NOBODY, this.module), depth=frame.depth + 1)
    return None if constant is None else evaluate(outside, constant)


NOBODY = ast.Lambda(
    ast.arguments([], [], None, [], [], None, []), ast.Constant(None), lineno=1, col_offset=0
)
_MATH = {"math.pi": math.pi, "math.e": math.e, "math.inf": math.inf, "numpy.pi": math.pi,
         "numpy.e": math.e, "numpy.inf": math.inf}  # fmt: skip


def _not(known: bool | None) -> bool | None:
    return None if known is None else not known


def _form_of(number: float | None) -> Form | None:
    return None if number is None else constant(number)


def _unary(frame: Frame, node: ast.UnaryOp) -> Value:
    value = evaluate(frame, node.operand)
    if isinstance(node.op, ast.USub):
        number = None if value.number is None else -value.number
        form = None if value.form is None else constant(-1.0) * value.form
        return changed(value, number=number, form=form, marks=value.marks - _BOUNDS | {"negative"})
    if isinstance(node.op, ast.Not):
        known = decided(frame.facts, value)
        result = changed(value.plain(), marks=value.marks & {"vector", "mask"})
        return truth(result, _not(known))
    return changed(value, marks=value.marks - KEEPS)


_BOUNDS = frozenset({"low", "high"})


def _operation(frame: Frame, node: ast.BinOp) -> Value:
    left, right = evaluate(frame, node.left), evaluate(frame, node.right)
    operator = type(node.op).__name__
    if operator == "Mult" and isinstance(node.left, ast.List):  # a list, repeated
        return changed(left, shape=left.shape | right.tells, items=None).marked("array")
    if operator == "Pow" and left.public and right.tells:
        right = right.marked("exp")
    chain = chained(left, right) if operator == "RShift" else None
    result = combined(frame, operator, left, right) if chain is None else chain
    if not (left.public and right.public):
        note = Operation(frame.place(node), operator, left, right, result, frame.loops)
        frame.facts.operations.append(note)
    return result


def _compare(frame: Frame, node: ast.Compare) -> Value:
    values = [evaluate(frame, part) for part in (node.left, *node.comparators)]
    none = any(isinstance(c, ast.Constant) and c.value is None for c in node.comparators)
    own = values[0].has("own", "scalar") or values[0].has("entry")
    known = compared(frame.facts, node.ops, values)
    if none and isinstance(node.ops[0], ast.Is | ast.IsNot) and not own:
        return truth(changed(PUBLIC, params=values[0].params), known)
    result = elementwise(values).marked("mask")
    for i, operator in enumerate(node.ops):
        left, right = values[i], values[i + 1]
        if left.has("broadcast") and isinstance(operator, ast.GtE | ast.Gt | ast.LtE | ast.Lt):
            result = result.marked("overlapping")
        if isinstance(operator, ast.Eq) and _is_unary(left, right):
            result = result.marked("unary")
        if left.has("broadcast") and isinstance(operator, ast.Eq):
            pairs = "records" in right.tells and right.has("own")
            result = result.marked("pairs" if pairs else "one-hot")
        if isinstance(operator, ast.GtE | ast.Gt) and len(node.ops) == 1 and right.public:
            result = result.marked("ordered-above")
        if isinstance(operator, ast.LtE | ast.Lt) and len(node.ops) == 1 and right.public:
            result = result.marked("ordered-below")
        result = result.marked(*_odds(frame, operator, left, right), *_keeps(operator, left, right))
        if left.covered and right.number in (0.0, 1.0) and not right.draws:
            result = result.marked("positive")
        if not (left.public and right.public):
            name = type(operator).__name__
            note = Operation(frame.place(node), name, left, right, result, frame.loops)
            frame.facts.operations.append(note)
    return truth(result, known)


def _is_unary(left: Value, right: Value) -> bool:
    """Whether an equality holds for one entry: that of a private value among public ones."""
    if left.has("unary") and right.public:
        return True
    one, others = (left, right) if left.tells else (right, left)
    alone = bool(one.tells) and not one.has("vector") and (one.has("scalar") or one.has("one"))
    return alone and others.public and others.has("vector")


def _keeps(operator: ast.cmpop, left: Value, right: Value) -> Iterator[str]:
    """Yield on which sides a comparison of the records bounds those that it holds for."""
    if left.has("own") == right.has("own") or not (left.public or right.public):
        return
    if isinstance(operator, ast.GtE | ast.Gt | ast.LtE | ast.Lt):
        above = isinstance(operator, ast.GtE | ast.Gt) == left.has("own")
        yield "keeps-low" if above else "keeps-high"


def _odds(frame: Frame, operator: ast.cmpop, left: Value, right: Value) -> Iterator[str]:
    """Yield the odds of a coin: a uniform number that is compared with a probability."""
    coin, bound = (left, right) if left.noise else (right, left)
    below = isinstance(operator, ast.Lt | ast.LtE) == left.noise
    drawn = frame.facts.drawn(coin) if coin.has("drawn") else []
    p = bound.number if isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE) else None
    if len(drawn) == 1 and drawn[0].family == "random" and p is not None and 0 < p < 1:
        yield f"odds:{p / (1 - p) if below else (1 - p) / p!r}"


def _subscript(frame: Frame, node: ast.Subscript) -> Value:
    base, index = evaluate(frame, node.value), evaluate(frame, node.slice)
    field = _field(base, index) if index.public else None
    if field is not None:
        return field
    if base.has("shape"):
        first = isinstance(node.slice, ast.Constant) and node.slice.value == 0
        return Value(tells=base.tells) if first else PUBLIC
    if base.items is not None and index.number is not None:
        at = int(index.number)
        if -len(base.items) <= at < len(base.items):
            return base.items[at]
    if base.tells and index.has("slice"):
        frame.facts.slices.append(Cut(frame.place(node), base, index))
    return indexed(base, index, node.slice)


def _field(base: Value, index: Value) -> Value | None:
    """Return an entry or a column that is known by its name, or several columns."""
    fields = dict(base.fields)
    if index.text or not index.items:
        return fields.get(index.text)
    chosen = {each.text: fields[each.text] for each in index.items if each.text in fields}
    return changed(joined(*chosen.values()), fields=tuple(chosen.items())) if chosen else None


def _sequence(frame: Frame, node: ast.Tuple | ast.List | ast.Set) -> Value:
    items = tuple(evaluate(frame, entry) for entry in node.elts)
    value = joined(*items)
    starred = any(isinstance(entry, ast.Starred) for entry in node.elts)
    shape = frozenset().union(
        *(v.shape for v, e in zip(items, node.elts, strict=True) if isinstance(e, ast.Starred))
    )
    if isinstance(node, ast.Set):
        listed = None if value.tells or starred else items
        return changed(value, shape=value.tells, items=listed).marked("keys")
    if len(items) > 1 and any(v.has("key") and v.tells for v in items):
        value = value.marked("keyed")
    drop = {"scalar", "own"} if len(items) != 1 else set()
    value = changed(value, marks=value.marks - drop, function=None, number=None, form=None)
    return changed(value, items=None if starred else items, shape=shape | _inner(items))


def _inner(items: tuple[Value, ...]) -> frozenset[str]:
    return frozenset().union(*(v.shape for v in items))


def _dict(frame: Frame, node: ast.Dict) -> Value:
    keys = [evaluate(frame, key) for key in node.keys if key is not None]
    values = [evaluate(frame, value) for value in node.values]
    value = changed(joined(*keys, *values), items=None, text="", number=None, form=None)
    value = changed(value, marks=(value.marks - {"none", "truth"}) | {"dict"}, function=None)
    if len(keys) == len(values) and all(key.text for key in keys):
        names = (key.text for key in keys)
        value = changed(value, fields=tuple(zip(names, values, strict=True))).marked("fields")
    return value.marked("keyed") if any(k.tells for k in keys) else value


def _comprehension(
    frame: Frame, node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp
) -> Value:
    from dpaudit.static.statements import assign

    outer, kept = frame.loops, dict(frame.names)
    shape: frozenset[str] = NOTHING
    depth = len(frame.under)
    keyed = False
    for generator in node.generators:
        over = evaluate(frame, generator.iter)
        loop = frame.new_loop()
        if over.tells:
            frame.facts.endless.add(loop)
        entry = element(iterated(over))
        entry = entry.marked("running") if over.has("running") else entry
        frame.loops = (*frame.loops, loop)
        assign(frame, generator.target, changed(entry, loops=entry.loops | {loop}))
        shape |= over.shape
        keyed = keyed or over.has("keys")
        for test in generator.ifs:
            condition = evaluate(frame, test)
            if decided(frame.facts, condition):
                continue
            shape |= condition.tells
            frame.under.append(Condition(condition, frame.place(test)))
    if isinstance(node, ast.DictComp):
        key, value = evaluate(frame, node.key), evaluate(frame, node.value)
        result = joined(key, value).marked(*(value.marks & {"aggregate", "counted"}))
        result = result.marked("keyed") if key.tells else result
        result = result.marked("dict")
    else:
        result = evaluate(frame, node.elt)
    frame.loops, frame.names = outer, kept
    del frame.under[depth:]
    drop = {"scalar", "one", "entry", "own"}
    marks = (result.marks - drop) | {"vector"} | ({"nested"} if result.has("vector") else set())
    if isinstance(node, ast.SetComp):
        shape, marks = shape | result.tells, marks | {"keys"}
    return changed(result, shape=shape, marks=marks, items=None, number=None, form=None)
