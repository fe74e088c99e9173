"""Rounding to the safe side: upper bounds up, lower bounds down."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ULP = 2.0**-52


def up(values: Array, ulps: int = 4) -> Array:
    """Return `values` moved up by `ulps` floating-point steps."""
    for _ in range(ulps):
        values = np.nextafter(values, np.inf)
    return values


def down(values: Array, ulps: int = 4) -> Array:
    """Return `values` moved down by `ulps` floating-point steps."""
    for _ in range(ulps):
        values = np.nextafter(values, -np.inf)
    return values


def scalar_up(value: float, ulps: int = 4) -> float:
    """Return `value` moved up by `ulps` floating-point steps."""
    for _ in range(ulps):
        value = math.nextafter(value, math.inf)
    return value


def smallest_float_at_least(exact: Fraction) -> float:
    """Return the smallest double that is not below `exact`; infinity where there is none."""
    try:
        nearest = float(exact)
    except OverflowError:
        return math.inf
    return nearest if Fraction(nearest) >= exact else math.nextafter(nearest, math.inf)
