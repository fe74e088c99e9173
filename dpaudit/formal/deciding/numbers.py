"""Numbers that are certain: rationals, and balls that hold the number meant."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import flint
import sympy
from flint import arb, fmpq

Number = Any  # fmpq or arb

PRECISIONS = (64, 192, 640, 2048)


class UndefinedError(ArithmeticError):
    """The expression has no real value there."""


class UnfamiliarError(ValueError):
    """The expression uses something whose values are not known here."""


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Compute with balls of that many bits."""
    before = flint.ctx.prec
    flint.ctx.prec = bits
    try:
        yield
    finally:
        flint.ctx.prec = before


def rational(value: Any) -> fmpq:
    """Return a Fraction, an int or a sympy rational as fmpq."""
    if isinstance(value, fmpq):
        return value
    if isinstance(value, sympy.Rational):
        return fmpq(int(value.p), int(value.q))
    exact = Fraction(value)
    return fmpq(exact.numerator, exact.denominator)


def fraction(value: fmpq) -> Fraction:
    """Return an fmpq as a Fraction."""
    return Fraction(int(value.p), int(value.q))


def ball(value: Number) -> arb:
    """Return a number as a ball."""
    return value if isinstance(value, arb) else arb(value)
