"""Entries of what is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy

from dpaudit.formal.lemmas import segments
from dpaudit.formal.lemmas.order import with_ends
from dpaudit.formal.lemmas.values import (
    STEP,
    Above,
    Kept,
    Known,
    Listed,
    Mask,
    Noisy,
    Number,
    Occurring,
    Ordered,
    Value,
    Vector,
    at,
)
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.lemmas.reading import Reading


def item(reading: Reading, value: Value, index: Value, place: Place) -> Value:
    """Return ``value[index]``."""
    if isinstance(index, Number) and not index.whole:
        raise Unsupported("an index that is no whole number", place)
    of_segments = segments.item(value, index)
    if of_segments is not None:
        return of_segments
    match value, index:
        case Listed(items=items), Number(expr=sympy.Integer() as known):
            if -len(items) <= int(known) < len(items):
                return items[int(known)]
        case Ordered(), Number(expr=expr):
            _inside(reading, expr, value.length, (), place)
            return Number(with_ends(reading.names, value.entry(expr)), value.whole)
        case Ordered(), Vector(entry=entry, length=length, whole=True, decay=sympy.Integer()):
            _inside(reading, entry, value.length, (sympy.Le(STEP, length - 1),), place)
            return Vector(length, value.entry(entry), value.whole)
        case Vector(decay=sympy.Integer()), Number(expr=sympy.Integer() as known):
            place_in = _place(reading, value, known, place)
            return Number(with_ends(reading.names, at(value, place_in)), value.whole)
        case Above(vector=vector), Number(expr=sympy.Integer() as known):
            place_in = _place(reading, vector, known, place)
            return _outcome(with_ends(reading.names, at(vector, place_in)), value, place)
        case ((Occurring() | Noisy()), Mask(noisy=noisy, threshold=threshold)):
            counts = value if isinstance(value, Occurring) else value.counts
            if counts.number == noisy.counts.number:
                return Kept((value,), noisy, threshold)
    raise Unsupported("an entry that no lemma is about", place)


def _inside(
    reading: Reading, index: Any, length: Any, given: tuple[Any, ...], place: Place
) -> None:
    """Prove that an index counts from the start and is not beyond the end."""
    what = "an index lies among the records"
    reading.facts.need(sympy.Ge(index, 0), given, what, place)
    reading.facts.need(sympy.Le(index, length - 1), given, what, place)


def _place(reading: Reading, vector: Vector, index: Any, place: Place) -> Any:
    """Return which entry of a vector a known index is, counted from the start."""
    needed = -index if index < 0 else index + 1
    reading.facts.need(sympy.Ge(vector.length, needed), (), "a vector is long enough", place)
    return sympy.expand(vector.length + index) if index < 0 else index


def _outcome(entry: Any, test: Above, place: Place) -> Value:
    """Return a test that comes out alike for every dataset."""
    if not entry.is_number or not test.bound.is_number:
        raise Unsupported("a test on what the records are", place)
    from dpaudit.formal.price.balls import compared

    sign = compared(entry, test.bound)
    if sign is None:
        raise Unsupported("a test that is not decided", place)
    return Known(sign > 0 or (sign == 0 and not test.strict))
