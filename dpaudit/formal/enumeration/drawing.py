"""Draws of noise: each becomes an atom, or an array of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.formal.enumeration.noise import (
    Atom,
    Line,
    Lottery,
    NotFiniteError,
    decide,
    tossed,
)
from dpaudit.formal.enumeration.numbers import is_number, sign
from dpaudit.formal.enumeration.operators import as_array, elementwise, tidy
from dpaudit.formal.enumeration.paths import current
from dpaudit.formal.enumeration.rounding_noise import laplacian
from dpaudit.formal.enumeration.selecting import Gumbel, drawn
from dpaudit.formal.enumeration.tailed import geometric
from dpaudit.formal.rounding import keeps_chance

_PERMUTED = 6
Arguments = dict[str, Any]


class RandomBits:
    """Bytes that were drawn, of which only the number of ones is asked."""

    __slots__ = ("atom", "count")

    def __init__(self, count: int) -> None:
        self.count = count
        self.atom = Atom(masses=tuple(_binomial(count, Fraction(1, 2))))

    def ones(self) -> Lottery:
        """Return how many bits are one."""
        table: dict[tuple[int, ...], Any] = {(i,): i for i in range(self.count + 1)}
        return Lottery({self.atom: tuple(range(1, self.count + 1))}, table)


def draw(family: str, arguments: Arguments) -> Any:
    """Return the value of a call that draws."""
    if family in _WHOLE:
        return _WHOLE[family](arguments)
    if family not in _SINGLE:
        raise NotFiniteError(f"noise of the family {family!r}")
    given = dict(arguments)
    size = given.pop("size", None)
    single = _SINGLE[family]
    names = list(given)
    if size is None and not any(isinstance(v, np.ndarray | list) for v in given.values()):
        return single(given)
    shape = _shape(size)
    if shape is None:
        return elementwise(lambda *v: single(dict(zip(names, v, strict=True))), *given.values())
    blank = np.zeros(shape, dtype=np.int64)
    return elementwise(
        lambda _, *v: single(dict(zip(names, v, strict=True))), blank, *given.values()
    )


def _shape(size: Any) -> tuple[int, ...] | None:
    if size is None:
        return None
    parts = size if isinstance(size, tuple | list) else (size,)
    if not all(isinstance(part, int) and part >= 0 for part in map(tidy, parts)):
        raise NotFiniteError("a number of draws that is not known")
    return tuple(int(part) for part in parts)


def _only(arguments: Arguments, *names: str) -> None:
    extra = set(arguments) - set(names)
    if extra:
        raise NotFiniteError(f"a draw with the argument {sorted(extra)[0]!r}")


def _integer(value: Any) -> int:
    value = decide(value)
    if isinstance(value, Fraction) and value.denominator == 1:
        value = int(value)
    if not isinstance(value, int):
        raise NotFiniteError("a draw whose range is no integer")
    return int(value)


def _random(arguments: Arguments) -> Any:
    _only(arguments)
    return Line(Atom(), Fraction(1), Fraction(0))


def _uniform(arguments: Arguments) -> Any:
    _only(arguments, "low", "high")
    low, high = arguments.get("low", Fraction(0)), arguments.get("high", Fraction(1))
    if not (is_number(low) and is_number(high)):
        raise NotFiniteError("a uniform draw whose range is random")
    return Line(Atom(), (high - low) * Fraction(1), low * Fraction(1))


def _integers(arguments: Arguments) -> Any:
    _only(arguments, "low", "high", "endpoint", "dtype")
    if np.dtype(arguments.get("dtype", np.int64)) != np.int64:
        raise NotFiniteError("a draw of integers of another type than int64")
    low, high = _integer(arguments["low"]), arguments.get("high")
    if high is None:
        low, high = 0, low
    last = _integer(high) + bool(arguments.get("endpoint", False))
    if last <= low:
        raise NotFiniteError("a draw from no integers")
    return low if last == low + 1 else Line(Atom(size=last - low), 1, low)


def _geometric(arguments: Arguments) -> Any:
    _only(arguments, "p")
    p = decide(arguments["p"])
    if not is_number(p) or isinstance(p, float) or not 0 < p <= 1:
        raise NotFiniteError("a geometric draw with a probability outside (0, 1]")
    if p < 1 and not keeps_chance(p):
        raise NotFiniteError("a geometric draw whose chance floats do not tell")
    return 1 if p == 1 else Line(Atom(tailed=geometric(p)), 1, 0)


def _binomial_draw(arguments: Arguments) -> Any:
    _only(arguments, "n", "p")
    n, p = _integer(arguments["n"]), decide(arguments["p"])
    if not 0 <= p <= 1 or not 0 <= n <= 4096:
        raise NotFiniteError("a binomial draw outside of its range")
    if not tossed(p) and 0 < p < 1:
        raise NotFiniteError("a binomial draw whose chance is lost in floats")
    return drawn(_binomial(n, p)) if 0 < p < 1 else int(n * p)


def _binomial(n: int, p: Any) -> list[Any]:
    ways = itertools.accumulate(range(n), lambda ways, k: ways * (n - k) // (k + 1), initial=1)
    return [many * p**k * (1 - p) ** (n - k) for k, many in enumerate(ways)]


def _gumbel(arguments: Arguments) -> Any:
    _only(arguments, "loc", "scale")
    loc, scale = arguments.get("loc", Fraction(0)), arguments.get("scale", Fraction(1))
    if not (is_number(loc) and is_number(scale)) or sign(scale) <= 0:
        raise NotFiniteError("Gumbel noise whose place or scale is random or not positive")
    return Gumbel(Atom(), scale * Fraction(1), loc * Fraction(1))


def _laplace(arguments: Arguments) -> Any:
    _only(arguments, "loc", "scale")
    loc, scale = arguments.get("loc", Fraction(0)), arguments.get("scale", Fraction(1))
    return laplacian(decide(loc), decide(scale))


def _permutation(arguments: Arguments) -> Any:
    _only(arguments, "x")
    items = decide(arguments["x"])
    array = np.arange(items) if isinstance(items, int) else as_array(items)
    if len(array) > _PERMUTED:
        raise NotFiniteError(f"an order of {len(array)} things")
    orders = list(itertools.permutations(range(len(array))))
    if len(orders) <= 1:
        return array.copy()
    order = orders[current().choose([Fraction(1, len(orders))] * len(orders))]
    return array[list(order)]


def _choice(arguments: Arguments) -> Any:
    _only(arguments, "a", "p", "size", "replace")
    if arguments.get("size") is not None:
        raise NotFiniteError("several choices at once")
    among = decide(arguments["a"])
    array = np.arange(among) if isinstance(among, int) else as_array(among)
    weights = arguments.get("p")
    if weights is None:
        masses = [Fraction(1, len(array))] * len(array)
    else:
        masses = [decide(w) for w in as_array(weights)]
        if len(masses) != len(array) or not all(is_number(m) and sign(m) >= 0 for m in masses):
            raise NotFiniteError("a choice whose probabilities are none")
        if any(not tossed(mass) and 0 < mass < 1 for mass in masses):
            raise NotFiniteError("a choice of a probability that is lost beside 1 in floats")
        if sum(masses, Fraction(0)) != 1:
            raise NotFiniteError("a choice whose probabilities do not add up to exactly 1")
    kept = [i for i, mass in enumerate(masses) if mass != 0]
    index = decide(drawn([masses[i] for i in kept]))
    return tidy(array[kept[index]])


def _bytes(arguments: Arguments) -> Any:
    _only(arguments, "length")
    return RandomBits(8 * _integer(arguments["length"]))


_SINGLE: dict[str, Callable[[Arguments], Any]] = {
    "binomial": _binomial_draw,
    "geometric": _geometric,
    "gumbel": _gumbel,
    "integers": _integers,
    "laplace": _laplace,
    "random": _random,
    "uniform": _uniform,
}
_WHOLE: dict[str, Callable[[Arguments], Any]] = {
    "bytes": _bytes,
    "choice": _choice,
    "permutation": _permutation,
}
