"""Two outputs that are one linear image of independent noise, at two places: the exact loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import flint

from dpaudit.formal.balls import Ball
from dpaudit.formal.clock import charge
from dpaudit.formal.trial.events import Telling, halfline
from dpaudit.formal.trial.laws import Law, Normal, scaled
from dpaudit.formal.trial.outputs import Release

_ZERO, _PIVOT = Fraction(1, 10**11), Fraction(1, 10**5)
LONGEST_WORDS = 120  # of an event in full


@dataclass(frozen=True, slots=True)
class Coordinate:
    """One noise variable: its law on the left, on the right, and how far the right has moved."""

    left: Law
    right: Law
    shift: Fraction


@dataclass(frozen=True, slots=True)
class Reading:
    """A combination of the output's numbers, less what it is on the left without noise."""

    factors: tuple[Fraction, ...]
    at: Fraction

    def beyond(self, paths: Sequence[str], relation: str, cut: Fraction) -> str:
        """Return a Python predicate over ``output``: combination - at <= cut, or >=."""
        largest = max(map(abs, self.factors))
        return f"{self._sum(paths, largest)} {relation} {float((self.at + cut) / largest)!r}"

    def source(self, paths: Sequence[str]) -> str:
        """Return the reading as a Python expression in ``output``."""
        return f"{self._sum(paths, Fraction(1))} - {float(self.at)!r}"

    def _sum(self, paths: Sequence[str], unit: Fraction) -> str:
        return " + ".join(
            f"output{path}" if factor == unit else f"{float(factor / unit)!r} * output{path}"
            for factor, path in zip(self.factors, paths, strict=True)
            if factor
        )


@dataclass(frozen=True, slots=True)
class Joint:
    """The outputs of one outcome on each dataset, in the coordinates of the noise.

    Attributes
    ----------
    coordinates : tuple of Coordinate
    disjoint : Fraction or None
        How far a combination of the output's numbers is apart that is free of noise.
    squared_mu : Fraction or None
        Where all noise is Gaussian: the squared distance of the two outputs.
    readings : tuple of Reading
        Of every coordinate; else of the combination, or of the direction in which Gaussian
        outputs differ: there the left one is at 0, and the right one at `squared_mu`.
    paths : tuple of str
        Where the output's numbers are in it.
    """

    coordinates: tuple[Coordinate, ...] = ()
    disjoint: Fraction | None = None
    squared_mu: Fraction | None = None
    readings: tuple[Reading, ...] = ()
    paths: tuple[str, ...] = ()


def joint(left: Release, right: Release) -> Joint | None:
    """Compare two outcomes of one shape; None where the noise does not enter them alike."""
    if not (left.apart and right.apart):
        return None
    rows = list(zip(left.rows, right.rows, strict=True))
    ours = list(dict.fromkeys(v for a, _ in rows for v in a.terms))
    theirs = list(dict.fromkeys(v for _, b in rows for v in b.terms))
    if len(ours) != len(theirs) or len(ours) > 60:
        return None
    factors = []
    for v, w in zip(ours, theirs, strict=True):
        column = [(a.terms.get(v, Fraction(0)), b.terms.get(w, Fraction(0))) for a, b in rows]
        factor = _proportion(column)
        if factor is None:
            return None
        factors.append(factor)
    matrix = [[a.terms.get(v, Fraction(0)) for v in ours] for a, _ in rows]
    shifts = [b.constant - a.constant for a, b in rows]
    laws = [left.laws[v] for v in ours]
    moved = [scaled(right.laws[w], f) for w, f in zip(theirs, factors, strict=True)]
    found = _solved(matrix, shifts, laws, moved)
    if found is None:
        return None
    constants = [a.constant for a, _ in rows]
    readings = tuple(_placed(reading, constants) for reading in found.readings)
    return replace(found, readings=readings, paths=left.paths)


def _placed(reading: Reading, constants: Sequence[Fraction]) -> Reading:
    pairs = zip(reading.factors, constants, strict=True)
    return replace(reading, at=sum((f * c for f, c in pairs), Fraction(0)))


