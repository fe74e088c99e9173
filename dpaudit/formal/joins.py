"""What stands for either of two values, after a test whose outcome the runs need not share.

One run may hold the left value while the other holds the right one: then only their ranges say
how far apart they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.formal.bounds import INFINITE, ZERO, larger, smaller
from dpaudit.formal.domain import (
    Array,
    DictValue,
    Foreign,
    Known,
    ListValue,
    Norms,
    Number,
    Rows,
    Tuple,
    Value,
    as_array,
    derived,
    source_of,
)
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.walk import Frame, Hooks


def join(left: Value, right: Value, test: Value, place: Place, hooks: Hooks) -> Value:
    """Return a value that stands for either one, run by run.

    Raises
    ------
    PrivateUse
        Where the two are of different kinds, so that the kind of the result is private.
    """
    if left is right or (isinstance(left, Known) and _same(left, right)):
        return left
    if isinstance(left, Foreign) or isinstance(right, Foreign):
        joined = hooks.join(left, right, place)
        if joined is None:
            raise _private("branch", "noise behind a test on private data", place, test)
        return joined
    left, right = _as_number(left), _as_number(right)
    match left, right:
        case Number(), Number():
            return _numbers(left, right, test, place)
        case (Array() | Known() | Number(), Array() | Known() | Number()) if _numeric(
            left
        ) and _numeric(right):
            return _arrays(left, right, test, place)
        case Tuple(), Tuple() if len(left.items) == len(right.items):
            pairs = zip(left.items, right.items, strict=True)
            return Tuple(tuple(join(a, b, test, place, hooks) for a, b in pairs))
        case ListValue(), ListValue() if len(left.items) == len(right.items):
            pairs = zip(left.items, right.items, strict=True)
            return ListValue([join(a, b, test, place, hooks) for a, b in pairs])
        case DictValue(), DictValue() if _keys(left) == _keys(right):
            return DictValue({
                key: join(value, right.items[key], test, place, hooks)
                for key, value in left.items.items()
            })  # fmt: skip
    raise _private("branch", "a value whose kind depends on private data", place, test)


def _keys(value: DictValue) -> list[tuple[type, Any]]:
    """Return the keys in their order, which an output shows; 1 and True are two."""
    return [(type(key), key) for key in value.items]


def _numeric(value: Value) -> bool:
    return not isinstance(value, Known) or isinstance(value.value, np.ndarray)


def _private(kind: str, what: str, place: Place, test: Value) -> Unsupported:
    from dpaudit.formal.walk import PrivateUse

    return PrivateUse(kind, what, place, test)


def _same(left: Known, right: Any) -> bool:
    if not isinstance(right, Known):
        return False
    if left.value is right.value:
        return True
    plain = (str, bytes, bool, type(None))
    return type(left.value) is type(right.value) and isinstance(left.value, plain) and bool(
        left.value == right.value
    )  # fmt: skip


def _as_number(value: Value) -> Value:
    if isinstance(value, Known) and isinstance(value.value, bool):
        from dpaudit.formal.domain import truth_number

        return truth_number(value.value)
    return value


def _numbers(left: Number, right: Number, test: Value, place: Place) -> Number:
    if left.expr is not None and left.expr == right.expr and left.public and right.public:
        kinds = [
            (type(n.value) if n.constant else None, n.integer, n.boolean) for n in (left, right)
        ]
        if kinds[0] != kinds[1]:
            raise _private("branch", "a number whose type depends on private data", place, test)
        return left
    broken = left.nan or right.nan or left.infinite or right.infinite
    across = INFINITE if broken else larger(ZERO, right.high - left.low, left.high - right.low)
    return Number(
        smaller(left.low, right.low),
        larger(left.high, right.high),
        larger(left.fall, right.fall, across),
        larger(left.rise, right.rise, across),
        left.integer and right.integer,
        left.boolean and right.boolean,
        left.nan or right.nan,
        left.infinite or right.infinite,
        source=source_of(left, right, test),
        why=left.why or right.why,
    )


def _arrays(left: Value, right: Value, test: Value, place: Place) -> Array:
    one, other = as_array(left, place), as_array(right, place)
    if one.kind != other.kind or one.container != other.container:
        raise _private("branch", "an array whose type depends on private data", place, test)
    known = not any(isinstance(axis, Rows) for axis in (*one.shape, *other.shape))
    if not known or not one.aligned or one.shape != other.shape:
        raise Unsupported("arrays of records that depend on a private test", place)
    low, high = smaller(one.low, other.low), larger(one.high, other.high)
    across = larger(ZERO, other.high - one.low, one.high - other.low)
    if one.nan or other.nan or one.infinite or other.infinite:
        across = INFINITE
    norms = one.norms.joined(other.norms).joined(Norms(linf=across).tightened(one.size))
    return derived(replace(
        one, low=low, high=high, integer=one.integer and other.integer, norms=norms,
        boolean=one.boolean and other.boolean, nan=one.nan or other.nan,
        infinite=one.infinite or other.infinite, rises=True, falls=True, term=None,
        source=source_of(one, other, test), values=None,
    ))  # fmt: skip


# --- the variables of all calls that are running


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
        raise _private(
            "branch", "which list a name stands for depends on private data", place, test
        )
    memo.left.add(key[0])
    memo.right.add(key[1])
    target = one.origin if same else type(one)([] if isinstance(one, ListValue) else {})  # type: ignore[arg-type]
    memo.joined[key] = target
    match one, other:
        case ListValue(), ListValue() if len(one.items) == len(other.items):
            target.items = [both(a, b) for a, b in zip(one.items, other.items, strict=True)]
        case DictValue(), DictValue() if _keys(one) == _keys(other):
            target.items = {k: both(v, other.items[k]) for k, v in one.items.items()}
        case _:
            what = "a value whose kind depends on private data"
            raise _private("branch", what, place, test)
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
