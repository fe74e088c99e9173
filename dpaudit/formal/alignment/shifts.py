"""Candidate alignments: by how much each draw moves, and when that is sound.

Randomness alignment (Zhang & Kifer 2017, LightDP; Wang et al. 2019, ShadowDP; 2020, CheckDP). A map
of the randomness of the first run to that of the second proves the claim if both runs then return
the same, and if on every cell of a countable partition it is injective, keeps volume, and loses at
most the claim in density. Here the cell is given by discrete observables that are the same in both
runs, so that images of different cells are disjoint. On a cell the j-th draw moves by a number that
depends on the data and on draws before the j-th alone: the map is triangular with a unit diagonal,
hence injective, with Jacobian 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from dpaudit.formal.alignment.poly import ZERO, Poly, Symbol
from dpaudit.formal.alignment.relation import Relation
from dpaudit.formal.alignment.segments import START, Segment, System
from dpaudit.formal.alignment.trace import Drawn
from dpaudit.formal.alignment.tworuns import change_of, difference
from dpaudit.formal.limit import breathe

# Families whose density exists for a shift to either side, and to the right alone.
EITHER_SIDE = frozenset({"laplace"})
# exponential: the noise must stay non-negative. Gumbel: log f(x) − log f(x+s) is s/b +
# e^(−(x+s)/b) − e^(−x/b) ≤ s/b for s ≥ 0, and unbounded for s < 0.
# Geometric: it is at least 1, and Pr[G = k] / Pr[G = k + s] is e^(rs) for whole s >= 0 (Ghosh,
# Roughgarden & Sundararajan 2009); a shift that is not whole would lead to values it never has.
RIGHT_ONLY = frozenset({"exponential", "gumbel", "geometric"})
WHOLE = frozenset({"geometric"})

MULTIPLES = (0, 1, -1, 2, -2)
Shifts = Mapping[Symbol, Poly]


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """By how much each draw moves.

    Attributes
    ----------
    shifts : dict of Segment to dict of Symbol to Poly
        Where the cell is the path: one shift for each draw of each segment.
    winner : dict of Symbol to (Poly, Poly)
        Where the cell is the index that is returned: the shift of the draw of that index, and of
        every other index.
    """

    shifts: Mapping[Segment, Shifts]
    winner: Mapping[Symbol, tuple[Poly, Poly]] | None = None


def admissible(shift: Poly, drawn: Drawn, segment: Segment) -> bool:
    """Whether a shift depends on nothing but the data and what was drawn before.

    Without this, ``out = eta * (1 + 9 * x)`` with the shift −.9·out would pass at a cost of .09,
    and loses ln 10: its map is no translation. Noise on whole numbers moves by whole numbers.
    """
    if drawn.family in WHOLE and not shift.integer:
        return False
    earlier: set[Symbol] = set()
    for other in segment.draws:
        if other.symbol == drawn.symbol:
            break
        moved = change_of(other.symbol)
        earlier |= {other.symbol} if moved is None else {other.symbol, moved}
    return all(
        s.kind in ("parameter", "shared", "input", "state", "change") or s in earlier
        for s in shift.symbols()
    )


def candidates(drawn: Drawn, segment: Segment, relation: Relation) -> list[Poly]:
    """Return shifts worth trying for one draw, the cheapest first."""
    found = [Poly.of(m * relation.distance) for m in MULTIPLES]
    for poly in _seen(drawn, segment):
        shift = keeping(poly, drawn)
        if shift is not None:
            found.append(shift)
    if drawn.family in RIGHT_ONLY:
        found = [s for s in found if (c := s.constant) is None or c >= 0]
    found = [s for s in found if admissible(s, drawn, segment)]
    unique = list(dict.fromkeys(found))
    return sorted(unique, key=lambda s: _price_guess(s, relation))


def keeping(poly: Poly, drawn: Drawn) -> Poly | None:
    """Return the shift that leaves a number the same in both runs, None where there is none."""
    moved = change_of(drawn.symbol)
    assert moved is not None
    parts = difference(poly).split(moved)
    factor = None if parts is None else parts[0].constant
    if parts is None or not factor:
        return None
    return parts[1] * (-1 / factor)


def _seen(drawn: Drawn, segment: Segment) -> Iterator[Poly]:
    for poly in segment.polys():
        if drawn.symbol in poly.symbols():
            yield poly


def _price_guess(shift: Poly, relation: Relation) -> Fraction:
    """Return the most that a shift may be, taking every change for an answer's."""
    breathe()  # all combinations are put in order before the first is tried
    low = high = Fraction(0)
    for monomial, coefficient in shift.terms.items():
        if not monomial:
            low, high = low + coefficient, high + coefficient
            continue
        ends = [coefficient * relation.distance * s for s in (-1, 1) if relation.sign in (0, s)] + [
            Fraction(0)
        ]
        low, high = low + min(ends), high + max(ends)
    return max(abs(low), abs(high))


def price_guess(shift: Poly, relation: Relation) -> Fraction:
    """Return the most that a shift may be if every change in it is at most the distance."""
    return _price_guess(shift, relation)


def combinations(segment: Segment, relation: Relation) -> Iterator[dict[Symbol, Poly]]:
    """Yield shifts for all draws of a segment, the cheapest first."""
    draws = segment.draws
    lists = [candidates(d, segment, relation) for d in draws]
    options = sorted(
        product(*lists), key=lambda c: sum((price_guess(s, relation) for s in c), Fraction(0))
    )
    for option in options:
        yield {d.symbol: s for d, s in zip(draws, option, strict=True)}


def winner_alignments(system: System, relation: Relation) -> Iterator[Alignment]:
    """Yield alignments that move the draw of the index that is returned."""
    draws: list[Symbol] = sorted({d.symbol for g in system.segments for d in g.draws})
    outputs = [g.output for g in system.segments if g.to is None and not g.raised]
    if not all(isinstance(o, Poly) and o.integer for o in outputs):
        return
    families = {d.symbol: d.family for g in system.segments for d in g.draws}
    if not draws or any(d for g in system.segments if g.start == START for d in g.draws):
        return
    choices = []
    for symbol in draws:
        constants = [Poly.of(m * relation.distance) for m in MULTIPLES]
        if families[symbol] in RIGHT_ONLY:
            constants = [c for c in constants if (c.constant or 0) >= 0]
        if families[symbol] in WHOLE:
            constants = [c for c in constants if c.integer]
        # A shift of every draw would cost as often as there are answers.
        choices.append([(own, ZERO) for own in constants])
    if len(draws) > 2:
        return
    for choice in product(*choices):
        yield Alignment({}, dict(zip(draws, choice, strict=True)))
