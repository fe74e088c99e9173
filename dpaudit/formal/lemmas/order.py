"""Order statistics of neighboring datasets.

Let x(0) <= … <= x(N − 1) be numbers in order and x'(0) <= … <= x'(N) the same with one more. Then

    x'(i) <= x(i) <= x'(i + 1)    for i = 0, …, N − 1:

at least i + 1 of the numbers x are <= x(i), and all of them are among the x'; at most i of the x
are less than x(i), so that at most i + 1 of the x' are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy
from sympy.core.function import AppliedUndef

from dpaudit.formal.lemmas.values import SIZE, Ordered

if TYPE_CHECKING:
    from dpaudit.formal.lemmas.reading import Names


@dataclass(frozen=True, slots=True)
class Gap:
    """``factor·(x(high) − x(low))``."""

    factor: Any
    order: Ordered
    high: Any
    low: Any


def with_ends(names: Names, expr: Any) -> Any:
    """Return an expression with x(0) and x(N − 1) as the public numbers that they are."""
    for entry in expr.atoms(AppliedUndef):
        order = names.orders[entry.func]
        (index,) = entry.args
        if order.low is not None and index == 0:
            expr = expr.subs(entry, order.low)
        elif order.high is not None and sympy.expand(index - order.length + 1) == 0:
            expr = expr.subs(entry, order.high)
    return expr


def statistics(expr: Any) -> set[Any]:
    """Return the order statistics in an expression."""
    found: set[Any] = expr.atoms(AppliedUndef)
    return found


def single(names: Names, expr: Any) -> tuple[Ordered, Any] | None:
    """Return x and i where an expression is x(i)."""
    if not isinstance(expr, AppliedUndef):
        return None
    return names.orders[expr.func], expr.args[0]


def gap(names: Names, expr: Any) -> Gap | None:
    """Return an expression as a gap between two order statistics, None where it is none."""
    entries = statistics(expr)
    if len(entries) != 2 or len({entry.func for entry in entries}) != 1:
        return None
    one, other = entries
    expanded = sympy.expand(expr)
    factor = expanded.coeff(one)
    if expanded.coeff(other) != -factor or sympy.expand(expanded - factor * (one - other)) != 0:
        return None
    if not (factor.is_Rational and factor != 0):
        return None
    if factor < 0:
        one, other, factor = other, one, -factor
    return Gap(factor, names.orders[one.func], one.args[0], other.args[0])


def next_size(expr: Any) -> Any:
    """Return an expression of the dataset with one record more."""
    return expr.subs(SIZE, SIZE + 1)
