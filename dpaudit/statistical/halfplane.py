"""Bets on half-planes: an event E, one draw x from M(D) and one y from M(D').

A claim with privacy profile δ says p − e^s q ≤ δ(s) for every event, p and q being its
probabilities under the two datasets. So, for stakes small enough that no factor is negative,

    1 + λ₁(1[x ∈ E₁] − e^s 1[y ∈ E₁] − δ(s)) + λ₂(1[y ∈ E₂] − e^s 1[x ∈ E₂] − δ(s))

has mean at most one: the first bet says that E₁ is too likely under D, the second that E₂ is too
likely under D'. Only the two marginals enter, so x and y may share their seed. The mixture runs
over nested events of an ordering of cells (E₁ its upper end, E₂ its lower end), over slopes s
and over stakes.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpaudit.statistical.numerics import Floats, log_sum_exp

STAKES = (0.01, 0.03, 0.08, 0.16, 0.32, 0.6, 0.97)  # of the largest that keeps factors above 0
# Multiplications of a product of matrices: of more, BLAS starts threads that wait for each other.
_OF_ONE_THREAD = 200_000
SHARES = ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5))  # of a stake on E₁ and on E₂


@lru_cache(maxsize=64)
def _corners(cells: int) -> NDArray[np.intp]:
    """Return where the cumulative counts are read, shape (ends, 9), for every choice of ends.

    E₂ is the cells below `lower`, E₁ those from `upper` on; nine blocks have nine inner corners.
    """
    lower, upper = np.triu_indices(cells - 1)
    cuts = np.stack([lower, upper, np.full_like(upper, cells - 1)], axis=-1)
    return (cuts[:, :, None] * cells + cuts[:, None, :]).reshape(-1, 9)


def brackets(own: Floats, other: Floats, slope: float, delta: float) -> Floats:
    """Return 1[own] − e^slope 1[other] − delta, divided by e^slope + delta: never below −1."""
    shrink = np.exp(-slope)  # divided by e^s nothing overflows, however large s is
    return np.asarray((shrink * (own - delta) - other) / (1.0 + shrink * delta))


# A block is the difference of its corners: what a factor says of blocks, said of corners.
_DIFFERENCE = np.eye(3) - np.eye(3, k=-1)
_BLOCKS_OF_CORNERS = np.kron(_DIFFERENCE, _DIFFERENCE)


@lru_cache(maxsize=4096)
def _log_factors(slope: float, delta: float, stakes: tuple[float, ...]) -> Floats:
    """Return log factors, shape (9, bets), to be multiplied by the counts at the nine corners.

    They are computed by the regions (x, y) ∈ {E₂, middle, E₁}². Both directions of the order
    are bet on.
    """
    x_in = np.repeat(np.eye(3), 3, axis=0)
    y_in = np.tile(np.eye(3), (3, 1))
    first = brackets(x_in[:, 2], y_in[:, 2], slope, delta)
    second = brackets(y_in[:, 0], x_in[:, 0], slope, delta)
    columns = [np.log1p(stake * (a * first + b * second)) for stake in stakes for a, b in SHARES]
    one_way = np.stack(columns, axis=1)
    # Ends of the reversed order are the same events with E₁ and E₂ exchanged.
    factors: Floats = _BLOCKS_OF_CORNERS.T @ np.concatenate([one_way, one_way[::-1]], axis=1)
    return factors


def half_plane_log_wealth(
    joint: NDArray[np.int64],
    orders: Sequence[NDArray[np.intp]],
    slopes: Floats,
    deltas: Floats,
) -> Floats:
    """Return the log wealth of the mixture of half-plane bets.

    Parameters
    ----------
    joint : ndarray of int, shape (..., m, m)
        Pairs of draws by the cell of x and the cell of y.
    orders : sequence of ndarray of int, shape (m,)
        Orderings of the cells whose ends are the events that are bet on; each is used in both
        directions.
    slopes, deltas : ndarray of float, shape (s,)
        The claim's half-planes p − e^slope q ≤ delta, and their mirror images.

    Returns
    -------
    ndarray of float, shape (...)
    """
    if joint.shape[-1] < 2:
        return np.zeros(joint.shape[:-2])
    bets = _bets(joint, orders, slopes, deltas)
    mixture: Floats = log_sum_exp(bets, spoil=True) - np.log(bets.shape[-1])
    return mixture


def half_plane_hindsight(
    joint: NDArray[np.int64],
    orders: Sequence[NDArray[np.intp]],
    slopes: Floats,
    deltas: Floats,
) -> float:
    """Return the log wealth of the bet that did best: no evidence, but telling where to look."""
    return float(_bets(joint, orders, slopes, deltas).max()) if joint.shape[-1] > 1 else 0.0


def _bets(
    joint: NDArray[np.int64],
    orders: Sequence[NDArray[np.intp]],
    slopes: Floats,
    deltas: Floats,
) -> Floats:
    """Return the log wealth of each bet, shape (..., bets), until the next call."""
    stakes = STAKES if len(slopes) == 1 else STAKES[::2]  # slopes are a second scale of bets
    factors = np.concatenate(
        [_log_factors(float(s), float(d), stakes) for s, d in zip(slopes, deltas, strict=True)],
        axis=1,
    )
    lead, corners = joint.shape[:-2], _corners(joint.shape[-1])
    step = max(1, _OF_ONE_THREAD // factors.size)
    every = _room((*lead, len(orders), len(corners), factors.shape[1]))
    for k, order in enumerate(orders):
        ordered = joint[..., order[:, None], order[None, :]].astype(float)
        below = ordered.cumsum(axis=-2).cumsum(axis=-1).reshape(*lead, -1)
        counts = np.take(below, corners, axis=-1)
        for start in range(0, len(corners), step):
            some = np.s_[..., start : start + step, :]
            np.matmul(counts[some], factors, out=every[..., k, :, :][some])
    return every.reshape(*lead, -1)


_kept = threading.local()


def _room(shape: tuple[int, ...]) -> Floats:
    """Return an array that the next call in this thread writes over: new ones take long to get."""
    size = math.prod(shape)
    if getattr(_kept, "room", np.empty(0)).size < size:
        _kept.room = np.empty(size)
    room: Floats = _kept.room[:size].reshape(shape)
    return room
