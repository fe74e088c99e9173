"""Fractions of solver terms: no division reaches a solver, where x/0 could be anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import z3

Term = Any  # z3 arithmetic
Formula = Any  # z3 Boolean


@dataclass(frozen=True, slots=True)
class Ratio:
    """``top / bottom``; what it says holds where the bottom is not zero.

    Attributes
    ----------
    top, bottom : z3 real terms
    sign : int
        1 where the bottom is known to be positive, 0 where nothing is known.
    """

    top: Term
    bottom: Term
    sign: int = 1


def plus(a: Ratio, b: Ratio) -> Ratio:
    """Return the sum."""
    if a.bottom.eq(b.bottom):
        return Ratio(a.top + b.top, a.bottom, a.sign)
    if _is_one(a.bottom):
        return Ratio(a.top * b.bottom + b.top, b.bottom, b.sign)
    if _is_one(b.bottom):
        return Ratio(a.top + b.top * a.bottom, a.bottom, a.sign)
    return Ratio(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom, a.sign * b.sign)


def times(a: Ratio, b: Ratio) -> Ratio:
    """Return the product."""
    return Ratio(product(a.top, b.top), product(a.bottom, b.bottom), a.sign * b.sign)


def product(a: Term, b: Term) -> Term:
    """Return the product without factors of one."""
    if _is_one(a):
        return b
    return a if _is_one(b) else a * b


def power(base: Term, exponent: int, one: Term) -> Term:
    """Return a power as a product, which every solver reads."""
    result = one
    for _ in range(exponent):
        result = product(result, base)
    return result


def compare(operator: str, a: Ratio, b: Ratio) -> Formula:
    """Return ``a operator b`` without division."""
    left, right = a.top, b.top
    if not a.bottom.eq(b.bottom):
        left, right = product(left, b.bottom), product(right, a.bottom)
        factor, sign = product(a.bottom, b.bottom), a.sign * b.sign
    else:
        factor, sign = a.bottom, a.sign
    if operator in ("==", "!=") or sign == 1:
        return _RELATION[operator](left, right)
    return _RELATION[operator]((left - right) * factor, 0)


_RELATION: dict[str, Callable[[Any, Any], Formula]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<=": lambda a, b: a <= b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    ">": lambda a, b: a > b,
}


def choose(test: Formula, yes: Ratio, no: Ratio) -> Ratio:
    """Return ``yes if test else no``."""
    bottom = yes.bottom if yes.bottom.eq(no.bottom) else z3.If(test, yes.bottom, no.bottom)
    return Ratio(z3.If(test, yes.top, no.top), bottom, min(yes.sign, no.sign))


def conjunction(parts: Sequence[Formula], context: Any) -> Formula:
    """Return that all parts hold."""
    if len(parts) == 1:
        return parts[0]
    return z3.And(list(parts)) if parts else z3.BoolVal(True, context)


def _is_one(term: Term) -> bool:
    return bool(z3.is_rational_value(term)) and term.numerator_as_long() == (
        term.denominator_as_long()
    )
