"""State between calls: whether what an earlier dataset left behind changes a later output.

In processes that have seen nothing else, a mechanism without memory gives the same output for the
same seed after any history. Where it does not, coins decide: each process calls the mechanism on
one of two datasets, chosen by a coin, and then on one of them; only memory lets the last output
tell the coin.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpaudit.evidence import Finding
from dpaudit.outputs import Columns
from dpaudit.statistical.features import plain_partitions
from dpaudit.statistical.label import label_log_wealth
from dpaudit.statistical.race import Entry, Race
from dpaudit.worker import WorkerError

PROCESSES = 240
HISTORY = 3  # calls before the one that is looked at
CELLS = 16
LEAST_CALLS = 2_000  # a smaller budget does not look for state
STATE_SHARE = 0.01  # of α, for each of the two occasions to ask


def keeps_state(race: Race) -> Finding | None:
    """Return a finding where a call after others differs from one in a fresh process.

    The first, cheap look repeats one seed: twice in fresh processes, and once after calls on
    other datasets. Only what differs there, and not from process to process, is looked into.
    """
    if race.budget.max_calls < LEAST_CALLS:
        return None
    entry = race.entries[0]
    pair = entry.contender.pair
    histories = [[], [], [pair.left, pair.right]]
    outputs = _ask(race, histories, pair.right, [race.key] * len(histories))
    if outputs is None:
        return None
    alone, again, after = (outputs.take(np.array([i])) for i in range(outputs.size))
    if not alone.same_as(again) or alone.same_as(after):
        return None
    return confirm_state(race, entry, "after other calls")


def confirm_state(race: Race, entry: Entry, occasion: str) -> Finding | None:
    """Ask many fresh processes whether earlier data changes a later output.

    Returns
    -------
    Finding or None
        DPA116 where a label bet at ε = 0 on the coins reaches the threshold in the ledger.
    """
    pair = entry.contender.pair
    threshold = race.ledger.book(f"state between calls, {occasion}", STATE_SHARE)
    coins = np.random.default_rng([*race.key, 1]).integers(0, 2, PROCESSES).astype(np.intp)
    histories = [[(pair.left, pair.right)[coin]] * HISTORY for coin in coins]
    keys: list[tuple[int, ...]] = [(*race.key, 2, i) for i in range(PROCESSES)]
    outputs = _ask(race, histories, pair.right, keys)
    if outputs is None:
        return None
    evidence = -math.inf
    partitions = plain_partitions(outputs, CELLS)
    for partition in partitions:
        counts = np.zeros((2, partition.cells), dtype=np.int64)
        np.add.at(counts, (coins, partition.assign(outputs)), 1)
        evidence = max(evidence, float(label_log_wealth(counts, partition.orders, 0.0)))
    if evidence - math.log(len(partitions)) < threshold:
        return None
    subject = race.subject
    message = (
        f"{subject.name} keeps state between calls: in fresh processes its output on one dataset "
        f"depends on which dataset it saw before (evidence of {evidence:.1f} nats)"
    )
    return Finding("DPA116", "error", message, file=subject.file, line=subject.line)


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
