"""The least and greatest value of each symbol, as far as its own conditions tell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy

from dpaudit.formal.deciding.numbers import UndefinedError, UnfamiliarError, fraction
from dpaudit.formal.deciding.values import value


@dataclass(frozen=True, slots=True)
class Range:
    """Closed bounds that a number keeps; None where there is none.

    Attributes
    ----------
    low, high : Fraction or None
    """

    low: Fraction | None = None
    high: Fraction | None = None

    def contains(self, number: Fraction) -> bool:
        """Return whether a number lies within."""
        return (self.low is None or number >= self.low) and (
            self.high is None or number <= self.high
        )

    def meet(self, low: Fraction | None, high: Fraction | None) -> Range:
        """Return the narrower bounds."""
        lows = [bound for bound in (self.low, low) if bound is not None]
        highs = [bound for bound in (self.high, high) if bound is not None]
        return Range(max(lows, default=None), min(highs, default=None))


def ranges_of(
    symbols: Sequence[sympy.Symbol], given: Sequence[sympy.Basic]
) -> dict[sympy.Symbol, Range]:
    """Return bounds that follow from assumptions and from conditions on one symbol.

    Parameters
    ----------
    symbols : sequence of symbols
    given : sequence of sympy Booleans
        Those of the forms ``x <= c``, ``c*x + d < e``, ``Abs(x) <= c`` and their likes are used;
        a bound of one symbol by another counts where the other is bounded.
    """
    found = {symbol: Range(*_assumed(symbol)) for symbol in symbols}
    conditions = [part for g in given for part in sympy.And.make_args(g)]
    for _ in range(3):
        for condition in conditions:
            if isinstance(condition, sympy.core.relational.Relational):
                _learn(condition, found)
    return {symbol: _whole(symbol, bounds) for symbol, bounds in found.items()}


def _assumed(symbol: sympy.Symbol) -> tuple[Fraction | None, Fraction | None]:
    low = Fraction(0) if symbol.is_nonnegative else None
    high = Fraction(0) if symbol.is_nonpositive else None
    return low, high


def _learn(condition: sympy.core.relational.Relational, found: dict[sympy.Symbol, Range]) -> None:
    left, right = condition.args
    operator = condition.rel_op
    if operator in (">=", ">"):
        left, right = right, left
    elif operator == "!=":
        return
    for small, large in ((left, right), (right, left)) if operator == "==" else ((left, right),):
        high = _bound(large, found, upper=True)
        low = _bound(small, found, upper=False)
        if high is not None:
            _apply(small, high, found, upper=True)
        if low is not None:
            _apply(large, low, found, upper=False)


def _bound(
    expression: sympy.Expr, found: dict[sympy.Symbol, Range], *, upper: bool
) -> Fraction | None:
    """Return a rational bound of a constant, a symbol or its multiple."""
    factor, rest = expression.as_coeff_Mul(rational=True)
    if rest in found:
        within = found[rest]
        end = within.high if upper == (factor > 0) else within.low
        return None if end is None else Fraction(int(factor.p), int(factor.q)) * end
    if expression.free_symbols:
        return None
    try:
        number = value(expression, {})
    except (UndefinedError, UnfamiliarError):
        return None
    if hasattr(number, "q"):
        return fraction(number)
    edge = number.upper() if upper else number.lower()  # rounds outward
    return fraction(edge.fmpq()) if edge.is_finite() else None


def _apply(
    expression: sympy.Expr, bound: Fraction, found: dict[sympy.Symbol, Range], *, upper: bool
) -> None:
    """Use ``expression <= bound`` (or >=)."""
    constant, rest = expression.as_coeff_Add()
    if not constant.is_Rational:
        return
    bound -= Fraction(int(constant.p), int(constant.q))
    factor, core = rest.as_coeff_Mul(rational=True)
    if factor == 0:
        return
    bound /= Fraction(int(factor.p), int(factor.q))
    upper = upper == (factor > 0)
    if isinstance(core, sympy.Abs) and upper and core.args[0] in found:
        symbol = core.args[0]
        found[symbol] = found[symbol].meet(-bound, bound)
    elif core in found:
        found[core] = found[core].meet(None, bound) if upper else found[core].meet(bound, None)


def _whole(symbol: sympy.Symbol, bounds: Range) -> Range:
    if not symbol.is_integer:
        return bounds
    low = None if bounds.low is None else Fraction(math.ceil(bounds.low))
    high = None if bounds.high is None else Fraction(math.floor(bounds.high))
    return Range(low, high)
