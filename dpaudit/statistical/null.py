"""The null check: a mechanism without memory looks the same whenever it is called.

On one dataset, (1) the dataset of the call before, a fair coin, says nothing about the output;
(2) of an earlier and a later output, a fair coin shows one: which it was cannot be told. Both
are label bets at ε = 0; wealth here means drift, or state between calls.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpaudit.statistical.label import label_log_wealth
from dpaudit.statistical.partition import Cells

SPANS = 32  # batches whose drift is looked at apart; later ones share


class NullCheck:
    """Bets that what came before does not matter.

    Parameters
    ----------
    cells : int
        Cells of the partition, fixed before the draws.
    seed : int or tuple of int
        Of the coins that show an earlier or a later output.
    """

    def __init__(self, cells: int, seed: int | tuple[int, ...]) -> None:
        self._cells = cells
        self._coins = np.random.default_rng(seed)
        self._previous = np.zeros((2, 2 * cells), dtype=np.int64)
        self._drift = np.zeros((2, SPANS * 2 * cells), dtype=np.int64)
        self._batches = 0
        self._earlier: list[Cells | None] = [None, None]
        self.log_wealth = 0.0  # evidence in nats that calls depend on what came before

    def observe(self, cells: Cells, labels: NDArray[np.uint8]) -> None:
        """Count outputs in the order of the calls that made them."""
        own = labels.astype(np.intp)
        place = own * self._cells + cells
        np.add.at(self._previous, (own[:-1], place[1:]), 1)
        for side in (0, 1):
            first, second, third, last = np.array_split(cells[own == side], 4)
            before = self._earlier[side]
            if before is not None:
                self._compare(side, before, first)
            self._compare(side, second, third)
            self._earlier[side] = last
        self._batches += 1
        self.log_wealth = self._log_wealth()

    def _compare(self, side: int, earlier: Cells, later: Cells) -> None:
        """Let a coin show one of an earlier and a later output; no output is shown twice."""
        count = min(len(earlier), len(later))
        coin = self._coins.integers(0, 2, count)
        shown = np.where(coin == 1, later[:count], earlier[:count])
        span = min(self._batches, SPANS - 1)
        np.add.at(self._drift, (coin, (span * 2 + side) * self._cells + shown), 1)

    def _log_wealth(self) -> float:
        logs = [
            label_log_wealth(counts, [np.arange(counts.shape[1])], 0.0)
            for counts in (self._previous, self._drift)
        ]
        return float(np.logaddexp(*logs) - np.log(2))
