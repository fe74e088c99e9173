"""What one audit knows while it runs: its pairs, their shares of α, and what they have earned."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

import numpy as np

from dpaudit.claims import Claim
from dpaudit.evidence import Budget, Finding, Progress
from dpaudit.neighbors import Neighbors, Pair
from dpaudit.statistical import detection
from dpaudit.statistical.book import Stakes
from dpaudit.statistical.contender import Contender, Mode
from dpaudit.statistical.earned import Earned, together
from dpaudit.statistical.ledger import Ledger
from dpaudit.statistical.numerics import log_sum_exp
from dpaudit.statistical.rows import text_hash
from dpaudit.subject import Subject
from dpaudit.worker import UNCOUPLED, Runner, Task, WorkerError
from dpaudit.worker.deadline import STOPPED

NULL_SHARE = 0.05  # of a pair's share of α, for its null check
LONGEST_TRAIL = 200
TOLD_EVERY = 10.0  # seconds, for what would be caught

Kind = Literal["first", "late", "smaller"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A pair in the race, with its share of α and the log e-values at which it rejects."""

    contender: Contender
    share: float
    threshold: float
    null_threshold: float
    kind: Kind = "first"

    @property
    def drifts(self) -> bool:
        """Whether the null check rejects: its draws are not independent of what came before."""
        null = self.contender.null
        return null is not None and null.log_wealth >= self.null_threshold


class Diary(Protocol):
    """Hears of every batch before it is drawn, and after it was counted."""

    @property
    def night(self) -> int:
        """Number of the night, from 1."""

    def book(self, race: Race, tasks: Sequence[Task], entry: Entry) -> None:
        """Keep what is to be drawn; no draw of it has been made."""

    def keep(self, race: Race, entry: Entry) -> None:
        """Keep what the draws have led to."""

    def fail(self, race: Race) -> None:
        """Keep that a call failed, if a batch was being drawn."""


