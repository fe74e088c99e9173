"""A few trial calls, which show how a mechanism has to be called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from dpaudit.outputs import Columns, encode
from dpaudit.randomness import GlobalStates, SeededSource, pytorch
from dpaudit.subject import Subject
from dpaudit.worker.datasets import duplicate, same
from dpaudit.worker.deadline import in_time
from dpaudit.worker.draw import CAUGHT, caught
from dpaudit.worker.generators import WatchedBits, other_generators
from dpaudit.worker.quiet import Quiet
from dpaudit.worker.tasks import Task, Traits

REPETITIONS = 4
_OTHERS = 8


@dataclass(frozen=True, slots=True, eq=False)
class _Round:
    outputs: list[Columns]
    states: GlobalStates
    mutated: bool
    reused: bool
    copied: bool
    stays: bool  # where it was, so that the second call draws what the first did


def trial(subject: Subject, task: Task) -> Traits:
    """Call the mechanism a few times on both datasets, each time twice from the same seed.

    Returns
    -------
    Traits
        Its flags say ``"unseeded"`` where the same seed gave different outputs. A fair coin from
        the system's randomness is overlooked with probability 2**-8.
    """
    with Quiet(listens=True) as quiet:
        seedable = pytorch()
        rounds = _rounds(subject, task)
        if seedable is None and pytorch() is not None:  # a call imported it, and drew unseeded
            rounds = _rounds(subject, task)
    left, left_again, right, right_again = rounds
    repeated = _alike(left, left_again) and _alike(right, right_again)
    mutates = any(each.mutated for each in rounds)
    reuses = any(each.reused for each in rounds)
    states = GlobalStates()
    for each in rounds:
        states |= each.states
    copied = any(each.copied for each in rounds)
    repeating, more = _repeating(subject, task, rounds) if repeated else (False, 0)
    seen = {
        "unseeded": not repeated,
        "mutates-input": mutates,
        "reuses-output": reuses,
        "copies-generator": repeating,
    }
    return Traits(
        states=states,
        mutates=mutates,
        reuses=reuses,
        copies=copied or repeating,
        flags=frozenset(flag for flag, holds in seen.items() if holds),
        calls=4 * REPETITIONS + more,
        unwatched=quiet.unwatched(subject),
    )


def _rounds(subject: Subject, task: Task) -> list[_Round]:
    sides = enumerate((task.left, task.right))
    return [_round(subject, task, side, dataset) for side, dataset in sides for _ in range(2)]


def _round(subject: Subject, task: Task, side: int, dataset: Any) -> _Round:
    outputs: list[Columns] = []
    mutated = False
    first: Any = None
    stays = subject.takes_rng and not subject.vectorized
    with SeededSource(task.key, "independent", GlobalStates()) as source:
        rng = source.generators[side]
        watched = WatchedBits(rng.bit_generator.seed_seq)
        place = watched.place()
        rng = rng if subject.vectorized else Generator(watched)
        for i in range(1 if subject.vectorized else REPETITIONS):
            given = duplicate(dataset)
            in_time(task.until)
            output = _output(subject, given, rng)
            outputs.append(encode([output]))
            mutated = mutated or not same(given, dataset)
            stays = stays and watched.place() == place
            first = output if i == 0 else first
        states = source.used()
    reused = not encode([first]).same_as(outputs[0])
    return _Round(outputs, states, mutated, reused, watched.copied, stays)


def _repeating(subject: Subject, task: Task, rounds: list[_Round]) -> tuple[bool, int]:
    """Return whether calls repeat the numbers of the one before, and how many it took to see.

    They do where the generator stays where it was, outputs are alike, and another generator
    would have given another: noise that no generator changes is the mechanism's own.
    """
    calls = 0
    for side, dataset in enumerate((task.left, task.right)):
        seen = rounds[2 * side]
        if not (seen.stays and all(each.same_as(seen.outputs[0]) for each in seen.outputs)):
            continue
        for rng in other_generators(task.key, _OTHERS):
            calls += 1
            in_time(task.until)
            with Quiet(), SeededSource(task.key, "independent", GlobalStates()):
                output = encode([_output(subject, duplicate(dataset), rng)])
            if not output.same_as(seen.outputs[0]):
                return True, calls
    return False, calls


def _output(subject: Subject, dataset: Any, rng: Any) -> Any:
    try:
        if subject.vectorized:
            return subject.steady(dataset, REPETITIONS, rng)
        return subject.observed(dataset, rng) if subject.takes_rng else subject.observed(dataset)
    except CAUGHT as error:
        return caught(error)


def _alike(left: _Round, right: _Round) -> bool:
    return all(a.same_as(b) for a, b in zip(left.outputs, right.outputs, strict=True))
