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
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dpaudit.checker.exact.affine import CutError, Span, UnsureError, at_end, is_finite
from dpaudit.checker.exact.densities import Piece, largest_ratio
from dpaudit.checker.exact.laws import Law, Tail, densities, finite, law_of
from dpaudit.checker.exact.mechanism import Mechanism
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.exact.rounded_record import record
from dpaudit.checker.exact.sources import Cut
from dpaudit.checker.exact.spending import Chances
from dpaudit.checker.file import NotCheckedError, Work
from dpaudit.checker.rounding import double_of
from dpaudit.claims import ApproxDP, PureDP
from dpaudit.neighbors import AnyPair, Real

_PIECES = 128


def is_continuum(neighbors: Any) -> bool:
    """Whether a relation is of any two numbers of a range."""
    return type(neighbors) is AnyPair and type(neighbors.records) is Real


def ends_of(
    mechanism: Mechanism, claim: Any, neighbors: Any, work: Work
) -> tuple[list[float], list[Chances], int, list[Number | None]]:
    """Return distributions of which those of all records are mixtures, and where they hold.

    Then how many come first that rounding decides nothing of, and what bounds the ratios of the
    densities of these, and of all; None where there are none.

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
    found, dense = _laws(mechanism, neighbors, work)
    sure = [(end, law) for span, end, law in found if span is None or not span.decided]
    unsure = [(end, law) for span, end, law in found if span is not None and span.decided]
    heights = [each for span, each in dense if span is None or not span.decided]
    ratios = [largest_ratio(heights), largest_ratio(each for _, each in dense)]
    ends, laws = zip(*sure, *unsure, strict=True)
    return [_plain(end) for end in ends], finite(laws), len(sure), ratios


def _laws(
    mechanism: Mechanism, neighbors: Any, work: Work
) -> tuple[list[tuple[Span | None, Any, Law]], list[tuple[Span | None, Any]]]:
    """Return the distributions of which all others are mixtures, and all densities.

    With the range, None for a record by itself, and where they hold.
    """
    found: list[tuple[Span | None, Any, Law]] = []
    dense: list[tuple[Span | None, Any]] = []
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
            if span.band is not None and _is_narrow(span):
                for key, pieces in law.pieces.items():
                    moved = [_at(piece, span.band) for piece in pieces]
                    law.pieces[key] = [piece for piece in moved if piece.weight.sign()]
            heights = densities(law, span)
            if span.cuts:
                raise span.cuts[0]
            dense.append((span, heights))
            found += [(span, end, _limit(law, end)) for end in (span.low, span.high)]
        except (CutError, UnsureError) as error:
            waiting += _parts(span, error)
            if isinstance(error, CutError):
                cuts += error.at
    else:
        raise NotCheckedError(f"not checked: more than {_PIECES} ranges of the record")
    alone = [(at, at) for at in cuts if double_of(at) is not None]  # a record is a float
    alone += [(value, neighbors._codec.encode_record(value)) for value in _special(domain)]
    for at, data in alone:
        law = _law(mechanism, data, work)
        dense.append((None, densities(law)))
        found.append((None, at, law))
    return found, dense


def _parts(span: Span, error: CutError | UnsureError) -> Iterator[Span]:
    """Yield the ranges that stand for one: its parts, or one for each way that rounding decides."""
    if isinstance(error, UnsureError):
        for way in error.ways:
            decided = {**span.decided, error.key: way}
            yield Span(span.low, span.high, band=span.band, decided=decided)
        return
    for low, high in pairwise([span.low, *error.at, span.high]):
        band = span.band
        if error.band is not None and error.band[0] <= low and high <= error.band[1]:
            band = (error.band[0] + error.band[1]) / 2
        yield Span(low, high, band=band, decided=span.decided)


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


def _is_narrow(span: Span) -> bool:
    """Return whether rounding may take one record of a range for another."""
    return bool((span.high - span.low) * 2**44 <= max(abs(span.low), abs(span.high)))


def _at(piece: Piece, at: Number) -> Piece:
    """Return a piece where it is at a number that rounding takes a record for."""
    ends = at_end(piece.start, at), at_end(piece.stop, at)
    return replace(piece, weight=at_end(piece.weight, at), start=ends[0], stop=ends[1])


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
