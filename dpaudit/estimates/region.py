"""A confidence region for the cell probabilities of two samples, and what a divergence is on it.

The region is a box for each distribution, cut with the simplex. On it every f-divergence has its
exact minimum at one and the same pair, found without an optimizer: of all tests, those between
which the region's own limits choose have a least power, and the least powers make up a trade-off
between error rates that belongs to a pair in the region (Huber & Strassen 1973, for box regions).
The greatest value sits at a corner.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpaudit.estimates.checks import check_confidence
from dpaudit.estimates.dual import dual_bound
from dpaudit.estimates.proportions import Method, limits

Floats = NDArray[np.float64]
Term = Callable[[Floats, Floats], Floats]

EXACT_CELLS = 7  # up to which all pairs of corners are tried
ALL_EVENTS = 12  # cells up to which all events are tried
ROUNDING = 1e-14
OUTWARD = 1e-10  # relative, of results
NOUGHT = 1e-4  # below it results round outward by an absolute amount


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """Limits for the cell probabilities of one distribution, which hold all at once.

    Attributes
    ----------
    low, high : ndarray, shape (k,)
        Each value between them is that of some distribution in the box.
    """

    low: Floats
    high: Floats

    @staticmethod
    def of(counts: ArrayLike, confidence: float, method: Method = "fixed") -> Box:
        """Return the limits for counts of a multinomial sample.

        Each cell gets an equal part of the error (Bonferroni); of two cells one follows from the
        other. Limits that no distribution within all others reaches are drawn in.
        """
        n_cell = np.asarray(counts, dtype=float)
        k, n = len(n_cell), int(n_cell.sum())
        if k == 1:
            return Box(np.ones(1), np.ones(1))
        tail = (1 - confidence) / (1 if k == 2 else k)
        if method == "fixed":  # at any time both ends share it
            tail /= 2
        low, high = limits(n_cell, n, tail, method)
        reach_low = 1 - (high.sum() - high) - k * ROUNDING  # rounds down
        reach_high = 1 - (low.sum() - low) + k * ROUNDING  # rounds up
        return Box(np.maximum(low, reach_low), np.minimum(high, reach_high))

    def least(self, events: NDArray[np.bool_]) -> Floats:
        """Return the least probability of each event; one a row. Rounds down."""
        inside = np.where(events, self.low, 0.0).sum(axis=-1) * (1 - ROUNDING)
        outside = 1 - np.where(events, 0.0, self.high).sum(axis=-1) - ROUNDING
        result: Floats = np.clip(np.maximum(inside, outside), 0.0, 1.0)
        return result

    def greatest(self, events: NDArray[np.bool_]) -> Floats:
        """Return the greatest probability of each event, rounded up."""
        inside = np.where(events, self.high, 0.0).sum(axis=-1) * (1 + ROUNDING)
        outside = 1 - np.where(events, 0.0, self.low).sum(axis=-1) + ROUNDING
        result: Floats = np.clip(np.minimum(inside, outside), 0.0, 1.0)
        return result

    def corners(self) -> Floats:
        """Return the corners of the box cut with the simplex: all cells but one at a limit."""
        found = []
        for free in range(len(self.low)):
            ends = [
                [0.0] if i == free else sorted({float(low), float(high)})
                for i, (low, high) in enumerate(zip(self.low, self.high, strict=True))
            ]
            points = np.array(list(product(*ends)))
            rest = 1 - points.sum(axis=1)
            near = (rest >= self.low[free] - OUTWARD) & (rest <= self.high[free] + OUTWARD)
            points[:, free] = np.clip(rest, self.low[free], self.high[free])
            found.append(points[near])
        return np.unique(np.concatenate(found), axis=0)


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """Boxes of two distributions over the same cells.

    Attributes
    ----------
    p, q : Box
    other : int, optional
        The cell in which outcomes of unknown number are gathered. What lies in it may be
        anything: at worst P and Q share no outcome there.
    """

    p: Box
    q: Box
    other: int | None = None

    @staticmethod
    def of(
        counts_p: ArrayLike,
        counts_q: ArrayLike,
        confidence: float,
        *,
        method: Method = "fixed",
        other: int | None = None,
    ) -> Region:
        """Return the region that holds both distributions with probability `confidence`.

        Parameters
        ----------
        counts_p, counts_q : array_like of int, shape (k,)
            Counts of two independent samples over cells fixed before the draws were seen.
        confidence : float
        method : {"fixed", "anytime"}
        other : int, optional
        """
        check_confidence(confidence)
        each = float(np.sqrt(confidence))  # the samples are independent
        return Region(Box.of(counts_p, each, method), Box.of(counts_q, each, method), other)

    def weakest_tests(self) -> tuple[Floats, Floats]:
        """Return points (Q at most, P at least) of the events that matter.

        Notes
        -----
        The least of P(E) − t·Q(E) is the larger of two sums over E for P, less the smaller of two
        sums for Q. Each of the four differences is greatest for an event of cells whose ratio of
        limits exceeds t, so for all t together the ends of four orders suffice.
        """
        k = len(self.p.low)
        ends = [np.zeros((1, k), dtype=bool)]
        for p in (self.p.low, self.p.high):
            for q in (self.q.low, self.q.high):
                with np.errstate(divide="ignore", invalid="ignore"):
                    ratio = np.where(q > 0, p / q, np.where(p > 0, np.inf, 0.0))
                rank = np.empty(k, dtype=np.intp)
                rank[np.argsort(-ratio, kind="stable")] = np.arange(k)
                ends.append(rank < np.arange(1, k + 1)[:, None])
        events = np.concatenate(ends)
        return self.q.greatest(events), self.p.least(events)

    def strongest_tests(self) -> tuple[Floats, Floats]:
        """Return (Q at least, P at most) of all events; none of more than `ALL_EVENTS` cells.

        P may hold all of the other cell, and Q none of it.
        """
        k = len(self.p.low)
        if k > ALL_EVENTS:
            return np.zeros(0), np.zeros(0)
        events = (np.arange(2**k)[:, None] >> np.arange(k)) % 2 == 1
        without = events.copy()
        if self.other is not None:
            events[:, self.other], without[:, self.other] = True, False
        return self.q.least(without), self.p.greatest(events)

    def least(self, term: Term) -> float:
        """Return the least divergence Σ term(p, q) on the region, rounded down."""
        return rounded_down(total(term, *least_pair(*self.weakest_tests())))

    def greatest(self, term: Term) -> float:
        """Return the greatest divergence on the region, or a little more.

        Exact up to `EXACT_CELLS` cells; beyond, the Lagrangian dual, which exceeds the maximum by
        no more than two cells can contribute.
        """
        if len(self.p.low) <= EXACT_CELLS:
            return rounded_up(self._greatest_corner(term))
        return rounded_up(self._dual(term))

    def worst(self, term: Term, p: Floats, q: Floats) -> Floats:
        """Return the terms of the cells, shape (..., k), the other cell's at its worst."""
        values = term(p, q)
        if self.other is not None:
            left, right = p[..., self.other], q[..., self.other]
            nothing = np.zeros_like(left)
            values[..., self.other] = term(left, nothing) + term(nothing, right)
        return values

    def _greatest_corner(self, term: Term) -> float:
        left, right = self.p.corners(), self.q.corners()
        return max(
            float(self.worst(term, *np.broadcast_arrays(p, right)).sum(axis=-1).max()) for p in left
        )

    def _dual(self, term: Term) -> float:
        """Return λ + μ + Σ max over corners of (term − λp − μq) at its least."""
        p, q = (np.stack([side.low, side.high], axis=1) for side in (self.p, self.q))
        values = self.worst(
            term,
            *(np.ascontiguousarray(x) for x in np.broadcast_arrays(p.T[:, None], q.T[None, :])),
        )
        if not np.isfinite(values).all():
            return np.inf
        return dual_bound(np.moveaxis(values, -1, 0), p, q)


