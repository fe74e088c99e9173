"""Any two records of a range of numbers: distributions that are affine in the record.

The code itself is run on a record of which only the range is known. Where it tests more than that,
the range is cut, and what holds at the cut is looked at by itself. On each piece every output has a
chance that is affine in the record, so that its distribution is a mixture of those that it comes
close to at the ends of the piece. The pairs of distributions that a pure or an approximate claim
allows are a convex set: where all pairs of ends are in it, all pairs of records are. A continuous
number in the output has a density, whose ratios are bounded by themselves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from dpaudit.checker.exact.affine import CutError, Span, at_end, is_finite, record
from dpaudit.checker.exact.densities import largest_ratio
from dpaudit.checker.exact.laws import Law, Tail, densities, finite, law_of
from dpaudit.checker.exact.mechanism import Mechanism
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.exact.sources import Cut
from dpaudit.checker.exact.spending import Chances
from dpaudit.checker.file import NotCheckedError, Work
from dpaudit.claims import ApproxDP, PureDP
from dpaudit.neighbors import AnyPair, Real

_PIECES = 128


def is_continuum(neighbors: Any) -> bool:
    """Whether a relation is of any two numbers of a range."""
    return type(neighbors) is AnyPair and type(neighbors.records) is Real


def ends_of(
    mechanism: Mechanism, claim: Any, neighbors: Any, work: Work
) -> tuple[list[float], list[Chances], Number | None]:
    """Return distributions of which those of all records are mixtures, and where they hold.

    Last what bounds the ratios of densities, None where there are none.

    Parameters
    ----------
    mechanism : Mechanism
    claim : Claim
    neighbors : Neighbors
        Any two numbers of a range.
    work : Work
    """
    if type(claim) not in (PureDP, ApproxDP):
        raise NotCheckedError("not checked: this claim about any two numbers of a range")
    ends, laws, ratio = _laws(mechanism, neighbors, work)
    return ends, finite(laws), ratio


def _laws(
    mechanism: Mechanism, neighbors: Any, work: Work
) -> tuple[list[float], list[Law], Number | None]:
    """Return the distributions of which all others are mixtures, and where they hold."""
    found: list[tuple[Any, Law]] = []
    dense = []
    domain = neighbors.records
    low: Any = Number(Fraction(domain.low)) if domain.enforced else -math.inf
    high: Any = Number(Fraction(domain.high)) if domain.enforced else math.inf
    points = {end.fraction: end for end in (low, high) if is_finite(end)}
    waiting = [Span(low, high)] if not (is_finite(low) and low == high) else []
    cuts: list[Number] = list(points.values())
    for _ in range(_PIECES):
        if not waiting:
            break
        span = waiting.pop()
        try:
            law = _law(mechanism, record(span), work)
            heights = densities(law, span)
            if span.cuts:
                raise CutError(span.cuts[0])
            dense.append(heights)
            found += [(end, _limit(law, end)) for end in (span.low, span.high)]
        except CutError as cut:
            cuts.append(cut.at)
            waiting += [Span(span.low, cut.at), Span(cut.at, span.high)]
    else:
        raise NotCheckedError(f"not checked: more than {_PIECES} ranges of the record")
    alone = [(at, at) for at in cuts]
    alone += [(value, neighbors._codec.encode_record(value)) for value in _special(domain)]
    for at, data in alone:
        law = _law(mechanism, data, work)
        dense.append(densities(law))
        found.append((at, law))
    return [_plain(end) for end, _ in found], [law for _, law in found], largest_ratio(dense)


def _special(domain: Any) -> Iterator[Any]:
    if domain.allow_nan:
        yield math.nan
    if domain.allow_infinity:
        yield from (math.inf, -math.inf)
    if domain.allow_missing:
        yield None


def _law(mechanism: Mechanism, data: Any, work: Work) -> Law:
    law = law_of(mechanism.runner(data), work)
    mechanism.validate_unchanged()
    if law.products:  # a product of chances is no mixture of those at the ends
        raise NotCheckedError("not checked: independent values of a record on a range")
    if any(isinstance(tail.noise, Cut) for tails in law.tails.values() for tail in tails):
        raise NotCheckedError("not checked: noise that is cut, beside a record on a range")
    return law


def _limit(law: Law, end: Any) -> Law:
    """Return the distribution that those of a range come close to at its end."""
    return Law(
        {key: at_end(weight, end) for key, weight in law.points.items()},
        {
            key: [Tail(at_end(tail.weight, end), tail.noise, tail.place) for tail in tails]
            for key, tails in law.tails.items()
        },
    )


def _plain(end: Any) -> Any:
    if not isinstance(end, Number):
        return end
    return float(end.fraction) if end.fraction is not None else float(end.ball.mid())
