"""State between calls: whether what an earlier dataset left behind changes a later output.

In processes that have seen nothing else, a mechanism without memory gives the same output for the
same seed after any history. Where it does not, pairs of processes decide: one calls the mechanism
on the left dataset first, the other as often on the right one, and then both, with a common seed,
on the same dataset. Without memory of data the two last outputs have one distribution, whatever
became of a shared generator meanwhile: half-plane bets at ε = 0 test that.
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

PAIRS = 200  # of processes
WARM_UP = 40  # of them make the partition, and are not bet on
HISTORY = 3  # calls before the one that is looked at
CELLS = 8
LEAST_CALLS = 100  # a smaller budget does not look for state
STATE_KEY = 2**31  # no pair has this number: seeds differ from those of every batch
ALWAYS = 8  # equal outputs on one side that look as if they never changed
REMEMBERS = (
    "the mechanism remembers earlier calls, though no earlier data was seen to change a later "
    "output: draws in one process are not independent, and no bound would be valid; audit it "
    "without its memory"
)
STATE_SHARE = 0.01  # of α, for each of the two occasions to ask


def keeps_state(race: Race) -> Finding | str | None:
    """Look for memory of earlier calls.

    The first, cheap look repeats one seed: twice in fresh processes, and once after calls on
    other datasets; and another seed after a single call, since a spare number that every second
    call uses is not seen after two. Only what differs there, and not from process to process, is
    looked into.

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
    odd = not other.same_as(after_one)
    if not alone.same_as(again) or (alone.same_as(after) and not odd):
        return None
    fresh = _ask(race, [[]] * ALWAYS, pair.right, [(*race.key, STATE_KEY)] * ALWAYS)
    if fresh is None or not all(alone.same_as(fresh.take(np.array([i]))) for i in range(ALWAYS)):
        return None  # noise that takes no seed gave the same output twice, by chance
    found = confirm_state(race, entry, "after other calls")
    if found is None and alone.same_as(after):
        race.discard_coupled(frozenset({KEEPS_STATE}))
        return None
    return found or REMEMBERS


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
    histories = [[before] * HISTORY for before in (pair.left, pair.right) for _ in range(PAIRS)]
    keys: list[tuple[int, ...]] = [(*race.key, STATE_KEY, 5, i) for i in range(PAIRS)]
    outputs = _ask(race, histories, pair.right, keys * 2)
    if outputs is None:
        return None
    evidence = _evidence(outputs)
    if evidence < threshold:
        return None
    subject = race.subject
    message = (
        f"{subject.name} keeps state between calls: in fresh processes its output on one dataset "
        f"depends on which dataset it saw before (evidence of {evidence:.1f} nats)"
    )
    return Finding("DPA116", "error", message, file=subject.file, line=subject.line)


def _evidence(outputs: Columns) -> float:
    """Return the log wealth of bets that the two halves have different distributions."""
    first, second = np.arange(PAIRS), np.arange(PAIRS, 2 * PAIRS)
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
    race: Race, histories: list[list[Any]], then: Any, keys: list[tuple[int, ...]]
) -> Columns | None:
    """Return the last outputs, or None, with a note, where no fresh process can be had."""
    try:
        outputs = race.runner.fresh(histories, then, keys)
    except WorkerError as error:
        if error.kind != "not-picklable":
            raise
        race.notes.append(f"state between calls was not looked for: {error}")
        return None
    race.other_calls += sum(len(history) + 1 for history in histories)
    return outputs