def _proportion(column: Sequence[tuple[Fraction, Fraction]]) -> Fraction | None:
    """Return what the left factors must be multiplied with to give the right ones."""
    found: Fraction | None = None
    for a, b in column:
        if not a and not b:
            continue
        if not a or not b:
            return None
        ratio = b / a
        if found is None:
            found = Fraction(1) if abs(ratio - 1) <= _ZERO else ratio
        elif abs(ratio - found) > _ZERO * abs(found):
            return None
    return found


def _solved(
    matrix: list[list[Fraction]], shifts: list[Fraction], laws: list[Law], moved: list[Law]
) -> Joint | None:
    """Eliminate: solve matrix · s = shifts, or find a combination of rows without noise."""
    size = len(matrix)
    rows = [
        (list(row), shift, [Fraction(int(i == j)) for j in range(size)])
        for i, (row, shift) in enumerate(zip(matrix, shifts, strict=True))
    ]
    pivots: list[int] = []
    for column in range(len(laws)):
        at = len(pivots)
        best = max(range(at, size), key=lambda i: abs(rows[i][0][column]), default=None)
        if best is None or abs(rows[best][0][column]) <= _ZERO:
            continue
        if abs(rows[best][0][column]) < _PIVOT:
            return None  # too close to singular to tell rounding from noise
        rows[at], rows[best] = rows[best], rows[at]
        pivots.append(column)
        _eliminate(rows, at, column)
    largest = max([Fraction(1), *map(abs, shifts)])
    for row, shift, combination in rows[len(pivots) :]:
        if any(abs(entry) > _ZERO for entry in row):
            return None
        if abs(shift) > _PIVOT * largest:
            return Joint(disjoint=shift, readings=(Reading(tuple(combination), Fraction(0)),))
        if abs(shift) > _ZERO * largest:
            return None
    solution = {column: rows[i][1] for i, column in enumerate(pivots)}
    if all(isinstance(law, Normal) for law in laws) and laws == moved:
        return _gaussian(rows[: len(pivots)], laws)
    if len(pivots) < len(laws):
        return None
    pairs = enumerate(zip(laws, moved, strict=True))
    coordinates = tuple(Coordinate(a, b, _tidy(solution[i])) for i, (a, b) in pairs)
    order = sorted(range(len(pivots)), key=pivots.__getitem__)
    readings = tuple(Reading(tuple(map(_tidy, rows[i][2])), Fraction(0)) for i in order)
    return Joint(coordinates, readings=readings)


def _tidy(shift: Fraction) -> Fraction:
    """Return a shift without the rounding of the run that it was read from."""
    simple = shift.limit_denominator(10**6)
    return simple if abs(simple - shift) <= _ZERO * max(Fraction(1), abs(shift)) else shift


def _eliminate(
    rows: list[tuple[list[Fraction], Fraction, list[Fraction]]], at: int, column: int
) -> None:
    charge(1300)
    values, shift, combination = rows[at]
    pivot = values[column]
    rows[at] = ([v / pivot for v in values], shift / pivot, [c / pivot for c in combination])
    for i, (other, moved, mixed) in enumerate(rows):
        factor = other[column]
        if i == at or not factor:
            continue
        rows[i] = (
            [o - factor * v for o, v in zip(other, rows[at][0], strict=True)],
            moved - factor * rows[at][1],
            [m - factor * c for m, c in zip(mixed, rows[at][2], strict=True)],
        )


