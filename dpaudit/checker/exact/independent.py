"""Distributions of outputs that have independent parts: one for each group of draws."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.checker.exact.lazy_value import Sum, Undecided
from dpaudit.checker.exact.numbers import Number, number
from dpaudit.checker.exact.paths import LAZILY, Path, every_path
from dpaudit.checker.exact.sources import Source
from dpaudit.checker.file import NotCheckedError, Work

HOLE = "·"
_BRANCHES = 64
Key = Callable[[Any], Hashable]
Ranges = Mapping[Source, tuple[Any, Any]]
_Sums = dict[Hashable, tuple[Number, tuple[Any, ...]]]


@dataclass(frozen=True, slots=True)
class Product:
    """The distribution of independent parts of an output.

    Attributes
    ----------
    shape : Hashable
        The output with the number of a part, and a place in it, for each value that is random.
    parts : tuple of dict
        The distribution of each part.
    """

    shape: Hashable
    parts: tuple[dict[Hashable, Number], ...]


@dataclass(frozen=True, slots=True)
class Mixture:
    """Products of shapes that exclude each other, with the probability of each.

    Attributes
    ----------
    branches : tuple of (Number, Product)
    """

    branches: tuple[tuple[Number, Product], ...]

    def alike(self, other: Mixture) -> bool:
        """Return whether every shape is one of the other's, or excludes all of them."""
        shapes = [product.shape for _, product in other.branches]
        return all(
            product.shape in shapes or all(apart(product.shape, shape) for shape in shapes)
            for _, product in self.branches
        )

    def partner(self, product: Product) -> tuple[Number, Product] | None:
        """Return the branch of a shape, None where there is none."""
        return next((each for each in self.branches if each[1].shape == product.shape), None)


def mixture(products: Sequence[tuple[Number, Product]]) -> Mixture | None:
    """Return products as one distribution, None where an output may be of two of them."""
    shapes = [product.shape for _, product in products]
    if len(shapes) > _BRANCHES:
        return None
    exclusive = all(apart(a, b) for i, a in enumerate(shapes) for b in shapes[:i])
    return Mixture(tuple(products)) if exclusive else None


def apart(one: Any, other: Any) -> bool:
    """Return whether outputs of two shapes are never equal."""
    if any(isinstance(key, tuple) and len(key) == 3 and key[0] == HOLE for key in (one, other)):
        return False
    if isinstance(one, tuple) and isinstance(other, tuple):
        if len(one) != len(other):
            return True
        return any(apart(a, b) for a, b in zip(one, other, strict=True))
    return bool(one != other)


def grouped(values: Sequence[Undecided]) -> list[list[int]]:
    """Return places of values by groups that share no draw."""
    groups: list[tuple[frozenset[Source], list[int]]] = []
    for i, value in enumerate(values):
        sources, inside, rest = value.sources, [i], []
        for known, members in groups:
            if known & sources:
                sources, inside = sources | known, inside + members
            else:
                rest.append((known, members))
        groups = [*rest, (sources, sorted(inside))]
    return sorted(members for _, members in groups)


def law_of_part(
    values: Sequence[Undecided], key: Key, work: Work, went: list[list[Ranges]]
) -> dict[Hashable, Number]:
    """Return the joint distribution of values, on what is known of the draws.

    The terms of sums are settled one after the other. What came before matters for those that
    follow by the sums so far and by what is known of draws that are used again: ways that agree in
    these go on together. To `went` the ways of each term are added: what is known of its draws.
    """
    steps: list[tuple[int, Any, Undecided]] = []
    start: list[Any] = []
    for i, value in enumerate(values):
        start.append(value.start if isinstance(value, Sum) else None)
        terms = value.terms if isinstance(value, Sum) else ((None, value),)
        steps += [(i, factor, term) for factor, term in terms]
    left = [frozenset().union(*(term.sources for *_, term in steps[n:])) for n in range(len(steps))]
    ranges: Ranges = {source: (source.low, source.high) for source in left[0]}
    states: dict[Hashable, tuple[Ranges, _Sums]] = {
        (): (ranges, {(): (Number(Fraction(1)), tuple(start))})
    }
    for n, (i, factor, term) in enumerate(steps):
        after = left[n + 1] if n + 1 < len(steps) else frozenset()
        merged: dict[Hashable, tuple[Ranges, _Sums]] = {}
        went.append([])
        for ranges, sums in states.values():
            for chance, (value, kept) in _ways(term, ranges, after, work, went[-1]):
                at = tuple(map(_ends, kept.values()))
                _add(merged.setdefault(at, (kept, {}))[1], sums, chance, i, factor, value, key)
        states = merged
    law: dict[Hashable, Number] = {}
    for _, sums in states.values():
        for weight, totals in sums.values():
            found = tuple(map(key, totals))
            law[found] = law.get(found, Number(Fraction(0))) + weight
    return law


def _ways(
    term: Undecided,
    ranges: Ranges,
    after: frozenset[Source],
    work: Work,
    went: list[Ranges],
) -> Iterator[tuple[Number, tuple[Any, Ranges]]]:
    return every_path(_following(term, ranges, after, went), work, manner=LAZILY)


def _following(
    term: Undecided, ranges: Ranges, after: frozenset[Source], went: list[Ranges]
) -> Callable[[Path], tuple[Any, Ranges]]:
    """Return what settles one term, from what is known of its draws."""

    def follow(path: Path) -> tuple[Any, Ranges]:
        for source, (low, high) in ranges.items():
            source.path, source.low, source.high = path, low, high
        value = term.settled()
        went.append({source: (source.low, source.high) for source in term.sources})
        return value, {source: (source.low, source.high) for source in ranges if source in after}

    return follow


def together(went: Sequence[list[Ranges]]) -> Iterator[None]:
    """Narrow the draws to ways of all terms at once, until each way of each term had its turn.

    Of a draw that several terms use, the one that comes last says what is known.
    """
    ways = [list({tuple(map(_ends, way.values())): way for way in each}.values()) for each in went]
    for i in range(max(map(len, ways), default=0)):
        first = i % len(ways)
        for each in (*ways[first:], *ways[:first]):
            for source, ends in each[i % len(each)].items() if each else ():
                source.low, source.high = ends
        yield


def _add(
    into: _Sums, sums: _Sums, chance: Number, i: int, factor: Any, value: Any, key: Key
) -> None:
    """Add one outcome of a term to all sums that there may be before it."""
    amount = value if factor is None else factor * value
    for weight, totals in sums.values():
        total = amount if factor is None else totals[i] + amount
        found = (*totals[:i], total, *totals[i + 1 :])
        at = tuple(map(key, found[: i + 1]))
        before = into[at][0] if at in into else Number(Fraction(0))
        into[at] = (before + weight * chance, found)


def _ends(ends: tuple[Any, Any]) -> Hashable:
    return tuple(hash(end) if end.fraction is None else end.fraction for end in map(number, ends))


def multiplied(
    product: Product, plugged: Callable[[Any, Sequence[Any]], Hashable], most: int
) -> dict[Hashable, Number]:
    """Return a product as one distribution of outputs.

    Raises
    ------
    NotCheckedError
        Where they are more than `most`.
    """
    if math.prod(map(len, product.parts)) > most:
        raise NotCheckedError(f"not checked: more than {most:,} outputs of independent parts")
    law: dict[Hashable, Number] = {}
    for chosen in itertools.product(*(part.items() for part in product.parts)):
        weight = Number(Fraction(1))
        for _, chance in chosen:
            weight = weight * chance
        law[plugged(product.shape, [at for at, _ in chosen])] = weight
    return law
