"""Counterexamples: two datasets and an event whose exact probabilities break the claim.

On each dataset the program is run with its noise as symbols, along every order that the noise may
have. An event is an output, its noisy numbers in intervals, and its probability is the sum over the
paths that end there, each integrated in closed form in ball arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Any

import flint
import numpy as np
import sympy

from dpaudit.claims import ApproxDP, Claim, PureDP
from dpaudit.evidence import Event as Shown
from dpaudit.formal.alignment.events import Box, Event, Output
from dpaudit.formal.alignment.units import formula, named
from dpaudit.formal.balls import Ball, loss_at_least, precision, rational
from dpaudit.formal.clock import now
from dpaudit.formal.program import Constant, Place, Program
from dpaudit.formal.refutation import Counterexample, unlocated
from dpaudit.formal.trial.affine import Affine, NotAffine
from dpaudit.formal.trial.check import MARGIN
from dpaudit.formal.trial.execute import Trial
from dpaudit.formal.trial.path_choices import Oracle
from dpaudit.formal.trial.probability import probability, validate_density
from dpaudit.formal.unsupported import Unsupported
from dpaudit.neighbors import Neighbors, Pair, QueryAnswers

_PAIRS = 40
_BITS = 200
_SHARE = 0.6  # of the time that is left


@dataclass(frozen=True, slots=True, eq=False)
class End:
    """One path on one dataset.

    Attributes
    ----------
    positive : list of Affine
        What its comparisons say of the noise.
    chance : Ball
        Of all other choices.
    output : Output
    places : tuple of Place
        Where noise was drawn.
    """

    positive: list[Affine]
    chance: Ball
    output: Output
    places: tuple[Place, ...]


def refute(
    program: Program, claim: Claim | str, neighbors: Neighbors, *, deadline: float
) -> Counterexample | None:
    """Return a certified counterexample, None where none was found.

    Raises
    ------
    Unsupported
        Where the probabilities cannot be integrated.
    """
    program, chosen = instance(program, claim)
    limit = limits(claim, chosen)
    until = now() + _SHARE * (deadline - now())
    trial = Trial(program)
    for pair in islice(_pairs(neighbors), _PAIRS):
        _validate_answers(pair)
        sides = [(data, ends_of(trial, data, until)) for data in (pair.left, pair.right)]
        for left, right in (sides, sides[::-1]):
            for event in _events(left[1]):
                if now() > until:
                    return None
                with precision(_BITS):
                    p, q = (probability_in(ends, event) for ends in (left[1], right[1]))
                    if _breaks(p, q, *limit):
                        return _written((left, right), event, (p, q))
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


def ends_of(trial: Trial, data: Any, until: float) -> list[End]:
    """Return all paths on a dataset.

    Raises
    ------
    Unsupported
        Where there are too many, or their noise is none that is integrated.
    """
    found = []
    for outcome in trial.outcomes(data, deadline=until, oracle=partial(Oracle, orders=True)):
        try:
            output = Output.of(outcome.output, raised=outcome.raised)
        except NotAffine as error:
            raise Unsupported(str(error), outcome.place) from None
        positive = outcome.oracle.constraints()
        for gap in (*positive, *output.numbers):
            for variable in gap.terms:
                validate_density(variable)
        places = tuple(drawn.place for drawn in outcome.draws)
        found.append(End(positive, outcome.oracle.probability, output, places))
    return found


def probability_in(ends: list[End], event: Event) -> Ball:
    """Return the ball of the probability that paths end in an event."""
    total = flint.arb(0)
    for end in ends:
        inside = event.within(end.output)
        if inside is not None:
            total += end.chance * probability([*end.positive, *inside])
    return total


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


def _validate_answers(pair: Pair) -> None:
    """Refuse what is no pair of vectors of one length; others are run with a cause in view."""
    try:
        lengths = {len([float(v) for v in side]) for side in (pair.left, pair.right)}
    except (TypeError, ValueError) as error:
        raise Unsupported("a dataset that is no vector of numbers", None) from error
    if len(lengths) > 1:
        raise Unsupported("a pair of datasets of different lengths", None)


def _breaks(p: Ball, q: Ball, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether p > e^ε q + δ for certain, by more than what rounding in the code could explain."""
    limit = rational(epsilon).exp() * q + rational(delta)
    return bool(p * (1 - rational(MARGIN)) > limit)


def _events(ends: list[End]) -> Iterator[Event]:
    """Yield outputs, noisy numbers anywhere, and then each of them far off or cut in two."""
    outputs: dict[Event, Output] = {}
    for end in ends:
        outputs.setdefault(Event.of(end.output), end.output)
    yield from outputs
    for output in outputs.values():
        for at, part in reversed(list(enumerate(output.numbers))):
            if part.terms:
                yield from (Event.of(output, at, box) for box in _boxes(part.constant))


def _boxes(centre: Fraction) -> Iterator[Box]:
    yield Box(None, centre - 60)
    yield Box(None, centre)
    yield Box(None, centre + Fraction(1, 2))
    yield Box(centre, None)
    yield Box(centre + 60, None)


def _written(sides: Any, event: Event, balls: tuple[Ball, Ball]) -> Counterexample:
    p, q = balls
    loss = "infinite" if q == 0 else (p / q).log().str(30)
    draws = {place for _, ends in sides for end in ends for place in end.places}
    place = min(draws, key=lambda at: (at.file, at.line)) if draws else ""
    words, source = event.described()
    return unlocated(
        (sides[0][0], sides[1][0]), "two vectors of answers", Shown(words, source),
        f"{words} is too likely on one of two neighboring datasets",
        f"privacy loss {loss}, by exact integration", loss_at_least(p, q), p.str(30),
        "0" if q == 0 else q.str(30), str(place),
    )  # fmt: skip
