"""Extremes over distributions with limits for each probability, all certified.

Every function returns a bound that holds whatever its iterations reached: greatest values are
those of a linear program solved greedily, least values come from a tangent of a convex function.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dpaudit.estimates.region import Box

Floats = NDArray[np.float64]

OUTWARD = 1e-10
ROUNDS = 300
LOOK = 10  # rounds from one tangent to the next
NEAR = 1e-3  # relative
PLAYS = 60
HALVINGS = 45
FARTHEST = 1e12
SOME = 1e-6
SHARES = (0.0, 1e-9, 1e-6, 1e-4, 1e-2)  # of the middle, mixed in where a tangent is too steep


def greatest_convex(at_low: Floats, at_high: Floats, box: Box) -> float:
    """Return at least the greatest Σ φ_y(w_y) of convex φ_y, given at the limits; rounds up.

    Between its limits each φ lies below its chord, and of chords the greatest sum is found by
    filling the steepest first. One cell at most is then between its limits.
    """
    room = box.high - box.low
    slopes = np.where(room > 0, (at_high - at_low) / np.where(room > 0, room, 1.0), -np.inf)
    left, total = 1.0 - float(box.low.sum()), float(at_low.sum())
    for y in np.argsort(-slopes, kind="stable"):
        step = min(left, float(room[y]))
        if step <= 0:
            continue
        total += float(slopes[y]) * step
        left -= step
    return total + OUTWARD * (1 + abs(total))


def greatest_linear(slopes: Floats, box: Box) -> float:
    """Return the greatest Σ slope_y w_y, rounded up."""
    return greatest_convex(slopes * box.low, slopes * box.high, box)


def least_linear(slopes: Floats, box: Box) -> float:
    """Return the least Σ slope_y w_y, rounded down."""
    return -greatest_linear(-slopes, box)


def nearest(boxes: Sequence[Box], targets: Floats) -> Floats:
    """Return the distributions in boxes of least divergence from targets: clipped multiples.

    Parameters
    ----------
    boxes : sequence of Box
    targets : ndarray, shape (k,) or (v, k)
        Positive where the boxes allow more than nothing.
    """
    lows, highs = np.array([box.low for box in boxes]), np.array([box.high for box in boxes])
    below, above = np.zeros((len(lows), 1)), np.ones((len(lows), 1))

    def short(multiples: Floats) -> NDArray[np.bool_]:
        sums = np.clip(multiples * targets, lows, highs).sum(axis=1, keepdims=True)
        result: NDArray[np.bool_] = sums < 1
        return result

    while (lacking := short(above)).any() and above.max() < FARTHEST:
        above = np.where(lacking, 2 * above, above)
    for _ in range(HALVINGS):
        middle = (below + above) / 2
        lacking = short(middle)
        below, above = np.where(lacking, middle, below), np.where(lacking, above, middle)
    found: Floats = np.clip(above * targets, lows, highs)
    return found


def centers(boxes: Sequence[Box]) -> Floats:
    """Return a distribution in the middle of each box."""
    return nearest(boxes, np.array([(box.low + box.high) / 2 for box in boxes]))


def divergences(rows: Floats, target: Floats) -> Floats:
    """Return the Kullback–Leibler divergence of each row from a target."""
    from scipy.special import rel_entr

    result: Floats = rel_entr(rows, target).sum(axis=-1)
    return result


def information(prior: Floats, rows: Floats) -> float:
    """Return the mutual information of inputs and outputs, in nats."""
    used = prior > 0
    weights, some = prior[used], rows[used]
    return max(0.0, float(weights @ divergences(some, weights @ some)))


def least_information(prior: Floats, boxes: Sequence[Box]) -> float:
    """Return the least mutual information of channels whose rows lie in boxes, rounded down.

    Rows nearest to the mixture and the mixture of the rows alternate (Csiszár & Tusnády 1984); the
    tangent at the channel reached bounds all others, and ends the rounds once it is near.
    """
    prior, boxes = _likely(prior, boxes)
    if _share_a_row(boxes):
        return 0.0
    rows = middle = centers(boxes)
    best = 0.0
    for turn in range(ROUNDS):
        rows = nearest(boxes, prior @ rows)
        if turn % LOOK == LOOK - 1:
            best = max(best, _tangent_bound(prior, boxes, rows, middle))
            if information(prior, rows) - best <= NEAR * best:
                break
    return best


def tangent(prior: Floats, rows: Floats) -> Floats:
    """Return ln(w_xy / Σ π w): its mean is less for any other channel than that one's information.

    Information is convex in the channel and homogeneous: ``I(u) ≥ Σ π_x <u_x, tangent_x>`` for
    every u, with equality at `rows`.
    """
    result: Floats = np.log(rows / (prior @ rows))
    return result


def _tangent_bound(prior: Floats, boxes: Sequence[Box], rows: Floats, middle: Floats) -> float:
    best = 0.0
    for share in SHARES:
        at = (1 - share) * rows + share * middle
        if (at > 0).all():
            each = [least_linear(*pair) for pair in zip(tangent(prior, at), boxes, strict=True)]
            best = max(best, float(prior @ np.array(each)))
    return best


def _share_a_row(boxes: Sequence[Box]) -> bool:
    """Whether one distribution lies in all boxes."""
    low = np.max([box.low for box in boxes], axis=0)
    high = np.min([box.high for box in boxes], axis=0)
    return bool((low <= high).all() and low.sum() <= 1 <= high.sum())


def greatest_divergences(boxes: Sequence[Box], target: Floats) -> Floats:
    """Return the greatest divergence of each row from a target, rounded up."""
    from scipy.special import rel_entr

    return np.array(
        [
            greatest_convex(rel_entr(box.low, target), rel_entr(box.high, target), box)
            for box in boxes
        ]
    )


def greatest_information(prior: Floats, boxes: Sequence[Box]) -> float:
    """Return at least the greatest mutual information of channels whose rows lie in boxes.

    Information is the mean divergence of the rows from their mixture, and no more than that from
    any other distribution; some are tried. Rounds up.
    """
    prior, boxes = _likely(prior, boxes)
    best, target = np.inf, prior @ centers(boxes)
    for play in range(PLAYS):
        each = greatest_divergences(boxes, target)
        best = min(best, float(prior @ each))
        corners = prior @ np.array([_farthest(box, target) for box in boxes])
        target = target + (corners - target) / (play + 2)
    return best


def greatest_capacity(prior: Floats, boxes: Sequence[Box]) -> float:
    """Return at least the greatest capacity, the largest divergence from one distribution.

    Parameters
    ----------
    prior : ndarray, shape (v,)
        Its mixture of middle rows is that distribution; one that attains the capacity of the
        middle rows is nearly the best.
    boxes : sequence of Box
    """
    some = (1 - SOME) * prior + SOME / len(prior)  # no output is left out
    target = some @ centers(boxes)
    return float(greatest_divergences(boxes, target).max())


def _likely(prior: Floats, boxes: Sequence[Box]) -> tuple[Floats, Sequence[Box]]:
    """Leave out inputs of no probability, which carry no information."""
    used = prior > 0
    return prior[used], [box for box, some in zip(boxes, used, strict=True) if some]


def _farthest(box: Box, target: Floats) -> Floats:
    """Return a corner of the box that is far from a target."""
    from scipy.special import rel_entr

    room = box.high - box.low
    gained = rel_entr(box.high, target) - rel_entr(box.low, target)
    slopes = np.where(room > 0, gained / np.where(room > 0, room, 1.0), -np.inf)
    order = np.argsort(-slopes, kind="stable")
    taken = np.cumsum(room[order])
    step = np.clip(1 - box.low.sum() - (taken - room[order]), 0.0, room[order])
    found = box.low.copy()
    found[order] += step
    return found


def least_entropy(box: Box) -> float:
    """Return the least Shannon entropy in a box, or a little less; rounds down."""
    from scipy.special import entr

    return max(0.0, -greatest_convex(-entr(box.low), -entr(box.high), box))


def greatest_entropy(box: Box) -> float:
    """Return the greatest Shannon entropy in a box: that of clipped equal parts; rounds up."""
    flattest = nearest([box], np.ones(len(box.low)))[0]
    used = flattest > 0
    slopes = np.where(used, -np.log(np.where(used, flattest, 1.0)), 0.0)  # the tangent there
    return greatest_linear(slopes, box)
