"""State between calls: whether what an earlier dataset left behind changes a later output.

In processes that have seen nothing else, a mechanism without memory gives the same output for the
same seed after any history. Where it does not, pairs of fresh processes decide: one calls the
mechanism on the left dataset, the other as often on the right one, and both then on the same
dataset with a common seed of their own. Half-plane bets at ε = 0 test that the last outputs have
one distribution. The pairs are independent, since nothing but the seed is random in them. All are
asked in an order drawn by lot: a clock, a process's number or a counter in a file tells when a
process ran, and not on which dataset.

A generator that takes no seed from dpaudit is where it was in every fresh process, so that those
outputs are no independent draws. Where it moves along from call to call, nothing is refuted: one
chain of calls a dataset, forked after each call, shows outputs from different places of its
stream. What looks there as if earlier data mattered is no verdict.
"""

from __future__ import annotations

from contextlib import nullcontext
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
ALWAYS = 8  # equal outputs on one side that look as if they never changed
REMEMBERS = (
    "the mechanism remembers earlier calls, though no earlier data was seen to change a later "
    "output. Draws in one process are not independent, and no bound would be valid. Audit it "
    "without its memory"
)
PRIVATE = (
    "the mechanism draws from a generator that takes no seed from dpaudit, and keeps nothing else "
    "between calls that was seen. Its draws are taken to be independent, and are not coupled"
)
UNSEEDED_SHARE = 0.1  # of the calls, at most, to look for memory behind noise that takes no seed
STATE_SHARE = 0.01  # of α, for each of the two occasions to ask


