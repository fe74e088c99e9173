"""Carries out one task: calls the mechanism, and encodes what it returns."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.random import PCG64, SeedSequence
from numpy.typing import NDArray

from dpaudit.outputs import Columns, Raised, encode
from dpaudit.randomness import GlobalStates, SeededSource, Source
from dpaudit.subject import Subject
from dpaudit.worker.datasets import duplicate, same
from dpaudit.worker.deadline import charged
from dpaudit.worker.generators import WatchedBits, apart, own_generators, watched, were_copied
from dpaudit.worker.happened import happened
from dpaudit.worker.quiet import Quiet
from dpaudit.worker.raising import raised_at
from dpaudit.worker.tasks import KEEPS_STATE, UNCOUPLED, Draws, Task, Traits, WorkerError
from dpaudit.worker.vectorized import call_many, one_row

CHUNK = 8192  # outputs held at a time before they are encoded

_ORDER = 9  # of the seed that says which side of a pair is called first
_OTHERS = 1  # in the keys of other calls, between those that are repeated

CAUGHT = (Exception, SystemExit)


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """The outputs of one attempt at a task, and what was noticed on the way."""

    labels: NDArray[np.uint8] | None
    left: Columns | None
    right: Columns | None
    outputs: Columns | None
    states: GlobalStates
    mutated: bool
    copied: bool = False
    repeated: int = 0
    raised_at: str = ""


def draw(subject: Subject, task: Task, traits: Traits) -> tuple[Draws, Traits]:
    """Carry out a task.

    Parameters
    ----------
    traits : Traits
        What is known of how to call the mechanism.

    Returns
    -------
    draws : Draws
    traits : Traits
        The same, with what this task has shown.

    Notes
    -----
    Where the mechanism turns out to change its dataset, the whole task is repeated from the same
    seed with a copy for each call: the result is the one that copying from the start would give.
    Where it turns out to copy its generator, nothing is repeated, since the outputs may have to do
    with it: the generators go on far from what was copied.

    Coupled draws assume that an output depends on dataset and random numbers alone. So the first
    pairs of each task are repeated after other calls, and have to be what they were.
    """
    start, idle = time.perf_counter(), time.thread_time()
    calls = task.size * (1 if task.mode == "label" else 2)
    attempts = 1
    repeats = task.mode == "coupled" and not traits.flags & UNCOUPLED
    with Quiet() as quiet:
        attempt = _attempt(subject, task, traits)
        if attempt.mutated and not traits.mutates:
            traits = replace(traits, mutates=True, flags=traits.flags | {"mutates-input"})
            attempt = _attempt(subject, task, traits)
            attempts = 2
        again, differs = _again(subject, task, traits, attempt) if repeats else (0, False)
    if differs:
        traits = replace(traits, flags=traits.flags | {KEEPS_STATE})
    flags = set(traits.flags)
    if quiet.printed:
        flags.add("prints")
    draws = Draws(
        mode=task.mode,
        size=task.size,
        calls=calls * attempts + attempt.repeated + again,
        seconds=time.perf_counter() - start,
        labels=attempt.labels,
        left=attempt.left,
        right=attempt.right,
        outputs=attempt.outputs,
        flags=frozenset(flags),
        raised_at=attempt.raised_at,
        worked=time.thread_time() - idle,
    )
    copies = traits.copies or attempt.copied
    return draws, replace(traits, states=traits.states | attempt.states, copies=copies)


def _attempt(
    subject: Subject, task: Task, traits: Traits, between: Callable[[], None] | None = None
) -> Attempt:
    datasets = duplicate(task.left), duplicate(task.right)
    coins = flip(task) if task.mode == "label" else None
    many = subject.vectorized and task.mode != "coupled"
    states = GlobalStates() if many else traits.states
    with SeededSource(task.key, task.mode, states, PCG64 if many else WatchedBits) as source:
        if many:
            sides, repeated = call_many(subject.steady, datasets, source, task, coins)
        else:
            calls = _bound_calls(subject, datasets, source, task, traits)
            sides, repeated = _call_singly(calls, source, task, coins, between), 0
        used, raised = source.used(), source.raised_at
        copied = any(were_copied(rng.bit_generator) for rng in source.generators)
    changed = not (same(datasets[0], task.left) and same(datasets[1], task.right))
    if task.mode == "label":
        assert coins is not None
        return Attempt(coins, None, None, sides, used, changed, copied, repeated, raised)
    left, right = sides.take(slice(0, None, 2)), sides.take(slice(1, None, 2))
    return Attempt(None, left, right, None, used, changed, copied, repeated, raised)


def _again(subject: Subject, task: Task, traits: Traits, seen: Attempt) -> tuple[int, bool]:
    """Repeat the first pairs of a coupled task after other calls, by the same seed.

    Returns
    -------
    calls : int
        How many it took.
    differs : bool
        Whether an output is another one: it does not depend on dataset and seed alone.
    """
    counts = task.others_between
    if not counts:
        return 0, False
    places = iter(enumerate(counts))

    def other_calls() -> None:
        # With other numbers; where their count is odd, a spare number is another one from there on.
        place, size = next(places)
        if size:
            key = (*task.key, _OTHERS, place)
            _attempt(subject, replace(task, mode="label", size=size, key=key), traits)

    again = _attempt(subject, replace(task, size=len(counts)), traits, other_calls)
    assert seen.left is not None
    assert seen.right is not None
    assert again.left is not None
    assert again.right is not None
    first = slice(len(counts))
    alike = again.left.same_as(seen.left.take(first)) and again.right.same_as(
        seen.right.take(first)
    )
    return sum(counts) + 2 * len(counts), not alike


def flip(task: Task) -> NDArray[np.uint8]:
    """Return the coins of a task: 1 where the right dataset is to be used."""
    coins = np.random.Generator(np.random.PCG64(SeedSequence(task.key, spawn_key=(0,))))
    return coins.integers(0, 2, size=task.size, dtype=np.uint8)


def _bound_calls(
    subject: Subject, datasets: tuple[Any, Any], source: Source, task: Task, traits: Traits
) -> list[Callable[[], Any]]:
    calls: list[Callable[[], Any]] = []
    for side, (dataset, rng) in enumerate(zip(datasets, source.generators, strict=True)):
        generator = (rng,) if subject.takes_rng else ()
        function = subject.observed if task.event is None else subject.alone
        if subject.vectorized:
            function = one_row(subject.steady)
        if traits.copies and subject.takes_rng:
            own = own_generators(task.key, 0 if task.mode == "coupled" else side)
            function, generator = partial(_call_with_next, function, own), ()
        call: Callable[[], Any] = partial(function, dataset, *generator)
        if traits.mutates:
            call = partial(_call_on_copy, function, dataset, generator)
        calls.append(partial(_copied, call) if traits.reuses else call)
    return calls


def _call_with_next(
    function: Callable[..., Any], generators: Iterator[np.random.Generator], dataset: Any
) -> Any:
    return function(dataset, next(generators))


def _call_on_copy(function: Callable[..., Any], dataset: Any, generator: tuple[Any, ...]) -> Any:
    return function(duplicate(dataset), *generator)


def _copied(call: Callable[[], Any]) -> Any:
    output = call()
    try:
        return copy.deepcopy(output)
    except Exception:
        return output


def caught(error: BaseException, source: Source | None = None) -> Raised:
    """Return an exception as an output; running out of memory is none."""
    if isinstance(error, WorkerError):
        raise error
    if isinstance(error, MemoryError):
        raise WorkerError("memory", "the mechanism ran out of memory") from error
    if source is not None and not source.raised_at:
        source.raised_at = raised_at(error)
    return Raised(error)


def _call_singly(
    calls: Sequence[Callable[[], Any]],
    source: Source,
    task: Task,
    coins: NDArray[np.uint8] | None,
    between: Callable[[], None] | None,
) -> Columns:
    """Return the outputs in the order of the calls, pairs as left, right and so on."""
    leave = apart(source.generators, coupled=task.mode == "coupled")
    before = charged(source.before_call, task.until)
    parts = []
    order = np.random.Generator(np.random.PCG64(SeedSequence(task.key, spawn_key=(_ORDER,))))
    for start in range(0, task.size, CHUNK):
        stop = min(start + CHUNK, task.size)
        if coins is None:
            # Else a clock or a counter would tell the side that is always called first.
            firsts = (order.random(stop - start) < 0.5).tolist()
            outputs = _call_pairs(calls, source, before, leave, list(map(int, firsts)), between)
        else:
            outputs = _call_by_coin(calls, source, before, leave, coins[start:stop].tolist())
        parts.append(encode(outputs if task.event is None else happened(task.event, outputs)))
    return Columns.concat(parts)


def _call_by_coin(
    calls: Sequence[Callable[[], Any]],
    source: Source,
    before: Callable[[int], None] | None,
    leave: Callable[[], None],
    coins: list[int],
) -> list[Any]:
    outputs: list[Any] = []
    bits = watched(source.generators)
    append = outputs.append
    for coin in coins:
        if before is not None:
            before(coin)
        try:
            append(calls[coin]())
        except CAUGHT as error:
            append(caught(error, source))
        if bits[coin].copied:
            leave()
    return outputs


def _call_pairs(
    calls: Sequence[Callable[[], Any]],
    source: Source,
    before: Callable[[int], None] | None,
    leave: Callable[[], None],
    firsts: list[int],
    between: Callable[[], None] | None,
) -> list[Any]:
    """Return the outputs of pairs of calls; `firsts` says which side is called first in each."""
    outputs: list[Any] = []
    bits_left, bits_right = watched(source.generators)
    after = source.after_pair
    for first in firsts:
        if between is not None:
            between()
        pair: list[Any] = [None, None]
        for side in (first, 1 - first):
            if before is not None:
                before(side)
            try:
                pair[side] = calls[side]()
            except CAUGHT as error:
                pair[side] = caught(error, source)
        outputs += pair
        if after is not None:
            after()
        if bits_left.copied or bits_right.copied:
            leave()
    return outputs