def _gaussian(
    rows: list[tuple[list[Fraction], Fraction, list[Fraction]]], laws: list[Law]
) -> Joint:
    """Return the squared distance shift^T (A S A^T)^-1 shift for independent rows A, variances S.

    The weights (A S A^T)^-1 shift of the rows give the direction of the likelihood ratio.
    """
    if not rows:
        return Joint(squared_mu=Fraction(0))
    variances = [law.scale**2 for law in laws if isinstance(law, Normal)]
    size = len(rows)
    gram = [
        [sum((a * b * v for a, b, v in zip(x[0], y[0], variances, strict=True)), Fraction(0))
         for y in rows] for x in rows
    ]  # fmt: skip
    system = [([*gram[i]], rows[i][1], [Fraction(0)] * size) for i in range(size)]
    for column in range(size):
        best = max(range(column, size), key=lambda i: abs(system[i][0][column]))
        if abs(system[best][0][column]) <= _ZERO:
            return Joint()
        system[column], system[best] = system[best], system[column]
        _eliminate(system, column, column)
    weights = [system[i][1] for i in range(size)]
    squared = sum((rows[i][1] * weights[i] for i in range(size)), Fraction(0))
    factors = [
        sum((w * row[2][j] for w, row in zip(weights, rows, strict=True)), Fraction(0))
        for j in range(len(rows[0][2]))
    ]
    return Joint(squared_mu=squared, readings=(Reading(tuple(factors), Fraction(0)),))


def orthants(found: Joint, p: Ball, q: Ball) -> list[Telling]:
    """Return events that are products of half-lines of the noise; `p`, `q` of the outcomes.

    The first is where the loss is largest if all noise is Laplace or geometric; others stay
    closer to the middle.
    """
    tellings = []
    for share in (Fraction(0), Fraction(1, 4), Fraction(1, 2)):
        for swapped in (False, True):
            one, other = (q, p) if swapped else (p, q)
            for coordinate in found.coordinates:
                pair = _side(coordinate, share, swapped)
                one, other = one * pair[0], other * pair[1]
            halves = [_half(found, i, share, swapped) for i in _moving(found)]
            source = words = " and ".join(halves)
            if len(words) > LONGEST_WORDS:
                words = f"{halves[0]}, and so on for each of {len(halves)} noisy numbers"
            tellings.append(Telling(words, source, one, other, "orthant", None, swapped))
    return tellings


def _moving(found: Joint) -> list[int]:
    return [i for i, c in enumerate(found.coordinates) if c.shift]


def _half(found: Joint, i: int, share: Fraction, swapped: bool) -> str:
    """Return the predicate of the half-line that `_side` prices, in terms of the output."""
    c = found.coordinates[i]
    cut, upper = _cut(c, share, swapped)
    law = c.right if swapped else c.left
    # Rounding must not take an output that has a probability of its own to the other side.
    slack = Fraction(1, 10 ** (6 if law.integral else 9)) if law.atomic else Fraction(0)
    cut += (c.shift if swapped else 0) + (-slack if upper else slack)
    return found.readings[i].beyond(found.paths, ">=" if upper else "<=", cut)


def _cut(coordinate: Coordinate, share: Fraction, swapped: bool) -> tuple[Fraction, bool]:
    """Return where the noise of one side is cut, and whether its upper part is meant."""
    law = coordinate.right if swapped else coordinate.left
    away = -coordinate.shift if swapped else coordinate.shift  # the other one, seen from here
    cut = share * away
    return Fraction(round(cut)) if law.integral else cut, away < 0


def _side(coordinate: Coordinate, share: Fraction, swapped: bool) -> tuple[Ball, Ball]:
    """Return the chances of the half-line away from the other's place."""
    shift, one = coordinate.shift, flint.arb(1)
    if not shift:
        return one, one
    laws = (coordinate.right, coordinate.left) if swapped else (coordinate.left, coordinate.right)
    away = -shift if swapped else shift
    cut, upper = _cut(coordinate, share, swapped)
    return halfline(laws[0], cut, upper=upper), halfline(laws[1], cut - away, upper=upper)


def is_product(found: Joint, kind: type[Law]) -> bool:
    """Whether all coordinates that move have the law of one kind, the same on both sides."""
    return all(
        isinstance(c.left, kind) and c.left == c.right for c in found.coordinates if c.shift
    ) and all(c.left == c.right for c in found.coordinates)
