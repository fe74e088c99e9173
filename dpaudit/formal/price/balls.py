"""Certified enclosures of closed expressions, and comparisons that they decide."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import flint
import sympy

from dpaudit.formal.price.notions import Expr

Ball = Any  # flint.arb
PRECISIONS = (96, 256, 1024)
MOST_OPERATIONS = 60


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Let balls have so many bits."""
    before = flint.ctx.prec
    flint.ctx.prec = bits
    try:
        yield
    finally:
        flint.ctx.prec = before


def rational(value: Fraction | int) -> Ball:
    """Return the ball around an exact rational."""
    exact = value if type(value) is Fraction else Fraction(value)
    return flint.arb(flint.fmpq(exact.numerator, exact.denominator))


def loss_at_least(p: Ball, q: Ball, delta: float = 0.0) -> float:
    """Return an epsilon with p > e^epsilon q + delta: the largest, rounded down; 0 for none.

    Parameters
    ----------
    p, q : Ball
        Probabilities of one event on two datasets.
    delta : float
    """
    excess = (p - rational(Fraction(delta))).lower()
    if not excess > 0:
        return 0.0
    most = q.upper()
    if not most > 0:
        return math.inf
    loss = (excess / most).log().lower()
    return max(0.0, math.nextafter(float(loss), -math.inf))  # rounds down


def ball(expression: Expr) -> Ball | None:
    """Return an enclosure at the precision that is set, None for what is not understood."""
    value = sympy.sympify(expression)
    if value.is_Rational:
        return flint.arb(flint.fmpq(int(value.p), int(value.q)))
    if value is sympy.pi:
        return flint.arb.pi()
    if value is sympy.E:
        return flint.arb(1).exp()
    arguments = [ball(argument) for argument in value.args]
    if not arguments or any(argument is None for argument in arguments):
        return None
    return _apply(value, arguments)


def _apply(value: Expr, arguments: list[Ball]) -> Ball | None:
    first = arguments[0]
    if value.is_Add:
        return sum(arguments[1:], first)
    if value.is_Mul:
        product = first
        for argument in arguments[1:]:
            product = product * argument
        return product
    if value.is_Pow:
        exponent = value.args[1]
        if exponent.is_Integer:
            return first ** int(exponent)
        if exponent == sympy.Rational(1, 2):
            return first.sqrt()
        return (first.log() * arguments[1]).exp()
    simple: dict[Any, Callable[[], Ball]] = {
        sympy.exp: lambda: first.exp(),
        sympy.log: lambda: first.log(),
        sympy.Abs: lambda: abs(first),
        sympy.erf: lambda: first.erf(),
        sympy.erfc: lambda: first.erfc(),
        sympy.tanh: lambda: first.tanh(),
        sympy.Max: lambda: _extreme(arguments, largest=True),
        sympy.Min: lambda: _extreme(arguments, largest=False),
    }
    found = simple.get(value.func)
    result = None if found is None else found()
    return result if result is None or result.is_finite() else None


def _extreme(arguments: list[Ball], *, largest: bool) -> Ball:
    result = arguments[0]
    for argument in arguments[1:]:
        result = result.max(argument) if largest else result.min(argument)
    return result


def sign(make: Callable[[], Ball | None]) -> int | None:
    """Return the sign of a number that `make` encloses at any precision; None if undecided."""
    for bits in PRECISIONS:
        with precision(bits):
            value = make()
            if value is None:
                return None
            if value > 0:
                return 1
            if value < 0:
                return -1
    return None


def compared(left: Expr, right: Expr) -> int | None:
    """Return the sign of left - right for closed expressions; None if undecided."""
    gap = sympy.sympify(left) - sympy.sympify(right)
    if gap.is_Rational:
        return int(sympy.sign(gap))
    found = sign(lambda: ball(gap))
    if found is not None or gap.count_ops() > MOST_OPERATIONS:
        return found
    gap = sympy.simplify(gap)  # two forms of one number are never told apart by balls
    if gap.is_Rational:
        return int(sympy.sign(gap))
    return sign(lambda: ball(gap))


def shown(value: Ball) -> str:
    """Return a ball as ``mid +/- rad``."""
    return str(value.str(20, radius=True)) if hasattr(value, "str") else str(value)
