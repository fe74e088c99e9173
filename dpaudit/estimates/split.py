"""Cells of the outputs that are fixed before the draws that are counted in them are seen.

A seeded part of the draws, the pilot, chooses: a cell for each outcome it shows where these are
few, else intervals of the number, or of a learned score that tells the samples apart. It also puts
the cells in order of their likelihood ratio, for events. Where the caller names all outcomes, they
are the cells. Nothing that is counted has been looked at before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpaudit.estimates.checks import check_confidence, outcomes
from dpaudit.estimates.proportions import Method, check_method
from dpaudit.estimates.samples import Sample, read_sample, read_samples
from dpaudit.outputs import Columns
from dpaudit.statistical.features import frequent, learned_order, plain_partitions, value_partition
from dpaudit.statistical.partition import Cells, OutcomePartition, Partition
from dpaudit.statistical.rows import row_hashes, scalar_path
from dpaudit.statistical.score import learned_scores, score_partition

Floats = NDArray[np.float64]
Kind = Literal["support", "outcomes", "partition"]

PILOT = 0.2  # of the draws, to see which outcomes there are
HALF = 0.5  # of the draws, to learn what tells the samples apart where there are many
TRAINED = 0.6  # of the half: fits the score; the rest orders its cells
MOST_OUTCOMES = 24
CELLS = 32
LEAST_PILOT = 60  # draws of both samples in a cell; fewer, and it joins its neighbor


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Counts of two samples over cells that were fixed before.

    Attributes
    ----------
    p, q : ndarray, shape (k,)
        Counts without the pilot's, in its order: cells that speak for P first.
    pilot_p, pilot_q : ndarray, shape (k,)
        The pilot's counts, all 0 without one.
    other : int or None
        The cell of all outcomes that were not foreseen.
    kind : {"support", "outcomes", "partition"}
        Whether the caller named the outcomes, or a pilot showed few, or many.
    draws : int
        Of both samples, the pilot's included.
    share : float
        What remains of the error probability for this pilot.
    method : {"fixed", "anytime"}
    """

    p: Floats
    q: Floats
    pilot_p: Floats
    pilot_q: Floats
    other: int | None
    kind: Kind
    draws: int
    share: float
    method: Method

    @property
    def has_pilot(self) -> bool:
        """Whether there are pilot draws of both samples."""
        return bool(self.pilot_p.sum() and self.pilot_q.sum())

    @property
    def all_p(self) -> Floats:
        """Counts of P that say something of the cells; the pilot's too where it chose none."""
        return self.p + self.pilot_p if self.kind == "support" else self.p

    @property
    def all_q(self) -> Floats:
        """Counts of Q that say something of the cells."""
        return self.q + self.pilot_q if self.kind == "support" else self.q

    def swapped(self) -> Tally:
        """Return the counts with the roles of P and Q exchanged."""
        last = len(self.p) - 1
        return Tally(
            self.q[::-1],
            self.p[::-1],
            self.pilot_q[::-1],
            self.pilot_p[::-1],
            None if self.other is None else last - self.other,
            self.kind,
            self.draws,
            self.share,
            self.method,
        )


def tally(
    p: Sample,
    q: Sample,
    *,
    confidence: float,
    n: int | None,
    seed: int,
    support: Sequence[Any] | None,
    method: Method,
) -> Tally:
    """Read two samples, fix cells, and count; see the public functions for the parameters."""
    check_confidence(confidence)
    check_method(method)
    left, right = read_samples(p, q, n=n, seed=seed)
    named = None if support is None else _named(left, right, support)
    if method == "anytime":
        return _anytime(left, right, named, seed)
    order = np.random.default_rng(np.random.SeedSequence(seed).spawn(3)[2])
    left, right = (side.take(order.permutation(side.size)) for side in (left, right))
    if named is not None:
        # Of two outcomes there is one event, which needs no choosing.
        pilots = _heads(left, right, PILOT if named.cells > 3 else 0.0)
        return _counted(named, pilots, pilots, (left, right), "support", 1.0, method)
    pilots = _heads(left, right, PILOT)
    outcomes = _few_outcomes(*pilots)
    if outcomes is not None:
        return _counted(outcomes, pilots, pilots, (left, right), "outcomes", 1.0, method)
    pilots = _heads(left, right, HALF)
    partition, judges = _learned(*pilots, seed)
    return _counted(partition, pilots, judges, (left, right), "partition", 1.0, method)


Sides = tuple[Columns, Columns]


