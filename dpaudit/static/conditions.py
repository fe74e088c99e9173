"""Conditions that settings or the domain of the records decide, whatever the records are."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence

from dpaudit.static.facts import Facts
from dpaudit.static.values import SIZE, Value, changed

_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def truth(value: Value, known: bool | None) -> Value:
    """Return the value of a condition with its outcome, where that is known."""
    if known is None:
        return changed(value, number=None, form=None)
    return changed(value, number=float(known), form=None).marked("truth")


def decided(facts: Facts, test: Value) -> bool | None:
    """Return how a condition always turns out; None where that is open.

    Parameters
    ----------
    facts : Facts
    test : Value

    Notes
    -----
    A parameter of a function that no audit names may have another value than its default.
    """
    if test.params and not facts.claimed:
        return None
    if test.has("none"):
        return False
    if test.maker is not None or test.function is not None or test.instance is not None:
        return True
    if test.has("truth") or test.public:
        return None if test.number is None else test.number != 0
    if test.items:
        return True
    return True if is_whole(test) and _fewest(facts) > 0 else None


def compared(facts: Facts, operators: Sequence[ast.cmpop], values: Sequence[Value]) -> bool | None:
    """Return how a comparison turns out for all records of the domain; None where that is open."""
    outcomes = [
        _one(facts, operator, left, right)
        for operator, left, right in zip(operators, values, values[1:], strict=False)
    ]
    if False in outcomes:
        return False
    return None if None in outcomes else True


def _one(facts: Facts, operator: ast.cmpop, left: Value, right: Value) -> bool | None:
    if right.has("none"):
        same = _is_missing(facts, left)
        return same if same is None or isinstance(operator, ast.Is | ast.Eq) else not same
    if isinstance(operator, ast.In | ast.NotIn):
        within = _within(facts, left, right)
        return within if within is None or isinstance(operator, ast.In) else not within
    if isinstance(operator, ast.Eq | ast.NotEq):
        same = _same(facts, left, right)
        return same if same is None or isinstance(operator, ast.Eq) else not same
    if isinstance(operator, _ORDERS):
        return _ordered(operator, *_ends(facts, left), *_ends(facts, right))
    return None


def _is_none(value: Value) -> bool | None:
    if value.has("none"):
        return True
    known = value.number is not None or bool(value.text) or value.items is not None
    held = value.maker is not None or value.function is not None or value.instance is not None
    return False if known or held or value.has("own", "vector") else None


def _is_missing(facts: Facts, value: Value) -> bool | None:
    """Whether a value is None; no record is, where none may be missing."""
    return False if value.has("raw") and facts.relation.nan is False else _is_none(value)


def _within(facts: Facts, value: Value, others: Value) -> bool | None:
    """Whether a value is one of several; a record of categories is one of those that are listed."""
    if value.has("raw") and facts.relation.categories and others.public:
        return True
    if others.items is None or not value.public:
        return None
    if value.text and all(other.text for other in others.items):
        return any(value.text == other.text for other in others.items)
    return None


def _same(facts: Facts, left: Value, right: Value) -> bool | None:
    if left.public and right.public and left.text and right.text:
        return left.text == right.text
    low, high = _ends(facts, left)
    from_, to = _ends(facts, right)
    if high < from_ or to < low:
        return False
    return True if low == high == from_ == to else None


def _ordered(operator: ast.cmpop, low: float, high: float, from_: float, to: float) -> bool | None:
    """Return how numbers of a range compare with those of another."""
    if isinstance(operator, ast.Gt | ast.GtE):
        low, high, from_, to = from_, to, low, high
    strict = isinstance(operator, ast.Lt | ast.Gt)
    if high < from_ or (high == from_ and not strict):
        return True
    return False if low > to or (low == to and strict) else None


def _ends(facts: Facts, value: Value) -> tuple[float, float]:
    """Return the range of a number: of a setting, of a record, of the number of records."""
    relation = facts.relation
    if value.number is not None and not (value.params and not facts.claimed):
        return value.number, value.number
    if value.has("boolean"):
        return 0.0, 1.0
    if value.has("counted") and not value.has("negative"):
        return 0.0, math.inf
    if value.has("length") and not value.has("negative"):
        return _fewest(facts) if value.has("whole") else 0.0, math.inf
    if value.has("raw") and relation.low is not None and relation.nan is False:
        return relation.low, math.inf if relation.high is None else relation.high
    return -math.inf, math.inf


def is_whole(value: Value) -> bool:
    """Whether a value has an entry for every record: no part was taken, none was left out."""
    return value.has("raw", "vector") and value.shape == SIZE and not value.has("slice-of")


def _fewest(facts: Facts) -> float:
    """Return how many records every dataset has at least."""
    relation = facts.relation
    return (relation.length if relation.length is not None else relation.least) or 0.0
