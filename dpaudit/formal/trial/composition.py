"""Composition: what each noise call of a refuted pair costs, and whether a sample is used."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from dpaudit.formal import program as ir
from dpaudit.formal.program import Place, Program
from dpaudit.formal.trial.affine import Affine
from dpaudit.formal.trial.dependence import functions_of, own
from dpaudit.formal.trial.draws import Drawn
from dpaudit.formal.trial.joint import Joint
from dpaudit.formal.trial.laws import Laplace
from dpaudit.formal.trial.outputs import Release
from dpaudit.formal.trial.path_choices import Interval

_ROUNDING = 1 + 1e-9


def tests_paid_alone(
    left: Sequence[Release], right: Sequence[Release], epsilon: float | None
) -> int:
    """Return how many tests of a noisy number are each within a claim, and together beyond it.

    Parameters
    ----------
    left, right : sequence of Release
        The outcomes on both datasets.
    epsilon : float or None
        Of a pure claim; None of any other one.

    Returns
    -------
    int
        0 where there is no such outcome.

    Notes
    -----
    Two runs that end alike compare the same Laplace noise with two numbers. To move the noise by
    their difference costs that difference over the scale.
    """
    if epsilon is None:
        return 0
    for one, other in _ending_alike(left, right):
        costs = [cost for cost in _costs(one, other) if cost]
        if len(costs) > 1 and max(costs) <= epsilon * _ROUNDING < sum(costs):
            return len(costs)
    return 0


def _ending_alike(
    left: Sequence[Release], right: Sequence[Release]
) -> Iterator[tuple[Release, Release]]:
    """Yield the runs on both datasets that end alike."""
    for one, other in product(left, right):
        if (one.shape, _constants(one)) == (other.shape, _constants(other)):
            yield one, other


def restarted(
    left: Sequence[Release], right: Sequence[Release], epsilon: float | None
) -> tuple[Place, int] | None:
    """Return the noise of a threshold, and how often it was drawn, each time within a claim.

    Parameters
    ----------
    left, right : sequence of Release
        The outcomes on both datasets.
    epsilon : float or None
        Of a pure claim; None of any other one.

    Returns
    -------
    tuple or None
        None where no threshold was drawn twice, or they are not beyond the claim together.

    Notes
    -----
    All that is compared with one threshold costs what it takes to move that threshold and, where
    that is not enough, the noise it is compared with (Dwork and Roth 2014, theorem 3.23).
    """
    if epsilon is None:
        return None
    for one, other in _ending_alike(left, right):
        costs = [(place, cost) for place, cost in _thresholds(one, other) if cost]
        places = {place for place, _ in costs}
        each = [cost for _, cost in costs]
        if len(each) > len(places) == 1 and max(each) <= epsilon * _ROUNDING < sum(each):
            return places.pop(), len(each)
    return None


def called_again(program: Program, drawn: Place) -> Place | None:
    """Return the call in a loop that comes to a draw once more, None where there is none."""
    loops = (n for n in ir.walk(program.entry) if isinstance(n, ir.For | ir.While))
    calls = (n for loop in loops for each in loop.body for n in ir.walk(each))
    for node in calls:
        if isinstance(node, ir.Call) and isinstance(node.function, ir.Function):
            inside = ir.walk(node.function)
            if any(isinstance(n, ir.Draw) and n.place == drawn for n in inside):
                return node.place
    return None


def overspending(release: Release, found: Joint | None, epsilon: float | None) -> Drawn | None:
    """Return the noise call with which the cost of all so far first exceeds a claim.

    Parameters
    ----------
    release : Release
        On the left dataset.
    found : Joint or None
        Of both outputs: how far each noise moves.
    epsilon : float or None
        Of a pure claim; None of any other one.

    Returns
    -------
    Drawn or None
        None where a noise is no Laplace noise, or the loss is not the sum of what they cost.
    """
    if epsilon is None or found is None:
        return None
    noise = dict.fromkeys(v for row in release.rows for v in row.terms)
    costs: dict[Any, Fraction] = {}
    if len(noise) != len(found.coordinates):
        return None
    for variable, moved in zip(noise, found.coordinates, strict=True):
        if moved.shift and not (isinstance(moved.left, Laplace) and moved.left == moved.right):
            return None
        if isinstance(moved.left, Laplace):
            costs[variable] = abs(moved.shift) / moved.left.scale
    spent = Fraction(0)
    for drawn in release.outcome.draws:
        results = [each for each in np.ravel(drawn.result) if isinstance(each, Affine)]
        own = [v for each in results for v in each.terms]
        spent += sum((costs.pop(v, Fraction(0)) for v in own), Fraction(0))
        if spent > epsilon * _ROUNDING:
            return drawn
    return None


def paid_alone(
    left: Sequence[Release], right: Sequence[Release], epsilon: float | None
) -> Place | None:
    """Return the line of the noise of an answer beside a choice that other noise has made.

    Parameters
    ----------
    left, right : sequence of Release
        The outcomes on both datasets.
    epsilon : float or None
        Of a pure claim; None of any other one.

    Returns
    -------
    Place or None
        None where there is no such answer, or where the claim does not even allow it alone.
    """
    used = {v.place for r in (*left, *right) for v in r.outcome.oracle.consumed}
    leaving = [v for r in left for row in r.rows for v in row.terms if v.place not in used]
    if epsilon is None or not used or not leaving:
        return None
    costs = [
        sum((abs(a.constant - b.constant) / v.law.scale
             for a, b in zip(one.rows, other.rows, strict=True)
             for v in a.terms if isinstance(v.law, Laplace)), Fraction(0))
        for one in left for other in right
        if (one.shape, _chosen(one)) == (other.shape, _chosen(other))
    ]  # fmt: skip
    return leaving[0].place if costs and max(costs) <= epsilon * _ROUNDING else None


def _chosen(release: Release) -> list[Any]:
    """Return the numbers of an outcome that have no noise."""
    return [row.constant for row in release.rows if not row.terms]


def late_check(program: Program, tests: Collection[Place]) -> Place | None:
    """Return the line of a check of a budget that leaves out what is charged after it.

    Parameters
    ----------
    program : Program
    tests : collection of Place
        Those that runs came to.

    Notes
    -----
    Such a check compares what is left, or what was spent, with a number. What is charged to it
    later in the same function takes no part in it, so that it lets the first release pass that
    costs more than is left.
    """
    for function in functions_of(program.entry):
        charged = [n for n in own(function) if isinstance(n, ir.Update) and n.function in _CHARGES]
        for node in own(function):
            if not isinstance(node, ir.Branch) or node.place not in tests:
                continue
            compared = _terms(node.test)
            for update in charged:
                held, amount = _terms(update.target), _terms(update.value)
                late = node.place.line < update.place.line
                if late and _is_held(update.target) and held <= compared and not amount & compared:
                    return node.place
    return None


_CHARGES = ("operator.iadd", "operator.isub")


def _is_held(target: Any) -> bool:
    """Whether an object holds it: as an attribute, or a variable that stands for one."""
    name = getattr(target, "id", "")
    return isinstance(target, ir.Subscript) or bool(re.search(r"\w_of_(?!line_\d)", name))


def _terms(expression: Any) -> set[Any]:
    """Return the variables, attributes and numbers of an expression."""
    nodes = list(ir.walk(expression))
    names = {n.id for n in nodes if isinstance(n, ir.Name)} - {"self"}
    return names | {n.value for n in nodes if isinstance(n, ir.Constant)}


def _constants(release: Release) -> list[Any]:
    return [row.constant for row in release.rows]


def _rows(release: Release) -> list[Any]:
    """Return what an outcome is, whichever noise of equal laws it holds."""
    return [
        (row.constant, [(v.law, v.place, factor) for v, factor in row.terms.items()])
        for row in release.rows
    ]


def _costs(one: Release, other: Release) -> Iterator[Fraction]:
    """Yield what it costs to move each noise so that its tests come out as in another run."""
    ours, others = (list(each.outcome.oracle.intervals.items()) for each in (one, other))
    if [variable.law for variable, _ in ours] != [variable.law for variable, _ in others]:
        return
    for (variable, here), (_, there) in zip(ours, others, strict=True):
        moves = [abs(a - b) for a, b in zip(_ends(here), _ends(there), strict=True)
                 if a is not None and b is not None]  # fmt: skip
        if isinstance(variable.law, Laplace) and moves:
            yield max(moves) / variable.law.scale


def _thresholds(one: Release, other: Release) -> Iterator[tuple[Place, Fraction]]:
    """Yield the noise of each threshold, and what it costs that all tests of it come out alike."""
    ours, others = one.outcome.oracle.positive, other.outcome.oracle.positive
    pairs = list(zip(ours, others, strict=False))
    alike = all(_noise(a) == _noise(b) for a, b in pairs)
    if len(ours) != len(others) or not alike:
        return
    groups: dict[Any, list[tuple[Affine, Fraction]]] = {}
    for a, b in pairs:
        if len(a.terms) != 2:
            return
        groups.setdefault(_pivot(a, ours), []).append((a, a.constant - b.constant))
    for pivot, tests in groups.items():
        if not all(isinstance(v.law, Laplace) for a, _ in tests for v in a.terms):
            return
        moves = {Fraction(0), *(less / a.terms[pivot] for a, less in tests)}
        yield pivot.place, min(_moved(pivot, tests, by) for by in moves)


def _pivot(test: Affine, tests: Sequence[Affine]) -> Any:
    """Return the threshold of a test: of its two draws, the one of the line that draws less."""
    drawn = {v for other in tests for v in other.terms}
    return min(test.terms, key=lambda v: sum(v.place == other.place for other in drawn))


def _noise(test: Affine) -> list[Any]:
    return [(v.law, v.place, factor) for v, factor in test.terms.items()]


def _moved(pivot: Any, tests: Sequence[tuple[Affine, Fraction]], by: Fraction) -> Fraction:
    """Return what it costs to move a threshold, and what its tests need beside that."""
    cost = Fraction(abs(by) / pivot.law.scale)
    for test, less in tests:
        ((other, factor),) = ((v, f) for v, f in test.terms.items() if v is not pivot)
        missing = max(less - test.terms[pivot] * by, Fraction(0))
        cost += missing / abs(factor) / other.law.scale if isinstance(other.law, Laplace) else 0
    return cost


def _ends(held: Interval) -> tuple[Fraction | None, Fraction | None]:
    return held.low, held.high


def effective_scale(
    left: Sequence[Release], right: Sequence[Release], row: int, loss: float
) -> float | None:
    """Return the scale of the Laplace noise that loses as much as the noise which the code makes.

    Parameters
    ----------
    left, right : sequence of Release
    row : int
        The number of the output that tells the datasets apart.
    loss : float
        Of the event, in nats.

    Returns
    -------
    float or None
        None where the noise is added to other numbers along other paths.
    """
    hidden = [{r.rows[row].constant for r in side if row < len(r.rows)} for side in (left, right)]
    if any(len(each) != 1 for each in hidden) or not loss > 0:
        return None
    moved = abs(hidden[0].pop() - hidden[1].pop())
    return float(moved) / loss if moved else None


def leaves_sample_unused(release: Sequence[Release], size: int) -> bool:
    """Whether a number is drawn for each of some records, and no output depends on them.

    Parameters
    ----------
    release : sequence of Release
        The outcomes on one dataset: as many as the drawn numbers may part.
    size : int
        How many records the dataset has.
    """
    first = release[0]
    sized = (d for d in first.outcome.draws if d.family in _SAMPLING)
    drawn = any(np.prod(d.arguments.get("size") or ()) == size > 0 for d in sized)
    return (
        drawn
        and len(release) > 1
        and all((r.shape, _rows(r)) == (first.shape, _rows(first)) for r in release)
    )


_SAMPLING = ("random", "uniform", "binomial", "choice", "permutation", "integers")
