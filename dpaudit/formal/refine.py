"""What the outcome of a test says about the numbers in it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpaudit.formal.bounds import INFINITE, ONE, larger, smaller
from dpaudit.formal.constants import public_number
from dpaudit.formal.domain import Number, Value
from dpaudit.formal.postprocessing import plain

if TYPE_CHECKING:
    from dpaudit.formal.walk import Walk

_OPPOSITE = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "eq": "ne", "ne": "eq"}
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}


def refined(walk: Walk, test: Value, outcome: bool) -> None:
    """Narrow the numbers that a test compares, wherever variables hold them."""
    test = plain(test)
    term = getattr(test, "term", None)
    facts = dict(walk.facts)
    _learn(walk, term, outcome, facts)
    counted = isinstance(test, Number) and test.integer and not test.boolean and not test.nan
    if counted and term is not None and outcome and test.low == 0:  # type: ignore[union-attr]
        _narrow(facts, term, ONE, INFINITE)
    if facts == walk.facts:
        return
    walk.facts = facts
    for frame in walk.frames:
        for name, value in frame.variables.items():
            frame.variables[name] = narrowed(walk, value)


def apart(difference: Any) -> Any:
    """Return the key under which the facts hold that a public number is not zero."""
    return ("apart", difference)


def narrowed(walk: Walk, value: Value) -> Value:
    """Return a value within what the tests so far leave it."""
    if isinstance(value, Number) and value.term in walk.facts and value.term is not None:
        low, high = walk.facts[value.term]
        if value.constant:
            return value
        return replace(value, low=larger(value.low, low), high=smaller(value.high, high))
    return value


def _learn(walk: Walk, term: Any, outcome: bool, facts: dict[Any, tuple[Any, Any]]) -> None:
    if not isinstance(term, tuple) or not term:
        return
    if term[0] == "not":
        _learn(walk, term[1], not outcome, facts)
    elif (term[0] == "and" and outcome) or (term[0] == "or" and not outcome):
        for part in term[1:]:
            _learn(walk, part, outcome, facts)
    elif term[0] in _OPPOSITE and len(term) == 3:
        left, right = _number(walk, term[1]), _number(walk, term[2])
        if isinstance(left, Number) and isinstance(right, Number):
            if not outcome and (left.nan or right.nan):
                return  # every comparison with NaN is false
            relation = term[0] if outcome else _OPPOSITE[term[0]]
            _compare(facts, left, relation, right)
            _compare(facts, right, _MIRRORED[relation], left)


def _number(walk: Walk, term: Any) -> Value | None:
    """Return what has a term: also of public numbers that no rule computed, but noise."""
    if term not in walk.values and isinstance(term, tuple) and term[:1] == ("public",):
        return public_number(term[1])
    return walk.values.get(term)


def _compare(facts: dict[Any, tuple[Any, Any]], left: Number, relation: str, right: Number) -> None:
    if left.expr is not None and right.expr is not None:
        if relation in ("lt", "gt", "ne"):
            facts[apart(left.expr - right.expr)] = (-INFINITE, INFINITE)
        if _is_beyond_zero(relation, right.expr):
            facts[apart(left.expr)] = (-INFINITE, INFINITE)
    if left.term is None or left.constant:
        return
    step = ONE if left.integer and right.integer else 0
    if relation in ("le", "eq"):
        _narrow(facts, left.term, -INFINITE, right.high)
    if relation in ("ge", "eq"):
        _narrow(facts, left.term, right.low, INFINITE)
    if relation == "lt":
        _narrow(facts, left.term, -INFINITE, right.high - step)
    if relation == "gt":
        _narrow(facts, left.term, right.low + step, INFINITE)


def _is_beyond_zero(relation: str, limit: Any) -> bool:
    """Return whether a number that compares so with a known one is not zero."""
    if not limit.is_number:
        return False
    if relation in ("gt", "ge"):
        return bool(limit.is_positive or (relation == "gt" and limit.is_zero))
    return relation in ("lt", "le") and bool(
        limit.is_negative or (relation == "lt" and limit.is_zero)
    )


def _narrow(facts: dict[Any, tuple[Any, Any]], term: Any, low: Any, high: Any) -> None:
    before = facts.get(term, (-INFINITE, INFINITE))
    facts[term] = larger(before[0], low), smaller(before[1], high)
