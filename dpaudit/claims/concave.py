"""Safe maxima of concave functions that can only be evaluated.

On each segment of a grid a concave function lies below the chords of both neighboring segments,
extended. Zooming in on the best grid point closes the gap quadratically.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dpaudit.claims.rounding import ULP, Array

_UNIT = np.linspace(0.0, 1.0, 33)


def concave_supremum(values_at: Callable[[Array], Array], grid: Array, zooms: int = 7) -> Array:
    """Return an upper bound on the maximum of one concave function a row, tight to a few ulp.

    Parameters
    ----------
    values_at : callable
        Maps points of shape (rows, k) to values of the same shape.
    grid : ndarray of float, shape (m,)
        Ascending points, ends included.
    zooms : int
        At most so many refinements.

    Returns
    -------
    ndarray of float, shape (rows,)
    """
    points = grid[None, :]
    values = values_at(points)
    points = np.broadcast_to(points, values.shape)
    bound = _chord_bound(points, values)
    for _ in range(zooms):
        best = values.max(axis=1)
        if (bound - best <= 4 * ULP * (1.0 + np.abs(best))).all():
            break
        low, high = neighbors(points, values.argmax(axis=1))
        points = low[:, None] + (high - low)[:, None] * _UNIT
        values = values_at(points)
        bound = np.minimum(bound, _chord_bound(points, values))
    return np.asarray(bound)


def largest_seen(values_at: Callable[[Array], Array], grid: Array, zooms: int = 7) -> Array:
    """Return a lower bound on the maximum of one concave function a row: the best value seen."""
    points = grid[None, :]
    values = values_at(points)
    points = np.broadcast_to(points, values.shape)
    best = values.max(axis=1)
    for _ in range(zooms):
        low, high = neighbors(points, values.argmax(axis=1))
        points = low[:, None] + (high - low)[:, None] * _UNIT
        values = values_at(points)
        best = np.maximum(best, values.max(axis=1))
    return np.asarray(best)


def neighbors(points: Array, index: NDArray[np.intp]) -> tuple[Array, Array]:
    """Return the points on both sides of `index` in every row."""
    rows, last = np.arange(len(points)), points.shape[1] - 1
    return points[rows, np.maximum(index - 1, 0)], points[rows, np.minimum(index + 1, last)]


def _chord_bound(points: Array, values: Array) -> Array:
    """Return the greatest value that the extended chords allow in each row."""
    width = np.diff(points, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        chord = np.where(width > 0, np.diff(values, axis=1) / width, 0.0)
        left = np.pad(chord[:, :-1], ((0, 0), (1, 0)), constant_values=np.inf)
        right = np.pad(chord[:, 1:], ((0, 0), (0, 1)), constant_values=-np.inf)
        start, end = values[:, :-1], values[:, 1:]
        # where the line from the left, start + left t, meets end - right (width - t)
        meet = (end - start - right * width) / (left - right)
        peak = np.where(
            np.isinf(left),
            end - right * width,
            np.where(np.isinf(right), start + left * width, start + left * meet),
        )
        inside = np.isinf(left) | np.isinf(right) | ((meet >= 0) & (meet <= width))
    peak = np.where(inside & (width > 0), peak, np.maximum(start, end))
    return np.asarray(np.maximum(peak, np.maximum(start, end)).max(axis=1))
