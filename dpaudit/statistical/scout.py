"""Scouting: a few draws on many pairs, to find those worth betting on.

Some violations show on few pairs of datasets, but there in every output: a count that crosses a
threshold. Successive halving (Karnin, Koren & Somekh 2013) spends little on finding such a pair:
every candidate gets a few draws, those whose outputs differ most get more, and so on. These draws
only choose; what is bet on a pair is drawn anew.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpaudit.neighbors import Pair
from dpaudit.outputs import Columns
from dpaudit.statistical.numerics import Floats
from dpaudit.statistical.race import Race
from dpaudit.statistical.rows import numbers, text_hash
from dpaudit.worker import Task

FIRST_DRAWS = 8  # a side, of every candidate
KEPT = 4  # one in so many gets as many times the draws
SCOUT_KEY = 2**31 + 1  # no pair has this number: seeds differ from those of every batch


def scouted(race: Race, pairs: Sequence[Pair], wanted: int) -> list[Pair]:
    """Return the pairs whose outputs differ most.

    Parameters
    ----------
    race : Race
        Its calls pay for the draws.
    pairs : sequence of Pair
    wanted : int

    Returns
    -------
    list of Pair
        At most `wanted`, the most telling first.

    Raises
    ------
    WorkerError
        As soon as a call fails.
    """
    chosen, draws, stage = list(enumerate(pairs)), FIRST_DRAWS, 0
    while True:
        ranked = sorted(chosen, key=lambda one: _difference(race, one, draws, stage), reverse=True)
        if len(ranked) <= KEPT * wanted or not race.in_time:
            return [pair for _, pair in ranked[:wanted]]
        chosen, draws, stage = ranked[: len(ranked) // KEPT], draws * KEPT, stage + 1


def _difference(
    race: Race, candidate: tuple[int, Pair], draws: int, stage: int
) -> tuple[float, float]:
    """Return the largest and the mean distance of the two sides' outputs over their columns."""
    number, pair = candidate
    left: list[Columns] = []
    right: list[Columns] = []
    key = (*race.key, SCOUT_KEY, stage, number)
    for drawn in race.runner.run([Task(pair.left, pair.right, "independent", draws, key)]):
        assert drawn.left is not None
        assert drawn.right is not None
        race.other_calls += drawn.calls
        left.append(drawn.left)
        right.append(drawn.right)
    gaps = distances(Columns.concat(left), Columns.concat(right))
    return float(gaps.max()), float(gaps.mean())


def distances(left: Columns, right: Columns) -> Floats:
    """Return the Kolmogorov–Smirnov distance of two samples in every column.

    Parameters
    ----------
    left, right : Columns
        Outputs of either dataset, of any sizes.

    Returns
    -------
    ndarray of float64, shape (columns,)
        Between 0 and 1; words are ordered by their hashes, and what is absent comes last. One 0
        where there are no columns.
    """
    columns = [
        np.concatenate([numbers(left, path), numbers(right, path)])
        for path in dict.fromkeys([*left.numbers, *right.numbers])
    ]
    columns += [
        np.concatenate([_words(left, path), _words(right, path)])
        for path in dict.fromkeys([*left.labels, *right.labels])
    ]
    if not columns:
        return np.zeros(1)
    values = np.nan_to_num(np.array(columns), nan=np.inf)
    steps = np.repeat([1 / left.size, -1 / right.size], [left.size, right.size])
    order = np.argsort(values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    gaps = np.abs(np.cumsum(steps[order], axis=1))[:, :-1]
    gaps[ordered[:, 1:] == ordered[:, :-1]] = 0.0  # a step begins and ends between values
    found: Floats = gaps.max(axis=1, initial=0.0)
    return found


def _words(columns: Columns, path: str) -> Floats:
    """Return a number for each word of a label column, NaN where it is absent."""
    codes, words = columns.labels.get(path, (np.full(columns.size, -1), ()))
    found: Floats = np.append([float(text_hash(word)) for word in words], np.nan)[codes]
    return found
