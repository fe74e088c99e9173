"""NumPy's functions of arrays, element by element and exactly."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpaudit.formal.enumeration.containers import items_of
from dpaudit.formal.enumeration.noise import (
    Line,
    Lottery,
    NotFiniteError,
    combine,
    decide,
    is_random,
)
from dpaudit.formal.enumeration.operators import (
    as_array,
    binary_element,
    elementwise,
    is_native,
    tidy,
)
from dpaudit.formal.enumeration.registry import LIBRARY, Function, knows
from dpaudit.formal.enumeration.rounding_noise import Laplacian
from dpaudit.formal.enumeration.scalars import to_bool, to_float, to_int
from dpaudit.formal.enumeration.selecting import Gumbel


@knows("numpy.array")
def _array(value: Any, dtype: Any = None) -> Any:
    array = as_array(value).copy()
    return array if dtype is None else cast(array, dtype)


@knows("numpy.asarray")
def _asarray(value: Any, dtype: Any = None) -> Any:
    """Return the array itself where its type is the wanted one, as NumPy does."""
    array = as_array(value)
    if dtype is None or np.dtype(dtype) == _type_of(array):
        return array
    return cast(array, dtype)


def _type_of(array: np.ndarray) -> Any:
    """Return the type that NumPy would hold an array of exact or random numbers in."""
    if not array.dtype.hasobject:
        return array.dtype
    values: list[Any] = []
    for item in array.reshape(-1):
        if isinstance(item, Lottery):
            values += item.table.values()
        else:
            values += [item.scale, item.shift] if isinstance(item, Line) else [item]
    if all(isinstance(value, bool) for value in values):
        return np.dtype(bool)
    integers = all(isinstance(value, int) for value in values)
    return np.dtype(np.int64 if integers else np.float64)


def cast(array: np.ndarray, dtype: Any) -> np.ndarray:
    """Return an array as of another type: integers as they are where they fit, floats exactly."""
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return elementwise(to_float, array)
    if kind.kind == "b":
        return elementwise(to_bool, array) if array.dtype.hasobject else array.astype(bool)
    if kind.kind != "i" or kind.itemsize != 8:
        raise NotFiniteError(f"a cast to {kind}")
    if not array.dtype.hasobject:
        return array.astype(np.int64)
    return elementwise(to_int, array)


@knows("numpy.where")
def _where(test: Any, yes: Any, no: Any) -> Any:
    if all(is_native(v) for v in (test, yes, no)):
        return np.where(test, yes, no)
    return elementwise(_chosen, test, yes, no)


def _chosen(test: Any, yes: Any, no: Any) -> Any:
    if any(isinstance(v, Line | Gumbel | Laplacian) for v in (yes, no)):
        return yes if decide(test) else no
    return combine(lambda t, y, n: y if t else n, test, yes, no)


def _bounded(name: str, *, keep_nan: bool) -> Function:
    """Return numpy.minimum and its like, which differ by what they do with NaN."""

    def of_elements(one: Any, other: Any) -> Any:
        if is_nan(one) or is_nan(other):
            return (one if is_nan(one) else other) if keep_nan else other if is_nan(one) else one
        word = "le" if name == "min" else "ge"
        first = binary_element(word, one, other)
        return _chosen(first, one, other)

    def called(one: Any, other: Any) -> Any:
        one, other = tidy(one), tidy(other)
        if isinstance(one, np.ndarray | list) or isinstance(other, np.ndarray | list):
            if is_native(one) and is_native(other):
                return (np.minimum if name == "min" else np.maximum)(one, other)
            return elementwise(of_elements, one, other)
        return of_elements(one, other)

    return called


def is_nan(value: Any) -> bool:
    """Return whether a number is NaN."""
    return isinstance(value, float) and value != value


LIBRARY["numpy.minimum"] = _bounded("min", keep_nan=True)
LIBRARY["numpy.maximum"] = _bounded("max", keep_nan=True)
LIBRARY["numpy.fmin"] = _bounded("min", keep_nan=False)
LIBRARY["numpy.fmax"] = _bounded("max", keep_nan=False)


@knows("numpy.clip", "method.clip")
def _clip(value: Any, low: Any = None, high: Any = None, **named: Any) -> Any:
    low, high = named.pop("min", low), named.pop("max", high)
    low, high = named.pop("a_min", low), named.pop("a_max", high)
    if named:
        raise NotFiniteError("numpy.clip with other arguments")
    if low is not None:
        value = LIBRARY["numpy.maximum"](value, low)
    return value if high is None else LIBRARY["numpy.minimum"](value, high)


@knows("method.astype")
def _astype(value: Any, dtype: Any) -> Any:
    return cast(as_array(value), dtype)


@knows("method.tolist")
def _tolist(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.ndim > 1:
        return [_tolist(row) for row in value]
    return list(items_of(value)) if isinstance(value, np.ndarray) else value


@knows("method.item")
def _item(value: Any) -> Any:
    return tidy(value.reshape(-1)[0]) if isinstance(value, np.ndarray) else value


@knows("method.copy")
def _copy(value: Any) -> Any:
    return value.copy()


# Of integers, booleans and texts these are NumPy's own; of other arrays they move elements only.
_ANY_ELEMENT = (
    "concatenate",
    "stack",
    "vstack",
    "hstack",
    "column_stack",
    "reshape",
    "transpose",
    "ravel",
    "tile",
    "repeat",
    "delete",
    "flip",
    "roll",
)
_INTEGERS = (
    "diff",
    "arange",
    "zeros",
    "ones",
    "full",
    "zeros_like",
    "ones_like",
    "unique",
    "isin",
    "flatnonzero",
    "bincount",
    "frombuffer",
    "outer",
    "eye",
)


def _numpy(name: str) -> Function:
    def called(*values: Any, **named: Any) -> Any:
        given = [_for_numpy(v) for v in values]
        inside = [v for v in given if isinstance(v, np.ndarray)]
        inside += [x for v in given if isinstance(v, list | tuple) for x in v]
        plain = all(is_native(v) or v is None for v in inside)
        if not plain and name not in _ANY_ELEMENT:
            raise NotFiniteError(f"numpy.{name} of numbers that are not integers")
        if any(is_random(v) for v in (*given, *named.values())):
            raise NotFiniteError(f"numpy.{name} with a random argument")
        if name in ("arange", "full") and not all(map(_whole_or_shape, values)):
            raise NotFiniteError(f"numpy.{name} of numbers that are not integers")
        return tidy(getattr(np, name)(*given, **named))

    return called


def _whole_or_shape(value: Any) -> bool:
    return isinstance(value, int | tuple | np.dtype | type)


def _for_numpy(value: Any) -> Any:
    if isinstance(value, list | tuple) and any(isinstance(v, np.ndarray | list) for v in value):
        return [as_array(v) for v in value]
    return as_array(value) if isinstance(value, list) else value


for _name in (*_ANY_ELEMENT, *_INTEGERS):
    LIBRARY[f"numpy.{_name}"] = _numpy(_name)
for _name in ("reshape", "transpose", "ravel", "repeat"):
    LIBRARY[f"method.{_name}"] = _numpy(_name)
