"""Noise whose density is constant on each of a few pieces, or of a few in every period.

On each way through a program its output is a public multiple of one uniform number U in [a, b),
plus what is known: so a way adds to the density its probability over its length on one piece.

Pieces of an interval. Where the pieces lie one behind the other, from a public end to a public
end, for every value of the private number, the density has one of their heights at each point of
that interval and is 0 outside. Whatever the private numbers of both runs are, the ratio of two
densities is at most that of the largest height to the smallest.

Pieces in periods. Let the noise be ±D(G + Y) where G counts from 0, Pr[G = k] = (1 − c)c^k, and Y
has density h_i on the i-th of m pieces that fill [0, 1], in order, the same for both signs. Then
the density of the noise at z is (1 − c)/(2D) c^k h_i, where |z|/D lies between k and k + 1, in
piece i of that period. Let |z − z'| <= D, so that |z|/D and |z'|/D are at most 1 apart. Either both
are in one period: the ratio is at most that of the largest height to the smallest. Or the one is in
the next, in piece j: its part of a period is at most the other's, j <= i, and the ratio is
h_i/(c h_j) or c h_j/h_i. (At
the ends of pieces, which have probability 0, the density is whatever it is.) For the staircase of
Geng & Viswanath 2014, h = (a, ca), all of these are between c and 1/c.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise
from typing import Any

from dpaudit.formal.enumeration.numbers import compare, exp, sign
from dpaudit.formal.lemmas.forms import Form, bounded, plus, times
from dpaudit.formal.lemmas.lemma import Lemma
from dpaudit.formal.lemmas.paths import Path
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported

PIECES = Lemma(
    "pieces of an interval",
    "an output of a density that is constant on pieces, which fill one public interval one behind "
    "the other whatever the private number is, is e-DP where no height is more than exp(e) times "
    "another",
    "Wang et al. 2019, on the piecewise mechanism in one dimension",
    ("the pieces fill a public interval", "no height is more than exp(e) times another"),
)
PERIODS = Lemma(
    "pieces in periods of geometric probability",
    "noise D(G + Y) of either sign, with G geometric from 0 and a density of Y that is constant on "
    "pieces of [0, 1], on a number that moves by at most D, is e-DP where no height is more than "
    "exp(e) times another's of the same period, nor of the pieces up to its own of the next one, "
    "nor they more than exp(e) times it",
    "Geng & Viswanath 2014, on the staircase mechanism",
    ("the number moves by at most D", "the pieces fill a period of length D for either sign",
     "no height is more than exp(e) times another within reach"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A piece of the line on which one way has a constant density.

    Attributes
    ----------
    height : Fraction or Exact
    low, high : Form
    """

    height: Any
    low: Form
    high: Form


def lemma_of(ways: Sequence[Path], epsilon: Fraction) -> Lemma:
    """Return the lemma by which a program is e-DP, from all its ways.

    Raises
    ------
    Unsupported
        Where none is.
    """
    place = ways[0].place
    with_periods = [bool(set(way.output.noise) & set(way.chances)) for way in ways]
    if all(with_periods):
        _validate_periods(ways, epsilon, place)
        return PERIODS
    if any(with_periods):
        raise Unsupported("geometric noise on some ways alone", place)
    pieces = [piece_of(way, way.output) for way in ways]
    if not all(bounded(end) for piece in pieces for end in (piece.low, piece.high)):
        raise Unsupported("a private number that nothing bounds", place)
    ends = _joined(pieces, place)
    if not all(end.known for end in ends):
        raise Unsupported("pieces whose ends are not public", place)
    heights = [piece.height for piece in pieces]
    if not all(_within(one, other, epsilon) for one in heights for other in heights):
        raise Unsupported("a height that is more than exp(e) times another", place)
    return PIECES


def piece_of(way: Path, output: Form) -> Piece:
    """Return the piece on which a way has its density, where one uniform number is left in it."""
    if len(output.noise) != 1 or set(output.noise) - set(way.units):
        raise Unsupported("an output without one uniform number in it", way.place)
    (draw,) = output.noise
    factor = output.noise[draw]
    probability: Any = Fraction(1)
    for unit, (low, high) in way.units.items():
        width = plus(high, low, -1)
        if unit == draw:
            continue
        if width is None or not width.known:
            raise Unsupported("a probability that depends on the data", way.place)
        probability = probability * width.public
    rest = Form(output.public, output.slope, output.of)
    ends = [_sum(rest, times(end, factor), way.place) for end in way.units[draw]]
    low, high = ends if sign(factor) > 0 else ends[::-1]
    # Given the others, U has density 1: a part of it of length b − a has that probability.
    return Piece(probability / abs(factor), low, high)


