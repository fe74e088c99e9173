"""Numbers that are affine in a record of a range, and how far their floats are from them.

Exact proofs branch on real numbers; the code branches on floats. With x the record, which is a
float itself, the float of ``v = base + slope · x`` is off by ``fixed + rising · |x| + share · |v|``
at most: each operation is off by 2^-53 of its result (Higham 2002, section 2.2), and hands on what
its operands are off by. So a comparison is sure unless the two numbers are that close. Records for
which they are make a band, which is a range of its own; on it each outcome is gone by itself, as if
some record of the band had it. A claim holds if it holds between all of these distributions.

Chances in a band differ from those beside it by rounding alone, which is compared with the claim as
any probability: it may be off by 2^-20 of itself (`dpaudit.floats`).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.checker.exact.affine import Affine, Share, Span, is_finite
from dpaudit.checker.exact.numbers import Number, number_or_none
from dpaudit.checker.file import NotCheckedError

_UNIT = 2.0**-51  # four times the unit roundoff: errors are computed in floats, and have products
_TINY = 2.0**-1073
_LARGEST = 1.7976931348623157e308
_FAR = 2**512  # beyond which a record may be beyond the floats once it is multiplied
_CELLS = 4096
_UNKNOWN = "not checked: a record so large that floats may not hold what is computed of it"


class Rounded(Affine):
    """``base + slope · record`` as a program computes it; the slope may be 0 if the error is not.

    Attributes
    ----------
    fixed, rising, share : float
        Of its error, as in the first lines of this module.
    vast : bool
        Whether floats may not hold it, or what it was made of.
    """

    __slots__ = ("fixed", "rising", "share", "vast")

    def __init__(
        self, base: Number, slope: Number, span: Span, fixed: float = 0.0, rising: float = 0.0,
        share: float = 0.0, *, vast: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(base, slope, span)
        self.fixed, self.rising, self.share, self.vast = fixed, rising, share, vast

    def ideal(self) -> Number:
        """Return it without its rounding error."""
        return Affine(self.base, self.slope, self.span) if self.slope.sign() else self.base

    def _made(self, base: Number, slope: Number, *errors: float, vast: bool) -> Any:
        """Return the result of an operation."""
        if not slope.sign() and not any(errors[:2]):
            return base
        span, reach = self.span, abs(slope) * Fraction(_farthest(self.span)) + abs(base)
        if not vast and reach > Fraction(_LARGEST) + 2**969:
            ends = [end for end in (Number(Fraction(sign * _FAR)) for sign in (-1, 1))
                    if span.low < end < span.high]  # fmt: skip
            if ends:
                raise span.cut(*ends)
            vast = True
        return Rounded(base, slope, span, *errors, vast=vast)

    def _absolute(self) -> tuple[float, float]:
        """Return the error without a share of the number."""
        return (
            self.fixed + self.share * _size(self.base),
            self.rising + self.share * _size(self.slope),
        )

    def __add__(self, other: Any) -> Any:
        known = number_or_none(other)
        if known is None or isinstance(known, Share):
            return NotImplemented if known is None else known + self
        if known.fraction == 0 and not isinstance(known, Affine):
            return self
        fixed, rising = self._absolute()
        if not isinstance(known, Affine):
            fixed += _error(known)
            return self._made(self.base + known, self.slope, fixed, rising, _UNIT, vast=self.vast)
        if not isinstance(known, Rounded) or self.vast or known.vast:
            raise NotCheckedError(_UNKNOWN)
        more = known._absolute()
        base, slope = self.base + known.base, self.slope + known.slope
        return self._made(base, slope, fixed + more[0], rising + more[1], _UNIT, vast=False)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Any:
        known = number_or_none(other)
        if known is None or isinstance(known, Affine | Share) or not known.sign():
            return super().__mul__(other)
        size, error = _size(known), _error(known)
        exact = not error and known.fraction is not None and _is_power_of_two(known.fraction)
        share = self.share if exact else self.share + _UNIT + 2 * error / size
        fixed = self.fixed * size * (1 + _UNIT) + (_TINY if size < 1 or not exact else 0.0)
        rising = self.rising * size * (1 + _UNIT)
        if share > 2.0**-10:
            raise NotCheckedError("not checked: a record times a number that rounding decides")
        return self._made(
            self.base * known, self.slope * known, fixed, rising, share, vast=self.vast
        )

    __rmul__ = __mul__

    # --- comparisons

    def sign(self) -> int:
        """Return the sign that its floats have for all records of the range."""
        found = self._side(Number(Fraction(0)))
        return int(self.span.decide(-1, 0, 1)) if found is None else found

    def __bool__(self) -> bool:
        return self != 0

    def __eq__(self, other: object) -> Any:
        return self._compared(other, (0,))

    __hash__ = Affine.__hash__

    def _compared(self, other: Any, wanted: tuple[int, ...]) -> Any:
        if isinstance(other, float | np.floating) and not math.isfinite(other):
            return super()._compared(other, wanted)
        known = number_or_none(other, strict=False)
        if known is None:
            return NotImplemented
        if isinstance(known, Share):
            return (self - known).sign() in wanted
        found = self._side(known)
        return bool(self.span.decide(True, False)) if found is None else found in wanted

    def _side(self, other: Number) -> int | None:
        """Return on which side of another number it is, None where rounding decides."""
        fixed, rising = self._absolute() if other.fraction != 0 else (self.fixed, self.rising)
        base, slope, vast = self.base - other, self.slope, self.vast
        if isinstance(other, Rounded):
            more = other._absolute()
            fixed, rising = fixed + more[0], rising + more[1]
            base, slope = self.base - other.base, self.slope - other.slope
            vast = vast or other.vast
        elif isinstance(other, Affine):
            raise NotCheckedError(_UNKNOWN)
        else:
            fixed += _error(other)
        if not slope.sign() and not (fixed or rising):
            return int(base.sign())
        gap = Affine(base, slope, self.span)
        if vast:
            return self._far(gap, isinstance(other, Rounded))
        return _side(gap, fixed, rising) if fixed or rising else gap.sign()

    def _far(self, gap: Affine, two: bool) -> int:
        """Return the sign of a gap that floats may not hold, which is infinite on its side."""
        near = _size(gap.base) <= 2.0**256 and _size(gap.slope) >= 2.0**-200
        beyond = [end for end in (self.span.low, self.span.high) if abs(end) >= _FAR]
        if two or not near or len(beyond) < 2 or self.span.low < 0 < self.span.high:
            raise NotCheckedError(_UNKNOWN)
        return int(gap.slope.sign()) * (1 if self.span.high > 0 else -1)

    def __floor__(self) -> int:
        """Return the integer below its floats, for all records of the range."""
        ends = [self.limit(end) for end in (self.span.low, self.span.high)]
        fixed, rising = self._absolute()
        off = fixed + rising * _farthest(self.span)
        if not off < _CELLS:
            raise NotCheckedError("not checked: a record that is rounded to any of many integers")
        first: int = math.floor(min(ends) - Fraction(off))
        if not self.rising and fixed <= 2.0**-1060 and min(ends).sign() >= 0:
            first = max(first, 0)  # multiples, whose floats keep the sign
        last: int = math.floor(max(ends) + Fraction(off))
        while first < last:
            middle = first + (last - first + 1) // 2
            first, last = (middle, last) if self >= middle else (first, middle - 1)
        return first


def record(span: Span) -> Rounded:
    """Return the record of which nothing is known but its range."""
    return Rounded(Number(Fraction(0)), Number(Fraction(1)), span)


def _side(gap: Affine, fixed: float, rising: float) -> int | None:
    """Return the sign of a gap that floats have, None where rounding decides.

    Raises
    ------
    CutError
        Where it is sure for a part of the range.
    """
    span, slope = gap.span, gap.slope
    steep, farthest = _size(slope), _farthest(span)
    if steep and rising <= steep / 8 and fixed < 2.0**400:
        # beyond it, |gap| >= steep · |x| / 2, which is more than the error
        beyond = math.ceil(4 * (_size(gap.base) + 4 * fixed) / steep) + 1
        far = Number(Fraction(beyond))
        ends = [end for end in (-far, far) if span.low < end < span.high]
        if ends and beyond * 16 < farthest:
            raise span.cut(*ends)
        if far <= span.low or span.high <= -far:
            return gap.sign()
    if not (is_finite(span.low) and is_finite(span.high)):
        raise NotCheckedError(_UNKNOWN)
    error = Number(Fraction((fixed + rising * farthest) * 2))
    middle = gap.limit((span.low + span.high) / 2)
    if slope.sign():
        ends = sorted([(error - gap.base) / slope, (-error - gap.base) / slope])
        inside = [end for end in ends if span.low < end < span.high]
        if inside and span.band is not None:
            return None
        if inside:
            raise span.cut(*inside, band=(ends[0], ends[1]))
    return None if abs(middle) <= error else int(middle.sign())


def _farthest(span: Span) -> float:
    return max(_size(end) if is_finite(end) else _LARGEST for end in (span.low, span.high))


def _size(value: Number) -> float:
    """Return a bound on a magnitude."""
    try:
        exact = value.fraction
        size = float(abs(exact)) if exact is not None else float(value.ball.abs_upper())
    except OverflowError:
        raise NotCheckedError(_UNKNOWN) from None
    return size * (1 + 2.0**-50)


def _error(value: Number) -> float:
    """Return a bound on how far the float of a known number is from it."""
    exact, near = value.fraction, value.near
    if near is None:
        dyadic = exact is not None and exact.denominator & (exact.denominator - 1) == 0
        return 0.0 if dyadic and _size(value) <= 2.0**53 else _size(value) * _UNIT
    if not math.isfinite(near):
        return math.inf
    if exact == near:
        return 0.0
    return 2 * _size(value - Fraction(near)) + _size(value) * _UNIT


def _is_power_of_two(value: Fraction) -> bool:
    parts = abs(value.numerator), value.denominator
    return all(part & (part - 1) == 0 for part in parts)
