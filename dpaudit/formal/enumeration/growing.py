"""Numbers for all positive values of a parameter ε: multiples of it, and fractions in e^(rε).

A comparison is decided where it comes out alike for every ε > 0: for polynomials in x = e^(rε) by
the number of their roots beyond 1, which a Sturm sequence counts (Basu, Pollack & Roy 2006,
Theorem 2.50). Where it does not, nothing is decided, and no path is followed.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import flint

from dpaudit.formal.enumeration.numbers import Exact, UndecidedError


class Growing(Exact):
    """A fraction of polynomials in t = e^(step ε), for every ε > 0."""

    __slots__ = ()

    def ball(self, precision: int) -> Any:
        """Refuse: there is a number for each ε."""
        raise UndecidedError("a number that depends on a parameter")

    def sign(self) -> int:
        """Return the sign that it has for every ε > 0.

        Raises
        ------
        UndecidedError
            Where there is none.
        """
        return sign_beyond_one(self.num) * sign_beyond_one(self.den)


class Multiple(Exact):
    """A rational multiple of ε."""

    __slots__ = ("factor",)

    def __init__(self, factor: Fraction) -> None:
        self.factor = factor

    def ball(self, precision: int) -> Any:
        """Refuse: there is a number for each ε."""
        raise UndecidedError("a number that depends on a parameter")

    def sign(self) -> int:
        """Return its sign, which is that of the factor."""
        return (self.factor > 0) - (self.factor < 0)

    def exp(self) -> Growing:
        """Return e to its power."""
        t, one = flint.fmpq_poly([0, 1]), flint.fmpq_poly([1])
        num, den = (t, one) if self.factor > 0 else (one, t)
        return Growing(abs(self.factor), num, den)

    def __hash__(self) -> int:
        raise UndecidedError("a parameter as an output")

    def __repr__(self) -> str:
        return f"{self.factor}*epsilon"


def sign_beyond_one(polynomial: Any) -> int:
    """Return the sign of a polynomial on all of (1, ∞).

    Parameters
    ----------
    polynomial : fmpq_poly

    Raises
    ------
    UndecidedError
        Where it is not the same everywhere.
    """
    if polynomial == 0:
        return 0
    shorter, root = polynomial, flint.fmpq_poly([-1, 1])
    while shorter(flint.fmpq(1)) == 0:
        shorter = shorter // root  # x - 1 is positive beyond 1
    if _roots_beyond_one(shorter):
        raise UndecidedError("a comparison that depends on a parameter")
    return 1 if shorter.coeffs()[-1] > 0 else -1


def _roots_beyond_one(polynomial: Any) -> int:
    """Return how many different roots a polynomial without the root 1 has in (1, ∞)."""
    sequence = [polynomial, polynomial.derivative()]
    while sequence[-1] != 0:
        sequence.append(-(sequence[-2] % sequence[-1]))
    sequence.pop()
    at_one = [_sign(p(flint.fmpq(1))) for p in sequence]
    at_infinity = [_sign(p.coeffs()[-1]) for p in sequence]
    return _variations(at_one) - _variations(at_infinity)


def _variations(signs: list[int]) -> int:
    some = [sign for sign in signs if sign]
    return sum(a != b for a, b in pairwise(some))


def _sign(value: Any) -> int:
    return int(value > 0) - int(value < 0)
