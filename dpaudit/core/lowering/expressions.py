"""Expressions: what each is, on one path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from dpaudit.core import names
from dpaudit.core.language import Data
from dpaudit.core.lowering.calls import MOST_ENTRIES, NUMBERS, apply, broadcast, element, is_rows
from dpaudit.core.lowering.paths import Path
from dpaudit.core.lowering.values import (
    Column,
    Const,
    Filtered,
    Fn,
    Frame,
    Items,
    Ref,
    Repeated,
    Token,
)
from dpaudit.formal import program as ir
from dpaudit.formal.lifting.known import is_plain, may_run


@contextmanager
def unchanged(over: Any) -> Iterator[None]:
    """Refuse changes of a container while it is gone through."""
    if not isinstance(over, Items):
        yield
        return
    over.busy += 1
    try:
        yield
    finally:
        over.busy -= 1


def freeze(value: Any) -> None:
    """Refuse changes, from now on, of a container that another value may be a view of."""
    if isinstance(value, Items):
        value.fixed = True
        for item in value.items:
            freeze(item)


class Evaluator:
    """Evaluates expressions; `call` runs functions of the user's."""

    def __init__(self, path: Path, data: Data) -> None:
        self.path, self.data = path, data
        self.of_record = False  # while a comprehension over the records is read

    def call(self, fn: Fn, args: list[Any], keywords: dict[str, Any]) -> Any:
        """Return what a function of the user's returns."""
        raise NotImplementedError

    def evaluate(self, node: ir.Expression, frame: Frame) -> Any:
        """Return the value of an expression."""
        self.path.step(node.place)
        handler = _HANDLERS.get(type(node))
        if handler is None:
            raise self.path.refuse(f"an expression {type(node).__name__}")
        return handler(self, node, frame)

    def lookup(self, name: str, frame: Frame) -> Any:
        """Return a variable, of the function or of one around it."""
        around: Frame | None = frame
        while around is not None:
            if name in around.variables:
                return around.variables[name]
            around = around.parent
        raise self.path.refuse(f"`{name}`, which has no value here")

    def freeze(self, value: Any) -> None:
        """Refuse changes of a container that another value may be a view of."""
        freeze(value)

    def changes(self) -> None:
        """Refuse what changes something, or draws, where it would happen for every record."""
        if self.of_record:
            raise self.path.refuse("a change or a draw for every record")

    def truth(self, value: Any) -> bool:
        """Return the answer to a test on this path."""
        match value:
            case Const(value=held) if is_plain(held) and not isinstance(held, np.ndarray):
                return bool(held)
            case Items(kind=kind, items=items) if kind != "array":
                return bool(items)
            case Ref():
                return self.path.answer(value)
        raise self.path.refuse("a test of such a value")

    def entries(self, value: Any) -> list[Any]:
        """Return what going through a value yields, where its length is known."""
        if isinstance(value, Items):
            return [Const(k) for k in value.keys] if value.kind == "dict" else list(value.items)
        held = value.value if isinstance(value, Const) else None
        if isinstance(held, range | list | tuple | np.ndarray | dict):
            if len(held) > 64 * MOST_ENTRIES or getattr(held, "ndim", 1) != 1:
                raise self.path.refuse("going through very many values, or an array of arrays")
            return [Const(entry) for entry in held]
        raise self.path.refuse("going through what has no public length")

    def cast(self, to: str, value: Any) -> Any:
        """Return a value as a float or an integer."""
        if isinstance(value, Const):
            if to == "float" and type(value.value) in NUMBERS:
                exact = type(value.value) in (float, np.float64)
                return value if exact else Const(float(value.value))
            raise self.path.refuse(f"a constant as {to}")
        if not isinstance(value, Ref) or value.shape == "table":
            raise self.path.refuse(f"a container as {to}")
        shape = "scalar" if value.shape == "opaque" else value.shape
        return Ref(self.path.let("cast", [value], (to,)), shape)

    def function(self, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
        """Return what a library function gives."""
        return apply(self, name, args, keywords)

    def field(self, table: Any, name: str | None) -> Ref:
        """Return a column of a table, or of some of its rows; any where no name is given."""
        if isinstance(table, Filtered):
            if name is None:
                return Ref(self.path.let("filter", [table.mask, table.mask]), "rows")
            return Ref(self.path.let("filter", [self.field(table.table, name), table.mask]), "rows")
        return Ref(self.path.let("field", [table], (name,)), "rows")

    def subscript(self, value: Any, index: Any) -> Any:
        """Return ``value[index]``."""
        at = index.value if isinstance(index, Const) else None
        if isinstance(value, Const) and isinstance(index, Const):
            return self.function("operator.getitem", [value, index], {})
        if isinstance(value, Items):
            return self.entry(value, index)
        if isinstance(value, Filtered) or (isinstance(value, Ref) and value.shape == "table"):
            if type(at) is str:
                return self.field(value, at)
            if isinstance(value, Ref) and is_rows(index) and index.shape == "rows":
                return Filtered(value, index)
        if isinstance(value, Ref) and value.shape == "rows":
            if isinstance(index, Ref) and index.shape == "rows":
                return Ref(self.path.let("filter", [value, index]), "rows")
            column = [(slice, slice(None)), (type(None), None)]
            if (
                isinstance(index, Items)
                and [(type(i.value), i.value) for i in index.items if isinstance(i, Const)]
                == column
            ):
                return Column(value)
        ranged = isinstance(value, Const) and isinstance(value.value, np.ndarray | list | tuple)
        if ranged and isinstance(index, Ref) and index.shape in ("scalar", "opaque"):
            return Ref(self.path.let("get", [value, index]), "opaque")
        single = isinstance(value, Ref) and value.shape in ("scalar", "opaque")
        if single and isinstance(index, Const):
            return Ref(self.path.let("get", [value, index]), "opaque")
        raise self.path.refuse("such an index")

    def entry(self, value: Items, index: Any) -> Any:
        """Return an entry, or a slice, of a container."""
        at = index.value if isinstance(index, Const) else None
        if value.kind == "dict" and isinstance(at, str | int | float | bool) and at in value.keys:
            return value.items[value.keys.index(at)]
        if value.kind != "dict" and type(at) is int and -len(value.items) <= at < len(value.items):
            return value.items[at]
        if value.kind != "dict" and isinstance(at, slice):
            if value.kind == "array":
                value.fixed = True
            return Items(value.kind, value.items[at], fixed=value.kind == "array")
        if isinstance(index, Ref) and index.shape in ("scalar", "opaque") and value.kind != "dict":
            freeze(value)
            return Ref(self.path.let("get", [value, index]), "opaque")
        raise self.path.refuse("such an index")

    def drawn(self, node: ir.Draw, frame: Frame) -> Any:
        """Return noise: a draw around 0, plus where it is centered."""
        self.changes()
        if not isinstance(self.evaluate(node.generator, frame), Token):
            raise self.path.refuse("a draw from what is no generator of its own")
        given = {name: self.evaluate(value, frame) for name, value in node.arguments}
        size, location = given.pop("size", Const(None)), given.pop("loc", Const(0.0))
        laws = {"laplace": ("laplace", "scale"), "normal": ("normal", "scale"),
                "standard_normal": ("normal", ""), "geometric": ("geometric", "p")}  # fmt: skip
        if node.family not in laws:
            raise self.path.refuse(f"draws of the law {node.family}")
        law, word = laws[node.family]
        parameter = given.pop(word, Const(1.0))
        if given or (word == "p" and isinstance(location, Const) and location.value != 0.0):
            raise self.path.refuse(f"such a draw of the law {node.family}")
        found = self.draws(law, parameter, size, location)
        zero = (
            isinstance(location, Const) and type(location.value) in NUMBERS and location.value == 0
        )
        return found if zero else broadcast(self, "add", [location, found])

    def draws(self, law: str, parameter: Any, size: Any, location: Any) -> Any:
        """Return one draw, or an array of them."""
        count = None
        if isinstance(size, Items) and len(size.items) == 1:
            size = size.items[0]
        if isinstance(size, Const):
            count = size.value
        if not isinstance(size, Const) or not (count is None or type(count) is int):
            raise self.path.refuse("draws of such a size")
        spread: Any = next((v for v in (parameter, location) if isinstance(v, Items) or (
            isinstance(v, Const) and isinstance(v.value, np.ndarray))), None)  # fmt: skip
        if count is None and spread is None:
            return self.path.draw(law, self.scalar(parameter))
        wanted = count if count is not None else len(self.entries(spread))
        if not 0 <= wanted <= MOST_ENTRIES:
            raise self.path.refuse("very many draws")
        each = self.entries(parameter) if parameter is spread or isinstance(parameter, Items) else (
            [parameter] * wanted
        )  # fmt: skip
        if len(each) != wanted:
            raise self.path.refuse("draws of such a size")
        return Items("array", [self.path.draw(law, self.scalar(p)) for p in each])

    def scalar(self, value: Any) -> Any:
        """Return a parameter of noise, which must be one number."""
        if isinstance(value, Ref) and value.shape == "scalar":
            return value
        if isinstance(value, Const) and type(value.value) in NUMBERS:
            return value
        raise self.path.refuse("noise with such a parameter")


def _constant(on: Evaluator, node: Any, frame: Frame) -> Any:
    value = node.value
    if callable(value) and not isinstance(value, type):
        return Const(value)
    if not is_plain(value) and not isinstance(value, type):
        raise on.path.refuse(f"a {type(value).__name__} as a constant")
    return Const(value)


def _generator(on: Evaluator, node: Any, frame: Frame) -> Any:
    if not node.is_private:
        raise on.path.refuse("a generator whose draws may be known")
    return Token()


def _call(on: Evaluator, node: Any, frame: Frame) -> Any:
    args: list[Any] = []
    for argument in node.arguments:
        if isinstance(argument, ir.Starred):
            args += on.entries(on.evaluate(argument.value, frame))
        else:
            args.append(on.evaluate(argument, frame))
    keywords = {name: on.evaluate(value, frame) for name, value in node.keywords}
    on.path.step(node.place)
    function: Any = node.function
    if function == names.CALL:
        function, args = args[0], args[1:]
        if isinstance(function, Fn):
            return on.call(function, args, keywords)
    if isinstance(function, ir.Function):
        return on.call(Fn(function, None), args, keywords)
    if isinstance(function, str):
        if function == names.NEGATION:
            return _negated(on, args[0])
        return on.function(function, args, keywords)
    return _run(on, function, args, keywords)


def _run(on: Evaluator, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    """Run a function of the user's that depends on nothing but constants."""
    value = function.value if isinstance(function, Const | ir.Constant) else None
    values = [*args, *keywords.values()]
    if not callable(value) or not may_run(value) or not all(isinstance(v, Const) for v in values):
        raise on.path.refuse("a call of what is not read")
    try:
        found = value(*(a.value for a in args), **{k: v.value for k, v in keywords.items()})
    except Exception as error:
        raise on.path.refuse(f"a call that raises {type(error).__name__}") from None
    if not is_plain(found):
        raise on.path.refuse(f"a {type(found).__name__} that a call gives")
    return Const(found)


def _negated(on: Evaluator, value: Any) -> Any:
    if isinstance(value, Ref) and value.shape == "record":
        return Ref(on.path.let("not", [value]), "record")
    return Const(not on.truth(value))


def _attribute(on: Evaluator, node: Any, frame: Frame) -> Any:
    value = on.evaluate(node.value, frame)
    if isinstance(value, Const):
        raise on.path.refuse(f"the attribute `{node.name}`")
    length = on.function("builtins.len", [value], {}) if node.name in ("size", "shape") else None
    if length is not None and (is_rows(value) or isinstance(value, Items)):
        if isinstance(value, Ref) and value.shape == "list":
            raise on.path.refuse("an attribute of a list")
        return length if node.name == "size" else Items("tuple", [length])
    raise on.path.refuse(f"the attribute `{node.name}`")


def _sequence(on: Evaluator, node: Any, frame: Frame) -> Any:
    if node.kind == "set":
        raise on.path.refuse("a set")
    items: list[Any] = []
    for item in node.items:
        if isinstance(item, ir.Starred):
            items += on.entries(on.evaluate(item.value, frame))
        else:
            items.append(on.evaluate(item, frame))
    return Items(node.kind, items)


def _mapping(on: Evaluator, node: Any, frame: Frame) -> Any:
    found = Items("dict", [])
    for key, value in node.items:
        at = on.evaluate(key, frame)
        if not isinstance(at, Const) or not isinstance(at.value, str | int | float | bool):
            raise on.path.refuse("such a key")
        _put(found, at.value, on.evaluate(value, frame))
    return found


def _put(found: Items, key: Any, value: Any) -> None:
    if key in found.keys:
        found.items[found.keys.index(key)] = value
    else:
        found.keys.append(key)
        found.items.append(value)


def _slice(on: Evaluator, node: Any, frame: Frame) -> Any:
    ends = [
        None if e is None else on.evaluate(e, frame) for e in (node.start, node.stop, node.step)
    ]
    if any(end is not None and not isinstance(end, Const) for end in ends):
        raise on.path.refuse("a slice that the program computes")
    return Const(slice(*(None if end is None else end.value for end in ends)))


def _choice(on: Evaluator, node: Any, frame: Frame) -> Any:
    test = on.evaluate(node.test, frame)
    if isinstance(test, Ref) and test.shape == "record":
        return element(
            on, "where", [test, on.evaluate(node.yes, frame), on.evaluate(node.no, frame)]
        )
    return on.evaluate(node.yes if on.truth(test) else node.no, frame)


def _logic(on: Evaluator, node: Any, frame: Frame) -> Any:
    found = on.evaluate(node.operands[0], frame)
    for operand in node.operands[1:]:
        if isinstance(found, Ref) and found.shape == "record":
            found = Ref(on.path.let(node.operator, [found, on.evaluate(operand, frame)]), "record")
        elif on.truth(found) is (node.operator == "and"):
            found = on.evaluate(operand, frame)
        else:
            return found
    return found


def _named(on: Evaluator, node: Any, frame: Frame) -> Any:
    on.changes()
    value = on.evaluate(node.value, frame)
    while not frame.of_call and frame.parent is not None:
        frame = frame.parent
    frame.variables[node.target.id] = value
    return value


def _comprehension(on: Evaluator, node: Any, frame: Frame) -> Any:
    if node.kind == "set":
        raise on.path.refuse("a set")
    inner = Frame({}, frame, of_call=False)
    over = on.evaluate(node.clauses[0][1], frame)
    if is_rows(over):
        return _of_records(on, node, over, inner)
    found: list[Any] = []
    _clauses(on, node, 0, over, inner, found)
    if node.kind == "dict":
        mapping = Items("dict", [])
        for pair in found:
            key, value = on.entries(pair)
            if not isinstance(key, Const) or not isinstance(key.value, str | int | float | bool):
                raise on.path.refuse("such a key")
            _put(mapping, key.value, value)
        return mapping
    return Items("list", found)


def _clauses(on: Evaluator, node: Any, at: int, over: Any, frame: Frame, found: list[Any]) -> None:
    target, _, conditions = node.clauses[at]
    with unchanged(over):
        for value in on.entries(over):
            on.path.step(node.place)
            on.assign(target, value, frame)  # type: ignore[attr-defined]
            if not all(on.truth(on.evaluate(test, frame)) for test in conditions):
                continue
            if at + 1 < len(node.clauses):
                over_next = on.evaluate(node.clauses[at + 1][1], frame)
                _clauses(on, node, at + 1, over_next, frame, found)
            else:
                found.append(on.evaluate(node.element, frame))


def _of_records(on: Evaluator, node: Any, over: Ref, frame: Frame) -> Any:
    """Return a list or generator with a value for every record, or for some of them."""
    target = node.clauses[0][0]
    if len(node.clauses) > 1 or not isinstance(target, ir.Name) or node.kind == "dict":
        raise on.path.refuse("such a comprehension over the records")
    if on.of_record:
        raise on.path.refuse("the records for every record")
    on.of_record = True
    try:
        return _record(on, node, Ref(over.var, "record"), frame)
    finally:
        on.of_record = False


def _record(on: Evaluator, node: Any, record: Ref, frame: Frame) -> Any:
    target, _, conditions = node.clauses[0]
    for condition in conditions:
        frame.variables[target.id] = record
        test = on.evaluate(condition, frame)
        if not isinstance(test, Ref) or test.shape != "record":
            raise on.path.refuse("a condition that is not of the record")
        record = Ref(on.path.let("filter", [record, test]), "record")
    frame.variables[target.id] = record
    value = on.evaluate(node.element, frame)
    if isinstance(value, Const):
        return Repeated(value, Ref(record.var, "list"))
    if not isinstance(value, Ref) or value.shape != "record":
        raise on.path.refuse("an element that is not of the record")
    return Ref(value.var, "list")


Handler = Callable[[Any, Any, Frame], Any]
_HANDLERS: dict[type, Handler] = {
    ir.Constant: _constant,
    ir.Name: lambda on, node, frame: on.lookup(node.id, frame),
    ir.Generator: _generator,
    ir.Draw: lambda on, node, frame: on.drawn(node, frame),
    ir.Call: _call,
    ir.Subscript: lambda on, node, frame: on.subscript(
        on.evaluate(node.value, frame), on.evaluate(node.index, frame)
    ),
    ir.Attribute: _attribute,
    ir.Sequence: _sequence,
    ir.Mapping: _mapping,
    ir.Slice: _slice,
    ir.Choice: _choice,
    ir.Logic: _logic,
    ir.Named: _named,
    ir.Comprehension: _comprehension,
    ir.Closure: lambda on, node, frame: Fn(node.function, frame),
}  # fmt: skip