def keeps_state(race: Race) -> Finding | str | None:
    """Look for memory of earlier calls.

    The first, cheap look repeats one seed: twice in fresh processes, and once after calls on
    other datasets; and another seed after a single call, since a spare number that every second
    call uses is not seen after two. What differs there is looked into: where the same calls in
    fresh processes differ already, the noise takes no seed, and only distributions can tell.

    Returns
    -------
    Finding, str or None
        A finding where earlier data changes a later output; a reason why draws in one process
        are no independent draws where earlier calls do; None where no memory was seen, where a
        single call alone matters (then draws with a common seed are given up), or where the noise
        takes no seed, so that `remembers_behind_noise` is to be asked.
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
        tells, one = (4, after_one) if after_two else (2, after)
        asked = [[]] * ALWAYS + [histories[tells]] * ALWAYS
        more = _ask(race, asked, pair.right, [keys[0]] * ALWAYS + [keys[tells]] * ALWAYS)
        if more is None:
            return None
        fresh, later = (more.take(np.arange(ALWAYS) + i) for i in (0, ALWAYS))
        if _all_alike(alone, fresh) and _all_alike(one, later):
            found = confirm_state(race, entry, "after other calls")
            if found is None and after_two:  # a spare number, which only coupled draws see
                race.discard_coupled(frozenset({KEEPS_STATE}))
                return None
            if found is not None or not _only_moves_on(race, pair.right):
                return found or REMEMBERS
            if _seems_to_remember(race, entry):
                return REMEMBERS
            race.notes.append(PRIVATE)
            return None
    race.unseeded = True
    return None


def remembers_behind_noise(race: Race) -> Finding | None:
    """Look for memory behind noise that takes no seed, once the calls of a tier are worth it.

    Only distributions can tell, which takes many fresh processes: they are asked in the first
    tier of which they are a small part, or before a verdict of REFUTED.
    """
    most = race.budget.max_calls if race.settled else race.allowance
    if not race.unseeded or UNSEEDED_SHARE * most < 4 * PAIRS:
        return None
    race.unseeded = False
    with race.runner.known.confirming() if race.settled else nullcontext():
        return confirm_state(race, race.entries[0], "behind noise without a seed")


def _only_moves_on(race: Race, dataset: Any) -> bool:
    """Whether what is kept is the place in a stream of noise that no seed of ours changes.

    A mechanism that remembers its noise repeats an output; one that also draws from what we seed
    gives another output for another seed, and keeps more than can be told apart here.
    """
    seeds: list[tuple[int, ...]] = [(*race.key, STATE_KEY, 6, i) for i in range(ALWAYS)]
    others = _ask(race, [[] for _ in seeds], dataset, seeds)
    if others is None or not _all_alike(others.take(np.array([0])), others):
        return False
    histories = [[dataset] * (i + 1) for i in range(ALWAYS)]
    later = _ask(race, histories, dataset, [(*race.key, STATE_KEY)] * ALWAYS, chained=True)
    return later is not None and not _all_alike(later.take(np.array([0])), later)


def _seems_to_remember(race: Race, entry: Entry) -> bool:
    """Whether outputs along two chains of calls, one on each dataset, look different."""
    pair = entry.contender.pair
    keys: list[tuple[int, ...]] = [(*race.key, STATE_KEY, 5, i) for i in range(PAIRS)]
    sides = [
        _ask(race, [[before] * (HISTORY + i) for i in range(PAIRS)], pair.right, keys, chained=True)
        for before in (pair.left, pair.right)
    ]
    if sides[0] is None or sides[1] is None:
        return True
    level = race.tonight(STATE_SHARE)
    return bool(_evidence(sides[0], sides[1]) >= -np.log(level * race.budget.alpha))


def _all_alike(one: Columns, outputs: Columns) -> bool:
    return all(one.same_as(outputs.take(np.array([i]))) for i in range(outputs.size))


def answers_anew(race: Race, entry: Entry) -> bool:
    """Whether outputs that never change in one process do not change in fresh ones either.

    A mechanism that remembers its noisy answer gives the same one again and again; it releases
    no raw value. One that remembers nothing may have given the same one so far, where another is
    rare: with the seed of another one it gives that after other calls too.
    """
    for side, dataset in enumerate((entry.contender.pair.left, entry.contender.pair.right)):
        seen = np.unique(row_hashes(entry.contender.pool.side(side)))
        if len(seen) != 1 or entry.contender.pool.seen[side] < ALWAYS:
            continue
        keys: list[tuple[int, ...]] = [(*race.key, STATE_KEY, 4, i) for i in range(ALWAYS)]
        outputs = _ask(race, [[] for _ in keys], dataset, keys)
        fresh = np.empty(0) if outputs is None else row_hashes(outputs)
        others = [i for i, each in enumerate(fresh) if each != seen[0]]
        if not others:
            continue
        again = _ask(race, [[dataset] * ALWAYS for _ in others], dataset, [keys[i] for i in others])
        if again is None or not np.array_equal(row_hashes(again), fresh[others]):
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
    order = np.random.default_rng((*race.key, STATE_KEY, 7)).permutation(2 * PAIRS)
    asked = [histories[i] for i in order], pair.right, [keys[i % PAIRS] for i in order]
    outputs = _ask(race, *asked)
    if outputs is None:
        return None
    outputs = outputs.take(np.argsort(order))
    evidence = _evidence(outputs.take(np.arange(PAIRS)), outputs.take(np.arange(PAIRS, 2 * PAIRS)))
    if evidence < threshold or _only_moves_on(race, pair.right):
        return None
    subject = race.subject
    message = (
        f"{subject.name} keeps state between calls: in fresh processes its output on one dataset "
        f"depends on which dataset it saw before (evidence of {evidence:.1f} nats)"
    )
    return Finding("DPA116", "error", message, file=subject.file, line=subject.line)


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
    began = race.seconds
    try:
        outputs = race.runner.fresh(histories, then, keys, chained=chained)
    except WorkerError as error:
        if error.kind not in ("no-process", "not-picklable"):
            raise
        race.notes.append(f"state between calls was not looked for: {error}")
        return None
    finally:
        race.aside += race.seconds - began
    before = max(map(len, histories)) if chained else sum(map(len, histories))
    race.other_calls += before + len(histories)
    return outputs