def extremes(
    counts_p: ArrayLike,
    counts_q: ArrayLike,
    term: Term,
    confidence: float,
    *,
    method: Method = "fixed",
    other: int | None = None,
) -> tuple[float, float]:
    """Return limits that hold a divergence of two distributions with probability `confidence`.

    Parameters
    ----------
    counts_p, counts_q : array_like of int, shape (k,)
        Counts of two independent samples over the same cells, which were fixed before the draws
        that are counted were seen.
    term : callable
        The term of a cell, ``term(p, q)``, on arrays of any one shape: jointly convex, homogeneous
        (``term(c p, c q) = c term(p, q)``), 0 at (0, 0), infinite where the divergence is. The
        divergence is the sum of the terms; e.g. ``p**a * q**(1 - a)`` for exp((a − 1)·Rényi),
        a > 1.
    confidence : float
        Both limits hold at once with this probability.
    method : {"fixed", "anytime"}
        Whether n was chosen beforehand, or the limits shall hold at all n at once.
    other : int, optional
        The cell that gathers outcomes of unknown number, at its worst in the upper limit.

    Returns
    -------
    low, high : float
        ``low`` rounds down, ``high`` up (it may be infinite).

    Notes
    -----
    Lower limit: on every event E of the region's cells P(E) is at least what the box says, Q(E) at
    most; the concave hull of these points lies below the true curve of power against level, and
    an f-divergence grows with that curve (Blackwell). So the limit is sound by itself, whatever
    was computed; that it is the exact minimum is Huber & Strassen's theorem.

    References
    ----------
    Huber & Strassen, "Minimax tests and the Neyman–Pearson lemma for capacities", Ann. Statist. 1
    (1973); de Campos, Huete & Moral, "Probability intervals", 1994 (boxes are 2-monotone).
    """
    region = Region.of(counts_p, counts_q, confidence, method=method, other=other)
    return region.least(term), region.greatest(term)


