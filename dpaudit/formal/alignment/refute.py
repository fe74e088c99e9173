"""Counterexamples: two datasets and an event whose exact probabilities break the claim.

Paths are found once, for entries that are not known; each pair of datasets is then put in. An event
is an output, its continuous parts replaced by intervals, and its probability is the sum over the
paths that end there, each integrated in closed form in ball arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import Any

import flint
import numpy as np
import sympy

from dpaudit.claims import ApproxDP, Claim, PureDP
from dpaudit.formal.alignment.events import ANYWHERE, Box, Event, Leaf, described, leaves, source_of
from dpaudit.formal.alignment.poly import Poly, Symbol
from dpaudit.formal.alignment.probability import Inequality, Never, density, probability
from dpaudit.formal.alignment.proof import AlignmentRefutation
from dpaudit.formal.alignment.segments import Segment, concrete_paths
from dpaudit.formal.alignment.trace import Atom
from dpaudit.formal.alignment.units import formula, named
from dpaudit.formal.clock import now
from dpaudit.formal.price.balls import loss_at_least
from dpaudit.formal.program import Constant, Program
from dpaudit.formal.unsupported import Unsupported
from dpaudit.neighbors import Neighbors, Pair, QueryAnswers

_PAIRS = 40
_PATHS = 1100
_SEARCH_BITS, _CERTIFY_BITS = 160, 600
_SHARE = 0.6  # of the time that is left


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """Every way through a mechanism on as many entries as it was asked for."""

    inputs: tuple[Symbol, ...]
    segments: tuple[Segment, ...]


def refute(
    program: Program, claim: Claim | str, neighbors: Neighbors, *, deadline: float
) -> AlignmentRefutation | None:
    """Return a certified counterexample, None where none was found.

    Raises
    ------
    Unsupported
        Where the probabilities cannot be integrated.
    """
    program, chosen = instance(program, claim)
    epsilon, delta = limits(claim, chosen)
    until = now() + _SHARE * (deadline - now())
    known: dict[int, Paths] = {}
    for pair in islice(_pairs(neighbors), _PAIRS):
        for left, right in ((pair.left, pair.right), (pair.right, pair.left)):
            data = [_exact(left), _exact(right)]
            if len(data[0]) != len(data[1]):
                raise Unsupported("a pair of datasets of different lengths", None)
            paths = known.get(len(data[0]))
            if paths is None:
                paths = known[len(data[0])] = paths_of(program, len(data[0]))
            found = _on_pair(paths, data, epsilon, delta, until)
            if found is not None:
                event, balls = found
                return _written(claim, chosen, paths, (left, right), event, balls)
            if now() > until:
                return None
    return None


def instance(program: Program, claim: Claim | str) -> tuple[Program, dict[str, Fraction]]:
    """Return the program with a value for every parameter: one is enough for a counterexample."""
    chosen: dict[str, Fraction] = {}
    for name in program.symbolic:
        if not isinstance(claim, str) and name in ("epsilon", "eps"):
            raise Unsupported("a claim in numbers on a program without its epsilon", None)
        claimed = isinstance(claim, str) and name in named(claim)  # those are positive
        chosen[name] = Fraction(0) if name == "threshold" and not claimed else Fraction(1)
    place = program.entry.place
    values = {
        name: Constant(place, int(v) if v.denominator == 1 else v) for name, v in chosen.items()
    }
    fixed = {**program.fixed, **values}
    return replace(program, fixed=fixed, symbolic=()), chosen


def limits(
    claim: Claim | str, chosen: dict[str, Fraction] | None = None
) -> tuple[Fraction, Fraction]:
    """Return epsilon and delta of a claim, parameters in its text replaced by values.

    Raises
    ------
    Unsupported
        Where a parameter has no value, or the formula has none that is a fraction.
    """
    if isinstance(claim, str):
        given = chosen or {}
        missing = sorted(named(claim) - set(given))
        if missing:
            raise Unsupported(f"the claim {claim} names {missing[0]}, which is not symbolic", None)
        values = {n: sympy.Rational(v.numerator, v.denominator) for n, v in given.items()}
        value = formula(claim, values)
        if not value.is_Rational:
            raise Unsupported(f"the claim {claim} is {value} at {_shown(given)}", None)
        return Fraction(int(value.p), int(value.q)), Fraction(0)
    if isinstance(claim, PureDP):
        return Fraction(claim.epsilon), Fraction(0)
    if isinstance(claim, ApproxDP):
        return Fraction(claim.epsilon), Fraction(claim.declared_delta)
    raise Unsupported(f"a refutation of {claim}", None)


def _shown(values: dict[str, Fraction]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def paths_of(program: Program, length: int) -> Paths:
    """Return all paths on so many unknown entries."""
    inputs = tuple(Symbol(f"x{i}", "input") for i in range(length))
    segments = concrete_paths(program, [Poly.of(x) for x in inputs], limit=_PATHS)
    for drawn in (d for g in segments for d in g.draws):
        density(drawn)  # a draw that may be equal to a number has none
    return Paths(inputs, tuple(segments))


def probability_of(program: Program, data: Any, event: Event, *, bits: int = 200) -> Any:
    """Return the ball of an event's probability on known data.

    Parameters
    ----------
    program : Program
        All its parameters known.
    data : sequence of numbers
    event : Event
    bits : int
        Precision of the balls.
    """
    flint.ctx.prec = bits
    values = _exact(data)
    return _probability(_ends(paths_of(program, len(values)), values), event)


def _pairs(neighbors: Neighbors) -> Iterator[Pair]:
    """Yield pairs, those first on which sparse vector and its kin lose most."""
    if isinstance(neighbors, QueryAnswers) and neighbors.container == "array":
        n, d = neighbors.length, neighbors.distance
        for high, low in ((36.0, -12.0), (30.0, -10.0)):
            left = np.array([high * d] * (n - 1) + [low * d])
            right = left + np.array([d] * (n - 1) + [-d])
            pair = Pair(left, right, "all answers but the last rise, the last falls")
            if neighbors.contains(pair):
                yield pair
    yield from neighbors.pairs(np.random.default_rng(0))


def _exact(data: Any) -> list[Fraction]:
    try:
        values = [float(v) for v in data]
    except (TypeError, ValueError) as error:
        raise Unsupported("a dataset that is no vector of numbers", None) from error
    return [Fraction(v) for v in values]


def _on_pair(
    paths: Paths,
    data: list[list[Fraction]],
    epsilon: Fraction,
    delta: Fraction,
    until: float,
) -> tuple[Event, tuple[Any, Any]] | None:
    sides = [_ends(paths, values) for values in data]
    for event in _events(sides[0]):
        if now() > until:
            return None
        flint.ctx.prec = _SEARCH_BITS
        balls = tuple(_probability(side, event) for side in sides)
        if not _breaks(balls[0], balls[1], epsilon, delta):
            continue
        flint.ctx.prec = _CERTIFY_BITS
        balls = tuple(_probability(side, event) for side in sides)
        if _breaks(balls[0], balls[1], epsilon, delta):
            return event, (balls[0], balls[1])
    return None


def _breaks(p: Any, q: Any, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether p > e^ε q + δ for certain."""
    limit = flint.arb(flint.fmpq(epsilon.numerator, epsilon.denominator)).exp() * q
    limit += flint.arb(flint.fmpq(delta.numerator, delta.denominator))
    return bool(p > limit)


