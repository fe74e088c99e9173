"""Numbers that are affine in a record, of which nothing is known but the range that it lies in."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpaudit.checker.exact.numbers import Number, of_number
from dpaudit.checker.exact.varying import Varying
from dpaudit.checker.file import NotCheckedError

_DEPENDS = "not checked: a number that is not affine in the record"


class CutError(NotCheckedError):
    """What the code does changes inside the range: it is cut at some numbers, in order.

    Between two of them, which are the ends of a band, rounding decides what the code does.
    """

    def __init__(self, *at: Number, band: tuple[Any, Any] | None = None) -> None:
        super().__init__("not checked: what the code does depends on the record")
        self.at, self.band = at, band


class UnsureError(NotCheckedError):
    """Rounding decides what the code does: each way is gone by itself."""

    def __init__(self, key: Any, ways: tuple[Any, ...]) -> None:
        super().__init__("not checked: what the code does depends on rounding")
        self.key, self.ways = key, ways


@dataclass(slots=True, eq=False)
class Span:
    """An open range.

    Attributes
    ----------
    low, high : Number or float
        Its ends, of which a float is infinite.
    cuts : list of NotCheckedError
        Where it is to be cut, or what rounding decides; a range is done with only where there are
        none.
    band : Number, optional
        Where the code does something else, if all of it is so near that rounding decides.
    decided : dict
        What rounding decides, by the place in a run.
    """

    low: Any
    high: Any
    cuts: list[NotCheckedError] = field(default_factory=list)
    band: Number | None = None
    decided: dict[Any, Any] = field(default_factory=dict)
    _path: Any = None
    _count: int = 0

    def begin(self, path: Any) -> None:
        """Note that a run on the record of this range begins."""
        self._path, self._count = path, 0

    def decide(self, *ways: Any) -> Any:
        """Return which of some ways rounding takes.

        Raises
        ------
        UnsureError
            Where that is open.
        """
        path = self._path
        if path is None or path.lazy or path.outer is not None:
            raise NotCheckedError("not checked: rounding that decides beside undecided draws")
        self._count += 1
        key = tuple(path.taken[: len(path.open)]), self._count
        if key not in self.decided:
            self.cuts.append(UnsureError(key, ways))
            raise self.cuts[0]
        return self.decided[key]

    def cut(self, *at: Number, band: tuple[Any, Any] | None = None) -> CutError:
        """Note that it is to be cut, and return the error that says so."""
        self.cuts.append(CutError(*at, band=band))
        return CutError(*at, band=band)


class _OfRecord(Varying):
    """A number that there is one of for each record of the range."""

    __slots__ = ()
    depends = _DEPENDS
    shown_itself = "not checked: an output that tells the record itself"

    def ideal(self) -> Number:
        """Return it without its rounding error."""
        return self

    def log2(self) -> Number:
        """Refuse."""
        raise NotCheckedError(_DEPENDS)

    def inverse(self) -> Number:
        """Refuse."""
        raise NotCheckedError(_DEPENDS)

    @of_number
    def __pow__(self, known: Any) -> Any:
        if known.fraction == 0:
            return Number(Fraction(1))
        if known.fraction == 1:
            return self
        raise NotCheckedError(_DEPENDS)

    def __rpow__(self, base: Any) -> Any:
        raise NotCheckedError(_DEPENDS)

    def __neg__(self) -> Any:
        return self * -1

    @of_number
    def __sub__(self, known: Any) -> Any:
        return self + -known

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
            raise self.span.cut(-self.base / self.slope)
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
            raise self.span.cut((middle - self.base) / self.slope)
        return first

    def limit(self, end: Any) -> Number:
        """Return what it comes close to at an end of the range."""
        if isinstance(end, float):
            raise NotCheckedError(_DEPENDS)
        found: Number = self.base + self.slope * end
        return found

    @of_number
    def __add__(self, known: Any) -> Any:
        if isinstance(known, Affine):
            slope = self.slope + known.slope
            base = self.base + known.base
            return Affine(base, slope, self.span) if slope.sign() else base
        if isinstance(known, _OfRecord):
            return known + self
        return Affine(self.base + known, self.slope, self.span)

    __radd__ = __add__

    @of_number
    def __mul__(self, known: Any) -> Any:
        if isinstance(known, Share):
            return known * self
        if isinstance(known, _OfRecord):
            raise NotCheckedError(_DEPENDS)
        if known.sign() == 0:
            return Number(Fraction(0))
        return Affine(self.base * known, self.slope * known, self.span)

    __rmul__ = __mul__

    @of_number
    def __truediv__(self, known: Any) -> Any:
        return Share(self, known) if isinstance(known, Affine) else self * known.inverse()

    @of_number
    def __rtruediv__(self, known: Any) -> Any:
        return Share(known, self)


class Share(_OfRecord):
    """A quotient of two such numbers: the chance of an event, given another."""

    __slots__ = ("over", "under")

    def __init__(self, over: Number, under: Affine) -> None:
        super().__init__(None)
        if under.sign() == 0:
            raise ZeroDivisionError("division by zero")
        self.over, self.under = over, under

    def ideal(self) -> Number:
        """Return it without its rounding error."""
        found: Number = ideal(self.over) / ideal(self.under)
        return found

    def sign(self) -> int:
        """Return the sign that it has in all of the range."""
        return self.over.sign() * self.under.sign()

    @of_number
    def __add__(self, known: Any) -> Any:
        if isinstance(known, _OfRecord):
            raise NotCheckedError(_DEPENDS)
        return Share(self.over + self.under * known, self.under)

    __radd__ = __add__

    @of_number
    def __mul__(self, known: Any) -> Any:
        """Multiply by a number, or by a multiple of what it is a share of."""
        if not isinstance(known, _OfRecord):
            return Share(self.over * known, self.under) if known.sign() else Number(Fraction(0))
        one, two = known, self.under
        if not isinstance(one, Affine) or not two.slope.sign():
            raise NotCheckedError(_DEPENDS)
        if (one.slope * two.base - one.base * two.slope).sign() != 0:
            raise NotCheckedError(_DEPENDS)
        return self.over * (one.slope / two.slope)

    __rmul__ = __mul__

    @of_number
    def __truediv__(self, known: Any) -> Any:
        return self * known.inverse()

    def __rtruediv__(self, other: Any) -> Any:
        raise NotCheckedError(_DEPENDS)


def ideal(value: Any) -> Any:
    """Return a number as a real one, that is compared without rounding."""
    return value.ideal() if isinstance(value, _OfRecord) else value


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
