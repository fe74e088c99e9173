"""What draws are made of: a law, and the range in which the draw is known to lie."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol

from dpaudit.checker.exact.affine import Affine, is_finite
from dpaudit.checker.exact.numbers import Number, keeps_chance, number
from dpaudit.checker.exact.paths import Fork, Path
from dpaudit.checker.file import NotCheckedError
from dpaudit.checker.rounding import tosses

_VALUES = 20_000


class Law(Protocol):
    """The distribution of one draw."""

    low: Any
    high: Any
    whole: bool
    forks: dict[Any, Fork]  # what was computed before, by the range

    def measure(self, low: Any, high: Any) -> Number:
        """Return the probability of low <= x < high."""


class Unit:
    """Uniform on [0, 1)."""

    low, high, whole = 0, 1, False

    def __init__(self) -> None:
        self.forks: dict[Any, Fork] = {}

    def measure(self, low: Any, high: Any) -> Number:
        """Return the probability of low <= x < high."""
        found: Number = number(high) - number(low)
        return found


class Even:
    """Every integer in [0, count) alike."""

    low, whole = 0, True

    def __init__(self, count: int) -> None:
        self.high = count
        self.forks: dict[Any, Fork] = {}

    def measure(self, low: Any, high: Any) -> Number:
        """Return the probability of low <= x < high."""
        return Number(Fraction(high - low, self.high))


class Listed:
    """The integers 0, 1, … with the probabilities that are listed."""

    low, whole = 0, True

    def __init__(self, masses: Sequence[Number]) -> None:
        self.high = len(masses)
        below = [Number(Fraction(0))]
        for mass in masses:
            below.append(below[-1] + mass)
        self._below = below
        self.forks: dict[Any, Fork] = {}

    def measure(self, low: Any, high: Any) -> Number:
        """Return the probability of low <= x < high."""
        found: Number = self._below[high] - self._below[low]
        return found


class _Tailed:
    """Whole numbers with tails of powers of a."""

    def __init__(self, a: Number) -> None:
        self.a = a
        self.forks: dict[Any, Fork] = {}

    def measure(self, low: Any, high: Any) -> Number:
        """Return the probability of low <= x < high."""
        found: Number = self._tail(low) - self._tail(high)
        return found

    def _tail(self, at: Any) -> Number:
        """Return Pr[x >= at]."""
        raise NotImplementedError


class Geometric(_Tailed):
    """1, 2, … with tails Pr[x >= k] = a^(k - 1)."""

    low, high, whole = 1, math.inf, True

    def _tail(self, at: Any) -> Number:
        return Number(Fraction(0)) if at == math.inf else self.a ** (int(at) - 1)


class TwoSided(_Tailed):
    """The difference of two such draws: Pr[x = k] = (1 - a)/(1 + a) a^|k|."""

    low, high, whole = -math.inf, math.inf, True
    first, last = 0, 0  # outside of which masses fall off by a factor
    symmetric = True

    def _tail(self, at: Any) -> Number:
        """Return Pr[x >= at], a geometric sum."""
        if at in (-math.inf, math.inf):
            return Number(Fraction(int(at < 0)))
        far: Number = self.a ** max(at, 1 - at) / (self.a + 1)
        return far if at >= 1 else Number(Fraction(1)) - far


class Laplace:
    """Density e^(-|x|)/2."""

    low, high, whole = -math.inf, math.inf, False

    def __init__(self) -> None:
        self.forks: dict[Any, Fork] = {}

    def measure(self, low: Any, high: Any) -> Number:
        """Return the probability of low <= x < high."""
        found: Number = _below(high) - _below(low)
        return found


def _below(at: Any) -> Number:
    """Return the chance that Laplace noise of scale 1 is below a number."""
    if isinstance(at, float) and math.isinf(at):
        return Number(Fraction(int(at > 0)))
    place = number(at)
    tail: Number = (-abs(place)).exp() / 2
    return tail if place <= 0 else Number(Fraction(1)) - tail


class Cut:
    """The integer that is made of ``at + scale · x``, for Laplace noise x.

    Attributes
    ----------
    a : Number
        The ratio of the probabilities of an integer and the one before, far enough to the right.
    first, last : int
        Before and after which that, and its mirror image, holds.
    symmetric : bool
        Whether k and -k are alike likely.
    """

    low, high, whole = -math.inf, math.inf, True

    def __init__(self, how: str, at: Fraction, scale: Number) -> None:
        self.forks: dict[Any, Fork] = {}
        self.how, self._at, self._scale = how, at, scale
        self.a = (-scale.inverse()).exp()
        if not keeps_chance(1 - self.a):
            raise NotCheckedError("not checked: noise that floats do not tell from an integer")
        self.symmetric = at == 0 and how in ("round", "trunc")
        self.first, self.last = min(0, math.floor(at)) - 2, max(0, math.ceil(at)) + 2

    def measure(self, low: Any, high: Any) -> Number:
        """Return the probability of low <= k < high."""
        found: Number = self._before(high) - self._before(low)
        return found

    def _before(self, k: Any) -> Number:
        """Return the probability of an integer below k."""
        if k in (-math.inf, math.inf):
            return _below(float(k))
        k = int(k)
        begins = {
            "ceil": Fraction(k - 1),
            "floor": Fraction(k),
            "round": k - Fraction(1, 2),
            "trunc": Fraction(k if k > 0 else k - 1),
        }
        return _below((begins[self.how] - self._at) / self._scale)


def _told(chance: Any) -> bool:
    """Return whether floats toss a coin; of a record's coin they do for most of its range.

    At both ends of the range, and of each part of it, the coin is tossed by itself.
    """
    if isinstance(chance, Affine) and chance.span.band is not None:
        return True  # beside it the coin is tossed
    if isinstance(chance, Affine):
        ends = [end for end in (chance.span.low, chance.span.high) if is_finite(end)]
        return any(tosses(chance.limit(end)) for end in ends)
    return tosses(chance)


class OutsideError(BaseException):
    """A turn of a loop, gone through by itself, asks for a draw that was made before."""

    def __init__(self, source: Source, at: Any) -> None:
        super().__init__("not checked: a draw of another turn")
        self.source, self.at = source, at


class Source:
    """One draw on one path."""

    def __init__(self, path: Path, law: Law) -> None:
        self.path, self.law = path, law
        self.low: Any = law.low
        self.high: Any = law.high
        self.spent = False  # whether it went into another draw
        self.number: int | None = None  # of a draw that is fixed
        # what it went into: a draw, the sign there, and the place and scale of what was cut
        self.made: tuple[Source, int, Any, Any] | None = None

    @property
    def fresh(self) -> bool:
        """Whether nothing is known of it."""
        unknown = self.low == self.law.low and self.high == self.law.high
        return bool(unknown and not self.spent and self.number is None)

    def fix(self) -> int:
        """Return the number of a draw of which every value is looked at by itself."""
        if self.number is None:
            if not self.fresh:
                raise NotCheckedError("not checked: a draw that is compared and computed with")
            self.number = self.path.fix(self.high)
        return self.number

    def total(self) -> Number:
        """Return the probability of what is known of it."""
        if self.spent:
            raise NotCheckedError("not checked: two values that depend on one geometric draw")
        if self.number is not None:
            raise NotCheckedError("not checked: a draw that is compared and computed with")
        return self.law.measure(self.low, self.high)

    def below(self, at: Any) -> bool:
        """Return whether the draw is below a number, which becomes known."""
        if not at > self.low or not at < self.high:
            return bool(at > self.low)
        if not self.law.whole and not (_told(at - self.low) and _told(self.high - at)):
            raise NotCheckedError("not checked: a coin whose chance floats do not tell")
        if self.path.whole.paused:
            raise OutsideError(self, at)
        total = self.total()
        under = self.law.measure(self.low, at) / total
        if self.path.choose([under, 1 - under]) == 0:
            self.high = at
            return True
        self.low = at
        return False

    def value(self) -> int:
        """Return an integer draw, which becomes known."""
        if not self.law.whole or not self.high - self.low <= _VALUES:
            raise NotCheckedError("not checked: a draw from very many values that decides")
        values = range(int(self.low), int(self.high))
        if len(values) > 1 and self.path.whole.paused:
            raise OutsideError(self, None)
        total = self.total()
        known = self.law.forks
        if (self.low, self.high) not in known:
            known[self.low, self.high] = Fork([self.law.measure(v, v + 1) / total for v in values])
        found = values[self.path.choose(known[self.low, self.high])]
        self.low, self.high = found, found + 1
        return found
