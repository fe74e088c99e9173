"""Texts that leave beside the output, and are the same in every call on one dataset."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from dpaudit.trace.record import Emitted, Run
from dpaudit.trace.suspicion import Suspicion, related

if TYPE_CHECKING:
    from dpaudit.trace.causes import Case

_MOST = 200  # texts of a run that are compared
_NOTHING = ("nothing",)
_VALUES = range(2, 10**6)  # parts of an entry after its kind and its wording


def emitted_suspicion(case: Case) -> Suspicion | None:
    """Find a text, or a number in one, that never varies on either dataset, and differs.

    Parameters
    ----------
    case : Case
    """
    sides = case.habits.left, case.habits.right
    for number in range(_MOST):
        texts = [[_entry(run, number) for run in side] for side in sides]
        if all(text == _NOTHING for side in texts for text in side):
            return None
        told = _settled_apart(texts[0], texts[1])
        if told is not None:
            place = next(_places(sides, number), None)
            part, one, other = told
            what = f"{_word(texts)} has no noise: in every call it says {one!r:.60} on one "
            what += f"dataset, {other!r:.60} on its neighbor"
            # A value in a text is released itself; whether there is a text, a branch may decide.
            also = () if part in _VALUES else ("DPA108", "DPA109")
            return Suspicion("DPA101", what, math.inf, place, related(case.trial), also)
        if len({text[:2] for side in texts for text in side}) > 1:
            return None  # what follows is not the same text in all runs
    return None


def _entry(run: Run, number: int) -> tuple[Any, ...]:
    return run.emitted[number].entry if number < len(run.emitted) else _NOTHING


def _settled_apart(
    left: Sequence[tuple[Any, ...]], right: Sequence[tuple[Any, ...]]
) -> tuple[int, Any, Any] | None:
    """Return the number of a part that is one and the same on each side, and what it is on both."""
    for place in count():
        parts = [[text[place] if place < len(text) else None for text in s] for s in (left, right)]
        if all(part is None for side in parts for part in side):
            return None
        one, two = ({repr(part) for part in side} for side in parts)
        if len(one) == len(two) == 1 and one != two:
            # If one side has no such part, the texts themselves differ.
            missing = None in (parts[0][0], parts[1][0])
            return 0 if missing else place, parts[0][0], parts[1][0]
    return None


def _places(sides: Sequence[Sequence[Run]], number: int) -> Any:
    held: Sequence[Emitted] = [
        run.emitted[number] for side in sides for run in side if number < len(run.emitted)
    ]
    return (each.place for each in held if each.place is not None)


def _word(texts: Sequence[Sequence[tuple[Any, ...]]]) -> str:
    where = next(text[0] for side in texts for text in side if text != _NOTHING)
    words = {"written": "a printed line", "file": "a written file"}
    return words.get(where, f"a log record of level {where}" if where.isupper() else f"a {where}")
