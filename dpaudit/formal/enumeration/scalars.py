"""Functions of one number: Python's, `math`'s and NumPy's, exactly."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.formal import rounding
from dpaudit.formal.enumeration.drawing import RandomBits
from dpaudit.formal.enumeration.noise import (
    Line,
    Lottery,
    NotFiniteError,
    apply,
    decide,
    mapped_line,
)
from dpaudit.formal.enumeration.numbers import Exact, exp, floor, is_number, log, root, sign
from dpaudit.formal.enumeration.operators import as_array, elementwise, is_native, tidy
from dpaudit.formal.enumeration.published import Published
from dpaudit.formal.enumeration.registry import LIBRARY, Function, knows
from dpaudit.formal.enumeration.rounding_noise import Laplacian, whole
from dpaudit.formal.enumeration.selecting import Gumbel


def _real_function(name: str, function: Function) -> None:
    """Register a function of one number, for scalars and for arrays."""

    def of_number(value: Any) -> Any:
        if not (is_number(value) or isinstance(value, Lottery)):
            raise NotFiniteError(f"{name} of a draw")
        return apply(function, value)

    def called(value: Any) -> Any:
        value = tidy(value)
        if isinstance(value, list | tuple):
            value = as_array(value)
        return elementwise(of_number, value) if isinstance(value, np.ndarray) else of_number(value)

    for library in ("math", "numpy"):
        LIBRARY[f"{library}.{name}"] = called


for _name, _function in {
    "exp": exp,
    "expm1": lambda x: exp(x) - 1,
    "log": log,
    "log1p": lambda x: log(1 + x),
    "log2": lambda x: _log_base(x, 2),
    "log10": lambda x: _log_base(x, 10),
    "sqrt": root,
    "isnan": lambda x: x != x,
}.items():
    _real_function(_name, _function)


def _log_base(value: Any, base: int) -> Any:
    """Return a logarithm, exactly where it is an integer."""
    if isinstance(value, int | Fraction) and value > 0:
        power = round(math.log(value, base))
        if Fraction(base) ** power == value:
            return Fraction(power)
    return log(value) / log(base)


@knows("math.ceil")
def _ceil(value: Any) -> Any:
    if isinstance(value, Laplacian):
        return whole(value, "ceil")
    return -floor(-_steady(decide(value)))


@knows("math.floor")
def _floor_of(value: Any) -> Any:
    if isinstance(value, Laplacian):
        return whole(value, "floor")
    return floor(_steady(decide(value)))


@knows("builtins.int")
def to_int(value: Any = 0) -> Any:
    """Return the integer that Python makes of a number, towards zero."""
    if isinstance(value, np.integer):
        return int(value)
    value = tidy(value)
    if isinstance(value, Line):
        if not value.atom.continuous and _whole(value.scale) and _whole(value.shift):
            return Line(value.atom, int(value.scale), int(value.shift))
        raise NotFiniteError("int of a draw")
    if isinstance(value, Published):
        return value
    if isinstance(value, Laplacian):
        return whole(value, "trunc")
    return apply(_truncated, value)


def _whole(value: Any) -> bool:
    return isinstance(value, int) or (isinstance(value, Fraction) and value.denominator == 1)


def _truncated(value: Any) -> int:
    if isinstance(value, Exact):
        return floor(value) if sign(value) >= 0 else -floor(-value)
    if isinstance(value, np.ndarray) and value.size == 1:
        return _truncated(tidy(value.reshape(-1)[0]))
    return int(_steady(value))


def _steady(value: Any, step: Fraction = Fraction(0)) -> Any:
    """Return a number that no rounding carries over a whole one, or over a step beside it."""
    if isinstance(value, Fraction) and rounding.nearly_whole(value - step):
        raise NotFiniteError(f"the whole part of {float(value)!r}, which depends on rounding")
    return value


@knows("builtins.float", "numpy.float64")
def to_float(value: Any = 0) -> Any:
    """Return a number as a float, which here is the number itself."""
    value = tidy(value)
    if isinstance(value, np.ndarray):
        return elementwise(to_float, value)
    if isinstance(value, Line):
        return mapped_line(value, scale=Fraction(1), shift=Fraction(0))
    if isinstance(value, Gumbel | Laplacian):
        return value
    return apply(lambda v: v if isinstance(v, Exact | float) else tidy(Fraction(v)), value)


@knows("builtins.bool", "numpy.bool", "operator.truth")
def to_bool(value: Any = False) -> Any:
    """Return whether a value counts as true."""
    value = tidy(value)
    return apply(bool, value)


@knows("numpy.int64")
def _int64(value: Any) -> Any:
    return elementwise(to_int, value) if isinstance(value, np.ndarray) else to_int(value)


@knows("builtins.abs", "numpy.absolute", "math.fabs")
def _abs(value: Any) -> Any:
    value = tidy(value)
    if isinstance(value, np.ndarray):
        return np.abs(value) if is_native(value) else elementwise(_abs, value)
    if isinstance(value, Line):
        raise NotFiniteError("the size of a draw")
    return apply(abs, value)


@knows("numpy.round")
def _round_of_numpy(value: Any) -> Any:
    """Return what stays a float."""
    found = _round(value)
    return found if isinstance(tidy(value), int) else to_float(found)


@knows("builtins.round")
def _round(value: Any, digits: Any = None) -> Any:
    value = decide(tidy(value))
    if digits is None and isinstance(value, Laplacian):
        return whole(value, "round")
    if digits is not None or not isinstance(value, int | Fraction | Exact):
        raise NotFiniteError("round to digits")
    if isinstance(value, Exact):
        half = floor(value * 2)  # no tie: it is not rational
        return (half + 1) // 2
    return round(_steady(value, Fraction(1, 2)))


@knows("builtins.str")
def _str(value: Any = "") -> str:
    value = decide(value)
    if not isinstance(value, str | int | None):
        raise NotFiniteError("the text of a value")
    return str(value)


@knows("method.bit_count")
def _bit_count(value: Any) -> Any:
    return value.ones() if isinstance(value, RandomBits) else int(decide(value)).bit_count()


@knows("method.bit_length")
def _bit_length(value: Any) -> int:
    return int(decide(value)).bit_length()
