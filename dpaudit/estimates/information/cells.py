"""Counts of outputs in cells that were fixed before the counted draws were seen; many inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpaudit.estimates.checks import outcomes
from dpaudit.estimates.samples import read_sample
from dpaudit.estimates.split import CELLS, HALF, MOST_OUTCOMES, PILOT
from dpaudit.outputs import Columns
from dpaudit.statistical.features import frequent, plain_partitions, value_partition
from dpaudit.statistical.partition import Cells, OutcomePartition, Partition
from dpaudit.statistical.rows import row_hashes, scalar_path
from dpaudit.statistical.score import Score, learned_scores

Floats = NDArray[np.float64]
Kind = Literal["exact", "support", "outcomes", "partition"]

FEWEST = 2  # draws of an input: one chooses, one is counted


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Counts by input and cell.

    Attributes
    ----------
    counts : ndarray, shape (v, k)
    pilot : ndarray, shape (v, k), or None
        Those of the draws that chose the cells; None where the caller named all outcomes.
    other : int or None
        The cell of outcomes that were not foreseen.
    kind : {"support", "outcomes", "partition"}
    """

    counts: Floats
    pilot: Floats | None
    other: int | None
    kind: Kind


def count(samples: Sequence[Columns], support: Sequence[Any] | None, seed: int) -> Counts:
    """Return counts of all draws where `support` names the outcomes, else of those after a pilot.

    A fifth of the draws shows which outcomes there are; where they are many, half of the draws
    choose intervals of a number, or the input that learned scores point to.
    """
    if support is not None:
        return _named(samples, support)
    fewest = min(columns.size for columns in samples)
    if fewest < FEWEST:
        raise ValueError(
            f"each input must have {FEWEST} draws at least where `support` is not given, got "
            f"{fewest}; draw more"
        )
    rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(2)[1])
    mixed = [columns.take(rng.permutation(columns.size)) for columns in samples]
    pilots = _heads(mixed, PILOT)
    hashes = np.concatenate([row_hashes(columns) for columns in pilots])
    if len(np.unique(hashes)) <= min(MOST_OUTCOMES, max(2, len(hashes) // 2)):
        known = frequent(hashes, MOST_OUTCOMES)
        partition: Partition = OutcomePartition(known, np.arange(len(known) + 1))
        return _counted(partition, mixed, pilots, len(known), "outcomes")
    pilots = _heads(mixed, HALF)
    return _counted(_learned(pilots, seed), mixed, pilots, None, "partition")


def _heads(samples: Sequence[Columns], part: float) -> list[Columns]:
    return [columns.take(slice(max(1, int(part * columns.size)))) for columns in samples]


def _counted(
    partition: Partition,
    samples: Sequence[Columns],
    pilots: Sequence[Columns],
    other: int | None,
    kind: Kind,
) -> Counts:
    rest = [s.take(slice(pilot.size, None)) for s, pilot in zip(samples, pilots, strict=True)]
    return Counts(_count(partition, rest), _count(partition, pilots), other, kind)


def _count(partition: Partition, samples: Sequence[Columns]) -> Floats:
    return np.array(
        [
            np.bincount(partition.assign(columns), minlength=partition.cells).astype(float)
            for columns in samples
        ]
    )


def _named(samples: Sequence[Columns], support: Sequence[Any]) -> Counts:
    known = np.unique(row_hashes(read_sample("support", outcomes(support), n=None, seed=0)))
    counts = _count(OutcomePartition(known, np.arange(len(known) + 1)), samples)
    outside = int(counts[:, -1].sum())
    if outside:
        raise ValueError(
            f"`support` must name every outcome, but {outside} of {int(counts.sum())} draws are "
            "none of them; add them (of the same type), or leave `support` out"
        )
    return Counts(counts[:, :-1], None, None, "support")


def _learned(pilots: Sequence[Columns], seed: int) -> Partition:
    both = Columns.concat(list(pilots))
    path = scalar_path(both)
    if path is not None:
        return value_partition(both, path, CELLS)
    scores = []
    for i, pilot in enumerate(pilots if len(pilots) > 1 else ()):
        rest = Columns.concat([*pilots[:i], *pilots[i + 1 :]])
        found = learned_scores(rest, pilot, seed)
        if not found:
            return plain_partitions(both, CELLS)[0]
        scores.append(found[-1])
    if not scores:
        return plain_partitions(both, CELLS)[0]
    guesses = GuessPartition(tuple(scores), np.zeros(0))
    margins = guesses.margins(both)
    inner = np.quantile(margins, np.linspace(0, 1, max(1, CELLS // len(scores)) + 1)[1:-1])
    return replace(guesses, edges=np.unique(inner))


@dataclass(frozen=True, slots=True, eq=False)
class GuessPartition:
    """The input that learned scores point to, cut by how clearly they do.

    Attributes
    ----------
    scores : tuple of Score
        One an input, each larger where that input is likelier than the others.
    edges : ndarray
        Of the margin between the largest score and the next.
    """

    scores: tuple[Score, ...]
    edges: Floats

    @property
    def cells(self) -> int:
        """Number of cells."""
        return len(self.scores) * (len(self.edges) + 1)

    @property
    def orders(self) -> tuple[Cells, ...]:
        """Orderings of the cells."""
        return (np.arange(self.cells),)

    def _values(self, columns: Columns) -> Floats:
        return np.stack([score(columns) for score in self.scores])

    def margins(self, columns: Columns) -> Floats:
        """Return how far the largest score lies above the next."""
        ordered = np.sort(self._values(columns), axis=0)
        result: Floats = ordered[-1] - ordered[-2]
        return result

    def assign(self, columns: Columns) -> Cells:
        """Return the cell of each output."""
        guess = self._values(columns).argmax(axis=0)
        depth = np.searchsorted(self.edges, self.margins(columns))
        result: Cells = guess * (len(self.edges) + 1) + depth
        return result
