"""Numbers that are affine in a record, of which nothing is known but the range that it lies in."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpaudit.checker.exact.numbers import Number, number_or_none
from dpaudit.checker.exact.varying import Varying
from dpaudit.checker.file import NotCheckedError

_DEPENDS = "not checked: a number that is not affine in the record"


class CutError(NotCheckedError):
    """What the code does changes inside the range: it is cut there."""

    def __init__(self, at: Number) -> None:
        super().__init__("not checked: what the code does depends on the record")
        self.at = at


@dataclass(slots=True, eq=False)
class Span:
    """An open range.

    Attributes
    ----------
    low, high : Number or float
        Its ends, of which a float is infinite.
    cuts : list of Number
        Where it is to be cut; a range is done with only where there are none.
    again : bool
        Whether a number is computed of the record, and of the record again.
    """

    low: Any
    high: Any
    cuts: list[Number] = field(default_factory=list)
    again: bool = False


class _OfRecord(Varying):
    """A number that there is one of for each record of the range."""

    __slots__ = ()
    depends = _DEPENDS
    shown_itself = "not checked: an output that tells the record itself"

    def log2(self) -> Number:
        """Refuse."""
        raise NotCheckedError(_DEPENDS)

    def inverse(self) -> Number:
        """Refuse."""
        raise NotCheckedError(_DEPENDS)

    def __pow__(self, exponent: Any) -> Any:
        known = number_or_none(exponent)
        if known is None:
            return NotImplemented
        if known.fraction == 0:
            return Number(Fraction(1))
        if known.fraction == 1:
            return self
        raise NotCheckedError(_DEPENDS)

    def __rpow__(self, base: Any) -> Any:
        raise NotCheckedError(_DEPENDS)

    def __neg__(self) -> Any:
        return self * -1

    def __sub__(self, other: Any) -> Any:
        known = number_or_none(other)
        return NotImplemented if known is None else self + -known

    def __rsub__(self, other: Any) -> Any:
        return -self + other


class Affine(_OfRecord):
    """``base + slope · record``, with a slope that is not 0."""

    __slots__ = ("base", "slope", "span")

    def __init__(self, base: Number, slope: Number, span: Span) -> None:
        super().__init__(None)
        self.base, self.slope, self.span = base, slope, span

    def sign(self) -> int:
        """Return the sign that it has in all of the range.

        Raises
        ------
        CutError
            Where it has both.
        """
        ends = self._sign_near(self.span.low), self._sign_near(self.span.high)
        if min(ends) < 0 < max(ends):
            self.span.cuts.append(-self.base / self.slope)
            raise CutError(self.span.cuts[0])
        return 1 if max(ends) > 0 else -1

    def _sign_near(self, end: Any) -> int:
        if isinstance(end, float):
            return self.slope.sign() * (1 if end > 0 else -1)
        return self.limit(end).sign()

    def __floor__(self) -> int:
        """Return the integer below it, which is one in all of the range.

        Raises
        ------
        CutError
            Where there are several.
        """
        low, high = sorted((self.limit(self.span.low), self.limit(self.span.high)))
        first, last = math.floor(low), math.ceil(high) - 1
        if first < last:
            middle = first + (last - first + 1) // 2
            self.span.cuts.append((middle - self.base) / self.slope)
            raise CutError(self.span.cuts[0])
        return first

    def limit(self, end: Any) -> Number:
        """Return what it comes close to at an end of the range."""
        if isinstance(end, float):
            raise NotCheckedError(_DEPENDS)
        found: Number = self.base + self.slope * end
        return found

    def __add__(self, other: Any) -> Any:
        known = number_or_none(other)
        if known is None:
            return NotImplemented
        if isinstance(known, Affine):
            self.span.again = True
            slope = self.slope + known.slope
            base = self.base + known.base
            return Affine(base, slope, self.span) if slope.sign() else base
        if isinstance(known, _OfRecord):
            return known + self
        return Affine(self.base + known, self.slope, self.span)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Any:
        known = number_or_none(other)
        if known is None:
            return NotImplemented
        if isinstance(known, Share):
            return known * self
        if isinstance(known, _OfRecord):
            raise NotCheckedError(_DEPENDS)
        if known.sign() == 0:
            return Number(Fraction(0))
        return Affine(self.base * known, self.slope * known, self.span)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        known = number_or_none(other)
        if known is None:
            return NotImplemented
        return Share(self, known) if isinstance(known, Affine) else self * known.inverse()

    def __rtruediv__(self, other: Any) -> Any:
        known = number_or_none(other)
        return NotImplemented if known is None else Share(known, self)


class Share(_OfRecord):
    """A quotient of two such numbers: the chance of an event, given another."""

    __slots__ = ("over", "under")

    def __init__(self, over: Number, under: Affine) -> None:
        super().__init__(None)
        if under.sign() == 0:
            raise ZeroDivisionError("division by zero")
        under.span.again |= isinstance(over, _OfRecord)
        self.over, self.under = over, under

    def sign(self) -> int:
        """Return the sign that it has in all of the range."""
        return self.over.sign() * self.under.sign()

    def __add__(self, other: Any) -> Any:
        known = number_or_none(other)
        if known is None:
            return NotImplemented
        if isinstance(known, _OfRecord):
            raise NotCheckedError(_DEPENDS)
        return Share(self.over + self.under * known, self.under)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Any:
        """Multiply by a number, or by a multiple of what it is a share of."""
        known = number_or_none(other)
        if known is None:
            return NotImplemented
        if not isinstance(known, _OfRecord):
            return Share(self.over * known, self.under) if known.sign() else Number(Fraction(0))
        if not isinstance(known, Affine):
            raise NotCheckedError(_DEPENDS)
        one, two = known, self.under
        if (one.slope * two.base - one.base * two.slope).sign() != 0:
            raise NotCheckedError(_DEPENDS)
        return self.over * (one.slope / two.slope)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        known = number_or_none(other)
        return NotImplemented if known is None else self * known.inverse()

    def __rtruediv__(self, other: Any) -> Any:
        raise NotCheckedError(_DEPENDS)


def record(span: Span) -> Affine:
    """Return the record of which nothing is known but its range."""
    return Affine(Number(Fraction(0)), Number(Fraction(1)), span)


def at_end(value: Number, end: Any) -> Number:
    """Return what a chance comes close to as the record comes close to an end of its range."""
    if isinstance(value, Affine):
        return value.limit(end)
    if isinstance(value, _OfRecord):
        raise NotCheckedError(_DEPENDS)
    return value


def is_finite(end: Any) -> bool:
    """Whether an end is a number."""
    return not (isinstance(end, float) and math.isinf(end))
