"""Functions and methods of Python's own containers and texts."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from dpaudit.formal.enumeration.drawing import RandomBits
from dpaudit.formal.enumeration.noise import Line, Lottery, NotFiniteError, decide
from dpaudit.formal.enumeration.operators import binary, tidy
from dpaudit.formal.enumeration.registry import LIBRARY, Function, knows


@knows("builtins.max")
def _max(*values: Any, default: Any = None, key: Any = None) -> Any:
    return _extreme(values, default, key, lambda new, best: new > best)


@knows("builtins.min")
def _min(*values: Any, default: Any = None, key: Any = None) -> Any:
    return _extreme(values, default, key, lambda new, best: new < best)


def _extreme(values: tuple[Any, ...], default: Any, key: Any, better: Function) -> Any:
    items = list(items_of(values[0])) if len(values) == 1 else list(values)
    if not items:
        if default is None:
            raise ValueError("the largest of nothing")
        return default
    keyed = [item if key is None else key(item) for item in items]
    best = 0
    for i in range(1, len(items)):
        if decide(better(tidy(keyed[i]), tidy(keyed[best]))):
            best = i
    return items[best]


def items_of(value: Any) -> Iterable[Any]:
    """Return what a loop over a value goes through."""
    if isinstance(value, Lottery):
        value = decide(value)
    if isinstance(value, np.ndarray):
        return [tidy(item) for item in value]
    if isinstance(value, Line):
        raise NotFiniteError("a loop over a draw")
    return value  # type: ignore[no-any-return]


@knows("builtins.sum")
def _sum(values: Any, start: Any = 0) -> Any:
    items = list(items_of(values))  # an iterator can be gone through but once
    if isinstance(start, list) or any(isinstance(item, list) for item in items):
        raise NotFiniteError("a sum of lists")
    return functools.reduce(lambda a, b: binary("add", a, b), items, start)


@knows("builtins.len")
def _len(value: Any) -> int:
    return len(value)


@knows("builtins.range")
def _range(*ends: Any) -> Any:
    return range(*(int(decide(end)) for end in ends))


@knows("builtins.any")
def _any(values: Any) -> bool:
    return any(bool(item) for item in items_of(values))


@knows("builtins.all")
def _all(values: Any) -> bool:
    return all(bool(item) for item in items_of(values))


@knows("builtins.list")
def _list(values: Any = ()) -> list[Any]:
    return list(items_of(values))


@knows("builtins.tuple")
def _tuple(values: Any = ()) -> tuple[Any, ...]:
    return tuple(items_of(values))


@knows("builtins.dict")
def _dict(values: Any = (), **named: Any) -> dict[Any, Any]:
    pairs = values.items() if isinstance(values, dict) else items_of(values)
    return dict(((decide(k), v) for k, v in pairs), **named)


@knows("builtins.set", "builtins.frozenset")
def _set(values: Any = ()) -> frozenset[Any]:
    return frozenset(decide(item) for item in items_of(values))


def _order(one: Any, other: Any) -> int:
    return -1 if decide(one < other) else int(bool(decide(one > other)))


@knows("builtins.sorted")
def ordered(values: Any, *, key: Any = None, reverse: bool = False) -> list[Any]:
    """Return what `sorted` does; the path forks where the order is random."""
    compare = functools.cmp_to_key(_order)
    items = list(items_of(values))
    ranked = [compare(item if key is None else key(item)) for item in items]
    return [items[i] for i in sorted(range(len(items)), key=ranked.__getitem__, reverse=reverse)]


@knows("builtins.enumerate")
def _enumerate(values: Any, start: int = 0) -> Any:
    return list(enumerate(items_of(values), start))


@knows("builtins.zip")
def _zip(*values: Any, strict: bool = False) -> Any:
    return list(zip(*(items_of(v) for v in values), strict=strict))


@knows("builtins.reversed")
def _reversed(values: Any) -> Any:
    return list(items_of(values))[::-1]


@knows("builtins.next")
def _next(values: Any, *default: Any) -> Any:
    return next(iter(items_of(values)), *default) if default else next(iter(items_of(values)))


@knows("builtins.iter")
def _iter(values: Any) -> Any:
    return iter(items_of(values))


@knows("builtins.str")
def _str(value: Any = "") -> str:
    value = decide(value)
    if not isinstance(value, str | int | None):
        raise NotFiniteError("the text of a value")
    return str(value)


@knows("builtins.isinstance")
def _isinstance(value: Any, kinds: Any) -> bool:
    if value is not None and not isinstance(value, str):
        raise NotFiniteError("isinstance of a number")
    return isinstance(value, kinds)


@knows("builtins.int.from_bytes")
def _from_bytes(value: Any, *arguments: Any) -> Any:
    return value if isinstance(value, RandomBits) else int.from_bytes(value, *arguments)


# Methods of Python's own containers and texts, which do no arithmetic.
OWN_METHODS: dict[type, frozenset[str]] = {
    list: frozenset(("append", "extend", "insert", "pop", "reverse")),
    dict: frozenset(("get", "items", "keys", "values", "setdefault", "pop", "update")),
    str: frozenset(("encode", "lower", "upper", "strip", "split", "startswith", "endswith")),
}


def own_method(name: str, receiver: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Return the result of a method of a container or a text."""
    if isinstance(receiver, list | tuple) and name in ("index", "count", "remove") and not named:
        known = [decide(item) for item in receiver]
        found = getattr(known, name)(*map(decide, arguments))
        if isinstance(receiver, list):
            receiver[:] = known
        return found
    for kind, names in OWN_METHODS.items():
        if isinstance(receiver, kind) and name in names:
            return getattr(receiver, name)(*arguments, **named)
    if isinstance(receiver, list | tuple) and name in ("index", "count"):
        return _found(name, receiver, arguments)
    if type(receiver).__module__ in ("_blake2", "_hashlib", "_sha2") and name in (
        "digest",
        "hexdigest",
    ):
        return getattr(receiver, name)()
    raise NotFiniteError(f"the method {name!r} of {type(receiver).__name__}")


def _found(name: str, receiver: Any, arguments: tuple[Any, ...]) -> int:
    """Return ``list.index`` or ``list.count`` of a value among values, none of them random."""
    plain = all(isinstance(value, str | int | None) for value in (*receiver, *arguments))
    if not plain or len(arguments) != 1:
        raise NotFiniteError(f"the method {name!r} of a list of draws")
    return getattr(receiver, name)(*arguments)  # type: ignore[no-any-return]


def _hash(name: str) -> Function:
    def called(*values: Any, **named: Any) -> Any:
        if not all(isinstance(v, bytes) for v in values) or set(named) - {"digest_size"}:
            raise NotFiniteError("a hash of anything but bytes")
        return getattr(hashlib, name)(*values, **named)

    return called


for _name in ("blake2b", "blake2s"):
    LIBRARY[f"hashlib.{_name}"] = _hash(_name)
