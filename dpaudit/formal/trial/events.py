"""Events that tell two datasets apart, with certified probabilities on both."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import Any

import flint

from dpaudit.formal.balls import Ball
from dpaudit.formal.clock import charge
from dpaudit.formal.trial.laws import Law
from dpaudit.formal.trial.outputs import Release, Row
from dpaudit.formal.trial.shapes import shape_event

NEAR = Fraction(1, 10**9)
_APART = Fraction(1, 100)  # of a step of discrete numbers
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


def _shapes(one: Sequence[Release], other: Sequence[Release]) -> Iterator[Telling]:
    """Yield the structures that the outputs may have."""
    shapes = dict.fromkeys(release.shape for release in one)
    if len(shapes) == 1 and {release.shape for release in other} == set(shapes):
        return
    for shape in islice(shapes, 64):
        p = _total([release.mass for release in one if release.shape == shape])
        q = _total([release.mass for release in other if release.shape == shape])
        words, source = shape_event(shape)
        yield Telling(words, source, p, q, "shape")


def _values(one: Sequence[Release], other: Sequence[Release]) -> Iterator[Telling]:
    """Yield the values without noise that some number of the output, or all of them, may have."""
    whole: dict[tuple[object, tuple[Fraction, ...]], list[Ball]] = {}
    single: dict[tuple[object, int, Fraction], list[Ball]] = {}
    for release in one:
        constant = [not row.terms for row in release.rows]
        if all(constant) and len(constant) > 1:
            key = (release.shape, tuple(row.constant for row in release.rows))
            whole.setdefault(key, []).append(release.mass)
        for i, row in enumerate(release.rows):
            if not row.terms:
                single.setdefault((release.shape, i, row.constant), []).append(release.mass)
    for (shape, i, value), masses in islice(single.items(), 400):
        q = _total([_hits(r, {i: value}) for r in other if r.shape == shape])
        path = next(r.paths[i] for r in one if r.shape == shape)
        at_path = f"output{path}"
        said = f"{at_path} = {float(value):g}", equals(at_path, value)
        yield Telling(*_within(shape, (*one, *other), *said), _total(masses), q, "value", i)
    for (shape, values), masses in islice(whole.items(), 400):
        wanted = dict(enumerate(values))
        q = _total([_hits(r, wanted) for r in other if r.shape == shape])
        shown = [float(v) for v in values]
        paths = next(r.paths for r in one if r.shape == shape)
        source = " and ".join(equals(f"output{p}", v) for p, v in zip(paths, values, strict=True))
        said = f"output = {shown}", source
        yield Telling(*_within(shape, (*one, *other), *said), _total(masses), q, "value")


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
        if any(not law.atomic for law in laws):
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
    shapes = {release.shape for release in one} & {release.shape for release in other}
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
    if any(len(release.rows[i].terms) > 1 for release in (*ours, *theirs)):
        return
    sides = _alike(i, ours), _alike(i, theirs)
    if sides[0] == sides[1]:  # of one law on both datasets: no event on it tells them apart
        return
    tables = [known.setdefault((i, ours[0].shape, id(side[0])), {}) for side in (ours, theirs)]
    path = f"output{ours[0].paths[i]}"
    steps = sum(10 if n.law is None else 55 for side in sides for n in side)
    for t in islice(_cuts([*sides[0], *sides[1]]), 60):
        halves = []
        for side, table in zip(sides, tables, strict=True):
            if t not in table:
                table[t] = _halves(side, t)
            halves.append(table[t])
        for sign, p, q in zip(("<=", ">="), *halves, strict=True):
            charge(steps)
            yield Telling(f"{path} {sign} {float(t):g}", f"{path} {sign} {float(t)!r}",
                          p, q, "threshold", i)  # fmt: skip


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
        terms = [(factor, release.laws[variable]) for variable, factor in row.terms.items()]
        number = _Number(row.constant, *(terms[0] if terms else ()))
        found[number] = found[number] + release.mass if number in found else release.mass
    return found


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
