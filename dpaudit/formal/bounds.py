"""Exact bounds: sympy expressions, compared only where the answer is certain."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from dpaudit.formal.clock import charge, remembered

Bound = Any
"""A sympy expression that is real or infinite."""

ZERO: Bound = sympy.Integer(0)
ONE: Bound = sympy.Integer(1)
INFINITE: Bound = sympy.oo
SIZE: Bound = sympy.Symbol("n", integer=True, positive=True)
"""The number of records of the larger dataset."""


def exact(value: Any) -> Bound:
    """Return a Python or NumPy number as the real number that it is.

    Raises
    ------
    TypeError
        For NaN and for what is no real number.
    """
    if isinstance(value, sympy.Basic):
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | int):
        return sympy.Integer(int(value))
    if isinstance(value, Fraction):
        return sympy.Rational(value.numerator, value.denominator)
    if isinstance(value, float):
        if math.isinf(value):
            return sympy.oo if value > 0 else -sympy.oo
        if not math.isnan(value):
            return sympy.Rational(*value.as_integer_ratio())
    raise TypeError(f"a number must be real, got {value!r} of type {type(value).__name__}")


def some_positive(name: str) -> Bound:
    """Return a positive number of which nothing else is known, another one at each call."""
    return sympy.Dummy(name, positive=True)


@remembered(100_000)
def at_most(a: Bound, b: Bound) -> bool | None:
    """Whether a <= b for all values of the symbols; None where that is not certain."""
    charge(700)
    if a == b or b is sympy.oo or a == -sympy.oo:
        return True
    if a is sympy.oo or b == -sympy.oo:
        # One side is infinite and the other a real expression, unless it holds infinity inside.
        other = b if a is sympy.oo else a
        return False if not other.has(sympy.oo, -sympy.oo, sympy.nan, sympy.zoo) else None
    if isinstance(a, sympy.Rational) and isinstance(b, sympy.Rational):
        return bool(a <= b)
    difference = b - a
    sign = difference.is_nonnegative
    if sign is None and difference.free_symbols:
        difference = sympy.expand(difference)
        sign = difference.is_nonnegative
    if sign is None and _by_cases(difference, lambda e: bool(e.is_nonnegative)):
        sign = True
    return None if sign is None else bool(sign)


def below(a: Bound, b: Bound) -> bool | None:
    """Whether a < b for all values of the symbols; None where that is not certain."""
    if at_most(b, a):
        return False
    if at_most(a, b) is not True:
        return None
    if sympy.oo in (a, b) or -sympy.oo in (a, b):
        return True
    return True if _by_cases(sympy.expand(b - a), lambda e: bool(e.is_positive)) else None


def _by_cases(expression: Bound, holds: Callable[[Bound], bool], depth: int = 3) -> bool:
    """Whether an expression is positive (not negative) by its maxima and minima.

    In a sum with +Max(…) one of the arguments that is large enough will do, with −Max(…) all must
    be small enough; Min the other way round.
    """
    charge(2500)
    if holds(expression):
        return True
    if depth == 0:
        return False
    for term in sympy.Add.make_args(expression):
        factor, rest = term.as_coeff_Mul()
        if not isinstance(rest, sympy.Max | sympy.Min):
            continue
        cases = (
            _by_cases(expression - term + factor * case, holds, depth - 1) for case in rest.args
        )
        helpful = isinstance(rest, sympy.Max) is bool(factor > 0)
        if any(cases) if helpful else all(cases):
            return True
    return False


@remembered(10_000)
def certain(relation: Bound) -> bool:
    """Whether a relation holds for all values of the symbols, asking the solvers too."""
    from dpaudit.formal.decide import Truth, decide

    if relation in (sympy.true, sympy.false):
        return bool(relation)
    if relation.has(sympy.oo, -sympy.oo, sympy.nan, sympy.zoo):
        return False
    return decide(relation, timeout=1.0).truth is Truth.PROVED


def tighter(a: Bound, b: Bound) -> Bound:
    """Return one of two upper bounds: the smaller, or the one that is free of the size."""
    if at_most(a, b):
        return a
    if at_most(b, a):
        return b
    sized = [SIZE in bound.free_symbols for bound in (a, b)]
    if sized[0] != sized[1]:
        return b if sized[0] else a
    if sized[0] or a.count_ops() + b.count_ops() > _LONG:
        return min(a, b, key=lambda bound: (bound.count_ops(), str(bound)))
    return sympy.Min(a, b)


_LONG = 12  # operations: longer minima of what cannot be compared are not worth their length


def larger(*bounds: Bound) -> Bound:
    """Return the maximum, simplified where the order is certain."""
    kept: list[Bound] = []
    for bound in bounds:
        if any(at_most(bound, other) for other in kept):
            continue
        kept = [other for other in kept if not at_most(other, bound)] + [bound]
    return kept[0] if len(kept) == 1 else sympy.Max(*kept)


def smaller(*bounds: Bound) -> Bound:
    """Return the minimum, simplified where the order is certain."""
    kept: list[Bound] = []
    for bound in bounds:
        if any(at_most(other, bound) for other in kept):
            continue
        kept = [other for other in kept if not at_most(bound, other)] + [bound]
    return kept[0] if len(kept) == 1 else sympy.Min(*kept)


def magnitude(low: Bound, high: Bound) -> Bound:
    """Return the largest absolute value in [low, high]."""
    if at_most(ZERO, low):
        return high
    if at_most(high, ZERO):
        return -low
    return larger(absolute(low), absolute(high))


def absolute(bound: Bound) -> Bound:
    """Return |bound|."""
    if bound in (sympy.oo, -sympy.oo):
        return sympy.oo
    return sympy.Abs(bound)


def times(a: Bound, b: Bound) -> Bound:
    """Return a·b with 0·oo = 0: a bound of zero on a finite value wins."""
    if a == 0 or b == 0:
        return ZERO
    return a * b


def plus(a: Bound, b: Bound) -> Bound:
    """Return a + b; opposite infinities do not meet in bounds of one side."""
    return a + b


def width(low: Bound, high: Bound) -> Bound:
    """Return the length of [low, high]."""
    if low == -sympy.oo or high is sympy.oo:
        return sympy.oo
    length = high - low
    for part in sympy.Add.make_args(length):
        if isinstance(part, sympy.Max) and len(part.args) == 2 and ZERO in part.args:
            (x,) = set(part.args) - {ZERO}
            # max(0, x) - min(0, x) = |x|
            if -sympy.Min(0, x) in sympy.Add.make_args(length):
                length = length - part + sympy.Min(0, x) + sympy.Abs(x)
    return length


def square_root(bound: Bound) -> Bound:
    """Return the root of a bound that is not negative."""
    return bound if bound is sympy.oo else sympy.sqrt(bound)
