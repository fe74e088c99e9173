"""Sums of random values of which each has noise of its own.

Thirty coins have 2^30 outcomes, and their sum has 31. Given the draws that several terms share, the
terms are independent, and the distribution of their sum is a convolution; a draw of its own stands
for all noise that is used nowhere else.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpaudit.formal.clock import charge
from dpaudit.formal.enumeration.noise import Atom, Lottery, merged, simplified
from dpaudit.formal.enumeration.operators import binary_element
from dpaudit.formal.enumeration.paths import check_time, current

_AS_THEY_ARE = 1 << 13  # cells of noise, which may be listed
_EXACT = 1 << 40
_Law = dict[Any, Any]


def summed(items: Sequence[Any]) -> Any:
    """Return the sum of numbers, some of which may be random."""
    lotteries = [item for item in items if isinstance(item, Lottery)]
    cuts = _cuts(lotteries)
    if math.prod(len(cut) + 1 for cut in cuts.values()) > _AS_THEY_ARE:
        own = _own_atoms(lotteries)
        if own and all(map(_is_small, items)):
            known = sum((item for item in items if not isinstance(item, Lottery)), 0)
            shared = {atom: cut for atom, cut in cuts.items() if atom not in own}
            return _convolved(lotteries, own, shared, known)
    total: Any = items[0]
    for item in items[1:]:
        total = binary_element("add", total, item)
    return total


def _is_small(item: Any) -> bool:
    values = item.table.values() if isinstance(item, Lottery) else (item,)
    return all(isinstance(value, int) and abs(value) <= _EXACT for value in values)


def _own_atoms(lotteries: Sequence[Lottery]) -> frozenset[Atom]:
    """Return the draws that one term alone depends on."""
    times = Counter(atom for lottery in lotteries for atom in lottery.cuts)
    return frozenset(atom for atom, many in times.items() if many == 1)


def _cuts(lotteries: Sequence[Lottery]) -> dict[Atom, tuple[Any, ...]]:
    """Return all draws, each with all places where it is cut."""
    found: dict[Atom, tuple[Any, ...]] = {}
    for lottery in lotteries:
        for atom, cut in lottery.cuts.items():
            found[atom] = merged(found[atom], cut) if atom in found else cut
    return found


def _convolved(
    lotteries: Sequence[Lottery],
    own: frozenset[Atom],
    cuts: dict[Atom, tuple[Any, ...]],
    known: Any,
) -> Any:
    """Return the sum as a value of the shared draws and of one uniform draw.

    Whatever the shared draws are, the sum is its quantile function at that draw.
    """
    current().spend(own)
    cells = list(itertools.product(*(range(len(cut) + 1) for cut in cuts.values())))
    laws = [_law(lotteries, own, cuts, cell, known) for cell in cells]
    steps = [list(itertools.accumulate(law.values()))[:-1] for law in laws]
    levels: tuple[Any, ...] = ()
    for step in steps:
        levels = merged(levels, tuple(step))
    table: dict[tuple[int, ...], Any] = {}
    for cell, law, step in zip(cells, laws, steps, strict=True):
        values, at = list(law), 0
        for level in range(len(levels) + 1):
            table[*cell, level] = values[at]
            if level < len(levels) and at < len(step) and levels[level] == step[at]:
                at += 1
    return simplified(Lottery({**cuts, Atom(): levels}, table))


def _law(
    lotteries: Sequence[Lottery],
    own: frozenset[Atom],
    cuts: dict[Atom, tuple[Any, ...]],
    cell: tuple[int, ...],
    known: Any,
) -> _Law:
    """Return the distribution of the sum, given a cell of each shared draw."""
    place = dict(zip(cuts, cell, strict=True))
    total: _Law = {known: Fraction(1)}
    for lottery in lotteries:
        check_time()
        law: _Law = {}
        choices = [_cells(atom, lottery, own, cuts, place) for atom in lottery.cuts]
        for chosen in itertools.product(*choices):
            mass: Any = Fraction(1)
            for _, share in chosen:
                mass = mass * share
            value = lottery.table[tuple(number for number, _ in chosen)]
            law[value] = law.get(value, Fraction(0)) + mass
        total = _plus(total, law)
    return total


def _cells(
    atom: Atom,
    lottery: Lottery,
    own: frozenset[Atom],
    cuts: dict[Atom, tuple[Any, ...]],
    place: dict[Atom, int],
) -> list[tuple[int, Any]]:
    """Return the cells of a draw of one term, with their probabilities."""
    inner = lottery.cuts[atom]
    if atom in own:
        ends = (atom.whole()[0], *inner, atom.whole()[1])
        return [(i, atom.measure(a, b)) for i, (a, b) in enumerate(itertools.pairwise(ends))]
    before = cuts[atom][: place[atom]]
    return [(sum(any(cut == other for other in before) for cut in inner), Fraction(1))]


def _plus(one: _Law, other: _Law) -> _Law:
    charge(800)
    found: _Law = {}
    for (a, p), (b, q) in itertools.product(one.items(), other.items()):
        found[a + b] = found.get(a + b, Fraction(0)) + p * q
    return dict(sorted(found.items()))
