"""Bets on labels: flip a fair coin, draw from that side, and predict the coin from the output.

Under ε-DP the posterior of the coin given the output lies between 1/(1+e^ε) and e^ε/(1+e^ε).
Whoever predicts r is paid r against the allowed posterior nearest to it, so that the wealth is a
test supermartingale for every strategy. Here the strategy is a mixture over pruned trees of score
cells (context-tree weighting, Willems, Shtarkov & Tjalkens 1995): a node either bets one
posterior on all of its cells, or leaves the bet to its two halves.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpaudit.statistical.numerics import Floats, log_sum_exp

# Distance in log-odds between the posterior that is bet and the nearest one that is allowed.
# A bet at a times the true distance grows at about 2a − a² of the best rate: a factor of three
# between candidates loses at most a third. The least is for claims that are missed by little.
EXCESSES = np.array([0.015, 0.05, 0.15, 0.4, 1.0, 3.0])
STOP = 0.2  # weight of "bet here" against "bet in my two halves"
IDLE = 0.3  # weight of "do not bet in this node"


@lru_cache(maxsize=512)
def _payoffs(epsilon: float) -> tuple[Floats, Floats]:
    """Return log payoffs, shape (2, 1 + 2k), of labels 0 and 1 for each bet, and log weights."""
    towards_one = epsilon + EXCESSES
    pay_likely = np.logaddexp(0, -epsilon) - np.logaddexp(0, -towards_one)  # log r/π*, label hit
    pay_unlikely = np.logaddexp(0, epsilon) - np.logaddexp(0, towards_one)  # the label missed
    zero = np.zeros(1)
    payoff = np.stack(
        [
            np.concatenate([zero, pay_unlikely, pay_likely]),
            np.concatenate([zero, pay_likely, pay_unlikely]),
        ]
    )
    each = (1 - IDLE) / (2 * len(EXCESSES))
    weights = np.log(np.concatenate([[IDLE], np.full(2 * len(EXCESSES), each)]))
    return payoff, weights


def label_log_wealth(
    counts: NDArray[np.int64], orders: Sequence[NDArray[np.intp]], epsilon: float
) -> Floats:
    """Return the log wealth of the mixture of trees along each order, against ε-DP.

    Parameters
    ----------
    counts : ndarray of int, shape (..., 2, m)
        Draws by label and cell.
    orders : sequence of ndarray of int, shape (m,)
        Orderings of the cells; neighbors in an order share bets.
    epsilon : float
        Claim (nats).

    Returns
    -------
    ndarray of float, shape (...)

    Notes
    -----
    Cells may be chosen from past labelled draws, or from the unlabelled outputs of these very
    draws: given all outputs, the labels are still independent with the allowed posteriors.
    """
    trees = np.stack([_tree(counts[..., order], epsilon) for order in orders], axis=-1)
    mixture: Floats = log_sum_exp(trees) - np.log(len(orders))
    return mixture


def label_hindsight(
    counts: NDArray[np.int64], orders: Sequence[NDArray[np.intp]], epsilon: float
) -> float:
    """Return the log wealth of the bet that did best: no evidence, but telling where to look."""
    payoff, _ = _payoffs(epsilon)
    return max(
        float((np.concatenate(_levels(counts[..., order]), axis=-2) @ payoff).max())
        for order in orders
    )


def _levels(counts: NDArray[np.int64]) -> list[Floats]:
    """Return the counts, shape (..., nodes, 2), of each level of the tree, leaves first."""
    cells = counts.shape[-1]
    leaves = np.zeros((*counts.shape[:-2], 1 << (cells - 1).bit_length(), 2))
    leaves[..., :cells, :] = np.moveaxis(counts, -2, -1)  # empty cells bet nothing
    levels = [leaves]
    while levels[-1].shape[-2] > 1:
        levels.append(levels[-1][..., 0::2, :] + levels[-1][..., 1::2, :])
    return levels


def _tree(counts: NDArray[np.int64], epsilon: float) -> Floats:
    payoff, weights = _payoffs(epsilon)
    levels = _levels(counts)
    # All nodes at once: on small arrays each call of NumPy costs more than what it computes.
    here = log_sum_exp(np.concatenate(levels, axis=-2) @ payoff + weights)
    end = levels[0].shape[-2]
    wealth: Floats = here[..., :end]
    for level in levels[1:]:
        start, end = end, end + level.shape[-2]
        split = wealth[..., 0::2] + wealth[..., 1::2]
        wealth = np.logaddexp(np.log(STOP) + here[..., start:end], np.log1p(-STOP) + split)
    return wealth[..., 0]
