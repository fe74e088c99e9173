"""Python's own functions: len, range, enumerate, zip, and the methods of lists and dicts."""

from __future__ import annotations

from typing import Any

from dpaudit.formal.attributes import axis_length
from dpaudit.formal.bounds import ONE, ZERO
from dpaudit.formal.calls import Application
from dpaudit.formal.constants import constant
from dpaudit.formal.domain import (
    Array,
    DictValue,
    Known,
    ListValue,
    Number,
    Rows,
    Table,
    Tuple,
    Value,
    fresh,
)
from dpaudit.formal.loops import items_of
from dpaudit.formal.rules import rule
from dpaudit.formal.running import NotConcreteError, concrete
from dpaudit.formal.unsupported import PrivateUse


@rule(
    "builtins.len",
    statement="The number of records moves by as many as come or go; other lengths are public.",
    proof="By definition of the relation.",
)
def length(call: Application) -> Value | None:
    """len(x)."""
    (x,) = call.bind("obj")
    match x:
        case Array() if x.shape and not x.element:
            found = axis_length(x.shape[0])
            if isinstance(x.shape[0], Rows):
                call.walk.values.setdefault(found.term, found)
            return found
        case Table() if x.container != "record" and x.rows is not None and not x.element:
            return x.rows.length()
        case Tuple(items=items) | ListValue(items=items):
            return constant(len(items))
        case DictValue(items=items):
            return constant(len(items))
        case Known(value=object_) if hasattr(object_, "__len__"):
            return constant(len(object_))
    return None


@rule(
    "builtins.enumerate",
    statement="Items with their places.",
    proof="By definition.",
)
def enumerated(call: Application) -> Value | None:
    """enumerate(x)."""
    x, start = call.bind("iterable", "start")
    first = call.known(start, 0)
    if x is None or _records(x):
        call.refuse("the places of records, which one that comes or goes shifts")
    items = items_of(call.walk, x, call.place)
    return ListValue([Tuple((constant(first + i), item)) for i, item in enumerate(items)])


def _records(x: Value) -> bool:
    return isinstance(x, Array) and bool(x.shape) and isinstance(x.shape[0], Rows) and not (
        x.shape[0].public
    )  # fmt: skip


@rule(
    "builtins.zip",
    statement="Items side by side.",
    proof="By definition.",
)
def zipped(call: Application) -> Value | None:
    """zip(a, b)."""
    options = {k: v for k, v in call.keywords.items() if k != "strict"}
    if options:
        return None
    columns = [items_of(call.walk, x, call.place) for x in call.args]
    if call.known(call.keywords.get("strict"), False) and len(set(map(len, columns))) > 1:
        call.refuse("zip of different lengths, which raises")
    return ListValue([Tuple(items) for items in zip(*columns, strict=False)])


@rule(
    "builtins.reversed",
    statement="Items from the last to the first.",
    proof="By definition.",
)
def backwards(call: Application) -> Value | None:
    """reversed(items)."""
    (x,) = call.args
    if isinstance(x, ListValue | Tuple):
        return ListValue(list(x.items[::-1]))
    return None


@rule(
    "builtins.range", "numpy.arange",
    statement="Numbers from public ends.",
    proof="By definition.",
)  # fmt: skip
def counted(call: Application) -> Value | None:
    """range(n), np.arange(n) of a private n."""
    for value in (*call.args, *call.keywords.values()):
        if isinstance(value, Number) and not value.public:
            if call.name == "numpy.arange":
                what = "as many numbers as a private one says"
                raise PrivateUse("shape", what, call.place, value)
            raise PrivateUse("loop", "a loop as often as a private number says", call.place, value)
    call.refuse("as many numbers as one says that is not known")


