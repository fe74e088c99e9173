"""Outputs that one of two datasets alone can give, and what lets them out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from dpaudit.outputs import Columns, Raised
from dpaudit.trace.entered import handed_down
from dpaudit.trace.habits import STRUCTURE, Habits
from dpaudit.trace.laws import law_of
from dpaudit.trace.lines import RETURNED, changed_alike, returned_at
from dpaudit.trace.seen import Seen, seen
from dpaudit.trace.suspicion import Suspicion, related
from dpaudit.trace.switch import plain

if TYPE_CHECKING:
    from dpaudit.trace.causes import Case
    from dpaudit.trace.draws import Place

LOOKS = 32  # runs on each dataset
OFTEN = 4  # of them have a value that counts as one that a dataset gives
MORE_LOOKS = 128  # at the other dataset, before it is said that it never gives that value
_LISTS = ("list", "tuple", "ndarray", "set", "dict", "Series", "Index")


def impossible(case: Case) -> Suspicion | None:
    """Return that an output is common on one dataset and never seen on its neighbor.

    Parameters
    ----------
    case : Case

    Notes
    -----
    It is DPA109 where the value is an entry of a list that the data makes, else DPA102 where all
    noise is coins, and DPA101 where other parts of the output have noise.
    """
    if any(isinstance(run.output, Raised) for run in case.runs) or not case.trial.differences:
        return None
    looks = Habits.of(case.bench, case.trial.datasets, (*case.key, 5), LOOKS).columns
    paths = [difference.path for difference in case.trial.differences]
    for side in (0, 1):
        for path in paths:
            for value in _common(looks[side], path):
                if value not in _values(looks[1 - side], path) and _never(case, side, path, value):
                    return _named(case, path, value, side)
    return None


def _values(columns: Columns, path: str) -> list[float | str]:
    """Return what a part of the output is in each run; words where it is no number."""
    if path in columns.numbers:
        return [x for x in columns.numbers[path].tolist() if not math.isnan(x)]
    if path not in columns.labels:
        return []
    codes, words = columns.labels[path]
    return [words[code] for code in codes if code >= 0]


def _common(columns: Columns, path: str) -> list[float | str]:
    found = _values(columns, path)
    return [each for each in dict.fromkeys(found) if found.count(each) >= OFTEN]


def _never(case: Case, side: int, path: str, value: float | str) -> bool:
    """Whether many more runs on the other dataset do not give a value either."""
    other = case.trial.datasets[1 - side]
    looks = Habits.of(case.bench, (other, other), (*case.key, 7), MORE_LOOKS // 2).columns
    return not any(value in _values(each, path) for each in looks)


def _named(case: Case, path: str, value: float | str, side: int) -> Suspicion:
    """Return the suspicion with the id and the line of what lets the value out."""
    shown = f"{value:.6g}" if isinstance(value, float) else f"{value!r:.60}"
    what = f"output{path} is {shown} now and then on one dataset, and never on its neighbor"
    place = listed_at(case, value, side)
    if place is not None or path.endswith(STRUCTURE):
        what = f"{what}; it is one of a list that the data makes"
        place = place or returned_at(case.histories[0])
        return Suspicion("DPA109", what, math.inf, place, related(case.trial), ("DPA101", "DPA108"))
    noise = [draw for run in case.runs for draw in run.noise]
    coins = all(law_of(draw).family == "bounded" for draw in noise) and not _chosen(case)
    id, also = ("DPA102", "DPA101") if coins else ("DPA101", "DPA102")
    place = handed_down(*case.histories) or returned_at(case.histories[0])
    return Suspicion(id, what, math.inf, place, related(case.trial), (also,))


def _chosen(case: Case) -> bool:
    """Whether something is chosen among candidates that differ, each with the same chance."""
    for one, two in zip(*(run.noise for run in case.runs), strict=False):
        ours, others = (np.ravel(plain(x.request.arguments.get("a", 0))) for x in (one, two))
        weights = one.request.arguments.get("p")
        if one.kind == "choice" and weights is None and not np.array_equal(ours, others):
            return True
    return False


def listed_at(case: Case, value: float | str, side: int) -> Place | None:
    """Return the first line that makes a list which holds a value on one dataset alone.

    Parameters
    ----------
    case : Case
    value : float or str
        Keys are read as numbers, as far as they are some.
    side : int
        Of the dataset that has the value.
    """
    numbers = [value] if isinstance(value, float) else list(_read(value))
    records = seen(case.trial.datasets[side]).numbers
    if records is not None:  # a list of counts is none of what they are chosen from
        numbers = [each for each in numbers if each in records]
    for place, name, one, two in changed_alike(*case.histories):
        ours, others = (one, two) if side == 0 else (two, one)
        if name == RETURNED:
            continue
        if any(_holds(ours, each) and not _holds(others, each) for each in numbers):
            return place
    return None


def _read(keys: str) -> Iterator[float]:
    for word in keys.split(", "):
        try:
            yield float(word)
        except ValueError:
            continue


def _holds(held: Seen, value: float) -> bool:
    """Whether a variable, or one of its parts, is a list with a value in it."""
    if held.numbers is None:
        return any(_holds(part, value) for part in held.parts)
    if held.structure[0] not in _LISTS or "bool" in held.structure:
        return False
    return bool(np.any(held.numbers == value))
