"""Ends of the outputs: numbers beyond all that the other dataset gave.

Noise of bounded support gives one dataset outputs that its neighbor cannot produce, at either end
of the numbers. They have no value that recurs, and a cell made from quantiles mixes them with
outputs of both. So the range of past outputs of each dataset is kept, and a number beyond the range
of the other dataset is one-sided, once enough past numbers of its own dataset lie there. As with
tokens, what this means changes with the past, always before the draws that are bet on.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dpaudit.outputs import Columns
from dpaudit.statistical.numerics import Floats

DEPTH = 8  # of the outermost numbers of each dataset, which say how dense they are
MARGINS = (1.5, 4.0)  # typical distances of these by which a range may yet grow: near, and far
OWN = 2  # numbers beyond that, before it is bet on; more where there are several columns
_GROWN = np.array(MARGINS)[:, None, None]


class Ends:
    """The outermost numbers of each dataset, column by column."""

    def __init__(self) -> None:
        # By column: the smallest of x and of −x on each side, rising; shape (2, 2, depth).
        self._held: dict[str, Floats] = {}
        self._reach: dict[str, Floats] = {}  # where these end, by column: shape (margins, 2, 2)

    @property
    def found(self) -> bool:
        """Whether one dataset reaches beyond the other; else there is nothing to bet on."""
        return bool(self._reach)

    def shown(self, columns: Columns) -> NDArray[np.bool_]:
        """Return which outputs lie beyond the right range, and which beyond the left one.

        Returns
        -------
        ndarray of bool, shape (margins, 2, size)
        """
        shown = np.zeros((len(MARGINS), 2, columns.size), dtype=bool)
        for path, reach in self._reach.items():
            if path in columns.numbers:
                values = _both_ways(columns.numbers[path])
                shown |= (values[:, None, :] < reach[..., None]).any(axis=1)
        return shown

    def observe(self, side: int, columns: Columns, paths: Sequence[str]) -> None:
        """Look at what one side gave in some columns, for the batches to come."""
        own = OWN + int(np.ceil(np.log2(max(len(paths), 1))))
        for path in paths:
            if path not in columns.numbers:
                continue
            held = self._held.setdefault(path, np.full((2, 2, DEPTH), np.inf))
            values = np.concatenate([held[:, side], _both_ways(columns.numbers[path])], axis=-1)
            held[:, side] = np.sort(np.partition(values, DEPTH - 1)[:, :DEPTH])
            first, last = held[:, :, 0], held[:, :, -1]
            known = np.isfinite(last)
            start, stop = np.where(known, first, 0.0), np.where(known, last, 0.0)
            with np.errstate(over="ignore"):  # no number lies beyond the widest range of doubles
                begins = start - _GROWN * (stop / (DEPTH - 1) - start / (DEPTH - 1))
            other = np.where(known, begins, -np.inf)[..., ::-1]
            reach = np.where(held[:, :, own - 1] < other, other, -np.inf)
            self._reach.pop(path, None)
            if (reach > -np.inf).any():
                self._reach[path] = reach


def _both_ways(values: Floats) -> Floats:
    """Return numbers and their negatives, shape (2, size); infinity for what is not finite."""
    finite = np.isfinite(values)
    return np.stack([np.where(finite, values, np.inf), np.where(finite, -values, np.inf)])
