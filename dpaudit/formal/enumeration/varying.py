"""A record that may be any number of a range: numbers that are affine in it.

The chances of outputs are then affine in the record too, so that they are largest and smallest
at the ends of a range on which the program takes the same paths. Where a comparison has two
answers on a range, the range is split there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.formal.enumeration.noise import NotFiniteError
from dpaudit.formal.enumeration.numbers import Exact, compare, exact, is_number, sign


class SplitError(Exception):
    """The record's range must be split at a number."""

    def __init__(self, at: Any) -> None:
        super().__init__(at)
        self.at = at


@dataclass(frozen=True, slots=True, eq=False)
class Range:
    """An open range of records; ends may be infinite."""

    low: Any
    high: Any


class Varying(Exact):
    """``constant + slope · x`` for a record x in an open range."""

    __slots__ = ("constant", "slope", "span")

    def __init__(self, constant: Any, slope: Any, span: Range) -> None:
        self.constant = constant
        self.slope = slope
        self.span = span

    def at(self, record: Any) -> Any:
        """Return the value for a record."""
        return self.constant + self.slope * record

    def sign(self) -> int:
        """Return the sign, where it is one on the whole range."""
        root = -self.constant / Fraction(1) / self.slope
        rising = sign(self.slope)
        if compare(root, self.span.low) != 1:
            return rising
        if compare(root, self.span.high) != -1:
            return -rising
        raise SplitError(root)

    def ball(self, precision: int) -> Any:
        """Refuse: it is no single number."""
        raise NotFiniteError("a number that depends on the record in a way that is not affine")

    def _plus(self, other: Any, factor: int) -> Any:
        if isinstance(other, Varying):
            slope = self.slope + factor * other.slope
            if sign(slope) == 0 and other is not self:
                raise NotFiniteError("a record that cancels out, of which floats keep a rest")
            return _made(self.constant + factor * other.constant, slope, self.span)
        return _made(self.constant + factor * other, self.slope, self.span)

    def __add__(self, other: Any) -> Any:
        return self._plus(exact(other), 1) if _fits(other) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._plus(exact(other), -1) if _fits(other) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return (-self)._plus(exact(other), 1) if _fits(other) else NotImplemented

    def __mul__(self, other: Any) -> Any:
        if not _fits(other):
            return NotImplemented
        if isinstance(other, Varying):
            raise NotFiniteError("a product of numbers that depend on the record")
        return _made(self.constant * other, self.slope * other, self.span)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if not _fits(other):
            return NotImplemented
        if isinstance(other, Varying):
            raise NotFiniteError("a quotient of numbers that depend on the record")
        return self * (Fraction(1) / other)

    def __rtruediv__(self, other: Any) -> Any:
        raise NotFiniteError("a division by a number that depends on the record")

    def __pow__(self, other: Any) -> Any:
        raise NotFiniteError("a power of a number that depends on the record")

    def __neg__(self) -> Any:
        return _made(-self.constant, -self.slope, self.span)

    def __float__(self) -> float:
        raise NotFiniteError("a float of a number that depends on the record")

    def __hash__(self) -> int:
        raise NotFiniteError("an output that depends on the record without noise")


def _made(constant: Any, slope: Any, span: Range) -> Any:
    if sign(slope) == 0:
        return constant * Fraction(1)
    return Varying(constant, slope, span)


def _fits(value: Any) -> bool:
    if isinstance(value, float) and not math.isfinite(value):
        raise NotFiniteError("an infinite number together with one that depends on the record")
    return is_number(value)
