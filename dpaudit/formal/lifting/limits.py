"""``numpy.where`` that limits values, by bounds that are known, as the smaller or larger of two.

``where(x < a, a, where(x > b, b, x))`` is ``maximum(minimum(x, b), a)`` for a ≤ b, NaN and all. For
a > b it is not: then x < a yields a, and min and max would end with the other bound.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dpaudit.checker.operators import BELOW, ORDERED
from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.rewriting import call
from dpaudit.formal.program import Call, Expression

_EXTREMES = {"numpy.minimum": "numpy.maximum", "numpy.maximum": "numpy.minimum"}


def limited(node: Call, known: Callable[[Expression], Any]) -> Call | None:
    """Return what a call of `numpy.where` is that cuts values off at a bound, None of others.

    Parameters
    ----------
    node : Call
        What it chooses from is read already, the innermost first.
    known : callable
        The value of an expression, or an object that is no number.
    """
    if node.function != "numpy.where" or len(node.arguments) != 3 or node.keywords:
        return None
    test, cut, rest = node.arguments
    if not isinstance(test, Call) or test.function not in ORDERED:
        return None
    value, bound = test.arguments
    low = test.function in BELOW
    if _is_number(known(value)):
        value, bound, low = bound, value, not low
    if not _is_number(known(bound)) or known(cut) != known(bound) or not rewriting.is_quiet(value):
        return None
    extreme = "numpy.maximum" if low else "numpy.minimum"
    if rewriting.same(rest, value):
        return call(node.place, extreme, value, cut)
    if not isinstance(rest, Call) or rest.function != _EXTREMES[extreme] or rest.keywords:
        return None
    if len(rest.arguments) != 2 or not rewriting.same(rest.arguments[0], value):
        return None
    other = known(rest.arguments[1])
    if not _is_number(other) or (known(bound) > other if low else known(bound) < other):
        return None
    return call(node.place, extreme, rest, cut)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and bool(value == value)
