"""Exact numbers as sympy expressions, and the formulas that stand for bounds."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

Bound = Any
"""A sympy expression that is real or infinite."""

INFINITE: Bound = sympy.oo
SIZE: Bound = sympy.Symbol("n", integer=True, positive=True)
"""The number of records of the larger dataset."""


def exact(value: Any) -> Bound:
    """Return a Python or NumPy number as the real number that it is.

    Raises
    ------
    TypeError
        For NaN and for what is no real number.
    """
    if isinstance(value, sympy.Basic):
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | int):
        return sympy.Integer(int(value))
    if isinstance(value, Fraction):
        return sympy.Rational(value.numerator, value.denominator)
    if isinstance(value, float):
        if math.isinf(value):
            return sympy.oo if value > 0 else -sympy.oo
        if not math.isnan(value):
            return sympy.Rational(*value.as_integer_ratio())
    raise TypeError(f"a number must be real, got {value!r} of type {type(value).__name__}")


def shown(bound: Bound | None) -> str:
    """Return a bound as text; floats' exact values in short."""
    if bound is None:
        return "?"
    if isinstance(bound, sympy.Rational) and bound.q > 10**6:
        return repr(float(bound))
    if bound is sympy.oo:
        return "∞"
    if bound == -sympy.oo:
        return "−∞"
    text = str(bound.xreplace({
        r: sympy.Float(r, 17) for r in bound.atoms(sympy.Rational) if r.q > 10**6
    }))  # fmt: skip
    return text
