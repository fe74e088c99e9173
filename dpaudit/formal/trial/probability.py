"""The probability of linear inequalities between independent draws, by closed-form integration.

Each inequality holds at most two draws and the inequalities form a forest: draws are integrated out
leaf by leaf, each leaving a function of the one draw that it was compared with.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

import flint

from dpaudit.formal.balls import Ball
from dpaudit.formal.clock import remembered
from dpaudit.formal.trial.affine import Affine, Variable
from dpaudit.formal.trial.exponentials import (
    Piecewise,
    constant,
    difference,
    exponential_density,
    glued,
    laplace_density,
    uniform_density,
)
from dpaudit.formal.trial.laws import Exponential, Laplace, Law, Uniform
from dpaudit.formal.unsupported import Unsupported

Line = tuple[Fraction, Fraction]  # slope and offset


End = tuple[Fraction, ...]  # one number, or none


@dataclass(frozen=True, slots=True)
class Node:
    """A draw between two ends, and the draws that were compared with it, as the root of a tree.

    Attributes
    ----------
    law : Law
    low, high : tuple of Fraction
    below : tuple of (tuple, tuple, Node)
        Of each draw below: between which lines over this one it lies, and the draw.
    """

    law: Law
    low: End
    high: End
    below: tuple[tuple[tuple[Line, ...], tuple[Line, ...], Node], ...] = ()


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
    total = flint.arb(0 if any(not g.terms and g.constant <= 0 for g in pending) else 1)
    beside: dict[Variable, dict[Variable, list[Affine]]] = {}
    alone: dict[Variable, list[Affine]] = {}
    for gap in pending:
        for v in gap.terms:
            validate_density(v)
            beside.setdefault(v, {})
            for other in gap.terms.keys() - {v}:
                beside[v].setdefault(other, []).append(gap)
        if len(gap.terms) == 1:
            alone.setdefault(next(iter(gap.terms)), []).append(gap)
    seen: set[Variable] = set()
    # What was compared with most others is the root: then it is a star, more often than not.
    for root in sorted(beside, key=lambda v: -len(beside[v])):
        if root not in seen:
            total = total * _integral(_tree(root, None, beside, alone, seen), flint.ctx.prec)
    return total


def _tree(
    root: Variable,
    above: Variable | None,
    beside: dict[Variable, dict[Variable, list[Affine]]],
    alone: dict[Variable, list[Affine]],
    seen: set[Variable],
) -> Node:
    """Return a draw and all that hang on it, in an order that tells nothing."""
    if root in seen:
        raise Unsupported("draws that are compared in a circle", None)
    seen.add(root)
    lows: list[Fraction] = []
    highs: list[Fraction] = []
    for gap in alone.get(root, ()):
        factor = gap.terms[root]
        (lows if factor > 0 else highs).append(-gap.constant / factor)
    below = []
    for other, gaps in beside[root].items():
        if other is not above:
            lines = _lines(other, gaps)
            below.append((*lines, _tree(other, root, beside, alone, seen)))
    below.sort(key=hash)
    ends = (max(lows),) if lows else (), (min(highs),) if highs else ()
    return Node(root.law, *ends, tuple(below))


def _lines(drawn: Variable, gaps: list[Affine]) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """Return the lines over another draw that this one lies above, and those that it lies below."""
    lows: list[Line] = []
    highs: list[Line] = []
    for gap in gaps:
        factor = gap.terms[drawn]
        rest = next(c for v, c in gap.terms.items() if v is not drawn)
        line = (-rest / factor, -gap.constant / factor)
        (lows if factor > 0 else highs).append(line)
    return tuple(lows), tuple(highs)


@remembered(1 << 12)
def _integral(node: Node, bits: int) -> Ball:
    """Return the probability of a tree of comparisons, at the precision that is set."""
    return _function(node, bits).integral()


@remembered(1 << 12)
def _function(node: Node, bits: int) -> Piecewise:
    """Return the density of a draw times the chance of all that hang on it."""
    if node.below:
        *others, last = node.below
        return _function(replace(node, below=tuple(others)), bits).times(_message(*last, bits))
    function = density(node.law)
    low, high = next(iter(node.low), None), next(iter(node.high), None)
    if low is not None and high is not None and low >= high:
        return constant(0)
    return function.within(low, high) if node.low or node.high else function


@remembered(1 << 12)
def _message(lows: tuple[Line, ...], highs: tuple[Line, ...], node: Node, bits: int) -> Piecewise:
    """Return the other draw's value ↦ the integral over the values of this one that fit it."""
    function = _function(node, bits)
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


def density(law: Law) -> Piecewise:
    """Return the density of a law."""
    match law:
        case Laplace(scale):
            return laplace_density(scale)
        case Exponential(scale, mirrored):
            found = exponential_density(scale)
            return found.after(Fraction(-1), Fraction(0)) if mirrored else found
        case Uniform(low, high):
            return uniform_density(low, high)
    raise AssertionError


def has_density(law: Law) -> bool:
    """Return whether noise of a law is integrated here."""
    return isinstance(law, Laplace | Exponential | Uniform)


def validate_density(drawn: Variable) -> None:
    """Refuse noise that is not integrated here; a draw that may equal a number has no density."""
    if not has_density(drawn.law):
        what = type(drawn.law).__name__.lower()
        raise Unsupported(f"an integral over {what} noise", drawn.place)


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
