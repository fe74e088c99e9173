"""The variables of all calls that are running: put aside, put back, and joined."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.formal.domain import (
    Array,
    DictValue,
    Known,
    ListValue,
    Tuple,
    Value,
)
from dpaudit.formal.joins import join, keys_of
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import PrivateUse, Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.hooks import Hooks
    from dpaudit.formal.walk import Frame


def snapshot(frames: list[Frame]) -> list[dict[str, Any]]:
    """Return a copy of all variables, in which lists that were one still are."""
    return snapshot_with(frames, None)[0]


def snapshot_with(frames: list[Frame], value: Any) -> tuple[list[dict[str, Any]], Any]:
    """Return a copy of all variables and of a value that may share lists with them."""
    memo: dict[int, Any] = {}
    state = [{k: _copied(v, memo) for k, v in f.variables.items()} for f in _all(frames)]
    return state, _copied(value, memo)


def restore(frames: list[Frame], state: list[dict[str, Any]]) -> None:
    """Put variables back as they were, and into every list what it held: others may hold it."""
    memo: dict[int, Any] = {}
    for frame, variables in zip(_all(frames), state, strict=True):
        frame.variables = {k: _put_back(v, memo) for k, v in variables.items()}


def joined_states(
    frames: list[Frame], before: list[dict[str, Any]], left: Any, right: Any, test: Value,
    place: Place, hooks: Hooks, values: tuple[Any, Any] | None = None,
) -> Any:  # fmt: skip
    """Give every variable a value that stands for either; those of one side alone are dropped.

    Where a function returns on both sides, its own variables are gone, and what stands for the
    two returned values is returned.
    """
    memo = _Pairs(_origins(before))
    _check_arrays(left, right, place)

    def both(one: Any, other: Any) -> Any:
        return _joined(one, other, test, place, hooks, memo)

    for frame, one, other in zip(_all(frames), left, right, strict=True):
        if values is None or frame is not frames[-1]:
            frame.variables = {n: both(v, other[n]) for n, v in one.items() if n in other}
    return None if values is None else both(*values)


@dataclass(slots=True)
class _Pairs:
    """Which list of one side stands where which of the other does: one for one."""

    before: set[int]
    joined: dict[tuple[int, int], Any] = field(default_factory=dict)
    left: set[int] = field(default_factory=set)
    right: set[int] = field(default_factory=set)


def _joined(one: Any, other: Any, test: Value, place: Place, hooks: Hooks, memo: _Pairs) -> Any:
    def both(a: Any, b: Any) -> Any:
        return _joined(a, b, test, place, hooks, memo)

    if isinstance(one, Tuple) and isinstance(other, Tuple) and len(one.items) == len(other.items):
        items = tuple(both(a, b) for a, b in zip(one.items, other.items, strict=True))
        return Tuple(items, one.term if one.term == other.term else None)
    if not isinstance(one, ListValue | DictValue):
        unchanged = one is other or (type(one) is type(other) and one == other)
        return one if unchanged else join(one, other, test, place, hooks)
    key = (id(one), id(other))
    if key in memo.joined:
        return memo.joined[key]
    same = type(one) is type(other) and one.origin is other.origin
    known = not memo.before.isdisjoint({id(one.origin), id(getattr(other, "origin", None))})
    if key[0] in memo.left or key[1] in memo.right or (known and not same):
        raise PrivateUse(
            "branch", "which list a name stands for depends on private data", place, test
        )
    memo.left.add(key[0])
    memo.right.add(key[1])
    target = one.origin if same else type(one)([] if isinstance(one, ListValue) else {})  # type: ignore[arg-type]
    memo.joined[key] = target
    match one, other:
        case ListValue(), ListValue() if len(one.items) == len(other.items):
            target.items = [both(a, b) for a, b in zip(one.items, other.items, strict=True)]
        case DictValue(), DictValue() if keys_of(one) == keys_of(other):
            target.items = {k: both(v, other.items[k]) for k, v in one.items.items()}
        case _:
            what = "a value whose kind depends on private data"
            raise PrivateUse("branch", what, place, test)
    return target


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, ListValue | DictValue):
        yield value
    if isinstance(value, ListValue | DictValue | Tuple):
        items = value.items.values() if isinstance(value, DictValue) else value.items
        for item in items:
            yield from _parts(item)


def _origins(state: list[dict[str, Any]]) -> set[int]:
    return {id(p.origin) for variables in state for v in variables.values() for p in _parts(v)}


def check_own(frames: list[Frame], value: Value, place: Place) -> None:
    """Refuse a list in place of another, by a private choice, that variables hold besides."""
    own = {id(part) for part in _parts(value)}
    for frame in _all(frames) if own or _is_array(value) else ():
        for held in frame.variables.values():
            if any(id(part) in own for part in _parts(held)) or _same_memory(held, value):
                raise Unsupported("a choice between lists that depends on private data", place)


def _check_arrays(left: Any, right: Any, place: Place) -> None:
    """Refuse names for one of two arrays, each of which has another name besides."""
    for frame, (one, other) in enumerate(zip(left, right, strict=True)):
        for name in one.keys() & other.keys():
            if one[name] is other[name] or not _is_array(one[name]):
                continue
            for state, value in ((left, one[name]), (right, other[name])):
                holders = [
                    (at, each)
                    for at, variables in enumerate(state)
                    for each, held in variables.items()
                    if _same_memory(held, value)
                ]
                if holders and holders != [(frame, name)]:
                    what = "which array a name stands for depends on private data"
                    raise Unsupported(what, place)


def _is_array(value: Any) -> bool:
    known = isinstance(value, Known) and isinstance(value.value, np.ndarray)
    return known or (isinstance(value, Array) and bool(value.shape))


def _same_memory(held: Any, value: Any) -> bool:
    from dpaudit.formal.assign import shares

    return _is_array(value) and shares(held, value)


def contents(frames: list[Frame]) -> list[Any]:
    """Return all that variables hold, item by item, to be compared by identity."""
    found: list[Any] = []
    for frame in _all(frames):
        for value in frame.variables.values():
            found.append(value)
            for part in _parts(value):
                items = part.items.values() if isinstance(part, DictValue) else part.items
                found += [part, *items]
    return found


def _all(frames: list[Frame]) -> list[Frame]:
    found: list[Frame] = []
    for frame in frames:
        each: Frame | None = frame
        while each is not None:
            if not any(each is known for known in found):
                found.append(each)
            each = each.parent
    return found


def _copied(value: Any, memo: dict[int, Any]) -> Any:
    if isinstance(value, ListValue | DictValue):
        if id(value) not in memo:
            memo[id(value)] = copy = replace(value, origin=value)
            copy.items = _each(value, memo, _copied)
        return memo[id(value)]
    return _of_tuple(value, memo, _copied)


def _put_back(value: Any, memo: dict[int, Any]) -> Any:
    if isinstance(value, ListValue | DictValue):
        if id(value) not in memo:
            memo[id(value)] = value.origin
            value.origin.items = _each(value, memo, _put_back)
        return memo[id(value)]
    return _of_tuple(value, memo, _put_back)


def _each(value: Any, memo: dict[int, Any], change: Callable[[Any, dict[int, Any]], Any]) -> Any:
    if isinstance(value, DictValue):
        return {k: change(v, memo) for k, v in value.items.items()}
    return [change(item, memo) for item in value.items]


def _of_tuple(
    value: Any, memo: dict[int, Any], change: Callable[[Any, dict[int, Any]], Any]
) -> Any:
    if not isinstance(value, Tuple):
        return value
    items = tuple(change(item, memo) for item in value.items)
    same = all(a is b for a, b in zip(items, value.items, strict=True))
    return value if same else replace(value, items=items)
