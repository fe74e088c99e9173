"""The book of one stream of draws: what was seen in which cell, and the wealth that it earns.

Wealth against any claim is a function of counts alone, so the evidence against the claim, the
lower bounds on its parameter, and the refutation come from the same numbers. New partitions
join at marks with a share of the capital; each expert bets the capital that it holds, and the
sum over experts is a test supermartingale because every partition is fixed before the draws it
bets on.

Capital of fitted functions is lent to the experts while there are too few pairs of draws to fit
any, or until the experts have lost some of theirs: what it has become by then, it bets on later
draws alone. The moment is decided by past draws, so each part is a test supermartingale throughout,
whatever claim it is weighed against, and so is their sum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dpaudit.claims import Claim
from dpaudit.outputs import Columns
from dpaudit.statistical.edges import Edges
from dpaudit.statistical.halfplane import half_plane_hindsight, half_plane_log_wealth
from dpaudit.statistical.label import label_hindsight, label_log_wealth
from dpaudit.statistical.moment import MomentBets, moment_log_wealth
from dpaudit.statistical.numerics import Floats, log_sum_exp
from dpaudit.statistical.one_sided import CELLS as ONE_SIDED_CELLS
from dpaudit.statistical.one_sided import WEIGHTS, OneSided, label_bets, pair_bets
from dpaudit.statistical.partition import Partition
from dpaudit.statistical.prospect import Prospect, prospect
from dpaudit.statistical.ramp import SHARE as CURVES_SHARE
from dpaudit.statistical.ramp import Curves
from dpaudit.statistical.rows import blocks
from dpaudit.statistical.tuned import LEAST as TUNED_FROM
from dpaudit.statistical.tuned import SHARE as TUNED_SHARE
from dpaudit.statistical.tuned import Tuned

Counts = NDArray[np.int64]

LEND = 0.4  # nats that the capital of fitted functions may lose while it is lent
SETTLED = 0.15  # of a stream's draws are counted by partitions that say what to expect of it


@dataclass(frozen=True, slots=True)
class Stakes:
    """What a claim offers to bet on, computed once a claim."""

    epsilon: float | None  # of a pure claim: labels may be bet on
    slopes: Floats
    deltas: Floats
    moments: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, claim: Claim) -> Stakes:
        """Read a claim: pure DP is the one whose profile vanishes at its single slope."""
        slopes = np.asarray(claim.log_slopes(), dtype=float)
        deltas = np.asarray(claim.delta(slopes), dtype=float)
        if np.isnan(slopes).any() or np.isnan(deltas).any():
            raise ArithmeticError(f"the region of {claim} has NaN in it: slopes {slopes}")
        pure = len(slopes) == 1 and deltas[0] == 0
        return cls(float(slopes[0]) if pure else None, slopes, deltas, claim.renyi_bounds())

    @property
    def half_plane(self) -> tuple[float, float]:
        """The slope and delta of a claim that is one half-plane and its mirror images.

        Raises
        ------
        ValueError
            If the claim has several.
        """
        (slope,), (delta,) = self.slopes.tolist(), self.deltas.tolist()
        return slope, delta


@dataclass(slots=True)
class Expert:
    """A partition, the counts since it joined, and their values at later marks."""

    partition: Partition
    moments: MomentBets | None
    joined: int  # mark at which it joined
    counts: Counts
    marks: list[Counts] = field(default_factory=list)
    known: list[float] = field(default_factory=list)  # log wealth at the first of the marks
    lent: Counts | None = None  # those of `counts` that came while fitted functions lent capital
    shaping: Counts | None = None  # those of `counts` whose outputs, unlabelled, made the cells


class Kind(Protocol):
    """How draws are counted, and what the counts earn."""

    def shape(self, cells: int) -> tuple[int, int]:
        """Return the shape of the counts."""

    def sides(self, counts: Counts) -> tuple[Counts, Counts]:
        """Return the draws of the left and of the right dataset by cell."""

    def log_wealth(self, expert: Expert, counts: Counts, stakes: Stakes) -> Floats:
        """Return the log wealth of stacked counts."""

    def hindsight(self, expert: Expert, stakes: Stakes) -> float:
        """Return what the bet that did best would have earned."""

    def one_sided_bets(self, counts: Counts, stakes: Stakes) -> Floats:
        """Return the log wealth of each bet on outputs of one side alone."""


class Labels:
    """Fair-coin labels: counts by label and cell; bets against pure DP."""

    def shape(self, cells: int) -> tuple[int, int]:
        """Return labels by cells."""
        return 2, cells

    def sides(self, counts: Counts) -> tuple[Counts, Counts]:
        """Return one row each."""
        return counts[0], counts[1]

    def log_wealth(self, expert: Expert, counts: Counts, stakes: Stakes) -> Floats:
        """Return what bets on labels earn."""
        if stakes.epsilon is None:
            raise ValueError("labels can be bet on against pure DP only")
        return label_log_wealth(counts, expert.partition.orders, stakes.epsilon)

    def hindsight(self, expert: Expert, stakes: Stakes) -> float:
        """Return what the best of the bets on labels would have earned."""
        if stakes.epsilon is None:
            return 0.0
        return label_hindsight(expert.counts, expert.partition.orders, stakes.epsilon)

    def one_sided_bets(self, counts: Counts, stakes: Stakes) -> Floats:
        """Return the log wealth of each bet; none, where labels cannot be bet on."""
        if stakes.epsilon is None:
            return np.zeros(len(WEIGHTS) * len(stakes.slopes))
        return label_bets(counts, stakes.epsilon)


class PairsOfDraws:
    """One draw from each dataset: counts by both cells; bets against every claim."""

    def shape(self, cells: int) -> tuple[int, int]:
        """Return cells by cells."""
        return cells, cells

    def sides(self, counts: Counts) -> tuple[Counts, Counts]:
        """Return the sums over the other dataset's cells."""
        return counts.sum(axis=1), counts.sum(axis=0)

    def log_wealth(self, expert: Expert, counts: Counts, stakes: Stakes) -> Floats:
        """Return what bets on events, and for Rényi claims on functions, earn."""
        events = half_plane_log_wealth(
            counts, expert.partition.orders, stakes.slopes, stakes.deltas
        )
        if expert.moments is None or not stakes.moments:
            return events
        functions = moment_log_wealth(counts, expert.moments, stakes.moments)
        mixture: Floats = np.logaddexp(events, functions) - np.log(2)
        return mixture

    def hindsight(self, expert: Expert, stakes: Stakes) -> float:
        """Return what the best of the bets on events, or all on functions, would have earned."""
        events = half_plane_hindsight(
            expert.counts, expert.partition.orders, stakes.slopes, stakes.deltas
        )
        if expert.moments is None or not stakes.moments:
            return events
        return max(events, float(moment_log_wealth(expert.counts, expert.moments, stakes.moments)))

    def one_sided_bets(self, counts: Counts, stakes: Stakes) -> Floats:
        """Return the log wealth of each bet."""
        return pair_bets(counts, stakes.slopes, stakes.deltas)


