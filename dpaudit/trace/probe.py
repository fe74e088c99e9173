"""A probe: what a mechanism draws, and which sabotage of it must break a claim."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.outputs import Columns, encode
from dpaudit.subject import Subject
from dpaudit.trace.draws import UnseenNoiseError
from dpaudit.trace.record import Bench
from dpaudit.trace.sabotage import SCALED, Saboteur, Way, counted_twice
from dpaudit.worker import Runner
from dpaudit.worker.parcel import Parcel, pack_value
from dpaudit.worker.processes import ProcessRunner
from dpaudit.worker.received import read, written
from dpaudit.worker.remote import shielded, subject_of
from dpaudit.worker.tasks import WorkerError

if TYPE_CHECKING:
    from dpaudit.neighbors import Neighbors, Pair

PAIRS = 12  # that are looked at
STREAMS = 64  # of draws that are repeated, until an output differs
SECONDS = 60.0
_TWICE = 1.99  # times the change that one record makes, so that rounding does not matter


@dataclass(frozen=True, slots=True)
class Probe:
    """What a mechanism does on a few pairs when its noise is off.

    Attributes
    ----------
    kinds : tuple of str
        Laws that it draws from.
    reason : str
        Why its noise cannot be turned off; empty where it can.
    stream : int or None
        Seed of the draws without a scale under which the outputs of a pair differ.
    doubled : int or None
        Index of the record to count twice; None where that changes no output.
    undoubled : str
        Why a record cannot be counted twice; empty where it can.
    twice : bool
        Whether every number of the output then moves twice as far, on the pair where the outputs
        without noise are farthest apart.
    """

    kinds: tuple[str, ...] = ()
    reason: str = ""
    stream: int | None = None
    doubled: int | None = None
    undoubled: str = ""
    twice: bool = False

    @property
    def scaled(self) -> bool:
        """Whether noise with a scale is drawn."""
        return any(kind in SCALED for kind in self.kinds)

    @property
    def coins(self) -> tuple[str, ...]:
        """The other laws."""
        return tuple(kind for kind in self.kinds if kind not in SCALED)


def probed(
    subject: Subject, neighbors: Neighbors, seed: int, answers: bool, runner: Runner
) -> Probe:
    """Probe a mechanism where a runner runs it.

    Parameters
    ----------
    subject : Subject
    neighbors : Neighbors
    seed : int
        Of the pairs.
    answers : bool
        See `dpaudit.trace.sabotage.Way`.
    runner : Runner
    """
    if subject.elsewhere:
        return Probe(reason=f"{subject.elsewhere} draws the noise, out of reach")
    pairs = list(islice(neighbors.pairs(np.random.default_rng(seed)), PAIRS))
    if not isinstance(runner, ProcessRunner):
        return probe(subject, pairs, answers)
    try:
        content = pack_value((pairs, answers), "the neighbors")
        found = read(runner.ask(_remote_probe, content))
    except (WorkerError, pickle.UnpicklingError) as error:
        return Probe(reason=f"it could not be run in a worker process: {error}")
    assert isinstance(found, Probe)
    return found


def _remote_probe(parcel: Parcel, content: bytes) -> bytes | WorkerError:
    def act() -> bytes:
        return written(probe(subject_of(parcel), *pickle.loads(content)), ())

    return shielded(act)


def probe(subject: Subject, pairs: Sequence[Pair], answers: bool) -> Probe:
    """Probe a mechanism in this process.

    Parameters
    ----------
    subject : Subject
    pairs : sequence of Pair
    answers : bool
        See `dpaudit.trace.sabotage.Way`.
    """
    kinds: set[str] = set()
    try:
        with Bench(subject, SECONDS) as bench:
            runs = _Runs(bench, pairs, kinds)
            if not runs.repeat():
                said = "outputs vary although all noise that can be intercepted is off"
                return Probe(tuple(sorted(kinds)), said)
            stream = next((s for s in range(STREAMS) if runs.differ(s)), None)
            way = Way("off", stream or 0)
            found = Probe(tuple(sorted(kinds)), "", stream)
            return _with_record(found, runs, replace(way, answers=answers))
    except UnseenNoiseError as error:
        return Probe(reason=str(error))
    except WorkerError as error:
        return Probe(reason=f"it could not be probed: {error}")


@dataclass(frozen=True, slots=True)
class _Runs:
    """Outputs of a mechanism on some pairs, its noise off."""

    bench: Bench
    pairs: Sequence[Pair]
    kinds: set[str]

    def output(self, data: Any, way: Way, key: int = 0) -> Columns:
        given = data if way.doubled is None else counted_twice(data, way)
        rng = self.bench.generator((key,))
        return encode([self.bench.under(Saboteur(way, self.kinds), given, rng)])

    def both(self, pair: Pair, way: Way) -> tuple[Columns, Columns]:
        return self.output(pair.left, way), self.output(pair.right, way)

    def repeat(self) -> bool:
        """Whether the outputs repeat, whatever the generators of the mechanism are."""
        way = Way("off", 0)
        return all(
            self.output(data, way, 1).same_as(self.output(data, way, 2))
            for pair in self.pairs
            for data in (pair.left, pair.right)
        )

    def differ(self, stream: int) -> bool:
        """Whether the outputs of a pair differ, where all draws are those of a stream."""
        if stream and self.kinds <= SCALED:
            return False  # nothing is drawn from it
        sides = (self.both(pair, Way("off", stream)) for pair in self.pairs)
        return any(not left.same_as(right) for left, right in sides)


def _with_record(found: Probe, runs: _Runs, way: Way) -> Probe:
    """Add what it does to count a record twice, the first or the last one."""
    if not runs.pairs:
        return replace(found, undoubled="the neighbors give no pair")
    once = [runs.both(pair, way) for pair in runs.pairs]
    farthest = max(range(len(once)), key=lambda i: sum(_moves(*once[i]).values()))
    best, most = found, -1.0
    for place in (-1, 0):
        doubling = replace(way, doubled=place)
        try:
            again = [runs.both(pair, doubling) for pair in runs.pairs]
        except TypeError as error:
            return replace(found, undoubled=str(error))
        if all(a.same_as(b) for one, two in zip(once, again, strict=True) for a, b in
               zip(one, two, strict=True)):  # fmt: skip
            continue
        moves, before = _moves(*again[farthest]), _moves(*once[farthest])
        moved = sum(before.values()) > 0
        twice = moved and all(moves.get(k, 0.0) >= _TWICE * v for k, v in before.items())
        if (far := sum(moves.values()) + twice) > most:
            best, most = replace(found, doubled=place, twice=twice), far
    return best


def _moves(left: Columns, right: Columns) -> dict[str, float]:
    """Return how far each number of an output moves between two datasets."""
    return {
        path: abs(float(left.numbers[path][0] - right.numbers[path][0]))
        for path in left.numbers.keys() & right.numbers.keys()
        if np.isfinite(left.numbers[path][0] - right.numbers[path][0])
    }