def least_pair(levels: Floats, powers: Floats) -> tuple[Floats, Floats]:
    """Return the pair (p, q) whose best test at each level is the concave hull of some tests.

    Parameters
    ----------
    levels, powers : ndarray, shape (m,)
        Of some tests: Q(E) at most, P(E) at least.

    Returns
    -------
    p, q : ndarray, shape (j,)
        Probabilities of likelihood ratios p / q, falling. They sum to one each.
    """
    level, power = hull(levels, powers)
    return np.diff(power), np.diff(level)


def hull(levels: Floats, powers: Floats) -> tuple[Floats, Floats]:
    """Return the corners of the concave hull of points, (0, 0) and (1, 1), from left to right."""
    x = np.concatenate([[0.0], levels, [1.0]])
    y = np.concatenate([[0.0], powers, [1.0]])
    kept: list[int] = []
    order = np.lexsort((-y, x))
    highest = np.maximum.accumulate(y[order])
    rises = np.append(True, highest[1:] > highest[:-1])  # else no more power at a level no lower
    at, up = x.tolist(), y.tolist()  # whose entries are at hand sooner than those of arrays
    for i in order[rises].tolist():
        while len(kept) >= 2:
            a, b = kept[-2:]
            if (up[b] - up[a]) * (at[i] - at[a]) > (up[i] - up[a]) * (at[b] - at[a]):
                break
            kept.pop()
        kept.append(i)
    top_level, top_power = x[kept], y[kept]
    if top_power[0] > 0:  # an event of level 0
        top_level, top_power = np.append(0.0, top_level), np.append(0.0, top_power)
    if top_level[-1] < 1:  # full power below level 1
        top_level, top_power = np.append(top_level, 1.0), np.append(top_power, 1.0)
    return top_level, top_power


def total(term: Term, p: Floats, q: Floats) -> float:
    """Return the divergence Σ term(p, q)."""
    return float(term(p, q).sum())


def rounded_down(value: float) -> float:
    """Return a little less."""
    return value - OUTWARD * max(abs(value), NOUGHT) if np.isfinite(value) else value


def rounded_up(value: float) -> float:
    """Return a little more."""
    return value + OUTWARD * max(abs(value), NOUGHT) if np.isfinite(value) else value