class Book:
    """All experts of one stream of draws on one pair.

    Parameters
    ----------
    kind : Kind
        Labels or pairs of draws.
    one_sided : OneSided, optional
        What past draws of the pair have shown on one side alone, to be bet on with capital of the
        pair (see `earned`).
    tuned : Tuned, optional
        Functions fitted to past pairs of draws, to be bet on with capital of their own, which the
        partitions bet with until there are enough pairs to fit any, or too much of it is lost.
    curves : Curves, optional
        Curves to be bet on by labels, with capital of their own.
    edges : Edges, optional
        Where numbers begin to tell, to be bet on by labels in place of `one_sided.ends`.
    """

    def __init__(
        self,
        kind: Kind,
        one_sided: OneSided | None = None,
        tuned: Tuned | None = None,
        curves: Curves | None = None,
        edges: Edges | None = None,
    ) -> None:
        self.kind = kind
        self.one_sided = one_sided
        self.one_sided_counts: Counts = np.zeros(kind.shape(ONE_SIDED_CELLS), dtype=np.int64)
        self.ends_counts = self.one_sided_counts.copy()
        self.experts: list[Expert] = []
        self.shares: list[float] = []  # of the capital, for those who join at each mark
        self.tuned = tuned
        self.curves = curves
        self.edges = edges
        self.draws = 0
        self._stakes: Stakes | None = None  # those for which the experts' `known` holds
        self._lenders = 0  # marks before fitted functions got their capital
        self._lent: tuple[Stakes, float] | None = None  # its log wealth then, against a claim

    def join(self, partitions: Sequence[tuple[Partition, MomentBets | None]], share: float) -> None:
        """Give new partitions a share of the capital from here on."""
        if not partitions:
            return
        mark = len(self.shares)
        for expert in self.experts:
            expert.marks.append(expert.counts.copy())
        self.shares.append(share if mark else 1.0)
        for partition, moments in partitions:
            counts = np.zeros(self.kind.shape(partition.cells), dtype=np.int64)
            self.experts.append(Expert(partition, moments, mark, counts))

    def add_labelled(self, outputs: Columns, labels: NDArray[np.uint8]) -> None:
        """Count outputs with their labels."""
        for rows in blocks(outputs.size):
            self._add_labelled(outputs.take(rows), labels[rows])

    def _add_labelled(self, outputs: Columns, labels: NDArray[np.uint8]) -> None:
        self.draws += outputs.size
        for expert in self.experts:
            _count(expert.counts, labels.astype(np.intp), expert.partition.assign(outputs))
        if self.one_sided is not None and self.one_sided.found:
            _count(self.one_sided_counts, labels.astype(np.intp), self.one_sided.assign(outputs))
        if self.one_sided is not None and self.one_sided.ends.found:
            _count(self.ends_counts, labels.astype(np.intp), self.one_sided.assign_ends(outputs))
        if self.curves is not None:
            self.curves.add_labelled(outputs, labels)

    def add_pairs(self, left: Columns, right: Columns) -> None:
        """Count pairs of draws."""
        for rows in blocks(left.size):
            self._add_pairs(left.take(rows), right.take(rows))

    def _add_pairs(self, left: Columns, right: Columns) -> None:
        self.draws += left.size
        for expert in self.experts:
            _count(expert.counts, expert.partition.assign(left), expert.partition.assign(right))
        if self.one_sided is not None and self.one_sided.found:
            cells = self.one_sided.assign(left), self.one_sided.assign(right)
            _count(self.one_sided_counts, *cells)
        if self.one_sided is not None and self.one_sided.ends.found:
            cells = self.one_sided.assign_ends(left), self.one_sided.assign_ends(right)
            _count(self.ends_counts, *cells)
        if self.tuned is not None:
            self.tuned.add_pairs(left, right)

    def _settled(self) -> list[Expert]:
        """Return the partitions that have counted a good part of the draws."""
        return [e for e in self.experts if e.counts.sum() >= SETTLED * self.draws]

    def tune(self, stakes: Stakes) -> None:
        """Fit functions to the pairs of draws so far, to be bet on from here on."""
        if self.tuned is None:
            return
        if not self._lenders and (self.draws >= TUNED_FROM or self._held(stakes) < -LEND):
            self._lenders = len(self.shares)
            for expert in self.experts:
                expert.lent = expert.counts.copy()
        self.tuned.tune(self.draws, self._settled(), *stakes.half_plane)

    def prospect(self, stakes: Stakes) -> Prospect:
        """Return what pairs of draws suggest, at most, of how soon a stream may refute."""
        said = [Prospect()]
        if len(stakes.slopes) == 1:
            every = self._settled()
            said = [prospect(e.counts, e.partition.orders, *stakes.half_plane) for e in every]
        return Prospect(
            max((each.deviation for each in said), default=0.0),
            max((each.uncoupled for each in said), default=1.0),
        )

    def part(self, expert: Expert, joins: int | None = None) -> float:
        """Return the part of the capital that an expert holds while nobody earns anything.

        After so many `joins`, the expert's own among them; after all of them where None.
        """
        share = self.shares[expert.joined] / sum(e.joined == expert.joined for e in self.experts)
        kept = math.prod(1 - later for later in self.shares[expert.joined + 1 : joins])
        return self.spread * share * kept

    @property
    def spread(self) -> float:
        """The part of the capital that is spread over partitions; what is lent is not counted."""
        kept = 1.0 if self.tuned is None else 1 - TUNED_SHARE
        return kept if self.curves is None else kept - CURVES_SHARE

    def log_wealth(self, stakes: Stakes) -> float:
        """Return the log of the wealth against a claim, of all but bets on one side's outputs.

        Raises
        ------
        ArithmeticError
            If the arithmetic gives NaN: never read as "no violation".
        """
        if not self.experts:
            return 0.0
        paths = [self.path(expert, stakes) for expert in self.experts]
        at_first = self._at_first(paths, stakes) if self._lenders else 0.0
        self._stakes = stakes
        total = float(mixed(self.experts, paths, self.shares))
        if not self._lenders:
            total += np.log(self.spread + (0.0 if self.tuned is None else TUNED_SHARE))
        elif self.tuned is not None:
            # Against a claim with several half-planes this capital stays idle.
            single = len(stakes.slopes) == 1
            earned = self.tuned.log_wealth(*stakes.half_plane) if single else 0.0
            apart = np.log(TUNED_SHARE) + at_first + earned
            total = float(np.logaddexp(np.log(self.spread) + total, apart))
        if self.curves is not None:
            earned = 0.0 if stakes.epsilon is None else self.curves.log_wealth(stakes.epsilon)
            total = float(np.logaddexp(total, np.log(CURVES_SHARE) + earned))
        if np.isnan(total):
            raise ArithmeticError("the wealth is NaN")
        return total

    def _held(self, stakes: Stakes) -> float:
        """Return the log wealth of the partitions by themselves."""
        paths = [self.path(expert, stakes) for expert in self.experts]
        self._stakes = stakes
        return float(mixed(self.experts, paths, self.shares))

    def _at_first(self, paths: Sequence[Floats], stakes: Stakes) -> float:
        """Return the log wealth of the capital of fitted functions when they got it."""
        if self._lent is None or self._lent[0] is not stakes:
            then, until = [], []
            for expert, path in zip(self.experts, paths, strict=True):
                if expert.lent is not None:
                    end = self.kind.log_wealth(expert, expert.lent[None], stakes)
                    then.append(expert)
                    until.append(np.concatenate([path[: self._lenders - 1 - expert.joined], end]))
            self._lent = stakes, float(mixed(then, until, self.shares[: self._lenders]))
        return self._lent[1]

    def hindsight(self, stakes: Stakes) -> float:
        """Return what the best bet of all experts would have earned, had it been known."""
        best = max((self.kind.hindsight(expert, stakes) for expert in self.experts), default=0.0)
        if self.one_sided is None:
            return best
        return max(best, float(self.one_sided_bets(stakes).max()))

    def one_sided_bets(self, stakes: Stakes) -> Floats:
        """Return the log wealth of each bet on outputs of one side alone, by tokens and by ends."""
        tokens = self.kind.one_sided_bets(self.one_sided_counts, stakes)
        if self.edges is None or self.edges.path is None or stakes.epsilon is None:
            ends = self.kind.one_sided_bets(self.ends_counts, stakes)
        else:
            ends = np.full(len(tokens), self.edges.log_wealth(stakes.epsilon))
        return np.concatenate([tokens, ends])

    def path(self, expert: Expert, stakes: Stakes) -> Floats:
        """Return the log wealth of an expert at its marks and now; marks are remembered."""
        known = expert.known if stakes is self._stakes else []
        fresh = np.stack([*expert.marks[len(known) :], expert.counts])
        path = np.concatenate([known, self.kind.log_wealth(expert, fresh, stakes)])
        expert.known = list(path[:-1])
        return path


