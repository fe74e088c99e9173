"""Composition: what the tests of a refuted pair cost together, and late checks of a budget."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from typing import Any

from dpaudit.formal import program as ir
from dpaudit.formal.program import Place, Program
from dpaudit.formal.trial.dependence import functions_of, own
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
    for one in left:
        for other in right:
            if (one.shape, _constants(one)) == (other.shape, _constants(other)):
                costs = [cost for cost in _costs(one, other) if cost]
                if len(costs) > 1 and max(costs) <= epsilon * _ROUNDING < sum(costs):
                    return len(costs)
    return 0


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
