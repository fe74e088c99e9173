"""The probability of linear inequalities between independent draws, by closed-form integration.

Each inequality holds at most two draws and the inequalities form a forest: draws are integrated out
leaf by leaf, each leaving a function of the one draw that it was compared with.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

from dpaudit.formal.alignment.exponentials import (
    Piecewise,
    constant,
    difference,
    exponential_density,
    glued,
    laplace_density,
)
from dpaudit.formal.alignment.poly import Poly, Symbol
from dpaudit.formal.alignment.trace import Drawn
from dpaudit.formal.unsupported import Unsupported

Line = tuple[Fraction, Fraction]  # slope and offset


@dataclass(frozen=True, slots=True)
class Inequality:
    """Σ coefficients · draws + offset > 0."""

    coefficients: tuple[tuple[Symbol, Fraction], ...]
    offset: Fraction

    @staticmethod
    def of(poly: Poly) -> Inequality | None:
        """Return ``poly > 0``; None where it is true without any draw.

        Raises
        ------
        Never
            Where it is false without any draw.
        """
        offset, coefficients = Fraction(0), []
        for symbol, coefficient in poly.linear():
            if symbol is None:
                offset = coefficient
            else:
                coefficients.append((symbol, coefficient))
        if not coefficients:
            if offset <= 0:
                raise Never
            return None
        if len(coefficients) > 2:
            raise Unsupported("a comparison of three draws of noise", None)
        return Inequality(tuple(sorted(coefficients)), offset)


class Never(Exception):  # noqa: N818
    """The event is impossible."""


def probability(draws: Iterable[Drawn], inequalities: Iterable[Inequality]) -> Any:
    """Return the ball of the probability that all inequalities hold.

    Raises
    ------
    Unsupported
        For other noise, or inequalities that are no forest.
    """
    functions = {d.symbol: density(d) for d in draws}
    pending = list(inequalities)
    total = flint.arb(1)
    used = {s for i in pending for s, _ in i.coefficients}
    functions = {s: f for s, f in functions.items() if s in used}
    for symbol in functions:
        functions[symbol] = _bounded(symbol, functions[symbol], pending)
    pending = [i for i in pending if len(i.coefficients) == 2]
    while functions:
        leaf, other = _leaf(functions, pending)
        own = [i for i in pending if leaf in dict(i.coefficients)]
        pending = [i for i in pending if i not in own]
        function = functions.pop(leaf)
        if other is None:
            total *= function.integral()
        else:
            functions[other] = functions[other].times(_message(leaf, function, own))
    return total


def density(drawn: Drawn) -> Piecewise:
    """Return the density of a draw."""
    scale = drawn.scale.constant
    if scale is None:
        raise Unsupported("noise of a scale that is not known", drawn.place)
    if drawn.family == "laplace":
        return laplace_density(scale)
    if drawn.family == "exponential":
        return exponential_density(scale)
    raise Unsupported(f"an integral over {drawn.family} noise", drawn.place)


def _bounded(symbol: Symbol, function: Piecewise, pending: list[Inequality]) -> Piecewise:
    """Return a density on the values that inequalities of this draw alone allow."""
    low: Fraction | None = None
    high: Fraction | None = None
    for inequality in pending:
        if len(inequality.coefficients) != 1 or inequality.coefficients[0][0] != symbol:
            continue
        factor = inequality.coefficients[0][1]
        end = -inequality.offset / factor
        if factor > 0:
            low = end if low is None else max(low, end)
        else:
            high = end if high is None else min(high, end)
    if low is not None and high is not None and low >= high:
        raise Never
    return function.within(low, high) if low is not None or high is not None else function


def _leaf(
    functions: dict[Symbol, Piecewise], pending: list[Inequality]
) -> tuple[Symbol, Symbol | None]:
    """Return a draw that is compared with one other at most, and that other."""
    beside: dict[Symbol, set[Symbol]] = {s: set() for s in functions}
    for inequality in pending:
        (a, _), (b, _) = inequality.coefficients
        beside[a].add(b)
        beside[b].add(a)
    for symbol, others in beside.items():
        if len(others) <= 1:
            return symbol, next(iter(others), None)
    raise Unsupported("draws that are compared in a circle", None)


def _message(leaf: Symbol, function: Piecewise, own: list[Inequality]) -> Piecewise:
    """Return the other draw's value ↦ the integral over the leaf's values that fit it."""
    lows: list[Line] = []
    highs: list[Line] = []
    for inequality in own:
        factor = dict(inequality.coefficients)[leaf]
        rest = next(c for s, c in inequality.coefficients if s != leaf)
        line = (-rest / factor, -inequality.offset / factor)
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