def mixed(experts: Sequence[Expert], paths: Sequence[Floats], shares: Sequence[float]) -> Floats:
    """Return the log wealth of experts who join, mark by mark, with shares of all that is held.

    Parameters
    ----------
    experts : sequence of Expert
    paths : sequence of ndarray of float, shape (marks, ...)
        Their own log wealths at the marks after they joined, and at the end.
    shares : sequence of float
        Of the capital, for those who join at each mark.

    Returns
    -------
    ndarray of float, shape (...)
    """
    capital: Floats = np.full((*paths[0].shape[1:], len(experts)), -np.inf)
    total = np.zeros(paths[0].shape[1:])
    for mark, share in enumerate(shares):
        capital += np.log1p(-share) if share < 1 else -np.inf
        new = [i for i, e in enumerate(experts) if e.joined == mark]
        capital[..., new] = total[..., None] + np.log(share / len(new))
        for i, expert in enumerate(experts):
            if expert.joined <= mark:
                at = mark - expert.joined
                capital[..., i] += paths[i][at] - (paths[i][at - 1] if at else 0.0)
        total = log_sum_exp(capital)
    return total


def _count(counts: Counts, first: NDArray[np.intp], second: NDArray[np.intp]) -> None:
    """Add draws to `counts` by their row and column."""
    shape = counts.shape
    flat = np.bincount(first * shape[1] + second, minlength=shape[0] * shape[1])
    counts += flat.reshape(shape)
