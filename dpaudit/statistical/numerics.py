"""Numerics that more than one bet needs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def log_sum_exp(values: Floats, *, spoil: bool = False) -> Floats:
    """Return log Σ exp over the last axis; faster than SciPy's, and without importing it.

    With `spoil`, the array is written over, which spares another of its size. Of nothing but -inf
    it is -inf.
    """
    top = np.maximum.reduce(values, axis=-1)
    finite = np.isfinite(top).all()
    if not finite:
        top = np.where(np.isneginf(top), 0.0, top)
    shifted = np.subtract(values, top[..., None], out=values if spoil else None)
    sums = np.add.reduce(np.exp(shifted, out=shifted), axis=-1)
    if finite:  # no sum is 0; to set what errors do takes longer than a small array
        logs = np.log(sums)
    else:
        with np.errstate(divide="ignore"):
            logs = np.log(sums)
    result: Floats = top + logs
    return result


def quantile_edges(values: Floats, cells: int) -> Floats:
    """Return distinct inner edges of cells of equal mass, the outer cells cut finer and finer."""
    levels = np.arange(1, cells) / cells
    tail = 0.5 / cells
    while tail * len(values) >= 24:
        levels = np.concatenate([[tail], levels, [1 - tail]])
        tail /= 4
    levels = levels[(levels * len(values) >= 1) & ((1 - levels) * len(values) >= 1)]
    if not len(levels):
        return np.zeros(0)
    # Midpoints between order statistics: no draw lies on an edge.
    below = np.quantile(values, levels, method="lower")
    above = np.quantile(values, levels, method="higher")
    return np.unique(below + (above - below) / 2)
