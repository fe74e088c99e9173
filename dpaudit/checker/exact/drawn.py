"""A value that is affine in one draw; where it is compared, the path forks."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.checker.exact.affine import ideal
from dpaudit.checker.exact.fixed import MANY, Fixed
from dpaudit.checker.exact.numbers import Number, number_or_none
from dpaudit.checker.exact.sources import Cut, Even, Geometric, Laplace, Source, TwoSided, Unit
from dpaudit.checker.file import NotCheckedError

_CELLS = 4096
_DYADIC = 1024  # multiples of 1 over that, of integers below 2^32, are floats
_FARTHEST = 4096
_LARGE = 2**53  # beyond which floats do not hold all integers
_WRAPS = 2**63
_LOST = 2**20
_USUAL = 2**32  # multiples of unbounded noise by less are integers of 64 bits but with chance 0


class Drawn:
    """``scale · draw + shift``.

    Attributes
    ----------
    real : bool
        Whether it is a float, whatever number it is.
    off : bool
        Whether that float may be off. One that is made of a single draw still rises with it, or
        falls, but it is not told on which side of a number near to it that is.
    """

    __slots__ = ("off", "reach", "real", "scale", "shift", "source")

    def __init__(
        self,
        source: Source,
        scale: Any = 1,
        shift: Any = 0,
        *,
        real: bool = False,
        off: bool = False,
    ) -> None:
        self.source, self.real, self.off = source, real, off
        kept = number_or_none if source.law.whole else _ideal
        self.reach: Any = 1
        self.scale: Any = kept(scale)
        self.shift: Any = kept(shift)

    @property
    def whole(self) -> bool:
        """Whether it is an integer."""
        scale, shift = self.scale.fraction, self.shift.fraction
        if scale is None or shift is None or not self.source.law.whole:
            return False
        return bool(scale.denominator == 1 == shift.denominator)

    @property
    def many(self) -> bool:
        """Whether it is one of so many integers that they are not gone through."""
        even = isinstance(self.source.law, Even) and self.source.law.high > MANY
        return self.whole and not self.real and even

    @property
    def few(self) -> bool:
        """Whether it is one of so few integers that each is a way."""
        source = self.source
        return bool(source.law.whole and source.high - source.low <= _CELLS)

    def fixed(self) -> Fixed:
        """Return a draw of which every value is looked at by itself."""
        if not self.many:
            raise NotCheckedError("not checked: a draw from very many integers beside another")
        scale, shift = int(self.scale.fraction), int(self.shift.fraction)
        number, last = self.source.fix(), self.source.law.high - 1
        ends = shift, scale * last + shift
        formula = f"[{scale} * draw {number} of {last + 1} + {shift}]"
        value = lambda drawn: scale * drawn[number] + shift  # noqa: E731
        return Fixed(self.source.path, formula, min(ends), max(ends), value)

    def settled(self) -> Any:
        """Return the value, which becomes known."""
        found = self.source.value() * self.scale + self.shift
        return int(found.fraction) if self.whole and not self.real else found

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Drawn):
            return self._sum(other)
        known = number_or_none(other)
        return self._moved(1, known, other) if known is not None else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, Drawn):
            return self._sum(-other)
        known = number_or_none(other)
        return self._moved(1, -known, other) if known is not None else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Drawn) and (self.few or other.few):
            return other * self.settled() if self.few else self * other.settled()
        known = number_or_none(other)
        if known is not None and known.fraction == 0 and not self.source.law.whole:
            return Number(Fraction(0))
        return self._moved(known, 0, other) if known is not None else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        known = number_or_none(other)
        return self._moved(known.inverse(), 0, known) if known is not None else NotImplemented

    def __neg__(self) -> Drawn:
        return self._moved(-1, 0)

    def __pos__(self) -> Drawn:
        return self

    def __abs__(self) -> Any:
        return -self if self < 0 else self

    def typed(self, *, real: bool) -> Drawn:
        """Return the same number as a float or as an integer."""
        found = Drawn(self.source, self.scale, self.shift, real=real, off=self.off)
        found.reach = self.reach
        if real and self.whole and _LARGE < self.farthest < math.inf:
            self.source.path.whole.again = True
        return found

    def _moved(self, scale: Any, shift: Any, other: Any = 0) -> Drawn:
        """Return ``scale · value + shift``; with a float it becomes one."""
        real = self.real or isinstance(other, Number | float | np.floating)
        if real and not self.real and self.whole and self.farthest > _LARGE:
            self.source.path.whole.again = True
        if not self.source.law.whole:
            scale, shift = ideal(scale), ideal(shift)
        found = Drawn(self.source, self.scale * scale, self.shift * scale + shift, real=real)
        found.off = self.off or not all(map(_is_exact, (found.scale, found.shift)))
        found._keep_reach(self.reach)
        return found._of_64_bits(self)

    def _keep_reach(self, before: Any) -> None:
        """Note the largest number that it was made of, in steps of the draw.

        Where floats lose 2^-32 of a step, as in ``(u + 2**52) - 2**52``, the ends of a range do not
        tell what they are compared to inside it.
        """
        scale, shift = self.scale.fraction, self.shift.fraction
        self.reach = max(before, abs(shift / scale)) if scale and shift else before
        if self.off and self.reach > _LOST:
            self.source.path.whole.again = True

    def _of_64_bits(self, before: Drawn) -> Drawn:
        """Refuse an integer that 64 bits may not hold: NumPy wraps it, Python does not."""
        if self.real or not self.whole or self.farthest < _WRAPS or before.farthest >= _WRAPS:
            return self
        raise NotCheckedError("not checked: a draw times a number that 64 bits may not hold")

    @property
    def farthest(self) -> Any:
        """How large it may be; of unbounded noise, how large what it is made with is."""
        if not self.whole:
            return 0
        law = self.source.law
        scale, shift = self.scale.fraction.numerator, self.shift.fraction.numerator
        ends = [end for end in (law.low, law.high) if math.isfinite(end)]
        far = max([abs(scale * end + shift) for end in ends], default=abs(shift))
        bounded = len(ends) > 1 or abs(scale) < _USUAL
        return far if bounded else _WRAPS

    def _sum(self, other: Drawn) -> Any:
        off = self.off or other.off
        if not (self.source.law.whole and other.source.law.whole):
            self.source.path.whole.again = True
        if other.source is self.source:
            if off and self.source.law.whole:
                return self.settled() + other.settled()
            scale, shift = self.scale + other.scale, self.shift + other.shift
            real = self.real or other.real
            return Drawn(self.source, scale, shift, real=real, off=off)._of_64_bits(self)
        first, second = self.source.law, other.source.law
        if isinstance(first, Geometric) and isinstance(second, Geometric):
            opposite = self.scale == -other.scale and abs(self.scale) == 1
            untouched = self.source.fresh and other.source.fresh
            if opposite and untouched and first.a == second.a:
                source = Source(self.source.path, TwoSided(first.a))
                self.source.spent = other.source.spent = True
                self.source.made, other.source.made = (source, 1, 0, 1), (source, -1, 0, 1)
                real = self.real or other.real
                return Drawn(source, self.scale, self.shift + other.shift, real=real, off=off)
        if self.many and other.many:
            return self.fixed() + other.fixed()
        for steps, even in ((self, other), (other, self)):
            unbounded = isinstance(steps.source.law, Geometric) and not steps.few
            if unbounded and isinstance(even.source.law, Unit):
                return Stepped(steps, even)
        found = self + other.settled() if other.few else self.settled() + other
        found.off |= off
        return found

    def _below(self, other: Any, *, strict: bool) -> Any:
        """Return whether the value is below another."""
        if isinstance(other, Drawn):
            return (self - other)._below(0, strict=strict)
        if isinstance(other, float | np.floating) and not math.isfinite(other):
            return bool(other > 0)
        bound = number_or_none(other)
        if bound is None:
            return NotImplemented
        bound = bound if self.source.law.whole else ideal(bound)
        if self.scale.sign() == 0:
            return self.shift < bound if strict else self.shift <= bound
        at = (bound - self.shift) / self.scale
        rising = self.scale.sign() > 0
        if not self.source.law.whole:  # a single point has probability 0
            return self.source.below(at) == rising
        # rising: x < at, or x <= at; else x > at, or x >= at, which is not x <= at, or x < at
        excluded = strict == rising
        cut = math.ceil(at) if excluded else math.floor(at) + 1
        return self.source.below(cut) == rising

    def __lt__(self, other: Any) -> Any:
        return self._below(other, strict=True)

    def __le__(self, other: Any) -> Any:
        return self._below(other, strict=False)

    def __gt__(self, other: Any) -> Any:
        found = self._below(other, strict=False)
        return found if found is NotImplemented else not found

    def __ge__(self, other: Any) -> Any:
        found = self._below(other, strict=True)
        return found if found is NotImplemented else not found

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Drawn) and number_or_none(other) is None:
            return NotImplemented
        return not (self < other or self > other)

    def __hash__(self) -> int:
        raise NotCheckedError("not checked: a draw in a set or as a key")

    def __bool__(self) -> bool:
        return self != 0

    def __floor__(self) -> Any:
        if self.whole and self.off:
            return int(self.settled())
        if self.whole:
            return self.typed(real=False)
        if self.laplacian:
            return self.cut("floor")
        low, high = (self.scale * end + self.shift for end in (self.source.low, self.source.high))
        first, last = sorted((math.floor(low), math.floor(high)))
        if last - first > _CELLS:
            raise NotCheckedError("not checked: a draw from very many values that decides")
        return next(v for v in range(first, last + 1) if v == last or self < v + 1)

    def __ceil__(self) -> Any:
        if self.laplacian:
            return self.cut("ceil")
        return -math.floor(-self)

    @property
    def laplacian(self) -> bool:
        """Whether it is Laplace noise on a number."""
        return isinstance(self.source.law, Laplace)

    def cut(self, how: str) -> Drawn:
        """Return the integer that is made of Laplace noise, by floor, ceil, round or trunc."""
        place = self.shift.fraction
        if not self.source.fresh or place is None or abs(place) > _FARTHEST:
            raise NotCheckedError("not checked: noise that is cut to an integer twice, or far away")
        moved = 0 if how == "trunc" else math.floor(place)
        law = Cut(how, place - moved, abs(self.scale))
        source = Source(self.source.path, law)
        self.source.spent = True
        self.source.made = source, 1, place - moved, self.scale.ball.mid()
        return Drawn(source, 1, moved)

    def __int__(self) -> int:
        found = self.settled() if self.source.law.whole else self._truncated()
        return int(found)

    def _truncated(self) -> int:
        return int(math.floor(self) if self >= 0 else math.ceil(self))

    def __index__(self) -> int:
        if not self.whole or self.real:
            raise TypeError("a draw that is no integer")
        return int(self)

    def __xor__(self, other: Any) -> int:
        return int(int(self) ^ other)

    __rxor__ = __xor__

    def __and__(self, other: Any) -> int:
        return int(int(self) & other)

    __rand__ = __and__

    def __or__(self, other: Any) -> int:
        return int(int(self) | other)

    __ror__ = __or__

    def __rshift__(self, other: Any) -> int:
        return int(self) >> int(other)

    def __mod__(self, other: Any) -> Any:
        if self.many:
            return self.fixed() % other
        return int(self) % int(other)

    def __floordiv__(self, other: Any) -> Any:
        if self.many:
            return self.fixed() // other
        return int(self) // int(other)


class Stepped:
    """Geometric noise without bound, plus what is affine in a draw from [0, 1).

    Attributes
    ----------
    steps, even : Drawn
    """

    __slots__ = ("even", "steps")

    def __init__(self, steps: Drawn, even: Drawn) -> None:
        self.steps, self.even = steps, even

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Stepped) or (isinstance(other, Drawn) and not other.few):
            raise NotCheckedError("not checked: a sum of three draws")
        moved = self.even + (other.settled() if isinstance(other, Drawn) else other)
        return moved if moved is NotImplemented else Stepped(self.steps, moved)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __neg__(self) -> Stepped:
        return Stepped(-self.steps, -self.even)

    def __mul__(self, other: Any) -> Any:
        factor = other.settled() if isinstance(other, Drawn) and other.few else other
        known = number_or_none(factor)
        if known is None:
            return NotImplemented
        if known.fraction == 0:
            return Number(Fraction(0))
        return Stepped(self.steps * factor, self.even * factor)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        known = number_or_none(other)
        return NotImplemented if known is None else self * known.inverse()


def _ideal(value: Any) -> Any:
    """Return a number that continuous noise is added to: its rounding is the float analysis'."""
    return ideal(number_or_none(value))


def _is_exact(value: Any) -> bool:
    """Return whether a multiple of an integer draw by it, or a sum with it, is a float."""
    part = value.fraction
    return part is not None and _DYADIC % part.denominator == 0 and abs(part) < 2**32


def unbounded(value: Any) -> bool:
    """Return whether a value is an integer draw without bound."""
    known = isinstance(value, Drawn) and value.whole
    return known and not math.isfinite(value.source.high - value.source.low)


def tail_of(value: Drawn) -> tuple[TwoSided | Cut, int]:
    """Return the law and the place of noise of which nothing is known."""
    law, scale, shift = value.source.law, value.scale.fraction, value.shift.fraction
    known = isinstance(law, TwoSided | Cut) and value.source.fresh
    turned = scale == -1 and isinstance(law, TwoSided | Cut) and law.symmetric
    if not known or value.off or not (scale == 1 or turned):
        raise NotCheckedError("not checked: noise without bound of which a part is cut off")
    assert shift is not None
    return law, int(shift)  # type: ignore[return-value]
