"""Ends of intervals: exact numbers, or an infinity."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from dpaudit.checker import rounding
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import NotCheckedError

End = Any  # a Number, or plus or minus infinity as a float
INF = math.inf
ZERO = Number(Fraction(0))
ONE = Number(Fraction(1))
HALF = Number(Fraction(1, 2))
LEAST = Number(rounding.LEAST)


def end(value: Any) -> End:
    """Return a number of the program as an end."""
    if isinstance(value, Number):
        return value
    if isinstance(value, float) and math.isinf(value):
        return value
    return Number(Fraction(value))


def is_finite(value: End) -> bool:
    """Whether an end is a number."""
    return isinstance(value, Number)


def sign(value: End) -> int:
    """Return the sign of an end."""
    if isinstance(value, Number):
        return value.sign()
    return 1 if value > 0 else -1


def less(a: End, b: End) -> bool:
    """Whether a < b."""
    if a is b:
        return False
    if isinstance(a, Number) and isinstance(b, Number):
        p, q = a.fraction, b.fraction
        if p is not None and q is not None:
            return p.numerator * q.denominator < q.numerator * p.denominator
        return _less_roots(a, b)
    if isinstance(a, Number):
        return bool(b > 0)
    if isinstance(b, Number):
        return bool(a < 0)
    return bool(a < b)


def _less_roots(a: Number, b: Number) -> bool:
    """Compare numbers of which one is not rational: roots of one sign by their squares."""
    one, two = a.known_square(), b.known_square()
    if one is not None and two is not None and (a.ball >= 0) == (b.ball >= 0):
        if a.ball >= 0:
            return less(one, two)
        if a.ball < 0 and b.ball < 0:
            return less(two, one)
    return bool((a - b).sign() < 0)


def same(a: End, b: End) -> bool:
    """Whether a = b."""
    return not less(a, b) and not less(b, a)


def most(values: Iterable[End]) -> End:
    """Return the largest; of two that are too close to be told apart, a ball that holds it."""
    return _extreme(values, less, lambda a, b: a.max(b))


def least(values: Iterable[End]) -> End:
    """Return the smallest; of two that are too close to be told apart, a ball that holds it."""
    return _extreme(values, lambda a, b: less(b, a), lambda a, b: a.min(b))


def _extreme(
    values: Iterable[End], replaces: Callable[[End, End], bool], either: Callable[[Any, Any], Any]
) -> End:
    found, *rest = values
    for value in rest:
        try:
            found = value if replaces(found, value) else found
        except NotCheckedError:
            found = Number(None, either(found.ball, value.ball))
    return found


def plus(a: End, b: End) -> End:
    """Return a + b, of which not both are infinite with different signs."""
    if isinstance(a, Number) and isinstance(b, Number):
        return a + b
    return a if not isinstance(a, Number) else b


def negative(a: End) -> End:
    """Return -a."""
    return -a


def times(a: End, b: End) -> End:
    """Return a b, where infinity stands for numbers without bound: 0 times it is 0."""
    if isinstance(a, Number) and isinstance(b, Number):
        return a * b
    if sign(a) == 0 or sign(b) == 0:
        return ZERO
    return INF if sign(a) == sign(b) else -INF


def product(a: tuple[End, End], b: tuple[End, End]) -> tuple[End, End]:
    """Return the least interval with all products of two intervals."""
    ends = [times(x, y) for x in a for y in b]
    return least(ends), most(ends)


def size(low: End, high: End) -> End:
    """Return the largest absolute value in an interval."""
    return most((negative(low), high, ZERO))


def margin_of(*values: End) -> End:
    """Return how far apart numbers of that size must be for floats to tell which is larger."""
    known = [abs(value) * Number(rounding.CLEAR) for value in values if is_finite(value)]
    return most([*known, LEAST])


def is_within(a: End, b: End, margin: End) -> bool:
    """Whether a is b, or larger by that at most."""
    return not less(a, b) and not less(b + margin, a)
