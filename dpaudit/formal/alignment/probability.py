"""The probability of linear inequalities between independent draws, by closed-form integration.

Each inequality holds at most two draws and the inequalities form a forest: draws are integrated out
leaf by leaf, each leaving a function of the one draw that it was compared with.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import flint

from dpaudit.formal.alignment.exponentials import (
    Piecewise,
    constant,
    difference,
    exponential_density,
    glued,
    laplace_density,
)
from dpaudit.formal.balls import Ball
from dpaudit.formal.trial.affine import Affine, Variable
from dpaudit.formal.trial.laws import Exponential, Laplace
from dpaudit.formal.unsupported import Unsupported

Line = tuple[Fraction, Fraction]  # slope and offset


class Never(Exception):  # noqa: N818
    """The event is impossible."""


def probability(positive: Iterable[Affine]) -> Ball:
    """Return the ball of the probability that all numbers are positive.

    Raises
    ------
    Unsupported
        For other noise, or inequalities that are no forest.
    """
    pending = list(positive)
    if any(len(gap.terms) > 2 for gap in pending):
        raise Unsupported("a comparison of three draws of noise", None)
    try:
        if any(not gap.terms and gap.constant <= 0 for gap in pending):
            raise Never
        used = dict.fromkeys(v for gap in pending for v in gap.terms)
        functions = {v: _bounded(v, density(v), pending) for v in used}
    except Never:
        return flint.arb(0)
    total = flint.arb(1)
    pending = [gap for gap in pending if len(gap.terms) == 2]
    while functions:
        leaf, other = _leaf(functions, pending)
        own = [gap for gap in pending if leaf in gap.terms]
        pending = [gap for gap in pending if leaf not in gap.terms]
        function = functions.pop(leaf)
        if other is None:
            total *= function.integral()
        else:
            functions[other] = functions[other].times(_message(leaf, function, own))
    return total


def density(drawn: Variable) -> Piecewise:
    """Return the density of a draw."""
    validate_density(drawn)
    if isinstance(drawn.law, Laplace):
        return laplace_density(drawn.law.scale)
    assert isinstance(drawn.law, Exponential)
    return exponential_density(drawn.law.scale)


def validate_density(drawn: Variable) -> None:
    """Refuse noise that is not integrated here; a draw that may equal a number has no density."""
    law = drawn.law
    if not isinstance(law, Laplace | Exponential) or (
        isinstance(law, Exponential) and law.mirrored
    ):
        what = type(law).__name__.lower()
        raise Unsupported(f"an integral over {what} noise", drawn.place)


def _bounded(drawn: Variable, function: Piecewise, pending: list[Affine]) -> Piecewise:
    """Return a density on the values that inequalities of this draw alone allow."""
    low: Fraction | None = None
    high: Fraction | None = None
    for gap in pending:
        if set(gap.terms) != {drawn}:
            continue
        factor = gap.terms[drawn]
        end = -gap.constant / factor
        if factor > 0:
            low = end if low is None else max(low, end)
        else:
            high = end if high is None else min(high, end)
    if low is not None and high is not None and low >= high:
        raise Never
    return function.within(low, high) if low is not None or high is not None else function


def _leaf(
    functions: dict[Variable, Piecewise], pending: list[Affine]
) -> tuple[Variable, Variable | None]:
    """Return a draw that is compared with one other at most, and that other."""
    beside: dict[Variable, dict[Variable, None]] = {v: {} for v in functions}
    for gap in pending:
        a, b = gap.terms
        beside[a][b] = beside[b][a] = None
    for drawn, others in beside.items():
        if len(others) <= 1:
            return drawn, next(iter(others), None)
    raise Unsupported("draws that are compared in a circle", None)


def _message(leaf: Variable, function: Piecewise, own: list[Affine]) -> Piecewise:
    """Return the other draw's value ↦ the integral over the leaf's values that fit it."""
    lows: list[Line] = []
    highs: list[Line] = []
    for gap in own:
        factor = gap.terms[leaf]
        rest = next(c for v, c in gap.terms.items() if v is not leaf)
        line = (-rest / factor, -gap.constant / factor)
        (lows if factor > 0 else highs).append(line)
    upto = function.cumulative()
    breaks = sorted(set(_crossings([*lows, *highs])))
    pieces = []
    for j in range(len(breaks) + 1):
        x = _inside(breaks, j)
        low = max(lows, key=lambda line: line[0] * x + line[1]) if lows else None
        high = min(highs, key=lambda line: line[0] * x + line[1]) if highs else None
        if low is not None and high is not None and _at(low, x) >= _at(high, x):
            pieces.append(constant(0))
            continue
        top = upto.after(*high) if high is not None else _whole(function)
        pieces.append(top if low is None else difference(top, upto.after(*low)))
    return glued(breaks, pieces)


def _whole(function: Piecewise) -> Piecewise:
    return Piecewise((), ({(0, Fraction(0)): function.integral()},))


def _at(line: Line, x: Fraction) -> Fraction:
    return line[0] * x + line[1]


def _crossings(lines: list[Line]) -> Iterable[Fraction]:
    for i, (a, b) in enumerate(lines):
        for c, d in lines[:i]:
            if a != c:
                yield (d - b) / (a - c)


def _inside(breaks: list[Fraction], j: int) -> Fraction:
    """Return a point of interval j."""
    if not breaks:
        return Fraction(0)
    if j == 0:
        return breaks[0] - 1
    if j == len(breaks):
        return breaks[-1] + 1
    return (breaks[j - 1] + breaks[j]) / 2
