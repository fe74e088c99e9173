"""Bets on labels beyond thresholds near either end of the outputs, which are single numbers.

Noise of bounded support gives either dataset outputs at one end that its neighbor cannot produce.
How much of the outputs lies there is not known. So each threshold bets that whatever lies beyond it
comes from one side, and the capital is spread over thresholds by the part of all outputs beyond
them. That part is read off the outputs of all draws so far and of those that are bet on, without
the labels of these; every batch has thresholds of its own. Their capital is divided anew for each
batch, in proportion to what they would have earned on all labels known by then. That depends on the
past and on outputs without labels only, so each batch has a factor of mean at most one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dpaudit.outputs import Columns
from dpaudit.statistical.numerics import Floats, log_sum_exp
from dpaudit.statistical.rows import numbers, scalar_path

Counts = NDArray[np.int64]

LEVELS = 0.5 * 2.0 ** (-0.5 * np.arange(32)[::-1])  # parts of the outputs beyond thresholds, rising
TILT = 0.3  # the capital of a part grows like this power of it
EXCESS = 3.5  # log-odds beyond a threshold, above those of the claim
ONE_END, BOTH_ENDS = 0.15, 0.7  # of the capital: for each end by itself, for both
# Both ends reveal as much, up to steps of `LEVELS` by which the two parts may differ by chance.
APART = ((0, 0.5), (1, 0.25), (-1, 0.25))


class Edges:
    """Labels beyond thresholds, batch by batch.

    Attributes
    ----------
    path : str or None
        The column of numbers; None where outputs are not single numbers.
    """

    def __init__(self) -> None:
        self.path: str | None = None
        self._looked = False
        # By batch, what was known before and what came: shape (2, ends, labels, levels).
        self._batches: list[Counts] = []

    def add(
        self, outputs: Columns, labels: NDArray[np.uint8], left: Columns, right: Columns
    ) -> None:
        """Count a batch of labelled outputs, after what is known of past ones of either side."""
        if not self._looked:
            self._looked, self.path = True, scalar_path(outputs)
        if self.path is None:
            return
        new = numbers(outputs, self.path)
        came = [new[labels == label] for label in (0, 1)]
        past = [numbers(side, self.path) for side in (left, right)]
        pool = _sorted([*past, *came])
        if len(pool):
            self._batches.append(np.stack([_beyond(pool, past), _beyond(pool, came)]))

    def hindsight(self, left: Columns, right: Columns, epsilon: float) -> float:
        """Return what the best bet would have earned on all of these outputs, had it been known."""
        if self.path is None:
            return 0.0
        past = [numbers(side, self.path) for side in (left, right)]
        pool = _sorted(past)
        return float(_log_wealths(_beyond(pool, past), epsilon).max()) if len(pool) else 0.0

    def log_wealth(self, epsilon: float) -> float:
        """Return the log of what the capital has become, against ε-DP."""
        if not self._batches:
            return 0.0
        before, came = np.stack(self._batches, axis=1)
        return float((_log_mixture(before + came, epsilon) - _log_mixture(before, epsilon)).sum())


def _sorted(values: Sequence[Floats]) -> Floats:
    known = np.concatenate(values)
    return np.sort(known[~np.isnan(known)])


def _beyond(pool: Floats, sides: Sequence[Floats]) -> Counts:
    """Return how many numbers of each side lie in the lowest and highest parts of a sorted pool.

    Returns
    -------
    ndarray of int, shape (2, sides, levels)
    """
    counts = np.zeros((2, len(sides), len(LEVELS)), dtype=np.int64)
    for side, values in enumerate(sides):
        present = values[~np.isnan(values)]
        low = np.searchsorted(pool, present, side="right")
        high = len(pool) - np.searchsorted(pool, present, side="left")
        for end, own, other in ((0, low, high), (1, high, low)):
            place = np.searchsorted(LEVELS, own[own <= other] / len(pool))
            counts[end, side] = np.bincount(place, minlength=len(LEVELS) + 1)[:-1].cumsum()
    return counts


# By the bets of `_log_wealths`, and by levels: the logs of the capital.
_CAPITAL = np.log(
    np.outer(
        [ONE_END / 2, ONE_END / 2, *(BOTH_ENDS * part / 2 for _, part in APART)],
        LEVELS**TILT / (LEVELS**TILT).sum(),
    )
)


def _log_wealths(counts: Counts, epsilon: float) -> Floats:
    """Return the log wealth of each bet.

    Parameters
    ----------
    counts : ndarray of int, shape (…, ends, sides, levels)
    epsilon : float

    Returns
    -------
    ndarray of float, shape (…, sides, bets, levels)
        The side is the one that the high end is bet to come from.
    """
    odds = epsilon + EXCESS
    paid = np.logaddexp(0, -epsilon) - np.logaddexp(0, -odds)  # log r/π*
    lost = np.logaddexp(0, epsilon) - np.logaddexp(0, odds)
    low, high = counts[..., 0, :, :], counts[..., 1, :, :]
    low = paid * low[..., ::-1, :] + lost * low
    high = paid * high + lost * high[..., ::-1, :]
    steps = np.arange(len(LEVELS))
    both = [low + high[..., np.clip(steps + apart, 0, steps[-1])] for apart, _ in APART]
    return np.stack([low, high, *both], axis=-2)


def _log_mixture(counts: Counts, epsilon: float) -> Floats:
    wealths = _log_wealths(counts, epsilon) + _CAPITAL
    return log_sum_exp(wealths.reshape(*wealths.shape[:-3], -1))
