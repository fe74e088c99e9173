"""Bets on labels whose log-odds rise evenly along an order of cells.

A tree (see `label`) learns any posterior, and pays for each cell that it tells from the next. Most
violations tell the labels apart more and more towards one end of an order: a shift along the
values, another scale along their distance from the middle. A ramp says so with a shape, a slope
and a direction, out of few, and need not learn the cells one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpaudit.statistical.numerics import Floats, log_sum_exp

# Cells hold about equal mass, so that an even rise along their ranks is a shift; against the
# quantiles of an exponential it is another scale of a tail (exactly so for Laplace noise).
# Shape: (weight, where the log-odds vanish, excess over the claim one deviation from there).
SHAPES = {
    "rank": (0.2, 0.5, (0.2, 0.6)),
    "tail": (0.8, 0.6, (0.3, 0.8)),
}


@lru_cache(maxsize=512)
def _payoffs(epsilon: float, cells: int) -> tuple[Floats, Floats]:
    """Return log payoffs, shape (2 * cells, bets), by label and place, and log weights."""
    place = (np.arange(cells) + 0.5) / cells
    columns, weights = [], []
    for shape, (weight, center, excesses) in SHAPES.items():
        along = place if shape == "rank" else -np.log1p(-place)
        deviation = (along - np.quantile(along, center)) / along.std()
        for excess in excesses:
            odds = (epsilon + excess) * deviation
            columns += [_payoff(odds, epsilon), _payoff(-odds, epsilon)]
            weights += [weight / (2 * len(excesses))] * 2
    return np.stack(columns, axis=1), np.log(weights)


def _payoff(odds: Floats, epsilon: float) -> Floats:
    """Return log r/π* of labels 0 and 1, r being the posterior that is bet."""
    allowed = np.clip(odds, -epsilon, epsilon)
    zero = np.logaddexp(0, allowed) - np.logaddexp(0, odds)
    one = np.logaddexp(0, -allowed) - np.logaddexp(0, -odds)
    return np.concatenate([zero, one])


def ramp_log_wealth(
    counts: NDArray[np.int64], orders: Sequence[NDArray[np.intp]], epsilon: float
) -> Floats:
    """Return the log wealth of the mixture of ramps along each order, against ε-DP.

    See `dpaudit.statistical.label.label_log_wealth`.
    """
    cells = counts.shape[-1]
    if cells < 2:
        return np.zeros(counts.shape[:-2])
    payoffs, weights = _payoffs(epsilon, cells)
    bets = [
        counts[..., order].reshape(*counts.shape[:-2], -1).astype(float) @ payoffs + weights
        for order in orders
    ]
    mixture: Floats = log_sum_exp(np.concatenate(bets, axis=-1)) - np.log(len(orders))
    return mixture
