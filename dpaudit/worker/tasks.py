"""What is asked of a worker, and what it hands back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from dpaudit.outputs import Columns
from dpaudit.randomness import GlobalStates, Mode
from dpaudit.worker.replayed import Replayed, Tape

if TYPE_CHECKING:
    from dpaudit.evidence import Event

Kind = Literal[
    "died",
    "late",
    "memory",
    "no-process",
    "not-picklable",
    "raised",
    "threads",
    "timeout",
    "wrong-size",
]


KEEPS_STATE = "keeps-state"
UNCOUPLED = frozenset({"unseeded", KEEPS_STATE})  # flags: a seed does not say what comes out
_REPEATED = (4, 16)  # pairs of a coupled task: so many, or this part of them
_SMALL = 12  # pairs; of smaller tasks so many are repeated as they are large
_OTHERS = 3  # other calls before the first, at most


class WorkerError(RuntimeError):
    """A task that could not be completed, through no output of the mechanism.

    Attributes
    ----------
    kind : {"died", "late", "memory", "no-process", "not-picklable", "raised", ...}
    message : str
    """

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(kind, message)
        self.kind = kind
        self.message = message

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A batch of calls on a pair of datasets.

    Attributes
    ----------
    left, right : object
        The datasets, as the mechanism receives them. They are never changed.
    mode : {"label", "coupled", "independent"}
        ``"label"``: a fair coin chooses the dataset of each call. ``"coupled"``: pairs of calls,
        both with the same random numbers. ``"independent"``: pairs of calls, each with its own.
    size : int
        Coins in label mode, pairs otherwise.
    key : tuple of int
        Seed; equal tasks give equal draws, wherever they run.
    until : float, optional
        Of `time.monotonic`: no call begins from then on, and the task fails.
    event : Event, optional
        Where given, draws say only whether each output lies in it: 1 or 0 at the path ``""``.
    """

    left: Any
    right: Any
    mode: Mode
    size: int
    key: tuple[int, ...]
    until: float | None = None
    event: Event | None = None

    @property
    def calls(self) -> int:
        """How many calls it takes, those of its repetition included."""
        others = self.others_between
        once = self.size if self.mode == "label" else 2 * self.size
        return once + 2 * len(others) + sum(others)

    @property
    def others_between(self) -> tuple[int, ...]:
        """How many other calls come before each of the pairs that are drawn a second time.

        The first pairs of a coupled task are. All follows from the seed: no output has a say in
        what is repeated.
        """
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(self.key, spawn_key=(4,))))
        if self.mode != "coupled" or rng.random() >= self.size / _SMALL:
            return ()
        least, part = _REPEATED
        before = rng.integers(0, 2, size=min(self.size, max(least, self.size // part)))
        before[0] = rng.integers(1, _OTHERS + 1)  # an odd number, or an even one
        return tuple(before.tolist())

    @staticmethod
    def pairs_within(calls: int) -> int:
        """Return how many pairs a coupled task may have, so that it makes at most so many calls."""
        least, part = _REPEATED
        few = (calls - _OTHERS - 3 * least) // 2
        return max(0, few if few < least * part else (calls - _OTHERS) * part // (2 * part + 3))

    def __post_init__(self) -> None:
        if self.mode not in ("label", "coupled", "independent"):
            raise ValueError(
                f"`mode` must be 'label', 'coupled' or 'independent', got {self.mode!r}"
            )
        if self.size < 1:
            raise ValueError(f"`size` must be at least 1, got {self.size}; ask for a draw or none")
        if not self.key or min(self.key) < 0:
            raise ValueError(f"`key` must hold integers >= 0, got {self.key}; use (seed, index)")


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """What came back: the encoded outputs, in the order of the calls.

    Attributes
    ----------
    mode : {"label", "coupled", "independent"}
    size : int
        As asked for.
    calls : int
        Outputs that the mechanism was asked for, those of trials and repetitions included.
    seconds : float
        Time in the worker.
    labels : ndarray of uint8, shape (size,), or None
        Label mode: 1 where the right dataset was used.
    outputs : Columns or None
        Label mode: one row a coin.
    left, right : Columns or None
        Other modes: row i of both is pair i.
    flags : frozenset of str
        ``"mutates-input"``: the mechanism changes its dataset; every call had a fresh copy.
        ``"reuses-output"``: it changes what it returned before; every output was copied at once.
        ``"unseeded"``: the same seed gave different outputs. ``"keeps-state"``: the same seed gave
        another output after other calls; coupled draws are no evidence. ``"prints"``: it wrote to
        stdout or stderr.
        ``"copies-generator"``: it leaves its generator as it was, so that the next call with it
        would draw the same numbers; every call had a generator of its own.
    raised_at : str
        ``file:line`` of the first exception, for people; empty where none was raised.
    worked : float
        Seconds of `seconds` in which the thread that called the mechanism was on a processor.
    """

    mode: Mode
    size: int
    calls: int
    seconds: float
    labels: NDArray[np.uint8] | None
    left: Columns | None
    right: Columns | None
    outputs: Columns | None
    flags: frozenset[str]
    raised_at: str = ""
    worked: float = 0.0


@dataclass(frozen=True, slots=True)
class Traits:
    """What a trial showed of how a mechanism has to be called.

    Attributes
    ----------
    states : GlobalStates
        Global random states that it draws from.
    mutates : bool
        Whether it changes its dataset.
    reuses : bool
        Whether it changes an output that it returned before.
    copies : bool
        Whether it copies its generator, so that a second call might draw the same numbers.
    flags : frozenset of str
    calls : int
        Calls that the trial took.
    unwatched : frozenset of str
        Ways by which texts left that are no part of the outputs: see `Unwatched`.
    """

    states: GlobalStates = field(default_factory=GlobalStates)
    mutates: bool = False
    reuses: bool = False
    copies: bool = False
    flags: frozenset[str] = frozenset()
    calls: int = 0
    unwatched: frozenset[str] = frozenset()

    def merged(self, other: Traits) -> Traits:
        """Return what both have shown."""
        return Traits(
            states=self.states | other.states,
            mutates=self.mutates or other.mutates,
            reuses=self.reuses or other.reuses,
            copies=self.copies or other.copies,
            flags=self.flags | other.flags,
            calls=self.calls,
            unwatched=self.unwatched | other.unwatched,
        )


DrawMany = Callable[[Sequence[Task], Traits], list[tuple[Draws, Traits]]]
CONFIRMING = 30.0  # seconds that the calls which confirm a refutation have, whatever time is left


class Unwatched(Exception):  # noqa: N818
    """A mechanism emits texts, which its source does not show, before anything is drawn from it.

    Its outputs are to be watched for them, from the first one on. Nothing is spent so far.
    """


class Acquaintance:
    """Remembers from run to run how a mechanism has to be called.

    The first run begins with a trial. What a task shows later is used from the next run on, so
    that results never depend on which worker was first.

    Attributes
    ----------
    traits : Traits or None
        None before the trial.
    until : float or None
        Of `time.monotonic`: no call begins from then on.
    latest : float or None
        The same, for calls that confirm a refutation.
    unwatched : frozenset of str
        Ways by which the mechanism was seen to emit texts that are no part of its outputs.
    asks : bool
        Whether `Unwatched` is raised where the trial shows such a way.
    """

    def __init__(self) -> None:
        self.traits: Traits | None = None
        self.until: float | None = None
        self.latest: float | None = None
        self.unwatched: frozenset[str] = frozenset()
        self.asks = False

    @contextmanager
    def confirming(self) -> Iterator[None]:
        """Give the calls that confirm a refutation time of their own.

        What was found in time would be lost if its confirmation came too late.
        """
        until = self.until
        if until is not None:
            later = max(until, time.monotonic() + CONFIRMING)
            self.until = later if self.latest is None else min(later, self.latest)
        try:
            yield
        finally:
            self.until = until

    def run(
        self,
        tasks: Sequence[Task],
        try_out: Callable[[Task], Traits],
        draw_many: DrawMany,
    ) -> list[Draws]:
        """Return the draws of the tasks, those of the trial counted with the first."""
        if not tasks:
            return []
        if self.until is not None:
            tasks = [replace(task, until=self.until) for task in tasks]
        extra = 0
        if self.traits is None:
            self.traits = try_out(tasks[0])
            extra = self.traits.calls
            self.unwatched |= self.traits.unwatched
            if self.asks and self.unwatched:
                raise Unwatched
        results = draw_many(tasks, self.traits)
        for _, seen in results:
            self.traits = self.traits.merged(seen)
        draws = [each for each, _ in results]
        draws[0] = replace(draws[0], calls=draws[0].calls + extra)
        return draws


class Runner(Protocol):
    """Carries out tasks on one subject.

    Attributes
    ----------
    known : Acquaintance
        How the mechanism has to be called, as far as it has been seen.
    """

    known: Acquaintance

    def run(self, tasks: Sequence[Task]) -> list[Draws]:
        """Return the draws of the tasks, in their order.

        Raises
        ------
        WorkerError
            Where a task could not be completed.
        """
        ...

    def fresh(
        self,
        histories: Sequence[Sequence[Any]],
        then: Any,
        keys: Sequence[tuple[int, ...]],
        *,
        chained: bool = False,
    ) -> Columns:
        """Return outputs on `then` of processes that saw one history each, and nothing else.

        See `dpaudit.worker.fresh.fresh_outputs`; the runner's own limits apply.
        """
        ...

    def replay(self, data: Any, tape: Tape, seconds: float) -> Replayed:
        """Run the mechanism once with a tape in place of noise.

        Raises
        ------
        WorkerError
            Where it could not be run, took too long, or its output cannot be handed over.
        """
        ...

    def close(self) -> None:
        """Give up all resources."""
        ...
