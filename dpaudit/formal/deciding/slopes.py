"""Proves an inequality by its value at an end of a variable's range and its slope from there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy

from dpaudit.formal.clock import now
from dpaudit.formal.decide import Decision, Truth
from dpaudit.formal.deciding.boxes import smooth_gap
from dpaudit.formal.deciding.ranges import Range
from dpaudit.formal.deciding.solve import solve

_DEEPEST = 2


def descend(
    goal: sympy.Basic,
    given: Sequence[sympy.Basic],
    ranges: Mapping[sympy.Symbol, Range],
    deadline: float,
    depth: int = _DEEPEST,
) -> Decision | None:
    """Prove a goal by the mean value theorem, or return None.

    Parameters
    ----------
    goal : sympy Boolean
        An inequality; its gap is the smaller side minus the greater.
    given : sequence of sympy Boolean
        Conditions on the variable that is moved are used for its range only, so that the way from
        the end of the range to any value stays inside what was proved.
    ranges : mapping of symbol to Range
    deadline : float
        Of `dpaudit.formal.clock.now`.
    depth : int
        How often slopes of slopes are taken.
    """
    gap = smooth_gap(goal)
    if gap is None or depth == 0:
        return None
    strict = goal.rel_op in ("<", ">")
    for symbol, within in ranges.items():
        if now() > deadline:
            return None
        if symbol not in gap.free_symbols:
            continue
        others = [condition for condition in given if symbol not in condition.free_symbols]
        for end, falls in ((within.low, True), (within.high, False)):
            if end is None:
                continue
            start = sympy.Rational(end.numerator, end.denominator)
            at_end = _relation("<" if strict else "<=", gap.xreplace({symbol: start}))
            moved = sympy.Symbol(symbol.name, real=True)
            slope = sympy.diff(gap.xreplace({symbol: moved}), moved)
            inside = [*others, *_bounds(moved, within)]
            steep = _relation("<=" if falls else ">=", slope)
            proof = _both(at_end, steep, others, inside, deadline, depth)
            if proof is not None:
                evidence = {"variable": symbol.name, "from": str(end), **proof}
                return Decision(Truth.PROVED, "slope", evidence=evidence)
    return None


def _both(
    at_end: sympy.Basic,
    steep: sympy.Basic,
    others: Sequence[sympy.Basic],
    inside: Sequence[sympy.Basic],
    deadline: float,
    depth: int,
) -> dict[str, object] | None:
    from dpaudit.formal.deciding.ranges import ranges_of
    from dpaudit.formal.deciding.run import run

    left = deadline - now()
    if left <= 0:
        return None
    first = run(at_end, others, now() + 0.3 * left)
    if first.truth is not Truth.PROVED:
        return None
    said = solve(steep, inside, now() + 0.3 * left)
    if said.proved:
        return {"start": first.to_dict(), "slope": {"obligation": said.obligation}}
    symbols = sorted({s for c in (steep, *inside) for s in c.free_symbols}, key=lambda s: s.name)
    deeper = descend(steep, inside, ranges_of(symbols, inside), deadline, depth - 1)
    if deeper is None:
        return None
    return {"start": first.to_dict(), "slope": deeper.to_dict()}


def _relation(operator: str, gap: sympy.Expr) -> sympy.Basic:
    kind = {"<": sympy.Lt, "<=": sympy.Le, ">=": sympy.Ge}[operator]
    return kind(gap, 0, evaluate=False)


def _bounds(symbol: sympy.Symbol, within: Range) -> list[sympy.Basic]:
    bounds = []
    if within.low is not None:
        low = sympy.Rational(within.low.numerator, within.low.denominator)
        bounds.append(sympy.Ge(symbol, low, evaluate=False))
    if within.high is not None:
        high = sympy.Rational(within.high.numerator, within.high.denominator)
        bounds.append(sympy.Le(symbol, high, evaluate=False))
    return bounds
