"""The index of the largest of independent noisy values, as one finite draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.formal.enumeration.noise import Atom, Line, Lottery, NotFiniteError
from dpaudit.formal.enumeration.numbers import Exact, exp, sign
from dpaudit.formal.enumeration.paths import current

_LARGEST = 64


@dataclass(frozen=True, slots=True, eq=False)
class Gumbel:
    """``shift + scale · g`` for a standard Gumbel draw g."""

    atom: Atom
    scale: Any
    shift: Any


def largest_gumbel(values: Sequence[Gumbel]) -> Any:
    """Return the index of the largest of independent Gumbel draws of one scale.

    It is i with probability proportional to e^(shift_i / scale).
    """
    scale = values[0].scale
    if sign(scale) <= 0 or any(value.scale != scale for value in values):
        raise NotFiniteError("Gumbel draws of several scales compared")
    if len({value.atom for value in values}) != len(values):
        raise NotFiniteError("one Gumbel draw compared with itself")
    exponents = [value.shift / Fraction(1) / scale for value in values]
    if any(isinstance(e, Exact | float) for e in exponents):
        raise NotFiniteError("Gumbel noise on numbers that are not rational")
    top = max(exponents)
    weights = [exp(e - top) for e in exponents]
    total = sum(weights, Fraction(0))
    current().spend(value.atom for value in values)
    return drawn([weight / total for weight in weights])


def drawn(masses: Sequence[Any]) -> Any:
    """Return a draw of 0, 1, … with these probabilities."""
    if len(masses) == 1:
        return 0
    atom = Atom(masses=tuple(masses))
    table: dict[tuple[int, ...], Any] = {(i,): i for i in range(len(masses))}
    return Lottery({atom: tuple(range(1, len(masses)))}, table)


def largest_integer(values: Sequence[Line]) -> Any:
    """Return the index of the first largest of independent integers with geometric tails."""
    if len({line.atom for line in values}) != len(values):
        raise NotFiniteError("one draw compared with itself")
    laws = []
    for line in values:
        if line.atom.tailed is None or line.scale not in (1, -1) or line.shift != int(line.shift):
            raise NotFiniteError("the largest of draws that are not integers")
        laws.append(line.atom.tailed.affine(int(line.scale), int(line.shift)))
    ratios = [law.high[1] for law in laws if law.high is not None]
    if len(ratios) != len(laws) or any(ratio != ratios[0] for ratio in ratios):
        raise NotFiniteError("the largest of draws with tails of several kinds")
    lows = [law.low[1] for law in laws if law.low is not None]
    if len(lows) != len(laws) or any(low != lows[0] for low in lows):
        raise NotFiniteError("the largest of draws with tails of several kinds")
    start, stop = min(law.start for law in laws), max(law.stop for law in laws)
    if stop - start > _LARGEST:
        raise NotFiniteError("draws that lie far apart")
    laws = [law.widened(start, stop) for law in laws]
    current().spend(line.atom for line in values)
    masses = [_wins(i, laws, start, stop) for i in range(len(laws))]
    assert sum(masses, Fraction(0)) == 1
    return drawn(masses)


def _wins(winner: int, laws: Sequence[Any], start: int, stop: int) -> Any:
    """Return Pr[X_i > X_j for j < i, X_i >= X_j for j > i]."""
    total: Any = Fraction(0)
    for z in range(start, stop):
        product = laws[winner].mass(z)
        for j, law in enumerate(laws):
            if j != winner:
                product = product * law.measure(float("-inf"), z if j < winner else z + 1)
        total = total + product
    return total + _upper(winner, laws) + _lower(winner, laws)


def _upper(winner: int, laws: Sequence[Any]) -> Any:
    """Sum over z = stop + k, where every factor is a polynomial in x = r^k."""
    ratio = laws[winner].high[1]
    polynomial = [Fraction(0), laws[winner].high[0]]
    for j, law in enumerate(laws):
        if j == winner:
            continue
        mass, r = law.high
        # Pr[X < stop + k] = 1 - m x / (1 - r), and Pr[X <= stop + k] = 1 - m r x / (1 - r)
        slope = -mass / (1 - r) if j < winner else -mass * r / (1 - r)
        polynomial = _product(polynomial, [Fraction(1), slope])
    return _series(polynomial, ratio)


def _lower(winner: int, laws: Sequence[Any]) -> Any:
    """Sum over z = start - 1 - k."""
    ratio = laws[winner].low[1]
    polynomial = [Fraction(0), laws[winner].low[0]]
    for j, law in enumerate(laws):
        if j == winner:
            continue
        mass, r = law.low
        # Pr[X <= start - 1 - k] = m x / (1 - r), and Pr[X < start - 1 - k] = m r x / (1 - r)
        slope = mass * r / (1 - r) if j < winner else mass / (1 - r)
        polynomial = _product(polynomial, [Fraction(0), slope])
    return _series(polynomial, ratio)


def _product(one: list[Any], other: list[Any]) -> list[Any]:
    found: list[Any] = [Fraction(0)] * (len(one) + len(other) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            found[i + j] = found[i + j] + a * b
    return found


def _series(polynomial: list[Any], ratio: Any) -> Any:
    """Return the sum of the polynomial at 1, r, r², …; it has no constant term."""
    total: Any = Fraction(0)
    for degree, coefficient in enumerate(polynomial):
        if degree:
            total = total + coefficient / (1 - ratio**degree)
    return total
