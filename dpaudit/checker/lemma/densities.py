"""Noise whose density is constant on each of a few pieces, or of a few in every period.

On each way through a program its output is a public multiple of one uniform number U in [a, b),
plus what is known: so a way adds to the density its probability over its length on one piece.

Pieces of an interval. Where the pieces lie one behind the other, from a public end to a public
end, for every value of the private number, the density has one of their heights at each point of
that interval and is 0 outside. Whatever the private numbers of both runs are, the ratio of two
densities is at most that of the largest height to the smallest.

Pieces in periods. Let the noise be ±D(G + Y) where G counts from 0, Pr[G = k] = (1 − c)c^k, and Y
has density h_i on the i-th of m pieces that fill [0, 1], in order, the same for both signs. Then
the density of the noise at z is (1 − c)/(2D) c^k h_i, where |z|/D lies between k and k + 1, in
piece i of that period. Let |z − z'| <= D, so that |z|/D and |z'|/D are at most 1 apart. Either both
are in one period: the ratio is at most that of the largest height to the smallest. Or the one is in
the next, in piece j: its part of a period is at most the other's, j <= i, and the ratio is
h_i/(c h_j) or c h_j/h_i. (At
the ends of pieces, which have probability 0, the density is whatever it is.) For the staircase of
Geng & Viswanath 2014, h = (a, ca), all of these are between c and 1/c.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise
from typing import Any

from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import NotCheckedError, RejectedError
from dpaudit.checker.lemma.affine import ONE, Affine, added, scaled, shared
from dpaudit.checker.lemma.application import Application, Lemma, exact
from dpaudit.checker.lemma.ways import Way

PIECES = Lemma(
    "pieces of an interval",
    "an output of a density that is constant on pieces, which fill one public interval one behind "
    "the other whatever the private number is, is e-DP where no height is more than exp(e) times "
    "another",
    "Wang et al. 2019, on the piecewise mechanism in one dimension",
    ("the pieces fill a public interval", "no height is more than exp(e) times another"),
)
PERIODS = Lemma(
    "pieces in periods of geometric probability",
    "noise D(G + Y) of either sign, with G geometric from 0 and a density of Y that is constant on "
    "pieces of [0, 1], on a number that moves by at most D, is e-DP where no height is more than "
    "exp(e) times another's of the same period, nor of the pieces up to its own of the next one, "
    "nor they more than exp(e) times it",
    "Geng & Viswanath 2014, on the staircase mechanism",
    ("the number moves by at most D", "the pieces fill a period of length D for either sign",
     "no height is more than exp(e) times another within reach"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A piece from `start` to `stop`, and the density on it."""

    start: Affine
    stop: Affine
    height: Number


def of_density(ends: Sequence[Way], claim: Any) -> Application:
    """Return what a lemma on the density of an output gives.

    Raises
    ------
    RejectedError
        Where a condition does not hold.
    NotCheckedError
        Where none is about the program.
    """
    epsilon = Fraction(claim.epsilon)
    most = Number(epsilon).exp()
    drawn = [sum(draw in way.chances for draw in way.output.draws) for way in ends]
    if set(drawn) == {0}:
        _pieces([step_of(way, way.output) for way in ends], most)
        lemma = PIECES
    elif set(drawn) == {1}:
        _periods(ends, most)
        lemma = PERIODS
    else:
        raise NotCheckedError("not checked: geometric noise on some ways alone")
    return Application(lemma, {"e": exact(epsilon)}, exact(epsilon))


def step_of(way: Way, output: Affine) -> Step:
    """Return the piece of a way, whose output has one uniform number in it."""
    uniform = [draw for draw in output.draws if draw in way.parts]
    if len(uniform) != 1 or len(output.draws) != 1:
        raise NotCheckedError("not checked: an output without one uniform number in it")
    (kept,) = uniform
    factor = output.draws[kept]
    probability = ONE
    for draw, (low, high) in way.parts.items():
        if draw != kept:
            width = added(high, low, -1)
            if width is None or width.public is None:
                raise NotCheckedError("not checked: a probability that depends on the data")
            probability = probability * width.public
    corners = [added(output.without_draws(), scaled(end, factor)) for end in way.parts[kept]]
    if corners[0] is None or corners[1] is None:
        raise NotCheckedError("not checked: two private numbers in one output")
    start, stop = corners if factor.sign() > 0 else corners[::-1]
    return Step(start, stop, probability / abs(factor))  # type: ignore[arg-type]