def _sum(one: Form, other: Form | None, place: Place) -> Form:
    found = None if other is None else plus(one, other)
    if found is None:
        raise Unsupported("an end of a piece that floats lose", place)
    return found


def _joined(pieces: list[Piece], place: Place) -> tuple[Form, Form]:
    """Return between what pieces lie that are one behind the other, in the order made here."""
    pieces.sort(key=cmp_to_key(_order))
    for one, other in pairwise(pieces):
        gap = plus(other.low, one.high, -1)
        if gap is None or not gap.known or sign(gap.public):
            raise Unsupported("pieces that are not one behind the other", place)
    return pieces[0].low, pieces[-1].high


def _order(one: Piece, other: Piece) -> int:
    """Order pieces by where they begin and end, at the sum of both ends of the private number."""
    for a, b in ((one.low, other.low), (one.high, other.high)):
        found = compare(sum(a.ends()), sum(b.ends()))
        if found:
            return found
    return 0


def _within(one: Any, other: Any, epsilon: Fraction) -> bool:
    """Whether a height is at most e^ε times another, which must not be 0."""
    return sign(other) > 0 and sign(exp(epsilon) * other - one) >= 0


def _validate_periods(ways: Sequence[Path], epsilon: Fraction, place: Place) -> None:
    period, tail = _period(ways[0])
    sides: dict[int, list[Piece]] = {1: [], -1: []}
    for way in ways:
        length, other_tail = _period(way)
        slope = way.output.slope
        if compare(length, period) or compare(tail, other_tail):
            raise Unsupported("geometric noise of several kinds", place)
        if way.output.of is None or not bounded(way.output):
            raise Unsupported("a private number that nothing bounds", place)
        if way.output.of != ways[0].output.of or compare(slope, ways[0].output.slope):
            raise Unsupported("ways with different numbers below the noise", place)
        moves = abs(slope) * (way.output.of.high - way.output.of.low)
        if compare(moves, period) == 1:
            raise Unsupported("a number that moves farther than a period", place)
        side, piece = _in_first_period(way)
        sides[side].append(piece)
    above, below = sides[1], sides[-1]
    if not above or len(above) != len(below):
        raise Unsupported("noise of one sign", place)
    for pieces in (above, below):
        if not all(piece.low.known and piece.high.known for piece in pieces):
            raise Unsupported("pieces of noise that depend on the data", place)
        low, high = _joined(pieces, place)
        if sign(low.public) or compare(high.public, period):
            raise Unsupported("pieces that do not fill a period", place)
    for one, other in zip(above, below, strict=True):
        if compare(one.high.public, other.high.public) or compare(one.height, other.height):
            raise Unsupported("noise whose signs have other densities", place)
    heights = [piece.height for piece in above]
    for i, one in enumerate(heights):
        near = all(_within(one, other, epsilon) for other in heights)
        far = all(
            _within(one, tail * other, epsilon) and _within(tail * other, one, epsilon)
            for other in heights[: i + 1]
        )
        if not (near and far):
            raise Unsupported("a height that is more than exp(e) times another", place)


def _period(way: Path) -> tuple[Any, Any]:
    """Return |factor| of the geometric draw in an output, and 1 less its chance."""
    drawn = set(way.output.noise) & set(way.chances)
    if len(drawn) != 1:
        raise Unsupported("several geometric draws in one output", way.place)
    (draw,) = drawn
    return abs(way.output.noise[draw]), 1 - way.chances[draw]


def _in_first_period(way: Path) -> tuple[int, Piece]:
    """Return the sign of the noise, and where |noise| lies when the geometric draw is 1."""
    output = way.output
    (draw,) = set(output.noise) & set(way.chances)
    side = sign(output.noise[draw])
    noise = {other: side * c for other, c in output.noise.items() if other != draw}
    first = side * (output.public + output.noise[draw])
    return side, piece_of(way, Form(first, noise=noise))
