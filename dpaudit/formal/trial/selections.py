"""Selections: outputs that noise chooses, and what beside the choice leaves with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpaudit.formal.trial.laws import Law, Maximum
from dpaudit.formal.trial.outputs import Release
from dpaudit.formal.trial.path_choices import Together
from dpaudit.neighbors import Neighbors, Pair, QueryAnswers


def is_winner(law: Law) -> bool:
    """Whether a number has a law of noise that came out above other noise of the same draw.

    Parameters
    ----------
    law : Law
    """
    if isinstance(law, Maximum):
        return True
    if not isinstance(law, Together) or len(law.total.terms) != 1:
        return False
    (own,) = law.total.terms
    rivals = (v for gap in law.positive if own in gap.terms for v in gap.terms if v != own)
    return any((v.law, v.place) == (own.law, own.place) for v in rivals)


def chosen_by_noise(*sides: Sequence[Release]) -> bool:
    """Whether noise has chosen the largest of some numbers on each dataset.

    Parameters
    ----------
    sides : sequence of Release
        The outcomes on one dataset each.
    """
    return all(any(r.outcome.oracle.consumed for r in side) for side in sides)


def shows_answers(neighbors: Neighbors, pair: Pair, side: Sequence[Release]) -> bool:
    """Whether outputs without noise are answers, and no values that records have.

    Parameters
    ----------
    neighbors : Neighbors
    pair : Pair
    side : sequence of Release
        The outcomes on one of the datasets.
    """
    bare = [row.constant for r in side for row in r.rows if not any(x.terms for x in r.rows)]
    if isinstance(neighbors, QueryAnswers):
        return bool(bare)
    records = {float(v) for data in (pair.left, pair.right) for v in numbers_of(data)}
    return any(float(value) not in records for value in bare)


def numbers_of(data: Any) -> list[float]:
    """Return the numbers in a dataset, in all its columns.

    Parameters
    ----------
    data : Any
    """
    if isinstance(data, dict):
        return [v for item in data.values() for v in numbers_of(item)]
    array = np.asarray(data)
    if array.dtype.names:
        return [v for name in array.dtype.names for v in numbers_of(array[name])]
    return [float(v) for v in array.ravel()] if array.dtype.kind in "if" else []