@dataclass(frozen=True, slots=True, eq=False)
class End:
    """One path on known data.

    Attributes
    ----------
    draws : tuple of Drawn
    inequalities : tuple of Inequality
        What its tests say of the noise.
    raised : bool
        Whether it ends by an error.
    output : tuple of Leaf
    """

    draws: tuple[Any, ...]
    inequalities: tuple[Inequality, ...]
    raised: bool
    output: tuple[Leaf, ...]


def _ends(paths: Paths, values: list[Fraction]) -> list[End]:
    """Return the paths that known data can take."""
    known = {s: Poly.of(v) for s, v in zip(paths.inputs, values, strict=True)}
    found = []
    for segment in paths.segments:
        inequalities: list[Inequality] = []
        try:
            for decision in segment.decisions:
                poly = decision.atom.number.substitute(known.get)
                inequality = _inequality(Atom(poly, decision.atom.relation), decision.truth)
                if inequality is not None:
                    inequalities.append(inequality)
        except Never:
            continue
        output = tuple(leaves(segment.output, known))
        found.append(End(segment.draws, tuple(inequalities), segment.raised, output))
    return found


def _inequality(atom: Atom, truth: bool) -> Inequality | None:
    """Return what a test says; None where it says nothing of the noise."""
    value = atom.number.constant
    if value is not None:
        holds = value >= 0 if atom.relation == ">=" else value == 0
        if holds is not truth:
            raise Never
        return None
    if atom.relation == "==":
        if truth:  # a density gives no weight to single values
            raise Never
        return None
    return Inequality.of(atom.number if truth else -atom.number)


def _events(ends: list[End]) -> Iterator[Event]:
    """Yield outputs, continuous parts anywhere, and then each of them far off or cut in two."""
    shapes = {(end.raised, tuple(leaf.fixed for leaf in end.output)): end for end in ends}
    for end in shapes.values():
        yield Event(end.raised, tuple(leaf.wanted(ANYWHERE) for leaf in end.output))
    for end in shapes.values():
        for at, leaf in reversed(list(enumerate(end.output))):
            if leaf.part is None:
                continue
            for box in _boxes(leaf.part.terms.get((), Fraction(0))):
                wanted = [part.wanted(ANYWHERE) for part in end.output]
                wanted[at] = box
                yield Event(end.raised, tuple(wanted))


def _boxes(centre: Fraction) -> Iterator[Box]:
    yield Box(None, centre - 60)
    yield Box(None, centre)
    yield Box(None, centre + Fraction(1, 2))
    yield Box(centre, None)
    yield Box(centre + 60, None)


def _probability(ends: list[End], event: Event) -> Any:
    total = flint.arb(0)
    for end in ends:
        if end.raised is not event.raised:
            continue
        try:
            inside = event.matched(end.output)
            if inside is None:
                continue
            extra = [i for i in map(Inequality.of, inside) if i is not None]
            total += probability(end.draws, [*end.inequalities, *extra])
        except Never:
            continue
    return total


def _written(
    claim: Claim | str,
    chosen: dict[str, Fraction],
    paths: Paths,
    sides: tuple[Any, Any],
    event: Event,
    balls: tuple[Any, Any],
) -> AlignmentRefutation:
    p, q = balls
    infinite = bool(q == 0)
    loss = None if infinite else (p / q).log()
    draws = {d.place for g in paths.segments for d in g.draws}
    place = min(draws, key=lambda at: (at.file, at.line)) if draws else None
    sentences = [
        "numbers are real: rounding and overflow are left out",
        "noise is drawn exactly from its distribution, independently",
    ]
    sentences += [f"the parameter {name} is {value}" for name, value in chosen.items()]
    return AlignmentRefutation(
        claim=str(claim),
        left=sides[0],
        right=sides[1],
        event=described(event),
        source=source_of(event),
        left_probability=p.str(30),
        right_probability="0" if infinite else q.str(30),
        loss="infinite" if loss is None else loss.str(30),
        loss_at_least=loss_at_least(p, q),
        place="" if place is None else str(place),
        assumptions=tuple(sentences),
        seconds=0.0,
    )
