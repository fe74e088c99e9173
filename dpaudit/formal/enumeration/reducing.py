"""NumPy's functions that sum, order or select."""

from __future__ import annotations

import functools
import itertools
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.formal.clock import charge
from dpaudit.formal.enumeration.arrays import is_nan
from dpaudit.formal.enumeration.containers import ordered
from dpaudit.formal.enumeration.noise import Line, NotFiniteError, combine, decide, is_random
from dpaudit.formal.enumeration.operators import (
    as_array,
    binary,
    binary_element,
    elementwise,
    is_native,
    tidy,
    unary_element,
)
from dpaudit.formal.enumeration.registry import LIBRARY, Function, knows
from dpaudit.formal.enumeration.scalars import to_bool
from dpaudit.formal.enumeration.selecting import Gumbel, largest_gumbel, largest_integer
from dpaudit.formal.enumeration.summing import summed


@knows("numpy.argmax", "method.argmax")
def _argmax(value: Any, axis: Any = None) -> Any:
    array = as_array(value)
    if axis is not None or array.ndim != 1 or not len(array):
        raise NotFiniteError("argmax along an axis")
    items = [tidy(item) for item in array]
    if any(map(is_nan, items)):
        raise NotFiniteError("argmax of missing numbers")
    if all(isinstance(item, Gumbel) for item in items):
        return largest_gumbel(items)
    if all(isinstance(item, Line) and item.atom.tailed is not None for item in items):
        return largest_integer(items)
    best = 0
    for i in range(1, len(items)):
        if decide(binary_element("gt", items[i], items[best])):
            best = i
    return best


@knows("numpy.argmin", "method.argmin")
def _argmin(value: Any, axis: Any = None) -> Any:
    return _argmax(elementwise(lambda v: unary_element("neg", v), as_array(value)), axis)


@knows("numpy.argsort", "method.argsort")
def _argsort(value: Any) -> Any:
    items = [tidy(item) for item in as_array(value)]
    if any(map(is_nan, items)):
        raise NotFiniteError("argsort of missing numbers")
    order = ordered(range(len(items)), key=items.__getitem__)
    if any(not decide(items[a] < items[b]) for a, b in itertools.pairwise(order)):
        raise NotFiniteError("argsort of values that are equal")
    return np.array(order, dtype=np.int64)


@knows("numpy.sort")
def _sort(value: Any) -> Any:
    array = as_array(value)
    if array.ndim != 1 or any(map(is_nan, array)):
        raise NotFiniteError("a sort along an axis, or of missing numbers")
    return np.sort(array) if is_native(array) else as_array(ordered(array))


@knows("numpy.searchsorted", "method.searchsorted")
def _searchsorted(array: Any, value: Any, side: str = "left") -> Any:
    items = [tidy(item) for item in as_array(array)]
    if any(is_random(item) or is_nan(item) for item in items):
        raise NotFiniteError("searchsorted in numbers that are random or missing")
    if not all(bool(a <= b) for a, b in itertools.pairwise(items)):
        raise NotFiniteError("searchsorted in numbers that are not in order")
    value = tidy(value)
    if isinstance(value, np.ndarray | list):
        return elementwise(lambda v: _place(items, v, side), value)
    return _place(items, value, side)


def _place(items: list[Any], value: Any, side: str) -> Any:
    word = "lt" if side == "left" else "le"
    if is_nan(value):
        return len(items)
    found: Any = 0
    for item in items:
        passed = binary_element(word, item, value)
        found = combine(lambda count, past: count + bool(past), found, passed)
    return found


@knows("numpy.sum", "method.sum")
def _array_sum(value: Any, axis: Any = None, **named: Any) -> Any:
    charge(700)
    array = as_array(value)
    if is_native(array):
        total = np.sum(array, axis=axis, **named)
        # a short integer, which would wrap around: of use to `int` alone
        return total if isinstance(total, np.integer) and total.itemsize < 8 else tidy(total)
    if named:
        raise NotFiniteError("numpy.sum with other arguments")
    if axis is None:
        items = [tidy(item) for item in array.reshape(-1)]
        return summed(items) if items else Fraction(0)
    rows = np.moveaxis(array, axis, 0)
    if not len(rows):
        raise NotFiniteError("a sum of no rows")
    found = np.empty(rows.shape[1:], dtype=object)
    for place in np.ndindex(found.shape):
        found[place] = summed([tidy(row[place]) for row in rows])
    return found


@knows("numpy.cumsum", "method.cumsum")
def _cumsum(value: Any) -> Any:
    array = as_array(value)
    if array.ndim != 1 or is_native(array):
        return np.cumsum(array)
    total: Any = Fraction(0)
    found = np.empty(len(array), dtype=object)
    for i, item in enumerate(array):
        total = binary_element("add", total, item)
        found[i] = total
    return found


def _reduced(array: np.ndarray, axis: Any, function: Function, empty: Any) -> Any:
    if axis is None:
        items = [tidy(item) for item in array.reshape(-1)]
        return functools.reduce(function, items) if items else empty
    rows = [array.take(i, axis=axis) for i in range(array.shape[axis])]
    if not rows:
        raise NotFiniteError("a sum of no rows")
    return functools.reduce(lambda a, b: elementwise(function, a, b), rows)


@knows("numpy.max", "method.max")
def _array_max(value: Any, axis: Any = None) -> Any:
    array = as_array(value)
    return _reduced(array, axis, lambda a, b: LIBRARY["numpy.maximum"](a, b), None)


@knows("numpy.min", "method.min")
def _array_min(value: Any, axis: Any = None) -> Any:
    array = as_array(value)
    return _reduced(array, axis, lambda a, b: LIBRARY["numpy.minimum"](a, b), None)


@knows("numpy.any", "method.any")
def _array_any(value: Any) -> bool:
    return any(bool(item) for item in as_array(value).reshape(-1))


@knows("numpy.all", "method.all")
def _array_all(value: Any) -> bool:
    return all(bool(item) for item in as_array(value).reshape(-1))


@knows("numpy.count_nonzero")
def _count_nonzero(value: Any, axis: Any = None) -> Any:
    array = as_array(value)
    if is_native(array):
        return tidy(np.count_nonzero(array, axis=axis))
    return _array_sum(elementwise(to_bool, array), axis)


@knows("numpy.mean", "method.mean")
def _mean(value: Any) -> Any:
    array = as_array(value)
    return binary("truediv", _array_sum(array), array.size)
