"""Reads from conditions between which numbers a variable lies."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dpaudit.checker.formula import Condition, Term, constant
from dpaudit.checker.operators import TURNED_SIGNS

_UP = {"<=", "<", "=="}
_DOWN = {">=", ">", "=="}


def ends_of(
    given: Sequence[Condition], names: Sequence[str]
) -> dict[str, tuple[Fraction | None, Fraction | None]]:
    """Return the ends of each variable's range, None where the conditions bound it not plainly.

    Parameters
    ----------
    given : sequence of Condition
    names : sequence of str

    Returns
    -------
    dict of str to (Fraction or None, Fraction or None)
        Ranges are closed, whether or not their ends are allowed.
    """
    low: dict[str, Fraction] = {}
    high: dict[str, Fraction] = {}
    for condition in given:
        for relation in condition:
            for one, sign, other in (
                (relation.left, relation.sign, relation.right),
                (relation.right, TURNED_SIGNS[relation.sign], relation.left),
            ):
                _note(one, sign, constant(other), low, high)
    return {name: (low.get(name), high.get(name)) for name in names}


def _note(
    one: Term,
    sign: str,
    limit: Fraction | None,
    low: dict[str, Fraction],
    high: dict[str, Fraction],
) -> None:
    if limit is None:
        return
    if one.op == "abs" and one.args[0].op == "variable" and sign in _UP:
        name = one.args[0].name
        low[name] = max(low.get(name, -limit), -limit)
        high[name] = min(high.get(name, limit), limit)
    if one.op != "variable":
        return
    if sign in _UP:
        high[one.name] = min(high.get(one.name, limit), limit)
    if sign in _DOWN:
        low[one.name] = max(low.get(one.name, limit), limit)
