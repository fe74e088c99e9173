"""Candidate alignments: by how much each draw moves, and when that is sound.

Randomness alignment (Zhang & Kifer 2017, LightDP; Wang et al. 2019, ShadowDP; 2020, CheckDP). A map
of the randomness of the first run to that of the second proves the claim if both runs then return
the same, and if on every cell of a countable partition it is injective, keeps volume, and loses at
most the claim in density; `dpaudit.checker.alignment.runs` says how that is checked. On a cell the
j-th draw moves by a number that depends on the data and on draws before the j-th alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from dpaudit.checker.alignment.content import Relation, Shifts
from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.checker.alignment.runs import RIGHT_ONLY
from dpaudit.formal.alignment.forms import of_polynomial
from dpaudit.formal.alignment.system import Path
from dpaudit.formal.clock import charge

MULTIPLES = (0, 1, -1, 2, -2)
Key = tuple[str, tuple[tuple[str, bool], ...]]
Choice = tuple[Ratio, ...]  # a shift for each draw of a path


@dataclass(frozen=True, slots=True)
class Alignment:
    """By how much each draw moves.

    Attributes
    ----------
    shifts : dict of Path to tuple of Ratio
        Of each path, which is a cell.
    """

    shifts: dict[Path, Choice] = field(default_factory=dict)

    def told(self) -> dict[Key, Shifts]:
        """Return the shifts as a certificate holds them."""
        found: dict[Key, Shifts] = {}
        for path, shifts in self.shifts.items():
            draws = tuple((draw.place, draw.family) for draw in path.stretch.draws)
            forms = tuple(of_polynomial(shift, path.forms) for shift in shifts)
            found[path.stretch.start, path.stretch.tests] = Shifts(draws, forms)
        return found


def still(path: Path) -> Choice:
    """Return that no draw moves."""
    return tuple(Ratio.of(0) for _ in path.stretch.draws)


def admissible(shift: Ratio, at: int, path: Path) -> bool:
    """Whether a shift of a path's draw depends on nothing but the data and what was drawn before.

    Without this, ``out = eta * (1 + 9 * x)`` with the shift −.9·out would pass at a cost of .09,
    and loses ln 10: its map is no translation.
    """
    draws = path.stretch.draws
    later = {str(draw.noise.getSymbol()) for draw in draws[at:]}
    if shift.polynomial is None or any(n.removeprefix("Δ") in later for n in shift.names()):
        return False
    return all(n in path.forms or n in path.parameters for n in shift.names())


def candidates(at: int, path: Path, relation: Relation) -> list[Ratio]:
    """Return shifts worth trying for one draw, the cheapest first."""
    found = [Ratio.of(m * relation.distance) for m in MULTIPLES]
    numbers = (*(t.number for t in path.tests), *path.numbers.values(), *path.shown)
    found += [s for number in numbers if (s := keeping(number, at, path)) is not None]
    if path.stretch.draws[at].family in RIGHT_ONLY:
        found = [s for s in found if (c := s.constant) is None or c >= 0]
    unique = {str(s): s for s in found if admissible(s, at, path)}
    return sorted(unique.values(), key=lambda s: price_guess(s, relation))


def keeping(number: Ratio, at: int, path: Path) -> Ratio | None:
    """Return the shift that leaves a number the same in both runs, None where there is none."""
    noise = str(path.stretch.draws[at].noise.getSymbol())
    if noise not in number.names() or (second := path.second(number)) is None:
        return None
    factor, rest = Fraction(0), Ratio.of(0)
    for monomial, coefficient in ((second - number).polynomial or {}).items():
        if monomial == ((f"Δ{noise}", 1),):
            factor = coefficient
        else:
            rest = rest + Ratio({monomial: coefficient})
    return rest * Ratio.of(-1 / factor) if factor and f"Δ{noise}" not in rest.names() else None


def price_guess(shift: Ratio, relation: Relation) -> Fraction:
    """Return the most that a shift may be if every change in it is at most the distance."""
    charge(100)
    low = high = Fraction(0)
    for monomial, coefficient in (shift.polynomial or {}).items():
        if not monomial:
            low, high = low + coefficient, high + coefficient
            continue
        signs = [s for s in (-1, 0, 1) if s == 0 or relation.sign in (0, s)]
        ends = [coefficient * relation.distance * s for s in signs]
        low, high = low + min(ends), high + max(ends)
    return max(abs(low), abs(high))


def combinations(path: Path, relation: Relation) -> Iterator[Choice]:
    """Yield shifts for all draws of a path, the cheapest first."""
    lists = [candidates(at, path, relation) for at in range(len(path.stretch.draws))]

    def guess(choice: Choice) -> Fraction:
        return sum((price_guess(shift, relation) for shift in choice), Fraction(0))

    yield from sorted(product(*lists), key=guess)
