"""Bets on functions of the output, for Rényi claims that no event refutes.

Young's inequality gives, for every u ≥ 0 of the output and every order α > 1,

    α E_P[u^(α−1)] − (α−1) E_Q[u^α] ≤ e^((α−1)ε)   if D_α(P‖Q) ≤ ε,

with equality at u = dP/dQ. A step function u, learned from past draws and bounded, makes
1 + λ(α u(x)^(α−1) − (α−1) u(y)^α − e^((α−1)ε)) a bet with mean at most one. Neighbors run both
ways, so the same holds with P and Q exchanged and u near dQ/dP. One factor bets on both: their
losses come from opposite tails, and one pair of draws pays twice at little more variance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpaudit.outputs import Columns
from dpaudit.statistical.numerics import Floats, log_sum_exp
from dpaudit.statistical.partition import Cells, Partition
from dpaudit.statistical.score import learned_scores

CAPS = (2.0, 4.0, 10.0, 30.0)  # largest values of u
STAKES = (0.03, 0.1, 0.3, 0.6, 0.97)  # of the largest that keeps factors above 0
SHARES = ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5))  # of a stake on P against Q and on Q against P
TUNED = 0.6  # of the capital, for what past draws expect to grow fastest
TUNED_CAPS = (2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 20.0, 40.0)
POWERS = (0.8, 0.9, 1.0)  # of the ratio: a little less varies a good deal less
TUNED_STAKES = (0.4, 1.0, 2.5)  # of the expected best; more, since coupled draws vary less
STEADY = 0.7  # of the largest stake, up to which growth is as good as quadratic in the stake
FOLDS = 2  # each held out once
SHRINK = (4.0, 30.0, 200.0, 1_500.0)  # draws a side that the prior counts for
FIT = 1_500  # draws a side, enough for the few weights of a logistic fit
TINY = 1e-12  # a bet that cannot lose cannot gain either: its stake does not matter


@dataclass(frozen=True, slots=True, eq=False)
class MomentBets:
    """What past draws say of the cells, each of shape (m,).

    Attributes
    ----------
    ratios : ndarray of float
        Estimated likelihood ratios left/right.
    left, right : ndarray of float, optional
        Probabilities to go with them, by which functions and stakes are chosen; without them all
        count alike.
    """

    ratios: Floats
    left: Floats | None = None
    right: Floats | None = None


def moment_bets(partition: Partition, left: Columns, right: Columns) -> MomentBets:
    """Return likelihood ratios of the cells as past draws suggest them.

    Frequencies are drawn towards equality or towards a logistic fit, whichever way and however
    strongly predicts held-out draws best. The probabilities are the pooled frequencies, divided
    by these ratios: they vary less than frequencies of one side.
    """
    cells = partition.assign(left), partition.assign(right)
    parts = [tuple(_counts(c[k::FOLDS], partition.cells) for c in cells) for k in range(FOLDS)]
    one, two = (sum((part[side] for part in parts), np.zeros(partition.cells)) for side in (0, 1))
    even = np.full(partition.cells, 0.5)
    if min(counts.sum() for part in parts for counts in part) == 0:
        return MomentBets(_ratios(one, two, even, SHRINK[0]))
    fitted = _fitted(partition, left, right)

    def loss(level: tuple[Floats, float]) -> float:
        return sum(_log_loss(_ratios(one - a, two - b, *level), a, b) for a, b in parts)

    levels = [(prior, shrink) for prior in (even, fitted) for shrink in SHRINK]
    ratios = _ratios(one, two, *min(levels, key=loss))
    pooled = one / one.sum() + two / two.sum()
    p, q = pooled * ratios / (1 + ratios), pooled / (1 + ratios)
    return MomentBets(ratios, p / p.sum(), q / q.sum())


def _counts(cell: Cells, cells: int) -> Floats:
    return np.bincount(cell, minlength=cells).astype(float)


def _ratios(one: Floats, two: Floats, prior: Floats, shrink: float) -> Floats:
    """Return ratios of frequencies after `shrink` more draws a side, made by the prior."""
    pooled = (one + two) / max(1.0, one.sum() + two.sum())
    p = one + shrink * pooled * 2 * prior
    q = two + shrink * pooled * 2 * (1 - prior)
    return np.where(pooled > 0, (p / p.sum()) / np.where(pooled > 0, q / q.sum(), 1.0), 1.0)


def _log_loss(ratios: Floats, one: Floats, two: Floats) -> float:
    """Return how badly ratios predict from which side held-out draws came."""
    odds = np.log(ratios)
    left, right = np.logaddexp(0, -odds), np.logaddexp(0, odds)
    return float(one @ left / one.sum() + two @ right / two.sum())


def _fitted(partition: Partition, left: Columns, right: Columns) -> Floats:
    """Return the mean posterior of the left dataset in each cell, by a logistic fit."""
    few = left.take(slice(FIT)), right.take(slice(FIT))
    scores = learned_scores(*few, 0)
    if not scores:
        return np.full(partition.cells, 0.5)
    both = Columns.concat(list(few))
    odds = np.clip(scores[0](both) - np.log(few[1].size / few[0].size), -30.0, 30.0)
    cell = partition.assign(both)
    number = np.bincount(cell, minlength=partition.cells)
    total = np.bincount(cell, 1 / (1 + np.exp(odds)), minlength=partition.cells)
    return np.where(number > 0, total / np.maximum(number, 1), 0.5)


@dataclass(frozen=True, slots=True, eq=False)
class _Gains:
    """What k functions pay: `on_x` of the cell of x and `on_y` of that of y, less `price`.

    The first two have shape (k, m). A row that overflows has the price infinity.
    """

    on_x: Floats
    on_y: Floats
    price: float

    @staticmethod
    def of(
        ratios: Floats, order: float, allowed: float, caps: tuple[float, ...], powers: Floats
    ) -> _Gains:
        """Return all shares of the two directions, for each cap and power."""
        u, v = (
            np.minimum(r ** powers[:, None, None], np.array(caps)[:, None]).reshape(-1, len(r))
            for r in (ratios, 1.0 / ratios)
        )
        with np.errstate(over="ignore", invalid="ignore"):
            up, down = order * u ** (order - 1), -(order - 1) * u**order
            back, forth = -(order - 1) * v**order, order * v ** (order - 1)
            return _Gains(
                np.concatenate([a * up + b * back for a, b in SHARES]),
                np.concatenate([a * down + b * forth for a, b in SHARES]),
                allowed,
            )

    @property
    def largest_stakes(self) -> Floats:
        """The stakes at which the worst pair of cells would cost everything; 0 on overflow."""
        worst = self.price - self.on_x.min(axis=1) - self.on_y.min(axis=1)
        return np.where(np.isfinite(worst), 1.0 / np.maximum(worst, TINY), 0.0)

    def log_factors(
        self, row: int, stake: float, x: NDArray[np.intp], y: NDArray[np.intp]
    ) -> Floats:
        """Return the log of 1 + stake · gain of one function for pairs of cells."""
        factors: Floats = np.log1p(stake * (self.on_x[row, x] + self.on_y[row, y] - self.price))
        return factors

    def prospects(self, left: Floats, right: Floats) -> tuple[Floats, Floats]:
        """Return the mean of each gain, and that of its square, for independent draws."""
        means = self.on_x @ left, self.on_y @ right
        squares = self.on_x**2 @ left + self.on_y**2 @ right
        mean = means[0] + means[1] - self.price
        return mean, squares - means[0] ** 2 - means[1] ** 2 + mean**2


Placed = tuple[_Gains, int, float]  # a bet: functions, which of them, and the stake


def moment_log_wealth(
    joint: NDArray[np.int64], bets: MomentBets, moments: tuple[tuple[float, float], ...]
) -> Floats:
    """Return the log wealth of the mixture over orders, functions, directions and stakes.

    Parameters
    ----------
    joint : ndarray of int, shape (..., m, m)
        Pairs of draws by the cell of x (left) and of y (right).
    bets : MomentBets
    moments : tuple of (order, epsilon)
        The claim's Rényi bounds.
    """
    flat = joint.reshape(*joint.shape[:-2], -1).astype(float)
    used = np.flatnonzero(flat.reshape(-1, flat.shape[-1]).any(axis=0))
    x, y = np.divmod(used, joint.shape[-1])
    with np.errstate(over="ignore"):
        priced = [(order, float(np.exp((order - 1) * epsilon))) for order, epsilon in moments]
    plain = [bet for order, allowed in priced for bet in _plain(bets, order, allowed)]
    if not plain:
        return np.zeros(joint.shape[:-2])
    tuned = _tuned(bets, priced)
    kept = 1.0 - TUNED if tuned else 1.0
    shares = [kept / len(plain)] * len(plain) + [TUNED / len(TUNED_STAKES)] * len(tuned)
    logs = [gains.log_factors(row, stake, x, y) for gains, row, stake in (*plain, *tuned)]
    mixture: Floats = log_sum_exp(flat[..., used] @ np.stack(logs, axis=1) + np.log(shares))
    return mixture


def _plain(bets: MomentBets, order: float, allowed: float) -> list[Placed]:
    """Return a grid of functions and stakes; empty where double precision offers none."""
    gains = _Gains.of(bets.ratios, order, allowed, CAPS, np.ones(1))
    limits = gains.largest_stakes
    return [(gains, int(i), s * limits[i]) for i in np.flatnonzero(limits) for s in STAKES]


def _tuned(bets: MomentBets, priced: list[tuple[float, float]]) -> list[Placed]:
    """Return the function that past draws expect to grow fastest, at some stakes, if any does."""
    if bets.left is None or bets.right is None:
        return []
    best: tuple[float, float, Placed] | None = None
    for order, allowed in priced:
        gains = _Gains.of(bets.ratios, order, allowed, TUNED_CAPS, np.array(POWERS))
        limits = gains.largest_stakes
        with np.errstate(over="ignore", invalid="ignore"):
            mean, square = gains.prospects(bets.left, bets.right)
            stakes = np.clip(mean / square, 0.0, STEADY * limits)
            growth = np.nan_to_num(stakes * mean - stakes**2 * square / 2, nan=0.0)
        row = int(np.argmax(growth))
        if growth[row] > 0 and (best is None or growth[row] > best[0]):
            best = float(growth[row]), STAKES[-1] * limits[row], (gains, row, float(stakes[row]))
    if best is None:
        return []
    _, most, (gains, row, stake) = best
    return [(gains, row, min(s * stake, most)) for s in TUNED_STAKES]
