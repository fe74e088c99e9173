"""Events that tell two datasets apart, with certified probabilities on both."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, pairwise
from typing import Any

import flint

from dpaudit.formal.balls import Ball
from dpaudit.formal.clock import charge
from dpaudit.formal.trial.laws import Law, scaled
from dpaudit.formal.trial.outputs import Release, Row, apart
from dpaudit.formal.trial.shapes import shape_event
from dpaudit.formal.trial.sums import sum_of

NEAR = Fraction(1, 10**9)
_APART = Fraction(1, 100)  # of a step of discrete numbers
_NARROW = 1e-9  # a probability that is known
_SEEN = 1e-4  # the least of an interval: a rarer one is no witness that draws show
_STEPS = (0, 1, 2, 4, 8, 16, 32, 64)
# Of a number of the outputs on one dataset, by places: the chances of both half-lines.
_Known = dict[tuple[int, Hashable, int], dict[Fraction, tuple[Ball, Ball]]]


@dataclass(frozen=True, slots=True)
class Telling:
    """An event, its probability on one dataset, and on the other.

    Attributes
    ----------
    words, source : str
        As of `dpaudit.evidence.Event`.
    p, q : Ball
        The lower end of `p` and the upper end of `q` are bounds.
    kind : {"shape", "value", "threshold", "orthant", "support", "moment"}
    row : int or None
        The number of the output that it looks at.
    swapped : bool
        Whether `p` is the probability on the right dataset.
    because : str
        What breaks the claim, where it is no probability; then the event shows the difference.
    """

    words: str
    source: str
    p: Ball
    q: Ball
    kind: str
    row: int | None = None
    swapped: bool = False
    because: str = ""


def tellings(left: Sequence[Release], right: Sequence[Release]) -> Iterator[Telling]:
    """Yield events on outputs, worth testing first ones first; both directions."""
    for swapped, (one, other) in enumerate(((left, right), (right, left))):
        for event in (*_shapes(one, other), *_values(one, other)):
            yield replace(event, swapped=True) if swapped else event
    known: _Known = {}
    for swapped, (one, other) in enumerate(((left, right), (right, left))):
        for event in _thresholds(one, other, known):
            yield replace(event, swapped=True) if swapped else event


def _total(masses: Sequence[Ball]) -> Ball:
    return sum(masses[1:], masses[0]) if masses else flint.arb(0)


def _surely(meant: Sequence[Release], outcomes: Sequence[Release]) -> Ball:
    """Return the probability of some of the outcomes, which is 1 without all others."""
    total = _total([release.mass for release in meant])
    if total.rad() < _NARROW:
        return total
    others = [release.mass for release in outcomes if release not in meant]
    return total.intersection(1 - _total(others))


def _shapes(one: Sequence[Release], other: Sequence[Release]) -> Iterator[Telling]:
    """Yield the structures that the outputs may have."""
    shapes = dict.fromkeys(release.shape for release in one)
    if len(shapes) == 1 and {release.shape for release in other} == set(shapes):
        return
    for shape in islice(shapes, 64):
        p = _surely([release for release in one if release.shape == shape], one)
        q = _total([release.mass for release in other if release.shape == shape])
        words, source = shape_event(shape)
        yield Telling(words, source, p, q, "shape")


def _values(one: Sequence[Release], other: Sequence[Release]) -> Iterator[Telling]:
    """Yield the values without noise that some number of the output, or all of them, may have."""
    whole: dict[tuple[object, tuple[Fraction, ...]], list[Release]] = {}
    single: dict[tuple[object, int, Fraction], list[Release]] = {}
    for release in one:
        values = _constants(release)
        if values is not None and len(values) > 1:
            whole.setdefault((release.shape, values), []).append(release)
        for i, row in enumerate(release.rows):
            if not row.terms:
                single.setdefault((release.shape, i, row.constant), []).append(release)
    shapes = {release.shape: release.paths for release in one}
    alike = {shape: [r for r in other if r.shape == shape] for shape in shapes}
    for (shape, i, value), meant in islice(single.items(), 400):
        q = _total([_hits(r, {i: value}) for r in alike[shape]])
        at_path = f"output{shapes[shape][i]}"
        said = f"{at_path} = {float(value):g}", equals(at_path, value)
        words = _within(shape, (*one, *other), *said)
        yield Telling(*words, _surely(meant, one), q, "value", i)
    same: dict[object, dict[tuple[Fraction, ...] | None, list[Release]]] = {}
    for release in other:
        values = _constants(release)
        known = values if values is not None and all(map(_is_whole, values)) else None
        same.setdefault(release.shape, {}).setdefault(known, []).append(release)
    for (shape, values), meant in islice(whole.items(), 400):
        groups = same.get(shape, {})
        near_it = [*groups.get(values, ()), *groups.get(None, ())]
        near_it = near_it if all(map(_is_whole, values)) else alike[shape]
        q = _total([_hits(r, dict(enumerate(values))) for r in near_it])
        paths = [f"output{path}" for path in shapes[shape]]
        source = " and ".join(equals(p, v) for p, v in zip(paths, values, strict=True))
        said = f"output = {[float(v) for v in values]}", source
        words = _within(shape, (*one, *other), *said)
        yield Telling(*words, _surely(meant, one), q, "value")


def _constants(release: Release) -> tuple[Fraction, ...] | None:
    """Return the numbers of an output without noise."""
    if any(row.terms for row in release.rows):
        return None
    return tuple(row.constant for row in release.rows)


def _is_whole(value: Fraction) -> bool:
    """Return whether no other whole number is near."""
    return value.denominator == 1 and abs(value) < 1 / NEAR


def _within(shape: Any, releases: Sequence[Release], words: str, source: str) -> tuple[str, str]:
    """Return an event that asks for a structure of the output too, where there are several."""
    if all(release.shape == shape for release in releases):
        return words, source
    structure, condition = shape_event(shape)
    return f"{words}, and {structure}", f"{condition} and {source}"


def equals(name: str, value: Fraction) -> str:
    """Return a predicate: a number is what exact arithmetic says, but for rounding."""
    if value.denominator == 1:
        return f"{name} == {int(value)}"
    return f"abs({name} - {float(value)!r}) <= {1e-12 * max(1.0, abs(float(value)))!r}"


def _hits(release: Release, wanted: dict[int, Fraction]) -> Ball:
    """Return an upper bound on the probability that rows have these values."""
    bound = release.mass
    for i, value in wanted.items():
        row = release.rows[i]
        if not row.terms:
            if not near(row.constant, value):
                return flint.arb(0)
            continue
        laws = {release.laws[v] for v in row.terms}
        if (release.apart or len(row.terms) == 1) and any(not law.atomic for law in laws):
            return flint.arb(0)
        if len(row.terms) == 1:
            ((variable, factor),) = row.terms.items()
            bound = bound.min(release.mass * _around(release.laws[variable], row, value, factor))
    return bound


def _around(law: Law, row: Row, value: Fraction, factor: Fraction) -> Ball:
    """Return a bound on the probability of a value, and of what rounding may take for it."""
    reach = NEAR * max(Fraction(1), abs(value))
    ends = sorted((value + sign * reach - row.constant) / factor for sign in (-1, 1))
    return law.below(ends[1], strict=False) - law.below(ends[0], strict=True)


def near(a: Fraction, b: Fraction) -> bool:
    """Whether two numbers differ by no more than rounding could explain."""
    charge(40)
    return abs(a - b) <= NEAR * max(Fraction(1), abs(a), abs(b))


def _thresholds(
    one: Sequence[Release], other: Sequence[Release], known: _Known
) -> Iterator[Telling]:
    """Yield half-lines of single numbers of the output."""
    also = {release.shape for release in other}
    shapes = [s for s in dict.fromkeys(release.shape for release in one) if s in also]
    alone = all(release.shape in shapes for release in (*one, *other)) and len(shapes) == 1
    for shape in shapes:
        ours = [r for r in one if r.shape == shape]
        theirs = [r for r in other if r.shape == shape]
        for i in range(min(len(ours[0].rows), 12)):
            for event in _of_row(i, ours, theirs, known):
                if alone:
                    yield event
                else:
                    said = _within(shape, (*one, *other), event.words, event.source)
                    yield replace(event, words=said[0], source=said[1])


def _of_row(i: int, ours: list[Release], theirs: list[Release], known: _Known) -> Iterator[Telling]:
    charge(20)
    sides = _alike(i, ours), _alike(i, theirs)
    if sides[0] == sides[1]:  # of one law on both datasets: no event on it tells them apart
        return
    tables = [known.setdefault((i, ours[0].shape, id(side[0])), {}) for side in (ours, theirs)]
    path = f"output{ours[0].paths[i]}"
    steps = sum(10 if n.law is None else 55 for side in sides for n in side)
    atomic = any(n.law is not None and n.law.atomic for side in sides for n in side)
    for t in islice(_cuts([*sides[0], *sides[1]]), 60):
        halves = []
        for side, table in zip(sides, tables, strict=True):
            if t not in table:
                table[t] = _halves(side, t)
            halves.append(table[t])
        for upper, p, q in zip((False, True), *halves, strict=True):
            charge(steps)
            if not p > _SEEN and not atomic:
                p, q = _whatever_rounds(sides, t, upper=upper)
            sign = ">=" if upper else "<="
            yield Telling(f"{path} {sign} {float(t):g}", f"{path} {sign} {float(t)!r}",
                          p, q, "threshold", i)  # fmt: skip
    whole = [_total(list(side.values())) for side in sides]  # of this structure of the output
    for low, high in pairwise(sorted(tables[0].keys() & tables[1].keys())):
        charge(steps)
        p, q = (table[high][0] + table[low][1] - w for table, w in zip(tables, whole, strict=True))
        if not max(p, q) > _SEEN:
            continue
        words = f"{float(low):g} <= {path} <= {float(high):g}"
        yield Telling(words, f"{float(low)!r} <= {path} <= {float(high)!r}", p, q, "threshold", i)


def _whatever_rounds(
    sides: tuple[dict[_Number, Ball], dict[_Number, Ball]], t: Fraction, *, upper: bool
) -> tuple[Ball, Ball]:
    """Return bounds on the chances of a half-line wherever rounding puts what is near its end.

    Where a density ends, the end that floats compute may lie beyond the one of real numbers: a
    half-line that begins between them has a chance of 1e-17 on one dataset and of 0 on the other.
    """
    reach = NEAR * max(Fraction(1), abs(t)) * (1 if upper else -1)
    ours, theirs = _halves(sides[0], t + reach), _halves(sides[1], t - reach)
    return ours[upper], theirs[upper]


@dataclass(frozen=True, slots=True)
class _Number:
    """One number of an output: a constant, plus a multiple of a variable where it has a law."""

    constant: Fraction
    factor: Fraction = Fraction(0)
    law: Law | None = None


def _alike(i: int, releases: list[Release]) -> dict[_Number, Ball]:
    """Return the forms of a number, each with the probability of all outcomes that give it."""
    found: dict[_Number, Ball] = {}
    for release in releases:
        row = release.rows[i]
        number = _number(row, release)
        found[number] = found[number] + release.mass if number in found else release.mass
    return found


def _number(row: Row, release: Release) -> _Number:
    laws = {variable: release.laws[variable] for variable in row.terms}
    terms = [(factor, laws[variable]) for variable, factor in row.terms.items()]
    if len(terms) < 2:
        return _Number(row.constant, *(terms[0] if terms else ()))
    if apart(laws):
        law = sum_of([scaled(law, factor) for factor, law in terms])
    else:
        law = release.outcome.oracle.together(row.terms)
    return _Number(row.constant, Fraction(1), law)


def _cuts(numbers: list[_Number]) -> Iterator[Fraction]:
    """Yield places where it is worth to cut: at the constants, and some scales away."""
    places = list(dict.fromkeys(number.constant for number in numbers))[:12]
    scales = {
        abs(number.factor) * Fraction(getattr(number.law, "scale", 1))
        for number in numbers
        if number.law is not None
    } or {Fraction(1)}
    largest = max(scales)
    atoms = [n for n in numbers if n.law is not None and n.law.atomic and not _is_exact(n)]
    between = min((abs(n.factor) for n in atoms), default=Fraction(0)) / 2
    seen: set[Fraction] = set()
    for step in _STEPS:
        for place in places:
            for t in (place + step * largest + between, place - step * largest - between):
                t = Fraction(float(t)) if math.isfinite(float(t)) else t
                if t not in seen and all(_is_apart(number, t) for number in atoms):
                    seen.add(t)
                    yield t


def _is_exact(number: _Number) -> bool:
    """Return whether floats hold all values of a discrete number as they are."""
    parts = (number.constant.denominator, number.factor.denominator)
    whole = number.law is not None and number.law.integral
    return whole and not any(part & (part - 1) for part in parts)


def _is_apart(number: _Number, t: Fraction) -> bool:
    """Return whether rounding takes no value of a number to the other side of t."""
    away = (t - number.constant) / number.factor
    return number.law is not None and number.law.integral and abs(away - round(away)) > _APART


def _halves(side: dict[_Number, Ball], t: Fraction) -> tuple[Ball, Ball]:
    """Return the probabilities that a number is at most t, and that it is at least t."""
    ends = [_ends(number, t) for number in side]
    masses = side.values()
    return (
        _total([m * most for m, (most, _) in zip(masses, ends, strict=True)]),
        _total([m * least for m, (_, least) in zip(masses, ends, strict=True)]),
    )


def _ends(number: _Number, t: Fraction) -> tuple[Ball, Ball]:
    law, gap = number.law, t - number.constant
    if law is None:
        return flint.arb(int(gap >= 0)), flint.arb(int(gap <= 0))
    z = gap if number.factor == 1 else gap / number.factor
    below = law.below(z, strict=False)
    above = 1 - (law.below(z, strict=True) if law.atomic else below)
    return (below, above) if number.factor > 0 else (above, below)


def halfline(law: Law, t: Fraction, *, upper: bool) -> Ball:
    """Return Pr[X >= t] if `upper`, else Pr[X <= t]."""
    charge(45)
    return 1 - law.below(t, strict=True) if upper else law.below(t, strict=False)
