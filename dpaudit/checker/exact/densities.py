"""Outputs with one continuous number: densities that are constant on pieces.

On each way through a program that number is affine in one uniform draw, of which a range is known:
so a way adds to the density its probability over its length, on one piece. The ends of all pieces
cut the line into cells; the density of a cell is the sum over the pieces that cover it.

Pieces of an interval. Where the cells fill an interval whose ends are the same whatever the record
is, the density has one of their heights at each point of it and is 0 outside. So the ratio of two
densities is at most that of the largest height to the smallest, over all records.

Pieces in periods. Let the noise be ±D(G + Y) where G counts from 0, Pr[G = k] = (1 − c)c^k, and Y
has density h_i on the i-th of m pieces that fill [0, 1], in order, the same for both signs. Then
the density of the noise at z is (1 − c)/(2D) c^k h_i, where |z|/D lies between k and k + 1, in
piece i of that period. Let |z − z'| <= D, so that |z|/D and |z'|/D are at most 1 apart. Either both
are in one period: the ratio is at most that of the largest height to the smallest. Or the one is in
the next, in piece j: its part of a period is at most the other's, j <= i, and the ratio is
h_i/(c h_j) or c h_j/h_i. (At the ends of pieces, which have probability 0, the density is whatever
it is.) For the staircase of Geng & Viswanath 2014, h = (a, ca), all of these are between c and 1/c.

A set of outputs has a part in the atoms and one in each of these densities, so that no ratio is
more than the largest of theirs. (Wang et al. 2019, on the piecewise mechanism in one dimension.)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise
from typing import Any

from dpaudit.checker.exact.affine import Affine, Share, Span, ideal
from dpaudit.checker.exact.drawn import Drawn, Stepped
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.exact.varying import Varying
from dpaudit.checker.file import NotCheckedError

_ZERO, _ONE = Number(Fraction(0)), Number(Fraction(1))


@dataclass(frozen=True, slots=True)
class Piece:
    """Where an output lies on a way, evenly, and the probability of the way.

    Attributes
    ----------
    period : Number or None
        By how much a step of geometric noise moves the piece; it lies where the noise is 1.
    chance : Number or None
        Of a success, in that noise.
    """

    weight: Number
    start: Number
    stop: Number
    period: Number | None = None
    chance: Number | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """A part of the line, and between which numbers the density there is."""

    start: Number
    stop: Number
    least: Number
    greatest: Number


@dataclass(frozen=True, slots=True)
class Heights:
    """The cells of outputs of one form, for all records of a range.

    Attributes
    ----------
    period, chance : Number or None
        Of noise in periods; the cells are those of one period, beginning at 0.
    centre : tuple of Number
        Between which numbers such noise begins.
    """

    cells: tuple[Cell, ...]
    period: Number | None = None
    chance: Number | None = None
    centre: tuple[Number, Number] = (_ZERO, _ZERO)


def is_continuous(value: Any) -> bool:
    """Return whether an output is a number with a density of which pieces tell."""
    if isinstance(value, Stepped):
        return True
    return isinstance(value, Drawn) and not value.source.law.whole and not value.laplacian


def piece_of(weight: Number, value: Drawn | Stepped) -> Piece:
    """Return the piece on which an output lies on a way of this probability."""
    even = value.even if isinstance(value, Stepped) else value
    draw = even.source
    if even.scale.sign() == 0:
        raise NotCheckedError("not checked: a draw times nothing")
    ends = [even.scale * end + even.shift for end in (draw.low, draw.high)]
    start, stop = ends if even.scale.sign() > 0 else ends[::-1]
    if not isinstance(value, Stepped):
        return Piece(weight, start, stop)
    steps, law = value.steps, value.steps.source.law
    if not steps.source.fresh:
        raise NotCheckedError("not checked: geometric noise of which a part is known")
    scale = ideal(steps.scale)
    at = ideal(steps.shift) + scale
    return Piece(weight, start + at, stop + at, scale, 1 - law.a)  # type: ignore[attr-defined]


def heights(pieces: Sequence[Piece], span: Span | None = None) -> Heights:
    """Return the densities of outputs of one form, for all records of a range.

    Raises
    ------
    CutError
        Where they lie in one order for some records, and in another for others.
    NotCheckedError
        Where they do not fill an interval, or a period.
    """
    if all(piece.period is None for piece in pieces):
        cells = _cells(pieces, span)
        if isinstance(cells[0].start, Varying) or isinstance(cells[-1].stop, Varying):
            raise NotCheckedError("not checked: pieces whose ends are not public")
        return Heights(cells)
    return _in_periods(pieces, span)


def largest_ratio(every: Iterable[dict[Hashable, Heights]]) -> Number | None:
    """Return a bound on all ratios of densities, whichever two records; None without any.

    Raises
    ------
    NotCheckedError
        Where nothing bounds them.
    """
    each = list(every)
    forms = {key for found in each for key in found}
    ratio: Number | None = None
    for form in forms:
        if not all(form in found for found in each):
            raise NotCheckedError("not checked: a form of output that some records alone have")
        found = _ratio([found[form] for found in each])
        ratio = found if ratio is None or found > ratio else ratio
    return ratio


def _ratio(found: Sequence[Heights]) -> Number:
    one = found[0]
    cells = [cell for each in found for cell in each.cells]
    most: Number = max(cell.greatest for cell in cells)
    least: Number = min(cell.least for cell in cells)
    ratio: Number = most / least
    if one.period is None:
        ends = one.cells[0].start, one.cells[-1].stop
        if any((each.cells[0].start, each.cells[-1].stop) != ends for each in found):
            raise NotCheckedError("not checked: pieces that fill other intervals")
        return ratio
    if any((each.cells, each.period, each.chance) != (one.cells, one.period, one.chance)
           for each in found):  # fmt: skip
        raise NotCheckedError("not checked: pieces of noise that depend on the data")
    assert one.chance is not None
    centres = [end for each in found for end in each.centre]
    if max(centres) - min(centres) > one.period:
        raise NotCheckedError("not checked: a number that moves farther than a period")
    tail = 1 - one.chance
    ratios = [ratio]
    for i, here in enumerate(one.cells):
        for there in one.cells[: i + 1]:
            after = tail * there.greatest
            ratios += [here.greatest / after, after / here.greatest]
    return max(ratios)


def _cells(pieces: Sequence[Piece], span: Span | None) -> tuple[Cell, ...]:
    """Return the cells between the ends of pieces, which they cover without a gap."""
    ends: list[Number] = []
    for end in sorted((e for p in pieces for e in (p.start, p.stop)), key=cmp_to_key(_order)):
        if not ends or _order(ends[-1], end):
            ends.append(end)
    densities = [_density(piece, span) for piece in pieces]
    cells = []
    for start, stop in pairwise(ends):
        over = [
            density
            for piece, density in zip(pieces, densities, strict=True)
            if _order(piece.start, start) <= 0 and _order(stop, piece.stop) <= 0
        ]
        least = sum((low for low, _ in over), _ZERO)
        if least.sign() <= 0:
            raise NotCheckedError("not checked: outputs that are possible on one dataset alone")
        cells.append(Cell(start, stop, least, sum((high for _, high in over), _ZERO)))
    return tuple(cells)


def _order(one: Number, other: Number) -> int:
    """Return which of two numbers is the smaller, for all records of a range."""
    return int((one - other).sign())


def _density(piece: Piece, span: Span | None) -> tuple[Number, Number]:
    """Return between which numbers a probability over a length is.

    A quotient of numbers that are affine in the record rises with it or falls.
    """
    weight, length = piece.weight, piece.stop - piece.start
    if isinstance(weight, Affine) and isinstance(length, Affine):
        alike = (weight.slope * length.base - weight.base * length.slope).sign() == 0
        weight, length = (weight.slope, length.slope) if alike else (weight, length)
    if not isinstance(weight, Varying) and not isinstance(length, Varying):
        return weight / length, weight / length
    assert span is not None
    if isinstance(weight, Share) and isinstance(length, Varying):
        raise NotCheckedError("not checked: a density that is not affine in the record")
    found = []
    for end in (span.low, span.high):
        below = _near(length, end)
        if below.sign() <= 0:
            raise NotCheckedError("not checked: a density without bound")
        found.append(_near(weight, end) / below)
    return min(found), max(found)


def _near(value: Number, end: Any) -> Number:
    """Return what a number comes close to at an end of the range of the record."""
    if isinstance(value, Affine):
        return value.limit(end)
    if isinstance(value, Share):
        share: Number = _near(value.over, end) / _near(value.under, end)
        return share
    return value


def _in_periods(pieces: Sequence[Piece], span: Span | None) -> Heights:
    """Return the densities of one period of noise, which both signs share."""
    period, chance = pieces[0].period, pieces[0].chance
    if period is None or chance is None or isinstance(period, Varying):
        raise NotCheckedError("not checked: geometric noise on some ways alone")
    length = abs(period)
    above: list[Piece] = []
    below: list[Piece] = []
    for piece in pieces:
        if piece.period is None or abs(piece.period) != length or piece.chance != chance:
            raise NotCheckedError("not checked: geometric noise of two kinds")
        (above if piece.period.sign() > 0 else below).append(piece)
    if not above or not below:
        raise NotCheckedError("not checked: noise of one sign")
    centre = min((piece.start for piece in above), key=cmp_to_key(_order))
    sides = [
        _cells([_fixed(p, (p.start - centre, p.stop - centre)) for p in above], span),
        _cells([_fixed(p, (centre - p.stop, centre - p.start)) for p in below], span),
    ]
    for cells in sides:
        if cells[0].start.sign() or cells[-1].stop != length:
            raise NotCheckedError("not checked: pieces that do not fill a period")
    if sides[0] != sides[1] or any(cell.least != cell.greatest for cell in sides[0]):
        raise NotCheckedError("not checked: noise whose signs have other densities")
    ends = (span.low, span.high) if span is not None else (None, None)
    return Heights(sides[0], length, chance, (_near(centre, ends[0]), _near(centre, ends[1])))


def _fixed(piece: Piece, ends: tuple[Number, Number]) -> Piece:
    """Return a piece of noise, which lies where it does whatever the record is."""
    if any(isinstance(end, Varying) for end in ends) or isinstance(piece.weight, Varying):
        raise NotCheckedError("not checked: pieces of noise that depend on the data")
    return Piece(piece.weight, *ends)
