"""Noise that leaves beside what it hides: an output, or a logged number, from noise alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.outputs import Columns, Raised, encode
from dpaudit.trace.compare import Difference, answer_with
from dpaudit.trace.entered import formed
from dpaudit.trace.laws import law_of
from dpaudit.trace.suspicion import Suspicion, related

if TYPE_CHECKING:
    from dpaudit.trace.causes import Case
    from dpaudit.trace.draws import Draw, Place
    from dpaudit.trace.record import Run

MOST_DRAWS = 12  # that are moved, one by one
OTHERS = 24  # pairs on whose datasets the same noise has to show as well
_OUTPUT, _TEXTS = "[0]", "[1]"


def unmasked_suspicion(case: Case) -> Suspicion | None:
    """Return that the noise of a part of the output leaves beside that part.

    Parameters
    ----------
    case : Case

    Notes
    -----
    With the noise of one run repeated on other datasets, a number that noise alone decides stays
    the same, and a private one moves. Where one draw decides both, who sees the first takes the
    noise off the second. A number that hardly varies, as one that is rounded, could stay the same
    by chance: it has to be another one in every run.
    """
    left, right = case.runs
    if isinstance(left.output, Raised) or not left.noise or len(left.draws) != len(right.draws):
        return None
    own, others = case.trial.datasets
    first, again = _seen([left]), _under(case, others, {})
    alone = [path for path in first.numbers if _differs(first, again, path) is False]
    hidden = [p for p in _paths(first, again) if _differs(first, again, p)]
    looks = [_seen(runs) for runs in (case.habits.left, case.habits.right)]
    alone = [path for path in alone if all(_continuous(each, path) for each in looks)]
    if not alone or not hidden:
        return None
    for dataset in _datasets(case):
        if not alone:
            return None
        shown = _under(case, dataset, {})
        alone = [path for path in alone if _differs(first, shown, path) is False]
    for number, draw in _moved(left.draws) if alone else ():
        changed = [_under(case, own, {(number, 0): move}) for move in _moves(draw)]
        told = [p for p in alone if any(_differs(first, each, p) for each in changed)]
        if told and any(_differs(first, each, p) for each in changed for p in hidden):
            what = f"{_words(told[0])} is noise alone, and the same noise is to hide the rest"
            place = _place(case, told[0], first)
            return Suspicion(
                "DPA101", what, math.inf, place, related(case.trial, draw), ("DPA110",)
            )
    return None


def _seen(runs: Sequence[Run]) -> Columns:
    """Return all that leaves in some runs: outputs, and the texts that are emitted."""
    return encode([[run.output, [list(each.entry) for each in run.emitted]] for run in runs])


def _under(case: Case, dataset: Any, moves: dict[tuple[int, int], float]) -> Columns:
    """Return what leaves on a dataset with the noise of the left run, moved."""
    answer = answer_with(case.runs[0], moves)
    return _seen([case.bench.run(dataset, case.key, traced=False, answer=answer)])


def _paths(one: Columns, other: Columns) -> dict[str, None]:
    return dict.fromkeys([*one.numbers, *other.numbers, *one.labels, *other.labels])


def _differs(one: Columns, other: Columns, path: str) -> bool | None:
    """Whether two single outputs differ in a part; None where one of them lacks it."""
    if path in one.numbers and path in other.numbers:
        a, b = float(one.numbers[path][0]), float(other.numbers[path][0])
        return not math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    if path in one.labels and path in other.labels:
        words = [each.labels[path] for each in (one, other)]
        return len({known[codes[0]] if codes[0] >= 0 else None for codes, known in words}) > 1
    return None


def _continuous(columns: Columns, path: str) -> bool:
    """Whether a number is another one in every run."""
    values = columns.numbers.get(path, np.zeros(0))
    values = values[~np.isnan(values)]
    return len(values) > 1 and len(np.unique(values)) == len(values)


def _datasets(case: Case) -> Iterator[Any]:
    rng = np.random.default_rng(np.random.SeedSequence(case.key))
    for pair in islice(case.neighbors.pairs(rng), OTHERS):
        yield from (pair.left, pair.right)


def _moved(draws: Sequence[Draw]) -> Iterator[tuple[int, Draw]]:
    noise = ((i, draw) for i, draw in enumerate(draws) if draw.request.draws and draw.first >= 0)
    return islice(noise, MOST_DRAWS)


def _moves(draw: Draw) -> tuple[float, ...]:
    """Return how far the first number of a draw is moved: a little, and far."""
    value = float(np.ravel(np.asarray(draw.value, dtype=np.float64))[0])
    if law_of(draw).family in ("pure", "gaussian"):
        return -0.1 * value, -2 * value, 2 * abs(value) + 1
    return -0.1 * value, 1 - 2 * value


def _words(path: str) -> str:
    return f"output{path[len(_OUTPUT) :]}" if path.startswith(_OUTPUT) else "a number in a text"


def _place(case: Case, path: str, shown: Columns) -> Place | None:
    """Return the line by which a part leaves."""
    if path.startswith(_OUTPUT):
        value = repr(float(shown.numbers[path][0]))
        return formed(case, Difference(path[len(_OUTPUT) :], value, value, True))
    number = int(path[len(_TEXTS) :].lstrip("[").partition("]")[0])
    return case.runs[0].emitted[number].place
