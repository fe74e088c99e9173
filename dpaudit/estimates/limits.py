"""What counts in cells say about a divergence: its least and greatest value, and a plain one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpaudit.estimates.proportions import limits
from dpaudit.estimates.ratio import PairTest
from dpaudit.estimates.region import (
    Region,
    Term,
    hull,
    least_pair,
    rounded_down,
    rounded_up,
    total,
)
from dpaudit.estimates.split import Tally

Floats = NDArray[np.float64]
Gain = Callable[[Floats, Floats], Floats]

EVENTS = 12  # nested events, where none is the one that matters
OF_EVENTS = 0.5  # of the error: for chosen events
LEAST_PAIRED = 100  # pilot draws of each sample, inside and outside, of an event so tested
SMALL = 7  # cells up to which the region does well alone
REGION_FROM = 1.0  # ε; below it the limit of the mean is lower than that of many cells
LARGEST_EPSILON = 300.0  # beyond it exp(2ε) overflows, and the limit is 1 in any case
OF_MEAN = 0.2  # of the error: for the mean of a divergence, where there are many cells


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """A confidence region for the cells, and limits for events that a pilot chose.

    All of them hold at once.

    Attributes
    ----------
    tally : Tally
    region : Region
    levels, powers : ndarray
        Q(E) at most and P(E) at least, for the events that matter.
    strongest : tuple of ndarray
        Q(E) at least and P(E) at most, of all events; empty where there are too many.
    value_p, value_q : ndarray
        Estimated probabilities of the cells, or of what the chosen events cut them into.
    event : int or None
        The event of so many first cells is left to `pair_test`, and not among the others.
    event_error, mean_error : float
        What `pair_test` and `greatest_hockey_stick` may spend.
    """

    tally: Tally
    region: Region
    levels: Floats
    powers: Floats
    strongest: tuple[Floats, Floats]
    value_p: Floats
    value_q: Floats
    event: int | None
    event_error: float
    mean_error: float

    @staticmethod
    def of(
        tally: Tally, confidence: float, gain: Gain | None = None, *, mean: bool = False
    ) -> Limits:
        """Return the limits that hold all at once with probability `confidence`.

        Parameters
        ----------
        tally : Tally
        confidence : float
        gain : callable, optional
            Of arrays (Q(E) at most, P(E) at least): what one event is worth. The pilot's best is
            chosen; without it `EVENTS` nested ones are.
        mean : bool
            Whether to spend on the mean in `greatest_hockey_stick`, at values of ε that were fixed
            before.
        """
        error = (1 - confidence) * tally.share
        ends = _best_event(tally, gain, error) if gain else _spread_events(tally)
        of_events = error * OF_EVENTS if len(ends) else 0.0
        mean = mean and len(tally.p) > SMALL and tally.method == "fixed"
        of_mean = error * OF_MEAN if mean else 0.0
        region = Region.of(
            tally.all_p,
            tally.all_q,
            1 - (error - of_events - of_mean),
            method=tally.method,
            other=tally.other,
        )
        levels, powers = region.weakest_tests()
        event = int(ends[0]) if gain and len(ends) and _paired(tally, int(ends[0])) else None
        if len(ends) and event is None:
            level, power = _event_limits(tally, ends, of_events / (2 * len(ends)))
            levels, powers = np.append(levels, level), np.append(powers, power)
        value_p, value_q = _plain(tally, ends, by_events=gain is not None)
        return Limits(
            tally,
            region,
            levels,
            powers,
            region.strongest_tests(),
            value_p,
            value_q,
            event,
            of_events,
            of_mean,
        )

    def pair_test(self, *, intercept: float | None = None, slope: float | None = None) -> PairTest:
        """Return the test of the chosen event, where there is one."""
        counts = [self.tally.p, self.tally.q, self.tally.pilot_p, self.tally.pilot_q]
        x, y, first, second = (int(c[: self.event].sum()) for c in counts)
        n, m, n_pilot, m_pilot = (int(c.sum()) for c in counts)
        pilot = (first, n_pilot, second, m_pilot)
        return PairTest.planned(
            x, n, y, m, level=self.event_error, pilot=pilot, intercept=intercept, slope=slope
        )

    def least(self, term: Term) -> float:
        """Return the least divergence Σ term(p, q), rounded down."""
        return rounded_down(total(term, *least_pair(self.levels, self.powers)))

    def greatest_ratio(self) -> float:
        """Return the greatest log-ratio of a cell; P and Q are independent, so both ends are met.

        No Rényi divergence exceeds it. Rounds up.
        """
        if self.region.other is not None:
            return math.inf
        p, q = self.region.p.high, self.region.q.low
        with np.errstate(divide="ignore"):
            return max(rounded_up(float(np.max(np.log(p) - np.log(q)))), 0.0)

    def greatest_hockey_stick(self, epsilon: float, looks: int = 1) -> float:
        """Return the greatest of P(E) − e^ε Q(E), which holds for `looks` values of ε at once.

        Notes
        -----
        For many cells the region leaves more room than needed. There the divergence of the
        observed frequencies bounds it too: that is on average no smaller (Jensen), and one draw
        moves it by 1/n or e^ε/m at most (McDiarmid).
        """
        term = hockey_stick_term(epsilon)
        at_least, at_most = self.strongest
        if len(at_least):
            high = rounded_up(float((at_most - np.exp(epsilon) * at_least).max()))
        elif self.mean_error and epsilon < REGION_FROM:
            high = 1.0
        else:
            high = self.region.greatest(term)
        if self.mean_error:
            p, q = self.tally.all_p, self.tally.all_q
            n, m = p.sum(), q.sum()
            observed = self.region.worst(term, p / n, q / m).sum()
            spread = 1 / n + np.exp(2 * min(epsilon, LARGEST_EPSILON)) / m
            reach = np.sqrt(spread * np.log(looks / self.mean_error) / 2)
            high = min(high, rounded_up(float(observed + reach)))
        return min(high, 1.0)

    def hull(self) -> tuple[Floats, Floats]:
        """Return corners (Q, P) of a curve that lies below that of the best tests."""
        return hull(self.levels, self.powers)


def hockey_stick_term(epsilon: float) -> Term:
    """Return the terms max(p − e^ε q, 0)."""
    factor = float(np.exp(epsilon))
    return lambda p, q: np.maximum(p - factor * q, 0.0)


def _cumulated(counts: Floats) -> Floats:
    """Return the counts of all events that are the first cells, at least one and not all."""
    result: Floats = np.cumsum(counts)[:-1]
    return result


def _best_event(tally: Tally, gain: Gain, error: float) -> NDArray[np.intp]:
    first, second = _cumulated(tally.pilot_p), _cumulated(tally.pilot_q)
    if not (tally.has_pilot and len(first)):
        return np.zeros(0, dtype=np.intp)
    tail = error * OF_EVENTS / 2
    power, _ = limits(first, int(tally.pilot_p.sum()), tail, "fixed")
    _, level = limits(second, int(tally.pilot_q.sum()), tail, "fixed")
    return np.array([np.argmax(gain(level, power)) + 1])


def _paired(tally: Tally, end: int) -> bool:
    """Whether both limits of an event are better sought together; decided by the pilot alone."""
    parts = [part.sum() for c in (tally.pilot_p, tally.pilot_q) for part in (c[:end], c[end:])]
    return tally.method == "fixed" and bool(min(parts) >= LEAST_PAIRED)


def _spread_events(tally: Tally) -> NDArray[np.intp]:
    """Return the ends of nested events between which about as many pilot draws lie."""
    counts = _cumulated(tally.pilot_p + tally.pilot_q)
    if not (tally.has_pilot and len(counts)):
        return np.zeros(0, dtype=np.intp)
    wanted = (tally.pilot_p + tally.pilot_q).sum() * np.arange(1, EVENTS + 1) / (EVENTS + 1)
    nearest = np.abs(counts[None, :] - wanted[:, None]).argmin(axis=1)
    return np.unique(nearest) + 1


def _event_limits(tally: Tally, ends: NDArray[np.intp], tail: float) -> tuple[Floats, Floats]:
    """Return (Q at most, P at least) of the events of the first cells, each end at `tail`."""
    power, _ = limits(_cumulated(tally.p)[ends - 1], int(tally.p.sum()), tail, tally.method)
    _, level = limits(_cumulated(tally.q)[ends - 1], int(tally.q.sum()), tail, tally.method)
    return level, power


def _plain(tally: Tally, ends: NDArray[np.intp], *, by_events: bool) -> tuple[Floats, Floats]:
    """Return estimated probabilities: half a draw is added to each cell that was ever seen."""
    p, q = tally.all_p, tally.all_q
    if len(ends) and (by_events or tally.kind == "partition"):
        p, q = (np.add.reduceat(side, np.append(0, ends)) for side in (p, q))
    seen = p + q > 0
    if not seen.any():
        return np.ones(1), np.ones(1)
    p, q = p[seen] + 0.5, q[seen] + 0.5
    return p / p.sum(), q / q.sum()
