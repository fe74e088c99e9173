"""Rational numbers that remember the float which the code holds in their place.

``(x + 0.1) - 0.1`` is x, and its float may be another number: a test that comes out otherwise on
the floats is not that of the program which runs.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dpaudit.formal.clock import charge

_ROUNDING: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "pow": operator.pow,
}


class Held(Fraction):
    """A rational number that is no float, or not the one that the code computed.

    Attributes
    ----------
    double : float
        What the code holds.
    """

    __slots__ = ("double",)
    double: float

    def __new__(cls, number: Fraction, double: float) -> Held:
        """Return the number with its float."""
        self = super().__new__(cls, number.numerator, number.denominator)
        self.double = double
        return self

    def __copy__(self) -> Held:
        return self

    def __deepcopy__(self, memo: Any) -> Held:
        return self

    def __reduce__(self) -> Any:
        return Held, (Fraction(self.numerator, self.denominator), self.double)


def held(name: str, left: Any, right: Any, result: Any) -> Any:
    """Return the result of an operator, with its float where that is another number."""
    charge(45)
    if not isinstance(result, Fraction) or name not in _ROUNDING:
        return result
    a, b = _double(left), _double(right)
    if a is None or b is None:
        return result
    try:
        double = float(_ROUNDING[name](a, b))
    except (OverflowError, TypeError, ZeroDivisionError):
        return result
    if not math.isfinite(double) or Fraction(double) == result:
        return result
    return Held(result, double)


def agrees(compare: Callable[[Any, Any], Any], left: Any, right: Any, outcome: Any) -> bool:
    """Return whether a comparison comes out alike on the floats that the code holds."""
    if not isinstance(left, Held) and not isinstance(right, Held):
        return True
    a, b = _double(left), _double(right)
    return a is None or b is None or bool(compare(a, b)) == bool(outcome)


def _double(value: Any) -> float | int | None:
    """Return what the code holds, None where nobody knows."""
    if isinstance(value, Held):
        return value.double
    if isinstance(value, int):
        return value
    if isinstance(value, Fraction):
        try:
            double = float(value)
        except OverflowError:
            return None
        return double if Fraction(double) == value else None
    return None
