"""A few trial calls, which show how a mechanism has to be called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpaudit.outputs import Columns, encode
from dpaudit.randomness import GlobalStates, SeededSource
from dpaudit.subject import Subject
from dpaudit.worker.datasets import duplicate, same
from dpaudit.worker.draw import CAUGHT, caught
from dpaudit.worker.quiet import Quiet
from dpaudit.worker.tasks import Task, Traits

REPETITIONS = 4


@dataclass(frozen=True, slots=True, eq=False)
class _Round:
    outputs: list[Columns]
    states: GlobalStates
    mutated: bool
    reused: bool


def trial(subject: Subject, task: Task) -> Traits:
    """Call the mechanism a few times on both datasets, each time twice from the same seed.

    Returns
    -------
    Traits
        Its flags say ``"unseeded"`` where the same seed gave different outputs. A fair coin from
        the system's randomness is overlooked with probability 2**-8.
    """
    rounds: list[_Round] = []
    with Quiet():
        for side, dataset in enumerate((task.left, task.right)):
            rounds += [_round(subject, task, side, dataset) for _ in range(2)]
    left, left_again, right, right_again = rounds
    repeated = _alike(left, left_again) and _alike(right, right_again)
    mutates = any(each.mutated for each in rounds)
    reuses = any(each.reused for each in rounds)
    states = GlobalStates()
    for each in rounds:
        states |= each.states
    seen = {"unseeded": not repeated, "mutates-input": mutates, "reuses-output": reuses}
    return Traits(
        states=states,
        mutates=mutates,
        reuses=reuses,
        flags=frozenset(flag for flag, holds in seen.items() if holds),
        calls=4 * REPETITIONS,
    )


def _round(subject: Subject, task: Task, side: int, dataset: Any) -> _Round:
    outputs: list[Columns] = []
    mutated = False
    first: Any = None
    with SeededSource(task.key, "independent", GlobalStates()) as source:
        rng = source.generators[side]
        for i in range(1 if subject.vectorized else REPETITIONS):
            copied = duplicate(dataset)
            output = _output(subject, copied, rng)
            outputs.append(encode([output]))
            mutated = mutated or not same(copied, dataset)
            first = output if i == 0 else first
        states = source.used()
    reused = not encode([first]).same_as(outputs[0])
    return _Round(outputs, states, mutated, reused)


def _output(subject: Subject, dataset: Any, rng: Any) -> Any:
    try:
        if subject.vectorized:
            return subject.function(dataset, REPETITIONS, rng)
        return subject.function(dataset, rng) if subject.takes_rng else subject.function(dataset)
    except CAUGHT as error:
        return caught(error)


def _alike(left: _Round, right: _Round) -> bool:
    return all(a.same_as(b) for a, b in zip(left.outputs, right.outputs, strict=True))