@rule(
    "method.append", "method.extend", "method.insert", "method.pop", "method.clear",
    "method.reverse", "method.copy",
    statement="What a list's method does.",
    proof="By definition.",
)  # fmt: skip
def list_method(call: Application) -> Value | None:
    """items.append(x) and kin."""
    receiver, *rest = call.args
    if not isinstance(receiver, ListValue) or call.keywords:
        return None
    word = call.name.removeprefix("method.")
    if receiver.frozen and word != "copy":
        call.refuse("a change of a list that outlives the call")
    if word == "append":
        receiver.items.append(rest[0])
    elif word == "extend":
        receiver.items.extend(items_of(call.walk, rest[0], call.place))
    elif word == "insert":
        receiver.items.insert(call.known(rest[0]), rest[1])
    elif word == "pop":
        if not receiver.items:
            call.refuse("pop from an empty list")
        found: Value = receiver.items.pop(call.known(rest[0]) if rest else -1)
        return found
    elif word == "copy":
        return ListValue(list(receiver.items))
    elif word == "clear":
        receiver.items.clear()
    else:
        receiver.items.reverse()
    return constant(None)


@rule(
    "method.get", "method.keys", "method.values", "method.items", "method.setdefault",
    statement="What a dict's method does.",
    proof="By definition.",
)  # fmt: skip
def dict_method(call: Application) -> Value | None:
    """counts.get(key, 0) and kin."""
    receiver, *rest = call.args
    if not isinstance(receiver, DictValue) or call.keywords:
        return None
    word = call.name.removeprefix("method.")
    if word == "keys":
        return ListValue([constant(key) for key in receiver.items])
    if word == "values":
        return ListValue(list(receiver.items.values()))
    if word == "items":
        return ListValue([Tuple((constant(k), v)) for k, v in receiver.items.items()])
    try:
        key = concrete(rest[0])
    except NotConcreteError:
        call.refuse("a dict's entry at a key that is not known")
    if word == "setdefault" and receiver.frozen:
        call.refuse("a change of a dict that outlives the call")
    if word == "setdefault":
        found: Value = receiver.items.setdefault(key, rest[1] if len(rest) > 1 else constant(None))
        return found
    return receiver.items.get(key, rest[1] if len(rest) > 1 else constant(None))


@rule(
    "builtins.dict",
    statement="A dict of pairs with public keys.",
    proof="By definition.",
)
def dictionary(call: Application) -> Value | None:
    """dict(pairs)."""
    if len(call.args) > 1:
        return None
    items: dict[Any, Value] = dict(call.keywords)
    if call.args:
        source = call.args[0]
        if isinstance(source, DictValue):
            return DictValue({**source.items, **items})
        for pair in items_of(call.walk, source, call.place):
            key, value = items_of(call.walk, pair, call.place)
            items[call.known(key)] = value
    return DictValue(items)


@rule(
    "builtins.isinstance",
    statement="The type of a value is public where it is known.",
    proof="By definition.",
)
def type_test(call: Application) -> Value | None:
    """isinstance(x, type)."""
    x, kind = call.args
    known = call.known(kind)
    types = known if isinstance(known, tuple) else (known,)
    if isinstance(x, Array) and x.container == "array" and not x.element and x.shape:
        import numpy as np

        return constant(any(t is np.ndarray for t in types))
    if isinstance(x, ListValue) or (isinstance(x, Array) and x.container == "list" and x.shape):
        return constant(any(t is list for t in types))
    return None


@rule(
    "builtins.any", "builtins.all", "numpy.any", "numpy.all", "method.any", "method.all",
    statement="Whether some (every) entry holds is 0 or 1, and public where all are.",
    proof="By definition.",
)  # fmt: skip
def quantified(call: Application) -> Value | None:
    """any(tests), all(tests)."""
    if len(call.args) != 1 or call.keywords:
        return None
    x = call.args[0]
    if isinstance(x, ListValue | Tuple):
        some = call.name.endswith("any")
        result: Value = constant(not some)
        for item in x.items:
            result = call.redo("operator.or_" if some else "operator.and_", result, item)
        return result
    if isinstance(x, Array) and not x.public:
        return Number(ZERO, ONE, ONE, ONE, True, True)
    if isinstance(x, Array):
        import sympy

        symbol = sympy.Symbol(f"test_{fresh()}", integer=True, nonnegative=True)
        return Number(ZERO, ONE, ZERO, ZERO, True, True, expr=symbol)
    return None
