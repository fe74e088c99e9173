"""Answers that noise calls give, each of which is paid for alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dpaudit.trace.comparison import Part
from dpaudit.trace.laws import law_of, scale_of
from dpaudit.trace.stated import named_numbers
from dpaudit.trace.tape import Sink, Tape
from dpaudit.trace.unlocated import redrawn_at

if TYPE_CHECKING:
    from dpaudit.trace.causes import Case

_ALIKE = 1e-9  # coefficients of one sum, relative


def won_and_told(case: Case, part: Part) -> bool:
    """Whether several noisy numbers are compared to choose one, which leaves itself.

    One number that gets other noise until it passes a test is none of several.
    """
    comparison = case.trial.comparison
    tape, parts = comparison.left.tape, comparison.parts
    kinds = {s.kind for s, _ in comparison.sinks if holds(tape, s, part.number)}
    if {"choice", "equal"} <= kinds:
        return True
    if len(parts) < 2 or len({each.left.place for each in parts}) > 1:
        return False
    told = [s for s, _ in comparison.sinks if s.leaves]
    ordered = [s for s, _ in comparison.sinks if s.kind == "order"]
    alike = [n for n, draw in enumerate(comparison.left.draws) if draw.place == part.left.place]
    leaving = [n for n in alike if any(holds(tape, s, n) for s in told)]
    tested = np.concatenate([tape.base(s) for s in ordered] or [np.zeros(1)])
    if redrawn_at(comparison.left) and np.allclose(tested, tested[0]):
        return False
    return len(leaving) == 1 and all(any(holds(tape, s, n) for s in ordered) for n in alike)


def averaged(case: Case) -> int:
    """Return of how many noisy answers, each within the claim, a mean leaves; 1 where none does.

    Parameters
    ----------
    case : Case

    Notes
    -----
    A mean is a sum of noise whose coefficients are alike and add up to one, each of which was added
    to something before. It moves as far as each of its answers does, so that they together cost
    their number times what one costs. A mean of noise alone is noise that is too small.
    """
    comparison = case.trial.comparison
    tape = comparison.left.tape
    most = 1
    for one, two in comparison.sinks:
        if one.kind != "equal" or not (one.cells >= 0).all():
            continue
        moves = np.abs(tape.base(one) - comparison.right.tape.base(two))
        for cell, factor, move in zip(one.cells, one.coefficients, moves, strict=True):
            terms = tape.terms(int(cell), float(factor))
            if len(terms) <= most or not move > 0 or not tape.answered(terms):
                continue
            if _is_mean(terms) and _paid(case, terms, move):
                most = len(terms)
    return most


def _is_mean(terms: dict[int, float]) -> bool:
    share = 1 / len(terms)
    return all(math.isclose(c, share, rel_tol=_ALIKE) for c in terms.values())


def _paid(case: Case, terms: dict[int, float], move: float) -> bool:
    """Whether the claim allows each of some noise to move by so much, and not all of it."""
    tape, allowed, total = case.runs[0].tape, case.allowance, 0.0
    for cell in terms:
        draw = tape.draws[tape.draw_of(cell)]
        law = law_of(draw)
        limit = {"pure": allowed.pure, "gaussian": allowed.mu}.get(law.family, 0.0)
        cost = move * float(law.rate[cell - draw.first])
        if not 0 < cost <= limit * (1 + 1e-6):
            return False
        total += cost / limit if law.family == "pure" else (cost / limit) ** 2
    return total > 1 + 1e-6


def overdrawn(case: Case) -> Part | None:
    """Return the noise call that moves further than the change which an equal share pays for.

    Parameters
    ----------
    case : Case

    Notes
    -----
    It is Laplace noise whose scale times its share of ε is a number that the code has a name for:
    the change that it was made for. The others keep to their shares.
    """
    parts = case.trial.comparison.parts
    own = case.claim.parameter
    if own is None or own[0] != "epsilon" or any(part.squared for part in parts):
        return None
    share = own[1] / len(parts)
    above = [part for part in parts if part.pure > share * (1 + 1e-6)]
    if len(above) != 1:
        return None
    scale = scale_of(above[0].left)
    if scale is None or scale[0] != "scale" or np.ndim(scale[1]):
        return None
    foreseen = float(scale[1]) * share
    known = (named_numbers(case) | case.histories[0].constants) - {0.0, 1.0}
    named = any(math.isclose(foreseen, abs(number), rel_tol=1e-9) for number in known)
    return above[0] if named and above[0].shift_l1 > foreseen * (1 + 1e-6) else None


def shortened(case: Case) -> bool:
    """Whether noise calls of one line hide a vector that is as long as each of them pays for.

    It was shortened in the L2 norm, and the Laplace noise of each entry needs the L1 norm. Entries
    of such a vector are hardly ever whole, or numbers that the code has names for.

    Parameters
    ----------
    case : Case
    """
    parts = case.trial.comparison.parts
    if any(part.squared for part in parts) or len({part.left.place for part in parts}) != 1:
        return False
    whole = [part for part in parts if math.isclose(part.shift_l1, round(part.shift_l1))]
    named = named_numbers(case) & named_numbers(case, 1)
    if whole or named & {part.shift_l1 for part in parts}:
        return False  # counts, and what is bounded by itself
    length = math.sqrt(sum(part.pure**2 for part in parts))
    return math.isclose(length, case.allowance.pure, rel_tol=1e-6)


def answers_of(case: Case, part: Part) -> int:
    """Return how many answers a noise call gives that move alike, each within the claim.

    They are answers of their own where one record or entry of the input moves several.
    """
    moved = _moves(case, part)
    if part.squared or len({move > 0 for move in moved}) != 1 or len(moved) <= _changed(case):
        return 1
    return _paid_alone(case, part, moved)


def compared(case: Case, part: Part) -> int:
    """Return how many numbers of a noise call move that are compared and do not leave themselves.

    Each within the claim. Where the largest of them wins, no more than two need to be paid for.
    """
    comparison = case.trial.comparison
    tape, number = comparison.left.tape, part.number
    if {sink.kind for sink, _ in comparison.sinks if holds(tape, sink, number)} != {"order"}:
        return 1
    return _paid_alone(case, part, _moves(case, part))


def exchanged(case: Case) -> bool:
    """Whether a record leaves one count and enters another, of those that one line makes noisy.

    Such counts are one release, a histogram.

    Parameters
    ----------
    case : Case
    """
    parts = case.trial.comparison.parts
    moves = [move for part in parts for move in _moves(case, part)]
    ends = np.allclose(sorted(moves), [-1.0, 1.0]) if len(moves) == 2 else False
    return ends and len({part.left.place for part in parts}) == 1


def _moves(case: Case, part: Part) -> list[float]:
    """Return the moves of a noise call's numbers, of those that move."""
    moves = case.trial.comparison.coupling.moves
    return [move for (draw, _), move in moves.items() if draw == part.number and move]


def _paid_alone(case: Case, part: Part, moved: list[float]) -> int:
    """Return how many numbers move, 1 where the claim does not allow each of them to."""
    costs = [part.pure * abs(move) / part.shift_l1 for move in moved]
    return len(moved) if max(costs) <= case.allowance.pure * (1 + 1e-6) else 1


def _changed(case: Case) -> int:
    """Return in how many places two datasets differ."""
    one, two = (np.asarray(data) for data in case.trial.datasets)
    if one.shape == two.shape and one.ndim == 1 and one.dtype.kind in "fiub":
        return int(np.count_nonzero(one != two))
    return case.group


def holds(tape: Tape, sink: Sink, number: int) -> bool:
    """Whether a sink holds noise of a noise call."""
    return any(
        tape.draw_of(each) == number
        for cell in sink.cells.tolist()
        if cell >= 0
        for each in tape.terms(cell)
    )
