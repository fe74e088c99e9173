"""Bets on functions of a pair of draws, tuned to what the past would have grown fastest.

A claim with privacy profile δ says p − e^s q ≤ δ(s) for every event, hence for every function
u ≥ 0 of the output, which is an integral of its events {u > t},

    E_P[u] − e^s E_Q[u] ≤ δ(s) max u,

and the same for v ≥ 0 with P and Q exchanged. So, with max u + max v < 1, the factor

    1 + (u(x) − e^s u(y) − δ max u + v(y) − e^s v(x) − δ max v) / (e^s + δ)

is positive and has mean at most one, however x and y are coupled. The mixture over events (see
`halfplane`) pays for its width; where coupled draws hardly vary, its best event also grows slower
than a sum of steps. Here u and v are sums of nested events fitted to the counts of past pairs of
draws: a log-optimal portfolio (Cover 1984), drawn towards no bet by what luck explains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dpaudit.outputs import Columns
from dpaudit.statistical.numerics import Floats
from dpaudit.statistical.partition import Partition

Counts = NDArray[np.int64]

SHARE = 0.3  # of a stream's capital, kept apart from that of the partitions
MOST = 0.97  # of the largest stake that keeps factors above 0
LUCK = 1.5  # nats that the best functions in hindsight earn without a leak
AGAIN = 1.2  # times the pairs of draws after which functions are fitted anew
LEAST = 200  # pairs of draws that a fit needs
LOST = 0.5  # pairs of draws that are taken to be lost on all bets, in a fit
STEPS = 40  # of the fit
LINE = 4  # Newton steps along a line


@dataclass(frozen=True, slots=True, eq=False)
class Functions:
    """u and v by cell, each of shape (m,); their largest values sum to less than one."""

    u: Floats
    v: Floats

    def log_factors(self, slope: float, delta: float) -> Floats:
        """Return the log factor of each pair of cells, shape (m, m)."""
        shrink = np.exp(-slope)  # divided by e^s nothing overflows, however large s is
        on_x = shrink * (self.u - delta * self.u.max()) - self.v
        on_y = shrink * (self.v - delta * self.v.max()) - self.u
        factors: Floats = np.log1p((on_x[:, None] + on_y[None, :]) / (1 + shrink * delta))
        return factors


@dataclass(slots=True)
class Period:
    """Functions that were bet on for a while, and what came meanwhile."""

    partition: Partition
    functions: Functions
    counts: Counts


class Candidate(Protocol):
    """A partition with pairs of draws that were counted in it."""

    @property
    def partition(self) -> Partition:
        """The cells."""

    @property
    def counts(self) -> Counts:
        """Pairs of draws by cell of x and cell of y."""


class Tuned:
    """Functions fitted again and again, each to the pairs of draws before it."""

    def __init__(self) -> None:
        self.periods: list[Period] = []
        self._open = False  # whether the last of the periods goes on
        self._fitted_at = 0  # pairs of draws

    def add_pairs(self, left: Columns, right: Columns) -> None:
        """Count pairs of draws for the functions of the present period, if any."""
        if self._open:
            now = self.periods[-1]
            cells = now.partition.cells
            flat = now.partition.assign(left) * cells + now.partition.assign(right)
            now.counts += np.bincount(flat, minlength=cells**2).reshape(cells, cells)

    def tune(self, draws: int, past: Sequence[Candidate], slope: float, delta: float) -> None:
        """Fit functions to past pairs of draws for the next ones, from time to time."""
        if draws < max(LEAST, AGAIN * self._fitted_at):
            return
        self._fitted_at, self._open = draws, False
        found = []
        for one in past:
            gain, functions = fitted(one.counts, one.partition.orders, slope, delta)
            if gain > LUCK:
                # Of few pairs of draws the rate is uncertain: by one standard deviation less.
                rate = max(0.0, gain - LUCK - np.sqrt(2 * gain)) / one.counts.sum()
                found.append((rate, gain, one.partition, functions))
        if found:
            _, gain, partition, best = max(found, key=lambda each: each[:2])
            kept, cells = 1 - LUCK / gain, partition.cells
            tempered = Functions(kept * best.u, kept * best.v)
            self.periods.append(Period(partition, tempered, np.zeros((cells, cells), np.int64)))
            self._open = True

    def log_wealth(self, slope: float, delta: float) -> float:
        """Return the natural logarithm of what all periods together have earned."""
        return sum(
            float((period.counts * period.functions.log_factors(slope, delta)).sum())
            for period in self.periods
        )


@lru_cache(maxsize=64)
def _ends(cells: int) -> Floats:
    """Return the indicators of both ends of an order of cells, shape (2 (m − 1), m)."""
    below = np.tri(cells, dtype=float)[:-1]
    return np.concatenate([below, 1 - below])


def fitted(
    joint: Counts, orders: Sequence[NDArray[np.intp]], slope: float, delta: float
) -> tuple[float, Functions]:
    """Return the functions that would have earned most on counts, and how much that is (nats).

    Parameters
    ----------
    joint : ndarray of int, shape (m, m)
        Pairs of draws by the cell of x and the cell of y.
    orders : sequence of ndarray of int, shape (m,)
        Orderings of the cells whose ends are the steps of the functions; the order by the log-ratio
        of these counts is one more.
    slope, delta : float
        The claim's half-plane.

    References
    ----------
    Cover, "An algorithm for maximizing expected log investment return" (1984).
    """
    cells = len(joint)
    nothing = Functions(np.zeros(cells), np.zeros(cells))
    draws = int(joint.sum())
    if cells < 2 or draws < LEAST:
        return 0.0, nothing
    left, right = joint.sum(axis=1), joint.sum(axis=0)
    ratio = np.log((right + 2.0) / (left + 2.0))
    ends = []
    for order in (*orders, np.argsort(ratio, kind="stable")):
        placed = np.empty_like(_ends(cells))
        placed[:, order] = _ends(cells)
        ends.append(placed)
    events = np.unique(np.concatenate(ends), axis=0)
    shrink = np.exp(-slope)
    # First what each event alone would pay: only those that gain on average may be a step.
    p, q = events @ (left / draws), events @ (right / draws)
    gains = np.concatenate([shrink * (p - delta) - q, shrink * (q - delta) - p])
    chosen = np.flatnonzero(gains > 0)
    if not len(chosen):
        return 0.0, nothing
    x, y = np.nonzero(joint)
    forth = (shrink * (events[:, x] - delta) - events[:, y]) / (1 + shrink * delta)
    back = (shrink * (events[:, y] - delta) - events[:, x]) / (1 + shrink * delta)
    returns = MOST * np.concatenate([forth, back])[chosen]
    # Pairs of draws on which every bet loses: those that were not seen yet are not impossible.
    returns = np.concatenate([returns, np.full((len(chosen), 1), -MOST)], axis=1)
    parts, gain = _log_optimal(returns, np.append(joint[x, y], LOST).astype(float))
    shares = np.zeros(2 * len(events))
    shares[chosen] = MOST * parts
    u, v = shares[: len(events)] @ events, shares[len(events) :] @ events
    return gain, Functions(u, v)


def _log_optimal(returns: Floats, times: Floats) -> tuple[Floats, float]:
    """Return the parts of the capital that would have grown fastest, and the growth (nats).

    In each step capital moves from what did worst of all that is held, cash included, to what did
    best (Frank & Wolfe 1956, in pairs), as much as pays.
    """
    returns = np.concatenate([returns, np.zeros((1, returns.shape[1]))])  # cash
    parts = np.zeros(len(returns))
    parts[-1] = 1.0
    factor = np.ones(returns.shape[1])
    for _ in range(STEPS):
        slopes = returns @ (times / factor)
        to = int(np.argmax(slopes))
        held = np.flatnonzero(parts > 0)
        source = int(held[np.argmin(slopes[held])])
        if slopes[to] - slopes[source] < 0.01:  # nats, at most, that are still to be gained
            break
        direction, moved = returns[to] - returns[source], 0.0
        for _ in range(LINE):
            each = direction / (factor + moved * direction)
            curvature = float(times @ each**2)
            moved = min(max(0.0, moved + float(times @ each) / curvature), float(parts[source]))
        parts[to] += moved
        parts[source] = max(0.0, parts[source] - moved) if moved < parts[source] else 0.0
        factor = 1.0 + parts @ returns
    return parts[:-1], float(times @ np.log(factor))
