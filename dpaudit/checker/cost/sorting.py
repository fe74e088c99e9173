"""Sorting of numbers: a column of records, what both runs share, or a private vector.

Let v and v' be vectors of one length, and s and s' the same in order. Then |s' - s| <= |v' - v| in
every norm l1, l2 and linf (the rearrangement inequality), and each s'_i - s_i lies between the
least and the greatest v'_j - v_j, as an order is monotone. A change that is a sum of vectors is
made one vector after the other, so that each of them may be bounded by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dpaudit.checker.cost import apart
from dpaudit.checker.cost.arrays import Arr
from dpaudit.checker.cost.ends import ONE, ZERO, End, is_finite, least, most, same, size
from dpaudit.checker.cost.noise import shown
from dpaudit.checker.cost.python_functions import validate_free
from dpaudit.checker.cost.record_columns import Rows, Sorted
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import Change, Group, Token, Unknown, kind_of, unknown
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.wording import described

_KINDS = (str, type(None))


def sort(run: Run, value: Any, axis: Any = -1, *, kind: Any = None) -> Any:
    """Return ``numpy.sort`` of a column, or of an array without axes but one."""
    if isinstance(value, Rows) and not value.rest and value.dtype != "str":
        return Sorted(value)
    entries = list(value.cells) if isinstance(value, Arr) and value.cells.ndim == 1 else value
    if not isinstance(entries, list | tuple) or axis not in (-1, 0) or type(kind) not in _KINDS:
        raise run.refused(f"{described(value)} in order")
    found = _numbers(run, entries)
    cells = np.empty(len(found), dtype=object)
    cells[:] = found
    return Arr(cells, found[0].kind)


def in_order(run: Run, value: Any, *, reverse: Any = False) -> Any:
    """Return ``sorted`` of texts or whole numbers that are known, of a column or of numbers."""
    if type(reverse) is not bool:
        raise run.refused("an order of which the direction is not known")
    if isinstance(value, dict | list | tuple | range) and value:
        types = {type(each) for each in value}
        if types == {int} or types == {str}:
            return sorted(value, reverse=reverse)
    of_array = isinstance(value, Arr) and value.cells.ndim == 1
    entries = list(value.cells) if of_array else value
    if isinstance(entries, list | tuple):
        found: list[Any] = _numbers(run, entries)
        if not (of_array or all(each.shared for each in found)):
            found = apart.interchanged(run, list(entries), found)
        return found[::-1] if reverse else found
    if reverse:
        raise run.refused(f"{described(value)} in reverse order")
    return sort(run, value)


def sort_in_place(run: Run, value: Any, *given: Any, **named: Any) -> None:
    """Bring a list or an array in order."""
    if isinstance(value, Arr) and value.cells.flags.writeable:
        value.cells[:] = sort(run, value, *given, **named).cells
        return
    validate_free(run, value, list)
    value[:] = in_order(run, value, *given, **named)


def _numbers(run: Run, values: Sequence[Any]) -> list[Unknown]:
    """Return numbers in order."""
    entries = [shown(run, each) for each in values]
    kinds = {kind_of(each) for each in entries}
    if run.lane is not None or not kinds or not kinds <= {"int", "float"}:
        raise run.refused("an order of this kind")
    numbers = [unknown(each) for each in entries]
    kind: Any = "float" if "float" in kinds else "int"
    low, high = least(x.low for x in numbers), most(x.high for x in numbers)
    if all(x.shared for x in numbers):
        nan, infinite = any(x.nan for x in numbers), any(x.infinite for x in numbers)
        return [Unknown(kind, low, high, nan=nan, infinite=infinite) for _ in numbers]
    if len(kinds) > 1 or not all(x.regular for x in numbers):
        raise run.refused("an order of private numbers of two types, or one that may be NaN")
    return [Unknown(kind, low, high, change) for change in _changes(run, numbers)]


def _changes(run: Run, numbers: Sequence[Unknown]) -> list[Change]:
    """Return how far each of some numbers moves once they are in order."""
    joint: dict[Group, dict[Token, Number]] = {}
    for x in numbers:
        for token, factor in x.change.tokens.items():
            together = joint.setdefault(token.group, {})
            if token.group.norm == "alone" or token in together:
                raise run.refused("an order of numbers that change together in this way")
            together[token] = abs(factor)
        if len({token.group for token in x.change.tokens}) < len(x.change.tokens):
            raise run.refused("an order of numbers that change together in this way")
    groups = [_group(g.norm, g.high * most(tokens.values())) for g, tokens in joint.items()]
    moved = [(x.change.low, x.change.high) for x in numbers]
    some = [ends for ends in moved if not all(same(end, ZERO) for end in ends)]
    low, high = ZERO, ZERO
    if some and (len(some) == len(moved) or not all(is_finite(size(*ends)) for ends in some)):
        low, high = least(a for a, _ in moved), most(b for _, b in moved)
    else:
        groups += [_group("l1", size(*ends)) for ends in some]
    return [Change(low, high, {Token(group): ONE for group in groups}) for _ in numbers]


def _group(norm: str, far: End) -> Group:
    return Group(norm, -far, far)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "numpy.sort": sort,
    "builtins.sorted": in_order,
    "method.sort": sort_in_place,
}
