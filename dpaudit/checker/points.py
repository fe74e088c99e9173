"""Points: numbers for all variables, at which conditions certainly hold and a step does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from random import Random

import flint

from dpaudit.checker.bounds import ends_of
from dpaudit.checker.enclose import PRECISION, compared_in, value_in
from dpaudit.checker.file import Work
from dpaudit.checker.formula import (
    Condition,
    Relation,
    Term,
    compared,
    constant,
    number,
    replaced,
    simple,
)
from dpaudit.checker.interval import Interval, UndefinedError, rational

Point = dict[str, Fraction]
_PLAIN = [Fraction(n) for n in (0, 1, -1, 2, -2, 3, 4, 5, 10)]
_TRIED = [Fraction(n, 4) for n in range(-12, 13)] + [Fraction(n) for n in range(4, 21)]
_SCALES = [Fraction(1), Fraction(1), Fraction(1, 10), Fraction(10)]
_PARTS = 64  # of a range
_LEFT, _RIGHT = Term("variable", name="left"), Term("variable", name="right")


def side_at(term: Term, point: Mapping[str, Fraction]) -> Fraction | Interval:
    """Return the value of a term at a point: a rational where it plainly is one.

    Raises
    ------
    UndefinedError
        Where it may have none.
    """
    found = simple(replaced(term, {name: number(value) for name, value in point.items()}))
    value = constant(found)
    if value is not None:
        return value
    with flint.ctx.workprec(PRECISION):
        return value_in(found, {})


def holds_at(condition: Condition, point: Mapping[str, Fraction]) -> bool | None:
    """Return whether all relations of a condition hold at a point, None where balls do not tell."""
    told = [_relation_at(relation, point) for relation in condition]
    return False if False in told else None if None in told else True


def _relation_at(relation: Relation, point: Mapping[str, Fraction]) -> bool | None:
    try:
        left, right = side_at(relation.left, point), side_at(relation.right, point)
        if isinstance(left, Fraction) and isinstance(right, Fraction):
            return compared(left, relation.sign, right)
        with flint.ctx.workprec(PRECISION):
            balls = {"left": _interval(left), "right": _interval(right)}
            return compared_in(Relation(_LEFT, relation.sign, _RIGHT), balls)
    except UndefinedError:
        return None


def _interval(value: Fraction | Interval) -> Interval:
    return value if isinstance(value, Interval) else rational(value)


def lacks_value(term: Term, point: Mapping[str, Fraction]) -> bool:
    """Return whether a term certainly has no value at a point."""
    if term.op == "cases":
        for arg, test in zip(term.args, term.tests, strict=True):
            if any(lacks_value(side, point) for r in test for side in (r.left, r.right)):
                return True
            told = holds_at(test, point)
            if told is not False:
                return told is True and lacks_value(arg, point)
        return False
    if any(lacks_value(arg, point) for arg in term.args):
        return True
    zero = number(0)

    def certain(one: Term, sign: str) -> bool:
        return _relation_at(Relation(one, sign, zero), point) is True

    match term.op, term.args:
        case "div", (_, below):
            return certain(below, "==")
        case "sqrt", (inner,):
            return certain(inner, "<")
        case "log", (inner,):
            return certain(inner, "<=")
        case "power", (base, exponent):
            if certain(exponent, "<") and certain(base, "=="):
                return True
            below = Term("floor", (exponent,))
            broken = _relation_at(Relation(exponent, "!=", below), point) is True
            return broken and certain(base, "<")
    return False


def fails_at(needs: Relation | Term, point: Mapping[str, Fraction]) -> bool:
    """Return whether a relation is certainly false at a point, or a term has no value there."""
    if isinstance(needs, Term):
        return lacks_value(needs, point)
    return holds_at((needs,), point) is False


def breaking_point(
    needs: Relation | Term,
    given: Sequence[Condition],
    whole: Mapping[str, bool],
    work: Work,
    count: int,
) -> Point | None:
    """Return simple numbers at which all conditions hold and a step's need does not, if found.

    Parameters
    ----------
    needs : Relation or Term
    given : sequence of Condition
    whole : mapping of str to bool
        The variables, and whether they are integers.
    work : Work
    count : int
        Points that are tried at most.
    """

    def breaks(point: Point) -> bool:
        work.left()
        if any(whole[name] and value.denominator > 1 for name, value in point.items()):
            return False
        return all(holds_at(c, point) for c in given) and fails_at(needs, point)

    for point in _candidates(given, whole, count):
        if breaks(point):
            return _simplest(point, breaks)
    return None


def _simplest(point: Point, breaks: Callable[[Point], bool]) -> Point:
    for name in point:
        for value in _PLAIN:
            if value == point[name]:
                break
            if breaks({**point, name: value}):
                point = {**point, name: value}
                break
    return point


def _candidates(
    given: Sequence[Condition], whole: Mapping[str, bool], count: int
) -> Iterator[Point]:
    """Yield points, most of which keep the plain bounds and the equations among the conditions."""
    random = Random(0)
    ends = ends_of(given, tuple(whole))
    equations = [
        (Term("sub", (r.left, r.right)), name)
        for condition in given
        for r in condition
        if r.sign == "=="
        for name in whole
    ]
    for _ in range(count if whole else 1):
        scale = random.choice(_SCALES)
        point = {}
        for name, integer in whole.items():
            value = _between(*ends[name], scale, random)
            point[name] = Fraction(round(value)) if integer else value
        yield point
        for gap, name in random.sample(equations, len(equations)):
            point = _solved(gap, name, point)
        if equations:
            yield point


def _between(
    low: Fraction | None, high: Fraction | None, scale: Fraction, random: Random
) -> Fraction:
    if low is not None and high is not None:
        return low + (high - low) * Fraction(random.randrange(_PARTS + 1), _PARTS)
    tried = scale * random.choice(_TRIED)
    if low is not None:
        return low + abs(tried)
    return tried if high is None else high - abs(tried)


def _solved(gap: Term, name: str, point: Point) -> Point:
    """Return a point at which an equation holds that is linear in one variable, if it is."""
    try:
        low, high = (side_at(gap, {**point, name: Fraction(n)}) for n in (0, 1))
    except UndefinedError:
        return point
    if not isinstance(low, Fraction) or not isinstance(high, Fraction) or low == high:
        return point
    return {**point, name: low / (low - high)}
