"""Stands in for the generators that all code of a process shares, and for new ones without a seed.

A seed is no part of it: code that sets one is not checked.
"""

from __future__ import annotations

import random
import secrets
import types
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.checker.exact.generator import Generator
from dpaudit.checker.exact.numbers import Number, number
from dpaudit.checker.file import NotCheckedError


class Shared:
    """The generator of the path that is run now.

    Attributes
    ----------
    generator : Generator or None
        None before the first path.
    """

    def __init__(self) -> None:
        self.generator: Generator | None = None

    def of(self, value: Any) -> Any:
        """Return what stands in for a module, a method or a class that draws; None for others."""
        if isinstance(value, types.ModuleType):
            made = _MODULES.get(value.__name__)
            return None if made is None else made(self)
        owner = getattr(value, "__self__", None)
        if type(value) is random.SystemRandom and not set(vars(value)) - {"gauss_next"}:
            return _Python(self)  # which has no seed, and no state
        name = getattr(value, "__name__", "")
        if type(owner) is random.SystemRandom:
            return getattr(_Python(self), name)
        for holder, kind in _HOLDERS:
            if owner is holder:  # a method of the shared generator
                return getattr(kind(self), name)
            if name in vars(kind) and getattr(holder, name, None) is value:
                return getattr(kind(self), name)
        return None


class _Module:
    """What the draws of a module are, as methods of NumPy's generator."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    @property
    def _rng(self) -> Generator:
        if self._shared.generator is None:
            raise NotCheckedError("not checked: draws before the mechanism runs")
        return self._shared.generator

    def __getattr__(self, name: str) -> Any:
        raise NotCheckedError(f"not checked: {name!r} of a generator that others share")


class _Unseeded(_Module):
    """A generator that code makes for itself, in a call."""

    def _new(self, seed: tuple[Any, ...]) -> Any:
        if any(given is not None for given in seed):
            raise NotCheckedError("not checked: a generator with a seed")
        return self._rng


class _Python(_Unseeded):
    def random(self) -> Any:
        return self._rng.random()

    def uniform(self, a: Any, b: Any) -> Any:
        return self._rng.uniform(a, b)

    def randint(self, a: int, b: int) -> Any:
        return self._rng.integers(a, b, endpoint=True)

    def randrange(self, start: int, stop: int | None = None) -> Any:
        return self._rng.integers(start, stop)

    def getrandbits(self, k: int) -> Any:
        return self._rng.integers(1 << k)

    def choice(self, seq: Any) -> Any:
        return seq[int(self._rng.integers(len(seq)))]

    def choices(
        self, population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1
    ) -> Any:
        if cum_weights is not None or k != 1:
            raise NotCheckedError("not checked: several choices at once")
        if weights is None:
            return [self.choice(population)]
        given = [number(weight) for weight in weights]
        total = sum(given, Number(Fraction(0)))
        if len(given) != len(population) or not total > 0 or any(w < 0 for w in given):
            raise NotCheckedError("not checked: weights that `random.choices` refuses")
        at = self._rng.choice(len(given), p=[weight / total for weight in given])
        return [population[int(at)]]

    def Random(self, *seed: Any) -> Any:  # noqa: N802 - the class of that name
        self._new(seed)
        return self

    def SystemRandom(self) -> Any:  # noqa: N802
        return self


class _Secrets(_Module):
    def randbelow(self, exclusive_upper_bound: int) -> Any:
        return self._rng.integers(exclusive_upper_bound)

    def randbits(self, k: int) -> Any:
        return self._rng.integers(1 << k)

    def choice(self, seq: Any) -> Any:
        return seq[int(self._rng.integers(len(seq)))]

    def SystemRandom(self) -> Any:  # noqa: N802
        return _Python(self._shared)


class _NumPy(_Unseeded):
    def random(self, size: Any = None) -> Any:
        return self._rng.random(size)

    random_sample = sample = ranf = random

    def rand(self, *shape: int) -> Any:
        return self._rng.random(shape or None)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        return self._rng.uniform(low, high, size)

    def randint(self, low: int, high: int | None = None, size: Any = None) -> Any:
        return self._rng.integers(low, high, size)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        return self._rng.binomial(n, p, size)

    def geometric(self, p: Any, size: Any = None) -> Any:
        return self._rng.geometric(p, size)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._rng.laplace(loc, scale, size)

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
        return self._rng.choice(a, size, replace, p)

    def permutation(self, x: Any) -> Any:
        return self._rng.permutation(x)

    def default_rng(self, *seed: Any) -> Any:
        return self._new(seed)

    def RandomState(self, *seed: Any) -> Any:  # noqa: N802
        self._new(seed)
        return self


_MODULES: dict[str, type[_Module]] = {
    "random": _Python, "secrets": _Secrets, "numpy.random": _NumPy,
}  # fmt: skip
_HOLDERS: tuple[tuple[Any, type[_Module]], ...] = (
    (random, _Python),
    (random.random.__self__, _Python),  # type: ignore[attr-defined]
    (secrets, _Secrets),
    (np.random, _NumPy),
    (np.random.rand.__self__, _NumPy),  # type: ignore[attr-defined]
)
