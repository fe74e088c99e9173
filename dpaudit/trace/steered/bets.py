"""Bets on weighted outcomes: one run on each dataset, its noise steered.

With weights w = own probability over steered one, E[w_x 1[x ∈ E]] is the probability p of E on the
one dataset, and E[w_y 1[y ∈ E]] that on the other, q. A claim says p − e^s q ≤ δ(s). So, where
w_y 1[y ∈ E] never exceeds W, for θ < 1

    1 + θ (w_x 1[x ∈ E] − e^s w_y 1[y ∈ E] − δ) / (e^s W + δ)

is positive and has mean at most one. On a fiber the indicator is replaced by its mean there, which
changes no expectation (Rao and Blackwell). Where everything but a probability of η lies on fibers
that are known from earlier runs, and of which no noise was read, weights on other fibers may be
replaced by their mean, which is η at most: W is then the largest weight on what is known.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpaudit.statistical.book import Stakes
from dpaudit.statistical.numerics import Floats, log_sum_exp
from dpaudit.trace.steered.forms import Target
from dpaudit.trace.steered.known import Known, cuts, targets
from dpaudit.trace.steered.runs import HEAVIEST, Fiber
from dpaudit.trace.steered.steerer import Tilts, UntraceableError

STAKES = np.array([0.03, 0.15, 0.5, 0.97])
MOST_GAINED = 8.0  # W is taken so large that no factor exceeds one by more
ROUNDING = 1e-6  # of weights, down on x and up on y: noise is drawn on the grid of floats
LEAST_RUNS = 40  # of which a mean is taken
CLEAR = 1.0  # standard errors that are taken off a mean


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A bet, chosen before the runs that it is about.

    Attributes
    ----------
    target : Target
        E.
    mirrored : bool
        Whether it is said to be too likely on the right dataset.
    slope, delta : float
        The claim's half-plane.
    sure : bool
        Whether W rests on the fibers that are known.
    growth : float
        Nats that a pair of runs is expected to earn.
    """

    target: Target
    mirrored: bool
    slope: float
    delta: float
    sure: bool
    growth: float


@dataclass(frozen=True, slots=True, eq=False)
class Bet:
    """A plan with the laws that runs are drawn from, and what was known before them.

    Attributes
    ----------
    plan : Plan
    tilts : (tuple, tuple) of Tilt or None
        Of the dataset on which E is said to be too likely, and of the other.
    fibers : dict
        Those of the other dataset that were known.
    unknown : float
        Probability of all others there.
    bound, largest : float
        The largest w_y and w_x.
    """

    plan: Plan
    tilts: tuple[Tilts, Tilts]
    fibers: dict[Any, Fiber]
    unknown: float
    bound: float
    largest: float

    @staticmethod
    def of(plan: Plan, sides: Sequence[Known]) -> Bet:
        """Return the bet of a plan, from runs on the left and the right dataset."""
        likely, other = sides[::-1] if plan.mirrored else sides
        tilts = likely.tilts(plan.target), other.tilts(plan.target)
        largest = max(likely.heaviest(plan.target, tilts[0], up=False), 1e-300)
        if likely.unknown > 0.5:
            largest = HEAVIEST
        if not plan.sure:
            return Bet(plan, tilts, {}, 1.0, HEAVIEST, largest)
        bound = other.heaviest(plan.target, tilts[1], up=True) + other.unknown
        return Bet(plan, tilts, dict(other.whole), other.unknown, bound, largest)

    def weights(self, likely: Fiber, other: Fiber) -> tuple[float, float]:
        """Return w_x 1[x ∈ E] and w_y 1[y ∈ E], each in the mean on its fiber."""
        target = self.plan.target
        x = likely.weight * float(likely.chance(target, up=False)) * (1 - ROUNDING)
        if self.plan.sure and other.key not in self.fibers:
            return x, self.unknown
        y = other.weight * float(other.chance(target, up=True)) * (1 + ROUNDING)
        y += self.unknown if self.plan.sure else 0.0
        if y > self.bound * (1 + 1e-6):
            raise UntraceableError("a weight is larger than what is known allows")
        return x, y


@dataclass(slots=True, eq=False)
class Wealth:
    """What bets have earned on one pair of datasets, and against which larger epsilon they would.

    Attributes
    ----------
    rows : list of (x, y, bound, largest)
        One a pair of runs.
    """

    rows: list[tuple[float, float, float, float]] = field(default_factory=list)
    _logs: Floats = field(default_factory=lambda: np.zeros(len(STAKES)))

    def play(self, bet: Bet, x: float, y: float) -> None:
        """Multiply the wealth by the factors of a pair of runs."""
        row = (x, y, bet.bound, bet.largest)
        self.rows.append(row)
        self._logs += _log_factors(np.array([row]), bet.plan.slope, bet.plan.delta)

    @property
    def log(self) -> float:
        """The natural logarithm of the wealth."""
        return float(log_sum_exp(self._logs) - np.log(len(STAKES)))

    def against(self, slope: float, delta: float) -> float:
        """Return the logarithm of what the same runs would have earned with another half-plane."""
        logs = _log_factors(np.array(self.rows).reshape(-1, 4), slope, delta)
        return float(log_sum_exp(logs) - np.log(len(STAKES)))


