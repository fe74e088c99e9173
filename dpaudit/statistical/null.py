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


class NullCheck:
    """Bets that what came before does not matter.

    Parameters
    ----------
    cells : int
        Cells of the partition, fixed before the draws.
    seed : int
        Of the coins that show an earlier or a later output.
    """

    def __init__(self, cells: int, seed: int) -> None:
        self._cells = cells
        self._coins = np.random.default_rng(seed)
        self._previous = np.zeros((2, 2 * cells), dtype=np.int64)
        self._drift = np.zeros((2, 2 * cells), dtype=np.int64)
        self._earlier: list[Cells | None] = [None, None]

    def observe(self, cells: Cells, labels: NDArray[np.uint8]) -> None:
        """Count outputs in the order of the calls that made them."""
        own = labels.astype(np.intp)
        place = own * self._cells + cells
        np.add.at(self._previous, (own[:-1], place[1:]), 1)
        for side in (0, 1):
            drawn = cells[own == side]
            half = len(drawn) // 2
            before, later = self._earlier[side], drawn[:half]
            if before is not None:
                count = min(len(before), len(later))
                coin = self._coins.integers(0, 2, count)
                shown = np.where(coin == 1, later[:count], before[:count])
                np.add.at(self._drift, (coin, side * self._cells + shown), 1)
            self._earlier[side] = drawn[half:]

    @property
    def log_wealth(self) -> float:
        """Evidence in nats that calls are not independent of what came before."""
        orders = [np.arange(2 * self._cells)]
        both = np.stack([self._previous, self._drift])
        first, second = label_log_wealth(both, orders, 0.0)
        return float(np.logaddexp(first, second) - np.log(2))
