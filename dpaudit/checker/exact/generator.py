"""Stands in for a NumPy generator: what it draws forks the path where it decides."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from inspect import signature
from typing import Any

import numpy as np

from dpaudit.checker.exact.affine import ideal
from dpaudit.checker.exact.drawn import Drawn
from dpaudit.checker.exact.lazy_value import MANY, Draws, is_int
from dpaudit.checker.exact.numbers import Number, keeps_chance, number
from dpaudit.checker.exact.paths import FEW, ManyTossesError, Path
from dpaudit.checker.exact.sources import Even, Geometric, Laplace, Law, Listed, Source, Unit
from dpaudit.checker.exact.varying import Varying
from dpaudit.checker.file import NotCheckedError
from dpaudit.checker.rounding import tosses

_ORDERED = 6
_TRIES = 5000
_WAYS = 4096  # of one draw, of which the others are looked at by themselves


class Bytes:
    """Random bytes, of which only the number of ones is asked."""

    def __init__(self, drawn: Drawn) -> None:
        self._drawn = drawn

    def bit_count(self) -> Drawn:
        """Return how many bits are one."""
        return self._drawn


class Generator:
    """Draws for one path.

    Parameters
    ----------
    path : Path
        That is run now.
    library : str, optional
        Which draws, as programs name it.
    """

    def __init__(self, path: Path, library: str | None = None) -> None:
        self.path, self._library = path, library

    def __getattr__(self, name: str) -> Any:
        raise NotCheckedError(f"not checked: draws of {name!r}")

    def random(self, size: Any = None) -> Any:
        """Draw from [0, 1)."""
        return self._recorded("random", self._many(Unit, size))

    def uniform(self, low: Any = 0, high: Any = 1, size: Any = None) -> Any:
        """Draw from [low, high)."""
        low, high = ideal(number(low)), ideal(number(high))
        drawn = self._many(Unit, size, scale=high - low, shift=low)
        return self._recorded("uniform", drawn)

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: Any = None,
        endpoint: bool = False,
    ) -> Any:
        """Draw an integer."""
        if dtype is not None and not is_int(dtype):
            raise NotCheckedError("not checked: draws of integers with other bits than 64")
        first, last = (0, int(low)) if high is None else (int(low), int(high))
        count = last - first + bool(endpoint)
        if count < 1:
            raise ValueError("low >= high")
        return self._recorded("integers", self._many(lambda: _even(count), size, shift=first))

    def geometric(self, p: Any, size: Any = None) -> Any:
        """Draw the number of the first success."""
        chance = ideal(number(p))
        if not 0 < chance <= 1:
            raise ValueError("p must be in (0, 1]")
        if chance == 1:
            certain = self._many(lambda: Listed([Number(Fraction(1))]), size, shift=1)
            return self._recorded("geometric", certain)
        if not keeps_chance(chance):
            raise NotCheckedError("not checked: a geometric draw whose chance floats do not tell")
        return self._recorded("geometric", self._many(lambda: Geometric(1 - chance), size))

    def laplace(self, loc: Any = 0, scale: Any = 1, size: Any = None) -> Any:
        """Draw Laplace noise."""
        loc, scale = ideal(number(loc)), ideal(number(scale))
        if not scale > 0:
            raise NotCheckedError("not checked: noise whose scale is not positive")
        return self._recorded("laplace", self._many(Laplace, size, scale=scale, shift=loc))

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """Draw the number of successes."""
        if not isinstance(p, np.ndarray):
            return self._recorded("binomial", self._many(lambda: _successes(n, p), size))
        laws = np.empty(p.shape if size is None else _shape(size), dtype=object)
        for at, chance in np.ndenumerate(np.broadcast_to(p, laws.shape)):
            laws[at] = _successes(n, chance)
        return self._recorded("binomial", self._each(laws))

    def bytes(self, length: Any) -> Bytes:
        """Draw bytes."""
        drawn = self._many(lambda: _heads(8 * int(length), Fraction(1, 2)), None)
        return Bytes(self._recorded("bytes", drawn))

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
        """Draw one of some values."""
        among = np.arange(a) if isinstance(a, int | np.integer) else np.asarray(a)
        if size is not None or among.ndim != 1:
            raise NotCheckedError("not checked: several choices at once")
        if p is None:
            weights = [Number(Fraction(1, len(among)))] * len(among)
        else:
            weights = [ideal(number(weight)) for weight in p]
            if len(weights) != len(among) or sum(weights, Number(Fraction(0))) != 1:
                raise NotCheckedError("not checked: probabilities that do not add up to exactly 1")
            if any(0 < weight < 1 and not _told(weight) for weight in weights):
                raise NotCheckedError("not checked: a choice whose chances floats do not tell")
        at = self.path.choose(weights)
        self.path.whole.recorded.append(("choice", lambda: at))
        as_it_is = self._library == "python" and isinstance(a, list | tuple | np.ndarray)
        return a[at] if as_it_is else among[at]

    def permutation(self, x: Any) -> Any:
        """Draw an order."""
        among = np.arange(x) if isinstance(x, int | np.integer) else np.asarray(x)
        if among.ndim != 1 or len(among) > _ORDERED:
            raise NotCheckedError("not checked: an order of very many things")
        orders = list(itertools.permutations(range(len(among))))
        chance = Number(Fraction(1, len(orders)))
        order = list(orders[self.path.choose([chance] * len(orders))])
        self.path.whole.recorded.append(("permutation", partial(_ordered, order)))
        return among[order]

    def _recorded(self, family: str, drawn: Any) -> Any:
        """Return what was drawn, and keep it for the run on floats."""
        kept = drawn.copy() if isinstance(drawn, np.ndarray) else drawn
        self.path.whole.recorded.append((family, kept))
        return drawn

    def _many(self, law: Callable[[], Law], size: Any, **moved: Any) -> Any:
        if size is None:
            return Drawn(Source(self.path, law()), **moved)
        laws = np.empty(_shape(size), dtype=object)
        laws[...] = law()
        return self._each(laws, **moved)

    def _each(self, laws: Any, **moved: Any) -> Any:
        """Return a draw for each of some laws, of one kind."""
        found = np.empty(laws.shape, dtype=object)
        for at, law in np.ndenumerate(laws):
            found[at] = Drawn(Source(self.path, law), **moved)
        kinds = {id(law): law for law in laws.flat}.values()
        finite = all(isinstance(law, Unit | Listed | Even) and law.high <= _WAYS for law in kinds)
        undecided = finite and self.path.undecided(found.size, MANY)
        if not undecided or all(isinstance(law, Unit) for law in kinds):
            return found.view(Draws) if undecided else found
        if self.path.manner == FEW:  # they stay undecided only at the end
            raise ManyTossesError
        return found


def _shape(size: Any) -> tuple[int, ...]:
    return tuple(map(int, size)) if isinstance(size, tuple | list) else (int(size),)


def _told(weight: Number) -> bool:
    return tosses(weight) and tosses(1 - weight)


def _ordered(order: list[int], x: Any) -> Any:
    among = np.arange(x) if isinstance(x, int | np.integer) else np.asarray(x)
    return among[order]


@lru_cache(maxsize=64)
def _even(count: int) -> Even:
    return Even(count)


def _successes(n: Any, p: Any) -> Listed:
    """Return the distribution of the number of successes, of a chance that floats tell."""
    known = ideal(number(p))
    chance = known.fraction or known
    if 0 < known < 1 and not _told(known):
        raise NotCheckedError("not checked: a chance that floats do not tell")
    heads = _heads.__wrapped__ if isinstance(chance, Varying) else _heads
    return heads(int(n), chance)


@lru_cache(maxsize=64)
def _heads(n: int, p: Fraction | Number) -> Listed:
    """Return the distribution of the number of successes."""
    chance = number(p)
    if not 0 <= chance <= 1 or not 0 <= n <= _TRIES:
        raise NotCheckedError("not checked: a binomial draw of this kind")
    rest = 1 - chance
    return Listed([math.comb(n, k) * chance**k * rest ** (n - k) for k in range(n + 1)])


def drawing(function: Callable[..., Any], name: str, meaning: Any) -> Callable[..., Any]:
    """Return a function that draws where it is a method, and is given a generator by its name.

    Parameters
    ----------
    function : callable
        What is called with anything else.
    name : str
    meaning : Meaning
        Of the program, which draws.
    """
    family = name.removeprefix("method.")
    draws = vars(Generator).get(family)
    if family == name or draws is None or family.startswith("_"):
        return function

    def drawn(of: Any, *args: Any, **words: Any) -> Any:
        if not isinstance(of, Generator) and of is not meaning:
            return function(of, *args, **words)
        given = signature(draws).bind(of, *args, **words).arguments
        return meaning.draw(given.pop("self"), family, **given)

    return drawn
