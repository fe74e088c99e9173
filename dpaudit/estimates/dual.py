"""The greatest sum of terms over two boxes cut with the simplex, bounded by its Lagrangian dual."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TANGENTS = 200  # they meet at the minimum of some 30 cells after ten or twenty
NEAR = 1e-13  # of the bound


def dual_bound(terms: Floats, p: Floats, q: Floats) -> float:
    """Return the least λ + μ + Σ max (term − λp − μq), the maximum over the ends of each cell.

    Parameters
    ----------
    terms : ndarray, shape (k, 2, 2)
        Of each cell at both ends of its limits for P, by both for Q; finite.
    p, q : ndarray, shape (k, 2)
        The ends, the lower first.

    Returns
    -------
    float
        At least Σ term(p, q) for all distributions within the limits, if the terms are convex:
        any λ and μ bound it, so that the search below costs tightness only.

    Notes
    -----
    For one λ each cell changes its end for Q at one value of μ; the sorted values hold the exact
    minimum. What remains is convex and piecewise linear in λ: the tangents at both ends of a
    bracket meet below the minimum, and at it once its two pieces are found (Kelley 1960).
    """
    wide = p[:, 1] > p[:, 0]
    steps = np.abs(terms[wide, 1] - terms[wide, 0]).max(axis=1) / (p[wide, 1] - p[wide, 0])
    reach = 1.0 + float(steps.max(initial=0.0))  # beyond it every cell is at one end for P
    low, high = -reach, reach
    (at_low, rise_low), (at_high, rise_high) = (_inner(terms, p, q, x) for x in (low, high))
    best = min(at_low, at_high)
    for _ in range(TANGENTS):
        if not rise_low < 0 < rise_high:
            break
        middle = (at_high - at_low + rise_low * low - rise_high * high) / (rise_low - rise_high)
        if not low < middle < high:
            break
        at_middle, rise = _inner(terms, p, q, middle)
        best = min(best, at_middle)
        if at_middle - (at_low + rise_low * (middle - low)) <= NEAR * max(abs(best), 1.0):
            break
        if rise < 0:
            low, at_low, rise_low = middle, at_middle, rise
        else:
            high, at_high, rise_high = middle, at_middle, rise
    return best


def _inner(terms: Floats, p: Floats, q: Floats, multiplier: float) -> tuple[float, float]:
    """Return the least bound over μ at one λ, and how fast it rises with λ."""
    k = np.arange(len(p))
    net = terms - multiplier * p[:, :, None]
    end = net.argmax(axis=1)  # for P, at either end for Q
    value = net.max(axis=1)
    width = q[:, 1] - q[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        change = np.where(width > 0, (value[:, 1] - value[:, 0]) / width, np.inf)
    order = np.argsort(change)
    mass = 1.0 - q[:, 1].sum() + np.cumsum(width[order])  # left over once those before are low
    full = min(int(np.searchsorted(mass, 0.0)), len(p) - 1)
    at = change[order[full]]
    if not np.isfinite(at):  # a box of one point
        at = 0.0
    bound = multiplier + at + float((value - at * q).max(axis=1).sum())
    share = np.zeros(len(p))  # of the upper end for Q
    share[order[full + 1 :]] = 1.0
    last = order[full]
    share[last] = np.clip(mass[full] / width[last], 0.0, 1.0) if width[last] > 0 else 0.0
    ends = p[k[:, None], end]
    rise = 1.0 - float((ends[:, 0] + share * (ends[:, 1] - ends[:, 0])).sum())
    return float(bound), rise