@dataclass(slots=True)
class Race:
    """One audit under way."""

    subject: Subject
    claim: Claim
    neighbors: Neighbors
    budget: Budget
    runner: Runner
    modes: tuple[Mode, ...]
    progress: Callable[[Progress], None] | None
    stakes: Stakes = field(init=False)
    ledger: Ledger = field(init=False)
    key: tuple[int, int] = field(init=False)
    rng: np.random.Generator = field(init=False)
    proposals: Iterator[Pair] = field(init=False)
    started: float = field(init=False)
    entries: list[Entry] = field(default_factory=list)
    earned: dict[tuple[int, Mode], Earned] = field(default_factory=dict)
    weighed: dict[int, tuple[list[Earned], float]] = field(default_factory=dict)  # of each pair
    other_calls: int = 0  # those of fresh processes
    notes: list[str] = field(default_factory=list)
    suspected: dict[int, Finding] = field(default_factory=dict)  # by number of the pair
    trail: list[tuple[int, float]] = field(default_factory=list)  # for pictures
    diary: Diary | None = None  # where evidence accumulates over nights
    earlier: int = 0  # calls of earlier nights; the budget holds them too
    slowest: float = 0.0  # seconds a call, in the slowest batch
    short: bool = False  # whether time ended it before its calls did
    aside: float = 0.0  # seconds in fresh processes
    unseeded: bool = False  # whether memory behind noise without a seed is still to be looked for
    late: bool = False  # whether a batch was given up, as there was no time for all of it
    hurried: bool = False  # whether a batch was made smaller, as there was no time for all of it
    stopped: str = ""  # what is said where a call of that batch was stopped
    complete: Race | None = None  # as it was before the tier under way, where time may end that
    left_out: int = 0  # calls of a tier that time ended, which the evidence is not of
    told: tuple[float, float] = (0.0, float("inf"))  # when, and what would have been caught
    focused: int = 0  # calls to whichever stream had the focus
    needed: float | None = None  # log e-value that rejects, where a family of audits has one α
    set_aside: bool = False  # whether its evidence does not count
    ended: float = 0.0  # when its last batch did
    tiers: list[int] = field(default_factory=list)  # calls up to the end of each
    tier: int = 0  # the last that is complete
    queue: Any = None  # of pairs that join in later tiers
    allowance: int = field(init=False)  # calls up to the end of the tier; those of the budget else

    def __post_init__(self) -> None:
        self.stakes = Stakes.of(self.claim)
        self.allowance = self.budget.max_calls
        self.ledger = Ledger(self.budget.alpha)
        name = f"{self.subject.name} {self.claim} {self.neighbors}"
        self.key = (self.budget.seed, int(text_hash(name)) % 2**31)
        self.rng = np.random.default_rng(np.random.SeedSequence(self.key))
        self.proposals = iter(self.neighbors.pairs(self.rng))
        self.started = time.monotonic()

    @property
    def calls(self) -> int:
        """Every call made so far."""
        return self.other_calls + sum(e.contender.total_calls for e in self.entries)

    @property
    def left(self) -> int:
        """Calls left in the tier."""
        return self.allowance - self.calls

    @property
    def room(self) -> int:
        """Calls left; if time may end the tier, no more than fit in it if all are slow ones."""
        seconds = self.budget.max_seconds
        if seconds is None or not self.slowest or self.fits(self.allowance):
            return self.left
        return max(0, min(self.left, int((seconds - self.seconds) / self.slowest)))

    @property
    def seconds(self) -> float:
        """Time spent so far; never none, so that there is a pace."""
        return max(time.monotonic() - self.started, 1e-9)

    @property
    def in_time(self) -> bool:
        """Whether another batch may begin."""
        seconds = self.budget.max_seconds
        return not self.late and (seconds is None or self.seconds < seconds)

    def fits(self, calls: int, beside: float = 0.0) -> bool:
        """Whether so many calls in all are made in time, at the pace so far, and other work too."""
        seconds = self.budget.max_seconds
        return seconds is None or self.seconds + self.expected(calls) + beside <= seconds

    def expected(self, calls: int) -> float:
        """Return the seconds until so many calls in all are made, at the pace so far."""
        made = self.calls - self.earlier
        pace = (self.seconds - self.aside) / max(made - self.other_calls, 1)
        return pace * (calls - self.earlier - made)

    @property
    def target(self) -> float:
        """Log e-value at which all pairs together reject."""
        return -float(np.log(self.budget.alpha)) if self.needed is None else self.needed

    @property
    def pooled(self) -> float:
        """Evidence of all pairs together, weighted by their shares of α."""
        logs = [np.log(e.share) + self.log_wealth(e.contender) for e in self.entries]
        return float(log_sum_exp(np.array(logs)))

    def log_wealth(self, contender: Contender) -> float:
        """Return the evidence of a pair as of its last batch, in nats."""
        streams = self.streams(contender)
        known = self.weighed.get(contender.index)
        if known is None or any(a is not b for a, b in zip(known[0], streams, strict=True)):
            known = self.weighed[contender.index] = streams, together(streams)
        return known[1]

    def streams(self, contender: Contender) -> list[Earned]:
        """Return what each stream of a pair had earned as of its last batch."""
        places: list[tuple[int, Mode]] = [(contender.index, mode) for mode in contender.modes]
        for place in places:
            if place not in self.earned:
                self.earned[place] = contender.earned(place[1], self.stakes)
        return [self.earned[place] for place in places]

    def rejects(self, entry: Entry) -> bool:
        """Whether a pair refutes the claim by itself."""
        threshold = entry.threshold
        if self.needed is not None:
            threshold = self.needed - float(np.log(entry.share))
        return self.log_wealth(entry.contender) >= threshold

    @property
    def settled(self) -> bool:
        """Whether a pair refutes, or all of them together, or draws are seen to depend."""
        alone = any(self.rejects(entry) or entry.drifts for entry in self.entries)
        return alone or (bool(self.entries) and self.pooled >= self.target)

    def tonight(self, share: float) -> float:
        """Return a share of α for a test that every night makes anew.

        Nights have 1/2, 1/6, 1/12, … of it, which sum to 1.
        """
        return share if self.diary is None else share / (self.diary.night * (self.diary.night + 1))

    def go_on(
        self, budget: Budget, runner: Runner, heard: Callable[[Progress], None] | None
    ) -> None:
        """Go on where it stopped, with a budget that holds the calls made so far."""
        if budget.alpha != self.budget.alpha or budget.seed != self.budget.seed:
            raise ValueError("a race continues with the error probability and the seed that it has")
        spent = max(self.ended - self.started, 0.0)
        if budget.max_seconds is not None:
            budget = replace(budget, max_seconds=budget.max_seconds + spent)
        self.started = time.monotonic() - spent
        runner.known.traits = self.runner.known.traits
        self.budget, self.runner, self.progress = budget, runner, heard
        self.allowance, self.short, self.left_out = budget.max_calls, False, 0
        self.hurried = False

    def copy(self) -> Race:
        """Return the race as it stands, which draws for this one leave as it is."""
        pairs = {id(entry.contender.pair): entry.contender.pair for entry in self.entries}
        other = copy.copy(self)
        other.entries = copy.deepcopy(self.entries, dict(pairs))
        other.earned, other.suspected = dict(self.earned), dict(self.suspected)
        other.notes, other.trail, other.complete = list(self.notes), list(self.trail), None
        return other

    def enter(self, pair: Pair, share: float, kind: Kind = "first") -> Entry:
        """Let a pair join with a share of α."""
        index = len(self.entries)
        vectorized = self.subject.vectorized
        entry = Entry(
            Contender(
                pair,
                index,
                self.modes,
                self.key,
                vectorized=vectorized,
                low_bits=self.budget.arithmetic == "float",
                functions=bool(self.stakes.moments),
                tuned=len(self.stakes.slopes) == 1,
            ),
            share * (1 - NULL_SHARE),
            self.ledger.book(f"pair {index}", share * (1 - NULL_SHARE)),
            self.ledger.book(f"null check of pair {index}", share * NULL_SHARE),
            kind,
        )
        self.entries.append(entry)
        return entry

    def draw(self, entry: Entry, mode: Mode, room: int) -> float:
        """Draw and count the next batch of a stream, tell whoever watches, and return `pooled`."""
        place = entry.contender.index, mode
        earned = self.earned[place].alone if place in self.earned else 0.0
        return self.carry_out(entry, entry.contender.plan(mode, room, earned, entry.threshold))

    def carry_out(self, entry: Entry, tasks: Sequence[Task]) -> float:
        """Do what `draw` does, with a batch that is planned already."""
        contender = entry.contender
        if self.diary is not None:
            self.diary.book(self, tasks, entry)
        try:
            drawn = self.runner.run(tasks)
        except WorkerError as error:
            if error.kind != "late":
                raise
            self.gave_up(error)
            return self.pooled
        for draws in drawn:
            contender.take(draws)
            self.slowest = max(self.slowest, draws.seconds / max(draws.calls, 1))
            if draws.mode in contender.modes:
                contender.books[draws.mode].tune(self.stakes)
                earned = contender.earned(draws.mode, self.stakes)
                self.earned[contender.index, draws.mode] = earned
        if contender.flags & UNCOUPLED:
            self.discard_coupled(contender.flags & UNCOUPLED)
        pooled, self.ended = self.pooled, time.monotonic()
        self.trail.append((self.calls, pooled))
        if len(self.trail) > LONGEST_TRAIL:
            del self.trail[-2::-2]  # every other one; the last stays
        if self.diary is not None:
            self.diary.keep(self, entry)
        if self.progress is not None:
            self.progress(self._moment(entry))
        return pooled

    def gave_up(self, late: WorkerError) -> None:
        """Take a batch as never begun: when to stop may depend on the past."""
        self.late = True
        self.stopped = str(late) if str(late) == STOPPED else ""

    def _moment(self, entry: Entry) -> Progress:
        """Return how far the race is; what would be caught takes time, and is told seldom."""
        if self.seconds >= self.told[0] + TOLD_EVERY:
            size, _ = detection.detectable(entry.contender, self.stakes, entry.threshold)
            self.told = self.seconds, float(size)
        evidence = self.log_wealth(entry.contender) - entry.threshold + self.target
        return Progress(
            self.calls,
            self.budget.max_calls,
            evidence,
            self.target,
            self.seconds,
            entry.contender.index + 1,
            self.told[1],
            self.budget.max_seconds,
        )

    def discard_coupled(self, flags: frozenset[str]) -> None:
        """Take all that coupled draws have earned, on every pair, for no evidence."""
        for entry in self.entries:
            contender = entry.contender
            contender.flags |= flags
            if contender.is_void("coupled"):
                place: tuple[int, Mode] = (contender.index, "coupled")
                self.earned[place] = contender.earned("coupled", self.stakes)
