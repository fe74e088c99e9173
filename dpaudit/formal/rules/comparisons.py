"""Comparisons and what is made of their outcomes, for single numbers and texts."""

from __future__ import annotations

import operator

import sympy

from dpaudit.formal.bounds import ONE, ZERO, at_most, below
from dpaudit.formal.calls import Application
from dpaudit.formal.constants import constant
from dpaudit.formal.domain import Array, DictValue, Known, ListValue, Number, Tuple, Value, fresh
from dpaudit.formal.rules import rule
from dpaudit.formal.rules.numbers import numbers
from dpaudit.formal.running import NotConcreteError, concrete

_RELATIONS = ("lt", "le", "gt", "ge", "eq", "ne")
_RUN = {relation: getattr(operator, relation) for relation in _RELATIONS}


@rule(
    *(f"operator.{relation}" for relation in _RELATIONS),
    statement="A comparison is 0 or 1; it is certain where the ranges say so.",
    proof="By definition; a comparison with NaN is false (true for !=).",
    exact=True,
)
def comparison(call: Application) -> Value | None:
    """Compare: a < b and the like."""
    found = numbers(call)
    if found is None:
        return None
    a, b = found
    relation = call.name.removeprefix("operator.")
    certain = None if a.nan or b.nan else _certain(relation, a, b)
    if certain is not None:
        if a.constant and b.constant and bool(_RUN[relation](a.value, b.value)) is not certain:
            call.refuse(f"{a.value!r} and {b.value!r}, which floats put in another order")
        return constant(certain)
    if a.public and b.public:
        symbol = sympy.Symbol(f"test_{fresh()}", integer=True, nonnegative=True)
        return Number(ZERO, ONE, ZERO, ZERO, True, True, expr=symbol)
    return Number(ZERO, ONE, ONE, ONE, True, True)


def _certain(relation: str, a: Number, b: Number) -> bool | None:
    if a.term is not None and a.term == b.term:
        return relation in ("le", "ge", "eq")
    if relation in ("gt", "ge"):
        relation, a, b = {"gt": "lt", "ge": "le"}[relation], b, a
    if relation == "lt":
        if below(a.high, b.low):
            return True
        return False if at_most(b.high, a.low) else None
    if relation == "le":
        if at_most(a.high, b.low):
            return True
        return False if below(b.high, a.low) else None
    if a.low == a.high == b.low == b.high:
        return relation == "eq"
    apart = below(a.high, b.low) or below(b.high, a.low)
    return (relation == "ne") if apart else None


@rule(
    "operator.eq", "operator.ne", "operator.is_", "operator.is_not",
    statement="None and texts that are public compare the same in both runs.",
    proof="By definition.",
)  # fmt: skip
def equality_of_objects(call: Application) -> Value | None:
    """X is None, text == text."""
    a, b = call.args
    negated = call.name in ("operator.ne", "operator.is_not")
    identity = call.name.startswith("operator.is")
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Known) and one.value is None and not isinstance(other, Known):
            certain = isinstance(other, Number | Tuple | ListValue | DictValue)
            whole = identity or (isinstance(other, Array) and not other.shape)
            if isinstance(other, Array) and other.kind == "number" and whole:
                certain = True
            if certain:
                return constant(negated)
    scalar = isinstance(a, Array) and not a.shape and a.kind == "object" and not a.element
    if scalar and isinstance(b, Known) and isinstance(b.value, str) and not identity:
        assert isinstance(a, Array)
        if a.values is not None and b.value not in a.values:
            return constant(negated)
        return Number(ZERO, ONE, ONE, ONE, True, True)
    return None


@rule(
    "operator.not_", "numpy.logical_not",
    statement="The opposite of a test moves when the test does.",
    proof="By definition.",
)  # fmt: skip
def opposite(call: Application) -> Value | None:
    """Not x."""
    (a,) = call.args
    if isinstance(a, Number):
        if not a.boolean:
            return call.redo("operator.eq", a, constant(0))
        return Number(
            1 - a.high, 1 - a.low, a.rise, a.fall, True, True,
            expr=None if a.expr is None else 1 - a.expr,
        )  # fmt: skip
    if call.name == "operator.not_" and not isinstance(a, Array | Number):
        outcome = call.walk.truth(a, call.place)
        return None if outcome is None else constant(not outcome)
    if call.name == "operator.not_" and isinstance(a, Array) and a.element and a.boolean:
        return call.redo("numpy.logical_not", a)
    if call.name == "operator.not_" and isinstance(a, Array) and a.container == "list":
        from dpaudit.formal.truth import length_tested

        return call.redo("operator.eq", length_tested(a, call.place), constant(0))
    return None


@rule(
    "operator.and_", "operator.or_", "operator.xor", "numpy.logical_and", "numpy.logical_or",
    statement="What two tests say together is 0 or 1.",
    proof="By definition.",
    exact=True,
)  # fmt: skip
def both_tests(call: Application) -> Value | None:
    """Combine two tests: a & b."""
    found = numbers(call)
    if found is None or not all(number.boolean for number in found):
        return None
    a, b = found
    if a.constant and b.constant:
        word = call.name.rpartition(".")[2].removeprefix("logical_").rstrip("_")
        x, y = bool(a.value), bool(b.value)
        return constant({"and": x and y, "or": x or y, "xor": x != y}[word])
    if a.public and b.public:
        symbol = sympy.Symbol(f"test_{fresh()}", integer=True, nonnegative=True)
        return Number(ZERO, ONE, ZERO, ZERO, True, True, expr=symbol)
    return Number(ZERO, ONE, ONE, ONE, True, True)


@rule(
    "operator.contains",
    statement="Whether a private number is one of those listed is 0 or 1.",
    proof="By definition.",
)
def membership(call: Application) -> Value | None:
    """X in values."""
    container, value = call.args
    if isinstance(container, DictValue):
        container = constant(tuple(container.items))
    if isinstance(container, Known) and isinstance(container.value, set | frozenset):
        container = constant(tuple(container.value))
    if not isinstance(container, Tuple | ListValue):
        return None
    if isinstance(value, Array) and _lies_among(value, list(container.items)):
        return constant(True)
    result: Value = constant(False)
    for item in container.items:
        test = call.redo("operator.eq", value, item)
        result = call.redo("operator.or_", result, test)
    return result


def _lies_among(x: Array, items: list[Value]) -> bool:
    """Whether every entry is one of these."""
    if x.nan or not x.element or not items:
        return False
    try:
        among = {concrete(item) for item in items}
    except (NotConcreteError, TypeError):
        return False
    if x.values is not None:
        return all(value in among for value in x.values)
    ends = (x.low, x.high)
    if not x.integer or x.infinite or not all(isinstance(e, sympy.Integer) for e in ends):
        return False
    few = int(x.high - x.low) <= len(items)
    return few and all(value in among for value in range(int(x.low), int(x.high) + 1))
