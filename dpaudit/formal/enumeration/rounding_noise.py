"""Laplace noise that is cut to whole numbers: an exact distribution with geometric tails.

With noise of scale β on a number c, F(t) = Pr[noise < t] is e^(t/β)/2 for t ≤ 0 and 1 - e^(-t/β)/2
for t ≥ 0. What rounds to k has the probability F(u - c) - F(l - c), where l and u are the ends of
what rounds to k; beyond c and beyond 0, one integer further costs a factor e^(-1/β).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.formal.enumeration.noise import Atom, Line, NotFiniteError
from dpaudit.formal.enumeration.numbers import exp
from dpaudit.formal.enumeration.paths import current
from dpaudit.formal.enumeration.tailed import Tailed
from dpaudit.formal.rounding import keeps_chance

_FARTHEST = 1 << 12  # that the number beside the noise may be from 0
_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class Laplacian:
    """``scale · Y + shift`` for a draw Y of Laplace noise of scale 1; rationals."""

    atom: Atom
    scale: Fraction
    shift: Fraction

    def moved(self, scale: Fraction, shift: Fraction) -> Laplacian:
        """Return ``scale · value + shift``."""
        return Laplacian(self.atom, self.scale * scale, self.shift * scale + shift)


def laplacian(loc: Any, scale: Any) -> Laplacian:
    """Return a draw of Laplace noise."""
    if not all(isinstance(value, int | Fraction) for value in (loc, scale)) or scale <= 0:
        raise NotFiniteError("Laplace noise whose place or scale is no positive rational")
    return Laplacian(Atom(), Fraction(scale), Fraction(loc))


def of_laplacian(name: str, left: Any, right: Any) -> Laplacian:
    """Return the result of an operator on Laplace noise and a number."""
    first = isinstance(left, Laplacian)
    noise: Laplacian = left if first else right
    number: Any = right if first else left
    if isinstance(number, bool) or not isinstance(number, int | Fraction):
        raise NotFiniteError("Laplace noise together with what is no rational number")
    number = Fraction(number)
    factor, added = Fraction(1), Fraction(0)
    if name == "add":
        added = number
    elif name == "sub":
        factor, added = (factor, -number) if first else (-factor, number)
    elif name == "mul" and number != 0:
        factor = number
    elif name == "truediv" and first and number != 0:
        factor = 1 / number
    else:
        raise NotFiniteError(f"operator {name} on Laplace noise")
    return noise.moved(factor, added)


# Where what becomes k begins; it ends where what becomes k + 1 begins.
_BEGINS: dict[str, Callable[[int], Fraction]] = {
    "round": lambda k: k - _HALF,
    "floor": Fraction,
    "ceil": lambda k: Fraction(k - 1),
    "trunc": lambda k: Fraction(k if k > 0 else k - 1),
}


def whole(noise: Laplacian, how: str) -> Line:
    """Return the integer that is made of Laplace noise on a number.

    Parameters
    ----------
    noise : Laplacian
    how : str
        ``"round"``, ``"floor"``, ``"ceil"`` or ``"trunc"``, which is towards zero.
    """
    if abs(noise.shift) > _FARTHEST:
        raise NotFiniteError("Laplace noise on a number that is far from 0, cut to an integer")
    moved = 0 if how == "trunc" else math.floor(noise.shift)
    at, scale = noise.shift - moved, abs(noise.scale)
    ratio = exp(-1 / scale)
    if not keeps_chance(1 - ratio):
        raise NotFiniteError("Laplace noise that floats do not tell from an integer")

    def mass(k: int) -> Any:
        ends = _BEGINS[how](k) - at, _BEGINS[how](k + 1) - at
        return _below(ends[1] / scale) - _below(ends[0] / scale)

    current().spend((noise.atom,))
    first, last = min(0, math.floor(at)) - 2, max(0, math.ceil(at)) + 2
    middle = tuple(mass(k) for k in range(first, last + 1))
    tails = (mass(first - 1), ratio), (mass(last + 1), ratio)
    return Line(Atom(tailed=Tailed(first, middle, *tails)), 1, moved)


def _below(t: Fraction) -> Any:
    """Return the chance that noise of scale 1 is below a number."""
    return exp(t) / 2 if t <= 0 else 1 - exp(-t) / 2