def _in_line(steps: list[Step]) -> tuple[Affine, Affine]:
    """Sort steps, prove that each begins where the one before it ends; return both ends."""

    def middle(end: Affine) -> Any:
        return end.least + end.greatest

    def order(one: Step, other: Step) -> int:
        begins: int = (middle(one.start) - middle(other.start)).sign()
        return begins or (middle(one.stop) - middle(other.stop)).sign()

    steps.sort(key=cmp_to_key(order))
    for one, other in pairwise(steps):
        gap = added(other.start, one.stop, -1)
        if gap is None or gap.least.sign() or gap.greatest.sign():
            raise RejectedError("pieces that are not one behind the other")
    return steps[0].start, steps[-1].stop


def _validate(one: Number, other: Number, most: Number) -> None:
    """Refuse a height that is more than `most` times another."""
    if other.sign() <= 0 or (other * most - one).sign() < 0:
        raise RejectedError("a height that is more than exp(epsilon) times another")


def _pieces(steps: list[Step], most: Number) -> None:
    start, stop = _in_line(steps)
    if start.public is None or stop.public is None:
        raise RejectedError("pieces whose ends are not public")
    for one in steps:
        for other in steps:
            _validate(one.height, other.height, most)


def _periods(ends: Sequence[Way], most: Number) -> None:
    sides: tuple[list[Step], list[Step]] = ([], [])
    length, chance = _geometric(ends[0])
    centre = ends[0].output.without_draws()
    for way in ends:
        other_length, other_chance = _geometric(way)
        if (abs(other_length) - abs(length)).sign() or (other_chance - chance).sign():
            raise NotCheckedError("not checked: geometric noise of two kinds")
        # Ways differ by public numbers alone, so that the private part is one number.
        offset = added(way.output.without_draws(), centre, -1)
        if offset is None or offset.public is None:
            raise NotCheckedError("not checked: ways with different numbers below the noise")
    period = abs(length)
    if (abs(centre.greatest - centre.least) - period).sign() > 0:
        raise RejectedError("a number that moves farther than a period")
    for way in ends:
        step = _first(way, centre)
        if step.start.public is None or step.stop.public is None:
            raise RejectedError("pieces of noise that depend on the data")
        sides[_geometric(way)[0].sign() < 0].append(step)
    _mirror(sides)
    _validate_sides(sides, period)
    tail = ONE - chance
    heights = [step.height for step in sides[0]]
    for i, one in enumerate(heights):
        for j, other in enumerate(heights):
            _validate(one, other, most)
            if j <= i:
                _validate(one, tail * other, most)
                _validate(tail * other, one, most)


def _first(way: Way, centre: Affine) -> Step:
    """Return the piece of a way beside the number below the noise, where the draw is 1."""
    factor, _ = _geometric(way)
    beside = added(way.output.without_draws(), centre, -1)
    assert beside is not None
    draws = {draw: c for draw, c in way.output.draws.items() if draw not in way.chances}
    at = beside.least + factor
    return step_of(way, Affine(at, at, None, draws))


def _mirror(sides: tuple[list[Step], list[Step]]) -> None:
    """Measure both sides from where the upper one begins, the lower one downwards."""
    above, below = sides
    if above:
        least = above[0].start.least
        for step in above[1:]:
            least = step.start.least if (step.start.least - least).sign() < 0 else least
        for steps, sign in ((above, 1), (below, -1)):
            for i, step in enumerate(steps):
                ends = [shared((end.least - least) * sign) for end in (step.start, step.stop)]
                start, stop = ends[::sign]
                steps[i] = Step(start, stop, step.height)


def _geometric(way: Way) -> tuple[Number, Number]:
    """Return the factor and the chance of the one geometric draw in an output."""
    (draw,) = (draw for draw in way.output.draws if draw in way.chances)
    return way.output.draws[draw], way.chances[draw]


def _validate_sides(sides: tuple[list[Step], list[Step]], period: Number) -> None:
    if not sides[0] or len(sides[0]) != len(sides[1]):
        raise RejectedError("noise of one sign")
    for steps in sides:
        start, stop = _in_line(steps)
        if start.least.sign() or (stop.least - period).sign():
            raise RejectedError("pieces that do not fill a period")
    for one, other in zip(*sides, strict=True):
        if (one.stop.least - other.stop.least).sign() or (one.height - other.height).sign():
            raise RejectedError("noise whose signs have other densities")
