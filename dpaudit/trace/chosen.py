"""One of several noisy answers leaves, and the data decides which."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from dpaudit.trace.comparison import Crossed
from dpaudit.trace.coupling import SAME
from dpaudit.trace.draws import Draw, Place
from dpaudit.trace.laws import law_of
from dpaudit.trace.lines import RETURNED, History
from dpaudit.trace.record import Run
from dpaudit.trace.suspicion import Suspicion, related
from dpaudit.trace.tape import Sink, Tape

if TYPE_CHECKING:
    from dpaudit.trace.causes import Case


def crossed(left: Run, right: Run) -> list[Crossed]:
    """Return numbers of the output that hold the noise of another call in each of two runs.

    Parameters
    ----------
    left, right : Run
        Whose noise calls are the same. Answers that leave in another order are none.
    """
    leaving = [[sink for sink in run.tape.sinks if sink.leaves] for run in (left, right)]
    if len(leaving[0]) != len(leaving[1]):
        return []
    found = []
    for one, two in zip(*leaving, strict=True):
        if one.shape != two.shape or np.array_equal(one.cells, two.cells):
            continue
        bases = left.tape.base(one), right.tape.base(two)
        for i in range(len(one.cells)):
            ends = _drawn(left.tape, one, i), _drawn(right.tape, two, i)
            if ends[0] is not None and ends[1] is not None:
                each = _crossing(left, right, ends[0], ends[1], float(bases[0][i] - bases[1][i]))
                found += [] if each is None else [each]
    orders = [sorted(run.draws.index(getattr(each, side)) for each in found)
              for run, side in ((left, "left"), (right, "right"))]  # fmt: skip
    return [] if orders[0] == orders[1] else found


def _drawn(tape: Tape, sink: Sink, i: int) -> tuple[int, int, float] | None:
    """Return the noise call, the place and the factor of the only noise in a number."""
    terms = tape.terms(int(sink.cells[i]), float(sink.coefficients[i]))
    if len(terms) != 1:
        return None
    ((cell, factor),) = terms.items()
    number = tape.draw_of(cell)
    return number, cell - tape.draws[number].first, factor


def _crossing(
    left: Run,
    right: Run,
    one: tuple[int, int, float],
    two: tuple[int, int, float],
    needed: float,
) -> Crossed | None:
    draws, law = (left.draws[one[0]], right.draws[two[0]]), law_of(left.draws[one[0]])
    if one[0] == two[0] or one[1] != two[1] or not math.isclose(one[2], two[2], rel_tol=SAME):
        return None
    if not _alike(*draws) or law.family not in ("pure", "gaussian") or one[1] >= len(law.rate):
        return None
    return Crossed(*draws, abs(needed / one[2]) * float(law.rate[one[1]]))


def chosen_suspicion(case: Case) -> Suspicion | None:
    """Return that which of several noisy answers leaves depends on the data, and on no noise.

    Parameters
    ----------
    case : Case

    Notes
    -----
    A choice by noise would have been made alike on both sides. Whoever sees one of the answers
    learns something of all: the one that leaves is the one that the data likes. It is DPA107 where
    all answers together cost more than the claim, else DPA108. Noise that hides nothing is no
    answer: which of its calls leaves tells nobody anything.
    """
    comparison = case.trial.comparison
    if not comparison.crossed or not comparison.coupling.solved or comparison.coupling.unpaid:
        return None
    left, right = comparison.left.draws, comparison.right.draws
    first = comparison.crossed[0]
    answers = [number for number, draw in enumerate(left) if _alike(draw, first.left)]
    together = _share(case, len(answers))
    if not together:
        return None
    places = [answers.index(draws.index(draw)) + 1
              for draws, draw in ((left, first.left), (right, first.right))]  # fmt: skip
    what = (
        f"{len(answers)} noisy answers are made, and the data decides which of them is released: "
        f"answer {places[0]} on one dataset, answer {places[1]} on its neighbor. All of them cost "
        f"{together:.3g} times what the claim allows"
    )
    place = chosen_at(case.histories[0], answers[-1]) or first.left.place
    id, other = ("DPA107", "DPA108") if together > 1 + 1e-6 else ("DPA108", "DPA107")
    return Suspicion(id, what, math.inf, place, related(case.trial, first.left), ("DPA101", other))


def _alike(one: Draw, two: Draw) -> bool:
    return one.kind == two.kind and one.place == two.place


def _share(case: Case, answers: int) -> float:
    """Return what so many answers cost, each moved as the one that leaves, of the claim."""
    first = case.trial.comparison.crossed[0]
    costs = [c.cost for c in case.trial.comparison.crossed if c.left is first.left]
    if law_of(first.left).family == "gaussian":
        cost, allowed = math.sqrt(answers) * math.hypot(*costs), case.allowance.mu
    else:
        cost, allowed = answers * sum(costs), case.allowance.pure
    return cost / allowed if allowed else math.inf if cost else 0.0


def chosen_at(history: History, last: int) -> Place | None:
    """Return the innermost line that returns the output, and is reached but once.

    Parameters
    ----------
    history : History
    last : int
        Number of the last noise call among those whose answers may leave.
    """
    returned = [s for s in history.steps[history.marks.get(last, 0) :] if RETURNED in s.changed]
    often = Counter(s.place for s in history.steps if RETURNED in s.changed)
    for step in returned:
        same = step.changed[RETURNED].same_as(returned[-1].changed[RETURNED])
        if same and often[step.place] == 1:
            return step.place
    return None
