"""State between calls: whether what an earlier dataset left behind changes a later output."""

from __future__ import annotations

import math

import numpy as np

from dpaudit.evidence import Finding
from dpaudit.statistical.contender import Contender
from dpaudit.statistical.features import plain_partitions
from dpaudit.statistical.label import label_log_wealth
from dpaudit.subject import Subject
from dpaudit.worker import WorkerError
from dpaudit.worker.fresh import fresh_outputs

PROCESSES = 300
HISTORY = 3  # calls before the one that is looked at
CELLS = 16


def confirm_state(
    subject: Subject, contender: Contender, threshold: float, key: tuple[int, ...]
) -> tuple[Finding | None, str, int]:
    """Ask fresh processes whether earlier data changes a later output.

    Each process calls the mechanism on one of the two datasets, chosen by a fair coin, and then
    on the left one. Without state the last output says nothing about the coin.

    Returns
    -------
    (Finding or None, reason, calls)
        DPA116 where a label bet at ε = 0 on the coins reaches the threshold.
    """
    coins = np.random.default_rng(key).integers(0, 2, PROCESSES).astype(np.intp)
    datasets = contender.pair.left, contender.pair.right
    histories = [[datasets[coin]] * HISTORY for coin in coins]
    calls = PROCESSES * (HISTORY + 1)
    drift = (
        "the outputs depend on when the mechanism is called: the null check rejected, so draws "
        "are not independent and no bound would be valid"
    )
    try:
        keys = [(*key, i) for i in range(PROCESSES)]
        outputs = fresh_outputs(subject, histories, datasets[0], keys)
    except WorkerError as error:
        return None, f"{drift}; fresh processes could not be asked ({error})", 0
    evidence = -math.inf
    for partition in plain_partitions(outputs, CELLS):
        counts = np.zeros((2, partition.cells), dtype=np.int64)
        np.add.at(counts, (coins, partition.assign(outputs)), 1)
        evidence = max(evidence, float(label_log_wealth(counts, partition.orders, 0.0)))
    if evidence - math.log(3) < threshold:  # at most three partitions: a union bound
        return None, f"{drift}; fresh processes did not confirm that earlier data matters", calls
    message = (
        f"{subject.name} keeps state between calls: in fresh processes its output on one dataset "
        f"depends on which dataset it saw before (evidence {evidence:.1f} nats)"
    )
    finding = Finding("DPA116", "error", message, file=subject.file, line=subject.line)
    return finding, "", calls
