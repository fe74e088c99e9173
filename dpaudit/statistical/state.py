"""State between calls: whether what an earlier dataset left behind changes a later output.

In processes that have seen nothing else, a mechanism without memory gives the same output for the
same seed after any history. Where it does not, two processes decide: one calls the mechanism on the
left dataset alone, the other as often on the right one, and after each call a fork of both calls
it, with a common seed, on the same dataset. Without memory of data the two outputs have one
distribution, after every number of calls: half-plane bets at ε = 0 test that.

A generator that nobody seeds is where it was in every fork, and moves along from call to call, on
each dataset by steps of its own: where the last call needs more numbers than those before it,
outputs that follow each other share some. So evidence counts, where noise moves on, only if it
comes again from processes that repeat each last call themselves, and so share no number between
outputs. Both may run through the same stream. The first half of the outputs of one is therefore
compared with the second half of the other: of the two ways to do so one compares numbers that are
not shared, and the smaller evidence counts. Each dataset is the last one once, since repeating it
may hide what is kept of the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpaudit.evidence import Finding
from dpaudit.outputs import Columns
from dpaudit.statistical.features import plain_partitions
from dpaudit.statistical.halfplane import half_plane_log_wealth
from dpaudit.statistical.numerics import log_sum_exp
from dpaudit.statistical.race import Entry, Race
from dpaudit.statistical.rows import row_hashes
from dpaudit.worker import KEEPS_STATE, WorkerError

PAIRS = 200  # of outputs
WARM_UP = 40  # of them make the partition, and are not bet on
HISTORY = 3  # calls before the first one that is looked at
CELLS = 8
LEAST_CALLS = 100  # a smaller budget does not look for state
STATE_KEY = 2**31  # no pair has this number: seeds differ from those of every batch
MOVES = 24  # outputs that show whether noise moves on from call to call
ALWAYS = 8  # equal outputs on one side that look as if they never changed
REMEMBERS = (
    "the mechanism remembers earlier calls, though no earlier data was seen to change a later "
    "output: draws in one process are not independent, and no bound would be valid; audit it "
    "without its memory"
)
PRIVATE = (
    "the mechanism draws from a generator that takes no seed from dpaudit, and keeps nothing else "
    "between calls that was seen: its draws are taken to be independent, and are not coupled"
)
UNSEEDED_SHARE = 0.1  # of the calls, at most, to look for memory behind noise that takes no seed
STATE_SHARE = 0.01  # of α, for each of the two occasions to ask


def keeps_state(race: Race) -> Finding | str | None:
    """Look for memory of earlier calls.

    The first, cheap look repeats one seed: twice in fresh processes, and once after calls on
    other datasets; and another seed after a single call, since a spare number that every second
    call uses is not seen after two. What differs there is looked into: where two fresh processes
    differ already, the noise takes no seed, and only distributions can tell.

    Returns
    -------
    Finding, str or None
        A finding where earlier data changes a later output; a reason why draws in one process
        are no independent draws where earlier calls do; None where no memory was seen, or where a
        single call alone matters: then draws with a common seed are given up.
    """
    if race.budget.max_calls < LEAST_CALLS:
        return None
    entry = race.entries[0]
    pair = entry.contender.pair
    histories = [[], [], [pair.left, pair.right], [], [pair.left]]
    keys: list[tuple[int, ...]] = [(*race.key, STATE_KEY)] * 3 + [(*race.key, STATE_KEY, 6)] * 2
    outputs = _ask(race, histories, pair.right, keys)
    if outputs is None:
        return None
    alone, again, after, other, after_one = (
        outputs.take(np.array([i])) for i in range(outputs.size)
    )
    if alone.same_as(again):
        after_two = alone.same_as(after)
        if after_two and other.same_as(after_one):
            return None
        fresh = _ask(race, [[]] * ALWAYS, pair.right, [(*race.key, STATE_KEY)] * ALWAYS)
        if fresh is None:
            return None
        if _all_alike(alone, fresh):
            found = confirm_state(race, entry, "after other calls")
            if found is None and after_two:  # a spare number, which only coupled draws see
                race.discard_coupled(frozenset({KEEPS_STATE}))
                return None
            return found or (None if _only_moves_on(race, alone, pair.right) else REMEMBERS)
    if UNSEEDED_SHARE * race.budget.max_calls < 4 * PAIRS:
        return None
    return confirm_state(race, entry, "behind noise without a seed")


def _only_moves_on(race: Race, alone: Columns, dataset: Any) -> bool:
    """Whether what is kept is the place in a stream of noise that no seed of ours changes.

    A mechanism that remembers its noise repeats an output; one that also draws from what we seed
    gives another output for another seed, and keeps more than can be told apart here.
    """
    seeds: list[tuple[int, ...]] = [(*race.key, STATE_KEY, 6, i) for i in range(ALWAYS)]
    others = _ask(race, [[] for _ in seeds], dataset, seeds)
    if others is None or not _all_alike(alone, others):
        return False
    histories = [[dataset] * (i + 1) for i in range(ALWAYS)]
    later = _ask(race, histories, dataset, [(*race.key, STATE_KEY)] * ALWAYS, chained=True)
    if later is None or _all_alike(later.take(np.array([0])), later):
        return False
    race.notes.append(PRIVATE)
    return True


def _all_alike(one: Columns, outputs: Columns) -> bool:
    return all(one.same_as(outputs.take(np.array([i]))) for i in range(outputs.size))


def answers_anew(race: Race, entry: Entry) -> bool:
    """Whether outputs that never change in one process do not change in fresh ones either.

    A mechanism that remembers its noisy answer gives the same one again and again; it releases
    no raw value.
    """
    for side, dataset in enumerate((entry.contender.pair.left, entry.contender.pair.right)):
        seen = np.unique(row_hashes(entry.contender.pool.side(side)))
        if len(seen) != 1 or entry.contender.pool.seen[side] < ALWAYS:
            continue
        keys: list[tuple[int, ...]] = [(*race.key, STATE_KEY, 4, i) for i in range(ALWAYS)]
        outputs = _ask(race, [[] for _ in keys], dataset, keys)
        if outputs is not None and not np.all(row_hashes(outputs) == seen[0]):
            return False
    return True


def confirm_state(race: Race, entry: Entry, occasion: str) -> Finding | None:
    """Ask many fresh processes whether earlier data changes a later output.

    Returns
    -------
    Finding or None
        DPA116 where the evidence reaches the threshold that the ledger gives.
    """
    pair = entry.contender.pair
    share = race.tonight(STATE_SHARE)
    threshold = race.ledger.book(f"state between calls, {occasion}", share)
    sides = _after_each(race, entry, pair.right)
    evidence = -np.inf if sides is None else _evidence(*sides)
    if evidence >= threshold and _moves_on(race, pair.right):  # those outputs may share their noise
        evidence = _evidence_apart(race, entry)
    if evidence < threshold:
        return None
    subject = race.subject
    message = (
        f"{subject.name} keeps state between calls: in fresh processes its output on one dataset "
        f"depends on which dataset it saw before (evidence of {evidence:.1f} nats)"
    )
    return Finding("DPA116", "error", message, file=subject.file, line=subject.line)


def _after_each(
    race: Race, entry: Entry, last: Any, *, apart: bool = False
) -> tuple[Columns, Columns] | None:
    """Return outputs on one dataset, of a process that sees the left one before, and of another."""
    size = 2 * PAIRS if apart else PAIRS
    keys: list[tuple[int, ...]] = [(*race.key, STATE_KEY, 5, i) for i in range(size)]
    sides = []
    for before in (entry.contender.pair.left, entry.contender.pair.right):
        step = [last, before] if apart else [before]
        histories = [[before] * HISTORY + step * i for i in range(size)]
        outputs = _ask(race, histories, last, keys, chained=True)
        if outputs is None:
            return None
        sides.append(outputs)
    return sides[0], sides[1]


def _moves_on(race: Race, dataset: Any) -> bool:
    """Whether calls on one dataset may change its later outputs for one seed."""
    histories = [[dataset] * i for i in range(MOVES)]
    outputs = _ask(race, histories, dataset, [(*race.key, STATE_KEY)] * MOVES, chained=True)
    return outputs is None or not _all_alike(outputs.take(np.array([0])), outputs)


def _evidence_apart(race: Race, entry: Entry) -> float:
    """Return the log wealth of bets on outputs that share no noise, whatever stream it is from."""
    early, late = np.arange(PAIRS), np.arange(PAIRS, 2 * PAIRS)
    ways = (early, late), (late, early)
    logs = []
    for last in (entry.contender.pair.right, entry.contender.pair.left):
        sides = _after_each(race, entry, last, apart=True)
        if sides is None:
            return -np.inf
        left, right = sides
        logs.append(min(_evidence(left.take(one), right.take(other)) for one, other in ways))
    return float(log_sum_exp(np.array(logs)) - np.log(len(logs)))


def _evidence(left: Columns, right: Columns) -> float:
    """Return the log wealth of bets that two histories lead to different distributions."""
    outputs, size = Columns.concat([left, right]), left.size
    first, second = np.arange(size), np.arange(size, 2 * size)
    seen = np.concatenate([first[:WARM_UP], second[:WARM_UP]])
    logs = []
    for partition in plain_partitions(outputs.take(seen), CELLS):
        cells = partition.assign(outputs)
        joint = np.zeros((partition.cells, partition.cells), dtype=np.int64)
        np.add.at(joint, (cells[first[WARM_UP:]], cells[second[WARM_UP:]]), 1)
        zero = np.zeros(1)
        logs.append(float(half_plane_log_wealth(joint, partition.orders, zero, zero)))
    return float(log_sum_exp(np.array(logs)) - np.log(len(logs)))


def _ask(
    race: Race,
    histories: list[list[Any]],
    then: Any,
    keys: list[tuple[int, ...]],
    *,
    chained: bool = False,
) -> Columns | None:
    """Return the last outputs, or None, with a note, where no fresh process can be had."""
    try:
        outputs = race.runner.fresh(histories, then, keys, chained=chained)
    except WorkerError as error:
        if error.kind != "not-picklable":
            raise
        race.notes.append(f"state between calls was not looked for: {error}")
        return None
    before = max(map(len, histories)) if chained else sum(map(len, histories))
    race.other_calls += before + len(histories)
    return outputs
