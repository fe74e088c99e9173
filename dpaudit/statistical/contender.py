"""One pair under audit: its draws, its books, what was learned from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from dpaudit.neighbors import Pair
from dpaudit.outputs import Columns
from dpaudit.statistical.book import Book, Labels, PairsOfDraws, Stakes
from dpaudit.statistical.earned import Earned, together
from dpaudit.statistical.edges import Edges
from dpaudit.statistical.features import (
    distance_partition,
    lattice_partitions,
    learned_order,
    plain_partitions,
)
from dpaudit.statistical.moment import moment_bets
from dpaudit.statistical.null import NullCheck
from dpaudit.statistical.one_sided import OneSided, kinds
from dpaudit.statistical.partition import (
    OutcomePartition,
    Partition,
    ValuePartition,
)
from dpaudit.statistical.pool import Pool
from dpaudit.statistical.ramp import Curves
from dpaudit.statistical.rows import scalar_path
from dpaudit.statistical.score import learned_scores, score_partition
from dpaudit.statistical.tuned import Tuned
from dpaudit.worker import UNCOUPLED, Draws, Task

Mode = Literal["label", "coupled", "independent"]
MODES: tuple[Mode, ...] = ("label", "coupled", "independent")

WARM_UP = 32  # calls before the first partition is made
# Of a stream's calls, made between two looks: far from rejection, and where fewer nats are missing.
# A pair of draws at most doubles what is bet, so few calls gain many nats.
GROWTH, LEAST, MISSING = (0.6, 0.2, 0.07, 0.02), (24, 8, 4, 4), (8.0, 4.0, 1.5)
NEAR, NEARLY = 0.2, 2  # of the evidence needed, once earned: missing as little as that
LEARN_AT = (200, 800, 3_200, 12_800, 51_200, 204_800)  # draws of a pair
CELLS = {"label": (16, 32), "pairs": (8, 14)}  # at first, and after learning
NULL_COINS = 3  # beside the modes, in the seeds of a pair
MOST_A_TASK = 8_192  # calls; a larger batch is split so that workers share it
MOST_VECTORIZED = 262_144
MOST_A_BATCH = 65_536
PARTS = (4, 0.25)  # draws at least, and of all past ones, after which outputs are looked at
CURVES_AT = (64, 128, 256, 1_024, 4_096, 16_384)  # draws of a pair, if outputs are numbers
RARE_SHARE = 0.2  # of the capital, for a refined partition of a scalar or of few outcomes
SCORE_SHARE = 0.5  # for a learned score


class Contender:
    """A pair of datasets with everything that was drawn and bet on it.

    Parameters
    ----------
    pair : Pair
    index : int
        Number of the pair in the audit; part of the seeds.
    modes : sequence of Mode
        Streams that bets are placed on; capital is split evenly.
    key : tuple of int
        Seed and audit.
    vectorized : bool
    low_bits : bool
        Whether low-order bits of numbers are bet on too.
    functions : bool
        Whether the claim is bet on by learned functions, as Rényi claims are.
    tuned : bool
        Whether it is bet on by functions fitted to one half-plane, which must be all it has.
    """

    def __init__(
        self,
        pair: Pair,
        index: int,
        modes: Sequence[Mode],
        key: tuple[int, ...],
        *,
        vectorized: bool,
        low_bits: bool = False,
        functions: bool = False,
        tuned: bool = False,
    ) -> None:
        self.pair = pair
        self.index = index
        self.modes = tuple(modes)
        self.one_sided = OneSided(low_bits=low_bits)
        self.books = {
            m: Book(Labels(), self.one_sided, curves=Curves(), edges=Edges())
            if m == "label"
            else Book(PairsOfDraws(), self.one_sided, Tuned() if tuned else None)
            for m in self.modes
        }
        self.calls = dict.fromkeys(MODES, 0)
        self.extra_calls = 0  # probes of the workers
        self.repeated = 0  # those of them that repeat coupled draws
        self.raised = 0
        self.complaint, self.complained_at = "", ""  # of the last exception
        self.complaints: set[tuple[str, str]] = set()  # class and text of exceptions, the first few
        self.flags: frozenset[str] = frozenset()
        self.pool = Pool(index)
        self.null: NullCheck | None = None
        self._key = (*key, index)
        self._tasks = 0
        self.low_bits = low_bits
        self._functions = functions
        self._vectorized = vectorized
        self._plain: list[Partition] = []
        self._learned = 0  # of LEARN_AT
        self._curved = 0  # of CURVES_AT

    @property
    def total_calls(self) -> int:
        """Every call made on this pair."""
        return sum(self.calls.values()) + self.extra_calls

    def is_void(self, mode: Mode) -> bool:
        """Whether draws of a stream are no evidence: coupled ones, unless a seed says it all."""
        if mode != "coupled" or mode not in self.books or not self.flags & UNCOUPLED:
            return False
        return self.books[mode].draws > 0

    def cost(self, mode: Mode) -> int:
        """Return the calls of a stream with those that repeat some of them."""
        return self.calls[mode] + (self.repeated if mode == "coupled" else 0)

    @property
    def all_raised(self) -> bool:
        """Whether every output was an exception."""
        return self.raised > 0 and self.raised == self.pool.draws

    @property
    def only_complaint(self) -> tuple[str, str] | None:
        """The class and text of the one exception that all calls raised, None if there is none.

        What a mechanism prints before it raises is part of the text.
        """
        one = self.all_raised and len(self.complaints) == 1
        return next(iter(self.complaints)) if one else None

    def plan(self, mode: Mode, room: int, earned: float, needed: float) -> list[Task]:
        """Return the next batch of a stream, of at most `room` calls.

        Where what a stream has `earned` is near what is `needed` (nats), batches are small, so that
        few calls come too many.
        """
        missing = needed - earned
        near = sum(missing < most for most in MISSING)
        near = max(near, NEARLY if earned > NEAR * needed else 0)
        if not self._plain:
            mode, wanted = "label", WARM_UP
        else:
            mode, room = self._within(mode, room)
            wanted = max(LEAST[near], int(GROWTH[near] * self.calls[mode]))
        wanted = min(wanted, MOST_VECTORIZED if self._vectorized else MOST_A_BATCH, room)
        each = wanted if self._vectorized and mode != "coupled" else MOST_A_TASK
        sizes = [each] * (wanted // each) + ([wanted % each] if wanted % each else [])
        tasks = []
        for size in sizes:
            pairs = size if mode == "label" else size // 2
            if pairs:
                key = (*self._key, self._tasks, MODES.index(mode))
                tasks.append(Task(self.pair.left, self.pair.right, mode, pairs, key))
                self._tasks += 1
        return tasks

    def _within(self, mode: Mode, room: int) -> tuple[Mode, int]:
        """Leave room for the pairs that are drawn twice, or play another stream if it is too small.

        Coupled draws are checked by repeating some (see `Task.repeated`).
        """
        if mode != "coupled":
            return mode, room
        whole = range(0, room, MOST_A_TASK)
        pairs = sum(Task.pairs_within(min(MOST_A_TASK, room - done)) for done in whole)
        others: list[Mode] = [other for other in self.modes if other != "coupled"]
        return ("coupled", 2 * pairs) if pairs or not others else (others[0], room)

    def take(self, draws: Draws) -> None:
        """Count a batch, then learn from it for the next."""
        mode = draws.mode
        made = draws.size if mode == "label" else 2 * draws.size
        self.calls[mode] += made
        self.extra_calls += draws.calls - made
        self.repeated += draws.calls - made if mode == "coupled" else 0
        self.flags |= draws.flags
        self.complained_at = draws.raised_at or self.complained_at
        if mode == "label":
            assert draws.outputs is not None
            assert draws.labels is not None
            self._take_labels(draws.outputs, draws.labels.astype(np.uint8))
        else:
            assert draws.left is not None
            assert draws.right is not None
            for rows in self._parts(draws.size):
                left, right = draws.left.take(rows), draws.right.take(rows)
                if mode in self.books:
                    self.books[mode].add_pairs(left, right)
                self._keep(left, right)
        self._learn()
        self._follow_numbers()

    def _take_labels(self, outputs: Columns, labels: np.ndarray) -> None:
        first = not self._plain
        if first:
            # From unlabelled outputs: bets on labels may use these very draws.
            self._plain = plain_partitions(outputs, CELLS["label"][0])
            if not self.low_bits:  # grids are tokens of numbers that do not recur
                self.one_sided.kinds = kinds(outputs)
            coarse = plain_partitions(outputs, CELLS["pairs"][0])
            bits = lattice_partitions(outputs, CELLS["pairs"][0]) if self.low_bits else []
            for mode, book in self.books.items():
                chosen = self._plain if mode == "label" else coarse
                book.join([(p, None) for p in [*chosen, *bits]], 1.0)
            self._follow(self._plain[:1], outputs)
            # Its coins must not have shaped the cells: the check begins with the next batch.
            self.null = NullCheck(self._plain[0].cells, (*self._key, NULL_COINS))
        elif self.null is not None and not self._vectorized:
            self.null.observe(self._plain[0].assign(outputs), labels)
        edges = self.books["label"].edges if "label" in self.books else None
        if edges is not None:
            edges.add(outputs, labels, self.pool.side(0), self.pool.side(1))
        for rows in self._parts(outputs.size):
            some, coins = outputs.take(rows), labels[rows]
            if "label" in self.books:
                self.books["label"].add_labelled(some, coins)
            self._keep(some.take(coins == 0), some.take(coins == 1))
        if first and "label" in self.books:
            for expert in self.books["label"].experts:
                expert.shaping = expert.counts.copy()

    def _parts(self, size: int) -> Iterator[slice]:
        """Yield the rows of a batch, part by part: each is bet on by what those before showed."""
        start = 0
        while start < size:
            least, grown = PARTS
            stop = min(size, start + max(least, int(grown * self.pool.draws)))
            yield slice(start, stop)
            start = stop

    def _keep(self, left: Columns, right: Columns) -> None:
        for side, outputs in enumerate((left, right)):
            self.pool.add(side, outputs)
            self.one_sided.observe(side, outputs)
            codes, words = outputs.labels.get(":type", (np.zeros(0, np.int32), ()))
            for code, word in enumerate(words):
                if word.startswith("raises "):
                    self.raised += int((codes == code).sum())
                    _, messages = outputs.labels.get(":message", (None, ("",)))
                    if len(self.complaints) < 2:
                        self.complaints.update((word, message) for message in messages[:2])
                    self.complaint = f"{word.removeprefix('raises ')}: {messages[0]}"

    def _learn(self) -> None:
        """Let partitions made from all past draws join the books."""
        if self._learned == len(LEARN_AT) or self.pool.draws < LEARN_AT[self._learned]:
            return
        while self._learned < len(LEARN_AT) and self.pool.draws >= LEARN_AT[self._learned]:
            self._learned += 1
        left, right = self.pool.side(0), self.pool.side(1)
        if not left.size or not right.size:
            return
        both = Columns.concat([left, right])
        plain = len(plain_partitions(both, 2)) == 1
        scores = [] if plain else learned_scores(left, right, self.index)
        for mode, book in self.books.items():
            cells = CELLS["label" if mode == "label" else "pairs"][1]
            made: list[Partition] = [score_partition(score, both, cells) for score in scores]
            if plain:
                (partition,) = plain_partitions(both, cells)
                made = [_with_order(partition, left, right)]
            moments = [moment_bets(p, left, right) if self._functions else None for p in made]
            if mode == "label" and scalar_path(both) is None:
                self._follow(made[:1], both)
            share = RARE_SHARE if plain and not self._functions else SCORE_SHARE
            book.join(list(zip(made, moments, strict=True)), share)

    def _follow_numbers(self) -> None:
        """Make the cells that curves follow anew, where outputs are numbers."""
        drawn = self._curved
        while drawn < len(CURVES_AT) and self.pool.draws >= CURVES_AT[drawn]:
            drawn += 1
        if drawn == self._curved or "label" not in self.books:
            return
        self._curved = drawn
        both = Columns.concat([self.pool.side(0), self.pool.side(1)])
        if scalar_path(both) is not None:
            cells = CELLS["label"][self._learned > 0]
            self._follow(plain_partitions(both, cells), both)

    def _follow(self, partitions: Sequence[Partition], sample: Columns) -> None:
        """Let curves follow a partition from here on, and distances where it is by values."""
        if "label" not in self.books:
            return
        found = list(partitions)
        path = scalar_path(sample)
        distances = (
            distance_partition(sample, path, found[0].cells - 1) if path is not None else None
        )
        curves = self.books["label"].curves
        assert curves is not None, "labels are bet on by curves"
        curves.follow([*found, *([] if distances is None else [distances])], sample)

    def log_wealth(self, stakes: Stakes) -> float:
        """Return the evidence of this pair against a claim, in nats."""
        return together([self.earned(mode, stakes) for mode in self.books])

    def earned(self, mode: Mode, stakes: Stakes) -> Earned:
        """Return the evidence of one stream, before its share of the capital."""
        book = self.books[mode]
        bets, kinds = book.one_sided_bets(stakes), self.one_sided.kinds
        if self.is_void(mode):  # its draws are no evidence
            return Earned(-np.inf, np.full(len(bets), -np.inf), kinds)
        unpaid = mode == "label" and stakes.epsilon is None
        return Earned(0.0 if unpaid else book.log_wealth(stakes), bets, kinds)


def _with_order(partition: Partition, left: Columns, right: Columns) -> Partition:
    """Return the partition with one more order: by the estimated log-ratio."""
    order = learned_order(partition, left, right)
    assert isinstance(partition, (ValuePartition, OutcomePartition)), "scores are ordered already"
    return replace(partition, learned=(order,))
