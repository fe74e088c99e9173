"""Bets on labels near either end of the outputs, which are single numbers.

Noise of bounded support gives either dataset outputs at one end that its neighbor cannot produce.
Where these begin is not known, and is learned while it is bet on. A model says that beyond some
threshold all outputs come from one side, and that all others come from either side alike. Models
differ in the part of the outputs beyond the threshold, in the side, and in whether one end tells or
both. Their posterior weights, given all labels so far, predict the label of the next output. Where
the claim does not allow the prediction, it is bet (see `label`).

The part of all outputs beyond a threshold is read off the outputs of all draws so far and of those
that are bet on, without the labels of these. So a prediction is a function of past draws and of
outputs without labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from dpaudit.outputs import Columns
from dpaudit.statistical.numerics import Floats
from dpaudit.statistical.rows import numbers, scalar_path

Counts = NDArray[np.int64]

LEVELS = 0.5 * 2.0 ** (-np.arange(48)[::-1] / 3)  # parts of the outputs beyond thresholds, rising
TILT = 0.4  # the weight of a part grows like this power of it
ODDS = 4.5  # log-odds of the side beyond a threshold
NO_END, ONE_END, BOTH_ENDS = 0.06, 0.14, 0.66  # weights; of one end, for each of them
# If both ends tell, the parts beyond them differ by so many levels, by chance.
APART = ((0, 0.34), (1, 0.2), (-1, 0.2), (2, 0.13), (-2, 0.13))
LEAST = 0.02  # log-odds that are bet
PARTS = (4, 0.1)  # labels at least, and of all known ones, after which models are weighed anew

_STEPS = np.arange(len(LEVELS))
_PLACES = [np.clip(_STEPS + apart, 0, _STEPS[-1]) for apart, _ in APART]
# Of one side at the high end: by the models of `_log_likelihoods`, and by levels.
_PRIOR = np.log(
    np.outer(
        [ONE_END / 2, ONE_END / 2, *(BOTH_ENDS * part / 2 for _, part in APART)],
        LEVELS**TILT / (LEVELS**TILT).sum(),
    )
)


class Edges:
    """Predictions of labels, and the labels that came.

    Attributes
    ----------
    path : str or None
        The column of numbers; None where outputs are not single numbers.
    """

    def __init__(self) -> None:
        self.path: str | None = None
        self._looked = False
        # Log-odds that were predicted, and how many labels 0 and 1 came there.
        self._bets: list[Floats] = []

    def add(
        self, outputs: Columns, labels: NDArray[np.uint8], left: Columns, right: Columns
    ) -> None:
        """Bet on a batch of labelled outputs, by what is known of past ones of either side."""
        if not self._looked:
            self._looked, self.path = True, scalar_path(outputs)
        if self.path is None:
            return
        new, past = numbers(outputs, self.path), self._known(left, right)
        pool = np.sort(np.concatenate([*past, new[~np.isnan(new)]]))
        known, places = _counts(pool, past), _places(pool, new)
        for rows in _parts(int(known.sum()), len(new)):
            came = np.stack([_by_place(places[rows][labels[rows] == side]) for side in (0, 1)], 1)
            odds = _predicted(known)
            telling = (np.abs(odds) >= LEAST) & came.any(axis=1)
            self._bets.append(np.stack([odds[telling], *(came[:, x][telling] for x in (0, 1))]))
            known += came

    def _known(self, left: Columns, right: Columns) -> list[Floats]:
        assert self.path is not None
        values = [numbers(side, self.path) for side in (left, right)]
        return [each[~np.isnan(each)] for each in values]

    def log_wealth(self, epsilon: float) -> float:
        """Return the log of what the capital has become, against ε-DP."""
        if not self._bets:
            return 0.0
        if len(self._bets) > 1:
            self._bets[:] = [np.concatenate(self._bets, axis=1)]
        odds, zeros, ones = self._bets[0]
        allowed = np.clip(odds, -epsilon, epsilon)
        zero = np.logaddexp(0, allowed) - np.logaddexp(0, odds)  # log (1 − r)/(1 − π*)
        one = np.logaddexp(0, -allowed) - np.logaddexp(0, -odds)  # log r/π*
        return float(zeros @ zero + ones @ one)

    def promised(self, left: Columns, right: Columns, epsilon: float) -> float:
        """Return what a label draw seems to earn from now on: no evidence, but a hint (nats).

        Outputs for which the prediction is bet had the predicted label so often, among these.
        """
        if self.path is None:
            return 0.0
        past = self._known(left, right)
        known = _counts(np.sort(np.concatenate(past)), past)
        odds = _predicted(known)
        right_up, left_up = known[odds > epsilon].sum(axis=0), known[odds < -epsilon].sum(axis=0)
        misses, hits = (right_up + left_up[::-1]).tolist()
        rate, allowed = (hits + 0.5) / (hits + misses + 1), 1 / (1 + np.exp(-epsilon))
        if rate <= allowed:
            return 0.0
        gain = rate * np.log(rate / allowed) + (1 - rate) * np.log((1 - rate) / (1 - allowed))
        return float((hits + misses) / known.sum() * gain)


def _parts(known: int, size: int) -> Iterator[slice]:
    start = 0
    while start < size:
        stop = start + max(PARTS[0], int(PARTS[1] * (known + start)))
        yield slice(start, stop)
        start = stop


def _places(pool: Floats, values: Floats) -> NDArray[np.intp]:
    """Return which end each number is near, and beyond which thresholds there: one index.

    Place k holds what lies beyond the thresholds from the k-th on; the last of either end lies
    beyond none. What is no number has the last place of all.
    """
    low = np.searchsorted(pool, values, side="right")
    high = len(pool) - np.searchsorted(pool, values, side="left")
    each = np.searchsorted(LEVELS, np.minimum(low, high) / max(len(pool), 1))
    each[np.isnan(values)] = len(LEVELS)
    return np.asarray(each + (high <= low) * (len(LEVELS) + 1), dtype=np.intp)


def _by_place(places: NDArray[np.intp]) -> Counts:
    counts: Counts = np.bincount(places, minlength=2 * (len(LEVELS) + 1))
    return counts


def _counts(pool: Floats, sides: Sequence[Floats]) -> Counts:
    """Return how many numbers of each side have each place, shape (places, sides)."""
    return np.stack([_by_place(_places(pool, side)) for side in sides], axis=1)


def _log_likelihoods(counts: Counts) -> Floats:
    """Return how much likelier models make labels than if all came from either side alike.

    Returns
    -------
    ndarray of float, shape (sides, models, levels)
        The side is the one that has the high end to itself. Models are of the low end, of the high
        one, and of both (`APART`).
    """
    hit, miss = np.log(2) - np.logaddexp(0, -ODDS), np.log(2) - np.logaddexp(0, ODDS)
    beyond = counts.reshape(2, -1, 2)[:, :-1].cumsum(axis=1)
    low, high = np.moveaxis(beyond, -1, 1)
    low, high = hit * low[::-1] + miss * low, hit * high + miss * high[::-1]
    return np.stack([low, high, *(low + high[:, place] for place in _PLACES)], axis=1)


def _predicted(known: Counts) -> Floats:
    """Return the log-odds of label 1 in each place, given how many labels came there."""
    weights = _log_likelihoods(known) + _PRIOR
    top = max(float(weights.max()), np.log(NO_END))
    weights = np.exp(weights - top)
    weights /= weights.sum() + NO_END * np.exp(-top)
    alone = np.zeros((2, len(LEVELS) + 1, 2))  # probability that a place has outputs of one side
    for side in (0, 1):
        low = weights[side, 0] + weights[side, 2:].sum(axis=0)
        high = weights[side, 1].copy()
        for place, each in zip(_PLACES, weights[side, 2:], strict=True):
            np.add.at(high, place, each)
        alone[0, :-1, 1 - side] = low[::-1].cumsum()[::-1]
        alone[1, :-1, side] = high[::-1].cumsum()[::-1]
    likely = 1 / (1 + np.exp(-ODDS))
    one = 0.5 + (likely - 0.5) * (alone[..., 1] - alone[..., 0]).ravel()
    return np.asarray(np.log(one) - np.log1p(-one))
