"""The segments between numbers in order: one of them drawn by a weight, and a point of it.

The numbers x(0) <= … <= x(N − 1) cut [x(0), x(N − 1)] into N − 1 segments, of which the k-th is
[x(k), x(k + 1)]. An array with an entry for each of them holds those that are empty too, with a
weight of 0, or the others alone.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy

from dpaudit.formal import rounding
from dpaudit.formal.lemmas.magnitudes import cancels
from dpaudit.formal.lemmas.numbers import arithmetic, pointwise
from dpaudit.formal.lemmas.order import statistics
from dpaudit.formal.lemmas.values import (
    SIZE,
    STEP,
    Chosen,
    Draws,
    End,
    Heaviest,
    Known,
    Lengths,
    Masses,
    NotEmpty,
    Nowhere,
    Number,
    Ordered,
    Perturbed,
    Point,
    Portion,
    Somewhere,
    Unit,
    Value,
    Vector,
    Weights,
)
from dpaudit.formal.program import Draw, Place
from dpaudit.formal.unsupported import Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.lemmas.reading import Reading

_FARTHEST = 2**1000  # an end of the interval, so that no length overflows


def _one(order: Ordered, other: Ordered) -> bool:
    """Whether both are the same numbers."""
    return bool(order.entry == other.entry)


# --- operators


def combined(reading: Reading, word: str, left: Value, right: Value, place: Place) -> Value | None:
    """Return a sum, difference or product of what segments have; None for what is none."""
    match left, right:
        case Chosen(offset=0), Number(expr=sympy.Integer(p=1), whole=True) if word == "add":
            return replace(left, offset=1)
        case Unit(draw=draw), Portion(draw=None) if word == "mul":
            return replace(right, draw=draw)
        case Portion(draw=None), Unit(draw=draw) if word == "mul":
            return replace(left, draw=draw)
        case Masses(level=False), _ if word in ("add", "sub"):
            return _weighed(reading, left, right, 1 if word == "add" else -1)
        case _, Masses(level=False) if word == "add":
            return _weighed(reading, right, left, 1)
    if isinstance(left, Somewhere) or isinstance(right, Somewhere):
        return _somewhere(reading, word, left, right, place)
    return None


def _weighed(reading: Reading, masses: Masses, other: Value, sign: int) -> Value | None:
    """Return logarithms of weights plus what is added to each of them."""
    match other:
        case Heaviest(masses=known):
            return replace(masses, level=True) if known is masses and sign == -1 else None
        case Draws(family="gumbel", factor=factor, number=number) if not masses.some:
            fits = sign == factor == 1 and _as_many(number, masses.order)
            return Perturbed(masses, other.draw) if fits else None
        case Somewhere(order=order, entry=more) if masses.some and _one(order, masses.order):
            pass
        case Vector(length=length, entry=more, decay=decay) if not masses.some and decay == 0:
            if not _as_many(length, masses.order):
                return None
        case Number(expr=more):
            pass
        case _:
            return None
    if statistics(more) or more.free_symbols - {SIZE, STEP}:
        return None
    first = more.subs({SIZE: 0, STEP: 0})
    if not first.is_Rational or abs(first) > rounding.LARGEST:
        return None  # floats lose the lengths
    total = masses.exponent + sign * more
    if cancels(reading.names, (masses.exponent, more), total, least=1.0):
        return None
    return replace(masses, exponent=total)


def _as_many(number: Any, order: Ordered) -> bool:
    """Whether a length is the number of segments."""
    return bool(sympy.expand(number - order.length + 1) == 0)


def _somewhere(
    reading: Reading, word: str, left: Value, right: Value, place: Place
) -> Value | None:
    """Return arithmetic of arrays with an entry for each segment that is not empty."""
    order = _common(left, right)
    if order is None:
        return None
    found = arithmetic(reading, word, _vector(left), _vector(right), place)
    return Somewhere(order, found.entry, found.whole) if isinstance(found, Vector) else None


def _common(left: Value, right: Value) -> Ordered | None:
    """Return of which segments two arrays, or an array and a number, have entries."""
    orders = [value.order for value in (left, right) if isinstance(value, Somewhere)]
    fits = all(isinstance(value, Somewhere | Number) for value in (left, right))
    return orders[0] if fits and orders and _one(orders[0], orders[-1]) else None


def _vector(value: Value) -> Value:
    if not isinstance(value, Somewhere):
        return value
    return Vector(value.order.length - 1, value.entry, value.whole)


def extreme(pick: Any, left: Value, right: Value, place: Place) -> Value | None:
    """Return the larger or the smaller of two, entry by entry."""
    order = _common(left, right)
    if order is None:
        return None
    found = pointwise(pick, _vector(left), _vector(right), place)
    return Somewhere(order, found.entry, found.whole) if isinstance(found, Vector) else None


def compared(word: str, left: Value, right: Value) -> Value | None:
    """Return which lengths are above 0."""
    if isinstance(right, Lengths):
        left, right, word = right, left, {"lt": "gt"}.get(word, "")
    match left, right:
        case Lengths(some=False, order=order), Number(expr=sympy.Integer(p=0)) if word == "gt":
            return NotEmpty(order)
    return None


def negated(value: Value) -> Value | None:
    """Return −∞."""
    infinite = isinstance(value, Known) and value.value == math.inf
    return Known(-math.inf) if infinite else None


# --- functions


def absolute(value: Value) -> Value | None:
    """Return |entry| of an array."""
    match value:
        case Vector(decay=decay, entry=entry) if decay == 0:
            return replace(value, entry=sympy.Abs(entry))
        case Somewhere(entry=entry):
            return replace(value, entry=sympy.Abs(entry))
    return None


def function(name: str, value: Value) -> Value | None:
    """Return logarithms of the lengths that are not 0, or weights."""
    match value:
        case Lengths(some=True, order=order) if name == "numpy.log":
            return Masses(order, sympy.Integer(0), some=True)
        case Masses(level=True) if name == "numpy.exp":
            return Weights(value, summed=False)  # the largest is 1: they do not all underflow
    return None


def item(value: Value, index: Value) -> Value | None:
    """Return ``value[index]`` of what segments have; None for what is none."""
    match value, index:
        case Lengths(some=False, order=order), NotEmpty(order=other) if _one(order, other):
            return Lengths(order, some=True)
        case Lengths(some=False, order=order), Somewhere(order=other, entry=entry):
            return Lengths(order, some=True) if _one(order, other) and entry == STEP else None
        case Somewhere(order=order, entry=entry), Chosen(some=True, offset=0):
            fits = _one(order, index.masses.order) and entry == STEP
            return replace(index, some=False) if fits else None
        case Ordered(), Chosen(some=False):
            return End(index) if _one(value, index.masses.order) else None
        case Weights(summed=True, masses=masses), Number(expr=sympy.Integer(p=-1)):
            return Portion(masses, None)
    return None


def _lengths(_r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    """``diff`` of numbers in order whose ends are public and far from overflowing."""
    match args:
        case [Ordered(low=low, high=high) as order] if not keywords:
            if low is not None and high is not None:
                return Lengths(order) if max(-low, high) <= _FARTHEST else None
    return None


def _places(_r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    """``flatnonzero(lengths > 0)``."""
    match args:
        case [NotEmpty(order=order)] if not keywords:
            return Somewhere(order, STEP, True)
    return None


def _logarithms(
    r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place
) -> Value | None:
    """``log(lengths, where=lengths > 0, out=full(n, -inf))``: −∞ where a segment is empty."""
    match args, keywords:
        case [Lengths(order=order, some=False)], {"where": NotEmpty(order=where), "out": Nowhere()}:
            out = keywords["out"]
            fits = len(keywords) == 2 and _one(order, where) and not r.holders(out)
            if fits and isinstance(out, Nowhere) and _as_many(out.length, order):
                return Masses(order, sympy.Integer(0), some=False)
    return None


def _summed(_r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    match args:
        case [Weights(summed=False) as weights] if not keywords:
            return replace(weights, summed=True)
    return None


def _found(_r: Reading, args: list[Value], keywords: dict[str, Value], _p: Place) -> Value | None:
    """``cumulated.searchsorted(U·total, side="right")``: Pr[k] is weight k over the total."""
    match args, keywords:
        case [Weights(summed=True, masses=m), Portion(draw=int() as draw) as portion], {
            "side": Known(value="right")
        } if len(keywords) == 1 and portion.masses is m:
            return Chosen(m, draw, m.some)
    return None


def uniform(reading: Reading, node: Draw, given: dict[str, Value]) -> Value:
    """Return a number of [0, 1), or a point of the segment that was chosen."""
    reading.draws += 1
    if node.family == "random" and not given:
        return Unit(reading.draws)
    if node.family == "uniform" and set(given) == {"low", "high"}:
        match given["low"], given["high"]:
            case End(chosen=Chosen(offset=0) as one), End(chosen=Chosen(offset=1) as other):
                if one.draw == other.draw and one.masses is other.masses:
                    return Point(one.masses, node.place)
    raise Unsupported(f"{node.family} noise with these arguments", node.place)


HANDLERS = {
    "method.cumsum": _summed,
    "method.searchsorted": _found,
    "numpy.cumsum": _summed,
    "numpy.diff": _lengths,
    "numpy.flatnonzero": _places,
    "numpy.log": _logarithms,
    "numpy.searchsorted": _found,
}