def _named(left: Columns, right: Columns, support: Sequence[Any]) -> OutcomePartition:
    """Return a cell for each outcome that the caller names; the last one stays empty."""
    known = np.unique(row_hashes(read_sample("support", outcomes(support), n=None, seed=0)))
    cells = OutcomePartition(known, np.arange(len(known) + 1))
    outside = sum(int((cells.assign(side) == len(known)).sum()) for side in (left, right))
    if outside:
        raise ValueError(
            f"`support` must name every outcome, but {outside} of {left.size + right.size} draws "
            "are none of them; add them (of the same type), or leave `support` out"
        )
    return cells


def _anytime(left: Columns, right: Columns, named: OutcomePartition | None, seed: int) -> Tally:
    """Choose on the first 4^j draws, j the greatest that leaves half of the draws to be counted.

    Draws are taken in the order in which they were made. The cells change with j alone, and part
    1 / ((j + 1)(j + 2)) of the error is kept for each; the sum over all j is one.
    """
    if named is not None:
        none = _heads(left, right, 0.0)
        return _counted(named, none, none, (left, right), "support", 1.0, "anytime")
    share, firsts = 1.0, []
    for side in (left, right):
        epoch = max(side.size // 2, 1).bit_length() - 1 >> 1
        firsts.append(4**epoch)
        share /= (epoch + 1) * (epoch + 2)
    pilots = (left.take(slice(firsts[0])), right.take(slice(firsts[1])))
    outcomes = _few_outcomes(*pilots)
    if outcomes is not None:
        return _counted(outcomes, pilots, pilots, (left, right), "outcomes", share, "anytime")
    partition, judges = _learned(*pilots, seed)
    return _counted(partition, pilots, judges, (left, right), "partition", share, "anytime")


def _heads(left: Columns, right: Columns, part: float) -> Sides:
    return left.take(slice(int(part * left.size))), right.take(slice(int(part * right.size)))


def _few_outcomes(left: Columns, right: Columns) -> OutcomePartition | None:
    """Return a cell for each outcome of a pilot where they are few and repeat themselves."""
    hashes = np.concatenate([row_hashes(left), row_hashes(right)])
    distinct = len(np.unique(hashes))
    if distinct > min(MOST_OUTCOMES, max(2, len(hashes) // 2)):
        return None
    known = frequent(hashes, MOST_OUTCOMES)
    return OutcomePartition(known, np.arange(len(known) + 1))


def _learned(left: Columns, right: Columns, seed: int) -> tuple[Partition, Sides]:
    """Return cells for many outcomes, and the draws that may put them in order."""
    both = Columns.concat([left, right])
    path = scalar_path(both)
    if path is not None:
        return value_partition(both, path, CELLS), (left, right)
    trained = _heads(left, right, TRAINED)
    scores = learned_scores(*trained, seed)
    if not scores:
        return plain_partitions(both, CELLS)[0], (left, right)
    judges = (left.take(slice(trained[0].size, None)), right.take(slice(trained[1].size, None)))
    return score_partition(scores[-1], Columns.concat(list(judges)), CELLS), judges


def _counted(
    partition: Partition,
    pilots: Sides,
    judges: Sides,
    sides: Sides,
    kind: Kind,
    share: float,
    method: Method,
) -> Tally:
    """Count what comes after the pilots, in cells ordered by the judges' likelihood ratio."""
    order = learned_order(partition, *judges)
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    other = int(rank[-1]) if kind == "outcomes" else None
    if kind == "support":  # without the empty last cell
        rank -= rank > rank[-1]
        rank[-1] = 0
    elif kind == "partition":
        rank = _joined(_count(partition, judges[0], rank) + _count(partition, judges[1], rank))[
            rank
        ]
    rest = (side.take(slice(pilot.size, None)) for side, pilot in zip(sides, pilots, strict=True))
    p, q = (_count(partition, side, rank) for side in rest)
    first, second = (_count(partition, side, rank) for side in judges)
    draws = sides[0].size + sides[1].size
    return Tally(p, q, first, second, other, kind, draws, share, method)


def _count(partition: Partition, columns: Columns, rank: Cells) -> Floats:
    cells = rank[partition.assign(columns)]
    return np.bincount(cells, minlength=int(rank.max()) + 1).astype(float)


def _joined(counts: Floats) -> Cells:
    """Return the new place of each cell once those with few draws have joined a neighbor."""
    place = np.zeros(len(counts), dtype=np.intp)
    filled, current = 0.0, 0
    for i, count in enumerate(counts):
        if filled >= LEAST_PILOT:
            current, filled = current + 1, 0.0
        place[i] = current
        filled += float(count)
    if filled < LEAST_PILOT and current:
        place[place == current] = current - 1
    return place
