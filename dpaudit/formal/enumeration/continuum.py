"""Local mechanisms on a range of numbers: distributions that are affine in the record."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpaudit.formal.enumeration.measures import Distribution, Measure, Part, distribution
from dpaudit.formal.enumeration.noise import NotFiniteError
from dpaudit.formal.enumeration.numbers import compare, exact
from dpaudit.formal.enumeration.varying import Range, SplitError, Varying
from dpaudit.formal.program import Program
from dpaudit.formal.unsupported import Unsupported
from dpaudit.neighbors import AnyPair, Real

_RANGES = 64


def extreme_laws(program: Program, neighbors: Any) -> list[tuple[Any, Distribution]]:
    """Return distributions between which all others lie, for `AnyPair` of a `Real`.

    On each range where the program takes the same paths, the chance of an output is affine in the
    record. A ratio of two chances, one for each of two records, is therefore largest at ends of
    their ranges.

    Returns
    -------
    list of (record, Distribution)
        The limits at both ends of every range, and what holds at the points between ranges and
        for records that are no finite numbers.

    Raises
    ------
    Unsupported, NotFiniteError
        For other relations, or programs that are not of this kind.
    """
    records = neighbors.records if type(neighbors) is AnyPair else None
    if not isinstance(records, Real):
        raise Unsupported(f"{neighbors} is no range of numbers")
    low, high = (exact(end) for end in (records.low, records.high))
    if not records.enforced:
        low, high = -math.inf, math.inf
    waiting, points = [Range(low, high)], [end for end in (low, high) if math.isfinite(end)]
    found: list[tuple[Any, Distribution]] = []
    count = 0
    while waiting:
        span = waiting.pop()
        count += 1
        if count > _RANGES:
            raise NotFiniteError(f"more than {_RANGES} ranges of the record")
        if compare(span.low, span.high) != -1:
            continue
        try:
            law = distribution(program, Varying(Fraction(0), Fraction(1), span))
        except SplitError as split:
            points.append(split.at)
            waiting += [Range(span.low, split.at), Range(split.at, span.high)]
            continue
        found += [(end, _limit(law, end)) for end in (span.low, span.high)]
    found += [(point, distribution(program, point)) for point in points]
    return found + [(value, distribution(program, value)) for value in _special(records)]


def _special(records: Real) -> Iterator[Any]:
    if records.allow_nan:
        yield math.nan
    if records.allow_infinity:
        yield from (math.inf, -math.inf)
    if records.allow_missing:
        yield None


def _limit(law: Distribution, end: Any) -> Distribution:
    """Return the distribution that those of a range come close to at its end."""
    return replace(law, branches=tuple(_part_limit(part, end) for part in law.branches))


def _part_limit(part: Part, end: Any) -> Part:
    factors = [part.weight, *(m for measure in part.parts for m in measure.points.values())]
    varying = isinstance(part.weight, Varying) + sum(map(_varies, part.parts))
    if varying > 1:
        raise NotFiniteError("chances that depend on the record in a way that is not affine")
    if any(measure.families for measure in part.parts) and any(map(_is_varying, factors)):
        raise NotFiniteError("integers without bound that depend on the record")
    parts = tuple(
        Measure({key: _value(mass, end) for key, mass in m.points.items()}, m.families)
        for m in part.parts
    )
    return Part(_value(part.weight, end), part.shape, parts)


def _is_varying(value: Any) -> bool:
    return isinstance(value, Varying)


def _varies(measure: Measure) -> bool:
    return any(map(_is_varying, measure.points.values()))


def _value(mass: Any, end: Any) -> Any:
    if not isinstance(mass, Varying):
        return mass
    if isinstance(end, float):
        raise NotFiniteError("a chance that depends on a record without bound")
    return mass.at(end)
