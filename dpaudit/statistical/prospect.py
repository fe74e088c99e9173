"""What pairs of draws say of how soon a stream may refute, before it has shown anything.

Nothing here is evidence: it decides where to draw next. Two things show early. How much a bet on
an event varies, from one pair of draws to the next, needs no violation to be seen: where coupled
draws vary little, labels take many times their calls for the same violation. And an event that is
far inside the claim, many standard errors below the largest mean that it allows, will hardly turn
out to be outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEAST = 100  # pairs of draws; fewer say nothing
CLEAR = 2.0  # times less must coupled draws vary before others are thought to need more calls


@dataclass(frozen=True, slots=True)
class Prospect:
    """What pairs of draws suggest.

    Attributes
    ----------
    deviation : float
        Largest mean gain of an event, in standard errors; 0 where it is above 0.
    uncoupled : float
        Calls that coupled draws need, over those that other draws do; 1 where they need no fewer.
    """

    deviation: float = 0.0
    uncoupled: float = 1.0


def prospect(
    joint: NDArray[np.int64], orders: Sequence[NDArray[np.intp]], slope: float, delta: float
) -> Prospect:
    """Return what pairs of draws in cells say about bets on the ends of orders.

    Parameters
    ----------
    joint : ndarray of int, shape (m, m)
        Pairs of draws by the cell of x and the cell of y.
    orders : sequence of ndarray of int, shape (m,)
    slope, delta : float
        The claim's half-plane.

    Notes
    -----
    A gain e^(−s) 1[x∈E] − 1[y∈E] has second moment V, and e^(−2s) p + q if x and y never fall into
    E together, as with labels. For a mean g much smaller than that, the best stake earns g²/2V.
    """
    draws = int(joint.sum())
    if draws < LEAST or len(joint) < 2:
        return Prospect()
    shrink = np.exp(-slope)
    deviation, ratios = -np.inf, []
    ratio = np.log((joint.sum(axis=0) + 2.0) / (joint.sum(axis=1) + 2.0))
    for order in (*orders, np.argsort(ratio, kind="stable")):
        below = joint[np.ix_(order, order)].cumsum(axis=0).cumsum(axis=1)
        p, q = below[:-1, -1] / draws, below[-1, :-1] / draws
        both = np.diagonal(below)[:-1] / draws
        for one, two, common in ((p, q, both), (1 - p, 1 - q, 1 - p - q + both)):
            for mine, other in ((one, two), (two, one)):
                mean = shrink * (mine - delta) - other
                apart = shrink**2 * mine + other
                square = apart - 2 * shrink * common
                seen = ((mine + other) * draws >= 2) & (apart > 0)  # e^(−2s) may be 0
                if seen.any():
                    error = np.sqrt(square[seen] / draws + 1 / draws**2)
                    deviation = max(deviation, float((mean[seen] / error).max()))
                    ratios.append((square[seen] / apart[seen]).mean())
    if not ratios:
        return Prospect()
    return Prospect(min(0.0, deviation), min(1.0, CLEAR * float(np.mean(ratios))))