def _log_factors(rows: Floats, slope: float, delta: float) -> Floats:
    """Return the log factors of pairs of runs, summed, one a stake."""
    x, y, bound, largest = rows.T
    shrink = math.exp(-slope)  # divided by e^s nothing overflows, however large s is
    room = np.maximum(bound * (1 + 2e-6), shrink * largest / MOST_GAINED) + shrink * delta
    returns = (shrink * (x - delta) - y) / room
    factors: Floats = np.log1p(STAKES[:, None] * returns).sum(axis=1)
    return factors


def planned(sides: Sequence[Known], stakes: Stakes) -> Plan | None:
    """Return the bet that past runs expect to grow fastest; None where none is expected to.

    Parameters
    ----------
    sides : sequence of Known
        The left dataset and the right one.
    stakes : Stakes
        Of the claim.
    """
    found = [
        plan
        for mirrored in (False, True)
        for plan in _plans(sides[::-1] if mirrored else sides, stakes, mirrored)
        if plan.growth > 0
    ]
    return max(found, key=lambda plan: plan.growth, default=None)


def _plans(sides: Sequence[Known], stakes: Stakes, mirrored: bool) -> Iterator[Plan]:
    half_planes = list(zip(stakes.slopes.tolist(), stakes.deltas.tolist(), strict=True))
    for target in targets(sides):
        grown = _growths(sides, target, half_planes)
        for (slope, delta), (sure, plain) in zip(half_planes, grown, strict=True):
            growth = float(max(np.max(sure), np.max(plain)))
            is_sure = bool(np.max(sure) >= np.max(plain))
            yield Plan(target, mirrored, slope, delta, is_sure, growth)
    for path, at in cuts(sides):
        for upwards in (False, True):
            low = at if upwards else np.full_like(at, -math.inf)
            high = np.full_like(at, math.inf) if upwards else at
            grown = _growths(sides, Target((), path), half_planes, low, high)
            for (slope, delta), both in zip(half_planes, grown, strict=True):
                for sure, growths in ((True, both[0]), (False, both[1])):
                    best = int(np.argmax(np.broadcast_to(growths, at.shape)))
                    growth = float(np.broadcast_to(growths, at.shape)[best])
                    target = Target((), path, float(low[best]), float(high[best]))
                    yield Plan(target, mirrored, slope, delta, sure, growth)


def _growths(
    sides: Sequence[Known],
    target: Target,
    half_planes: Sequence[tuple[float, float]],
    low: Any = None,
    high: Any = None,
) -> list[tuple[Any, Any]]:
    """Return nats a pair of runs, from known fibers alone and from means, for each half-plane."""
    likely, other = sides
    nothing = -np.inf
    exact = likely.whole and other.unknown < 0.5
    if exact:
        p = likely.sure(target, up=False, low=low, high=high)
        q = other.sure(target, up=True, low=low, high=high) + other.unknown
    means = min(len(likely.recent), len(other.recent)) >= LEAST_RUNS
    means &= any(f.read for side in sides for f in side.recent)
    if means:
        x, x_var = likely.moments(target, up=False, low=low, high=high)
        y, y_var = other.moments(target, up=True, low=low, high=high)
    grown = []
    for slope, delta in half_planes:
        wide = math.exp(min(slope, 300.0))
        sure: Any = nothing
        plain: Any = nothing
        if exact:
            room = np.maximum(wide * q, p / MOST_GAINED) + delta
            gain = p * (1 - 1e-6) - wide * q * (1 + 1e-6) - delta * (1 + 1e-6)
            with np.errstate(all="ignore"):
                sure = np.where(gain > 0, 0.7 * np.log1p(STAKES[-1] * gain / room), nothing)
        if means:
            spread = x_var / len(likely.recent) + wide**2 * y_var / len(other.recent)
            gain = x - wide * y - delta - CLEAR * np.sqrt(spread)
            swing = x_var + wide**2 * y_var + gain**2
            most = np.log1p(STAKES[-1] * np.maximum(gain, 0) / (wide * HEAVIEST + delta))
            with np.errstate(all="ignore"):
                plain = np.where(gain > 0, np.minimum(gain**2 / (2 * swing), most), nothing)
        grown.append((sure, plain))
    return grown
