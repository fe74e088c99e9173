"""Partitions of the outputs into cells, on which every bet is placed.

A partition is fixed before the draws that are bet on, or (for bets on labels alone) from their
unlabelled outputs. Its `orders` say which cells lie side by side: events are ends of an order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dpaudit.outputs import Columns
from dpaudit.statistical.numerics import Floats
from dpaudit.statistical.rows import Hashes, numbers, row_hashes

Cells = NDArray[np.intp]


class Partition(Protocol):
    """Assigns a cell to each output."""

    @property
    def cells(self) -> int:
        """Number of cells."""

    @property
    def orders(self) -> tuple[Cells, ...]:
        """Orderings of the cells."""

    def assign(self, columns: Columns) -> Cells:
        """Return the cell of each output."""


def folded(cells: int) -> Cells:
    """Return the order from the middle outwards: its upper end is both tails."""
    return np.argsort(np.abs(np.arange(cells) - (cells - 1) / 2), kind="stable")


@dataclass(frozen=True, slots=True, eq=False)
class ValuePartition:
    """Intervals of one number, single cells for its atoms, one for each kind of non-number.

    Attributes
    ----------
    path : str
        The number column.
    edges : ndarray of float
        Inner edges of the intervals, which are open below and closed above.
    atoms : ndarray of float
        Values with a cell of their own, sorted.
    others : ndarray of uint64
        Hashes of outputs without a finite number; unseen ones share the last cell.
    """

    path: str
    edges: Floats
    atoms: Floats
    others: Hashes
    learned: tuple[Cells, ...] = ()

    @property
    def cells(self) -> int:
        """Number of cells."""
        return len(self.edges) + 1 + len(self.atoms) + len(self.others) + 1

    @property
    def orders(self) -> tuple[Cells, ...]:
        """Orderings of the cells."""
        # Cells for atoms and non-numbers come last; in the first order each atom stands beside
        # the interval that holds it.
        intervals = len(self.edges) + 1
        place = np.concatenate(
            [
                np.arange(intervals),
                np.searchsorted(self.edges, self.atoms) + 0.5,
                intervals + np.arange(len(self.others) + 1),
            ]
        )
        natural = np.argsort(place, kind="stable")
        if self.cells <= 3:
            return (natural, *self.learned)
        return (natural, natural[folded(self.cells)], *self.learned)

    def assign(self, columns: Columns) -> Cells:
        """Return the cell of each output."""
        values = numbers(columns, self.path)
        result = np.searchsorted(self.edges, values)
        base = len(self.edges) + 1
        if len(self.atoms):
            at = np.minimum(np.searchsorted(self.atoms, values), len(self.atoms) - 1)
            hit = self.atoms[at] == values
            result[hit] = base + at[hit]
        missing = np.isnan(values)
        if missing.any():
            base += len(self.atoms)
            result[missing] = base + known_index(
                self.others, row_hashes(columns.take(np.flatnonzero(missing)))
            )
        return result


@dataclass(frozen=True, slots=True, eq=False)
class DistancePartition:
    """Intervals of the distance of one number from a center, and a cell for what is no number.

    Both tails lie in the same cells: noise of two scales is told apart by half as many.

    Attributes
    ----------
    path : str
        The number column.
    center : float
    edges : ndarray of float
        Inner edges of the distances.
    """

    path: str
    center: float
    edges: Floats

    @property
    def cells(self) -> int:
        """Number of cells."""
        return len(self.edges) + 2

    @property
    def orders(self) -> tuple[Cells, ...]:
        """Orderings of the cells."""
        return (np.arange(self.cells),)

    def assign(self, columns: Columns) -> Cells:
        """Return the cell of each output."""
        distances = np.abs(numbers(columns, self.path) / 2 - self.center / 2)  # never overflows
        result = np.searchsorted(self.edges, distances)
        result[np.isnan(distances)] = self.cells - 1
        return result


def known_index(known: Hashes, hashes: Hashes) -> Cells:
    """Return the position in the sorted `known`, or its length where a hash is unknown."""
    if not len(known):
        return np.zeros(len(hashes), dtype=np.intp)
    at = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
    return np.where(known[at] == hashes, at, len(known))


@dataclass(frozen=True, slots=True, eq=False)
class OutcomePartition:
    """One cell an outcome, the last for outcomes never seen before."""

    known: Hashes
    natural: Cells
    learned: tuple[Cells, ...] = ()

    @property
    def cells(self) -> int:
        """Number of cells."""
        return len(self.known) + 1

    @property
    def orders(self) -> tuple[Cells, ...]:
        """Orderings of the cells."""
        return (self.natural, *self.learned)

    def assign(self, columns: Columns) -> Cells:
        """Return the cell of each output."""
        return known_index(self.known, row_hashes(columns))


@dataclass(frozen=True, slots=True, eq=False)
class ScorePartition:
    """Intervals of a learned score."""

    score: Callable[[Columns], Floats]
    edges: Floats

    @property
    def cells(self) -> int:
        """Number of cells."""
        return len(self.edges) + 1

    @property
    def orders(self) -> tuple[Cells, ...]:
        """Orderings of the cells."""
        return (np.arange(self.cells),)

    def assign(self, columns: Columns) -> Cells:
        """Return the cell of each output."""
        return np.searchsorted(self.edges, self.score(columns))
