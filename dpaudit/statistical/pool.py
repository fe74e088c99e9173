"""Kept outputs of both datasets, for learning and for the event shown; bounded in memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpaudit.outputs import Columns

KEEP = 32_768  # rows a side, of few columns
KEEP_CELLS = 2**22  # values a side


class Pool:
    """A sample of past outputs, one reservoir a side.

    Parameters
    ----------
    seed : int
        Decides which rows are dropped when the pool is full.
    """

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._parts: tuple[list[Columns], list[Columns]] = ([], [])
        self._widest = 0  # columns of an output, the most so far
        self.seen = [0, 0]

    def add(self, side: int, outputs: Columns) -> None:
        """Add outputs of one side; each row ever added is kept with the same probability."""
        parts = self._parts[side]
        kept, arriving = sum(part.size for part in parts), outputs.size
        self._widest = max(self._widest, len(outputs.numbers) + len(outputs.labels))
        most = min(KEEP, KEEP_CELLS // max(self._widest, 1))
        if kept + arriving > most:
            # How many of the newcomers a uniform sample of all rows so far would hold.
            newcomers = int(self._rng.hypergeometric(arriving, self.seen[side], most))
            if kept > most - newcomers:
                merged = Columns.concat(parts)
                parts[:] = [merged.take(self._some(kept, most - newcomers))]
            outputs = outputs.take(self._some(arriving, newcomers))
        if outputs.size:
            parts.append(outputs)
        self.seen[side] += arriving

    def _some(self, size: int, chosen: int) -> NDArray[np.intp]:
        return np.sort(self._rng.permutation(size)[:chosen]).astype(np.intp)

    def side(self, side: int) -> Columns:
        """Return the kept outputs of one side."""
        parts = self._parts[side]
        if len(parts) > 1:
            parts[:] = [Columns.concat(parts)]
        return parts[0] if parts else Columns(0)

    @property
    def draws(self) -> int:
        """Rows ever added, both sides."""
        return sum(self.seen)
