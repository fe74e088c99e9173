"""Whether an event, or two outputs of known form, break a claim: certified."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import chain, islice
from typing import Any, cast

import flint

from dpaudit.claims import ApproxDP, Claim, PureDP, RenyiDP
from dpaudit.claims.power import calls_to_show
from dpaudit.formal.balls import Ball, loss_at_least, rational
from dpaudit.formal.refutation import interval
from dpaudit.formal.trial.divergence import gaussian_exceeds, halfspace, laplace_exceeds
from dpaudit.formal.trial.events import Telling, equals, tellings
from dpaudit.formal.trial.joint import Joint, is_product, joint, orthants
from dpaudit.formal.trial.laws import Laplace
from dpaudit.formal.trial.outputs import Release

MARGIN = Fraction(1, 10**6)  # of p: far above what rounding in the run could explain
EASY = 10_000  # calls on each dataset, which the script of a witness makes by itself
_MORE_EVENTS = 40  # of those that break a claim, where the first ones are rare
_MORE_SLOPES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


def slopes(claim: Claim) -> list[float]:
    """Return the epsilons at which a claim is tested."""
    own = [float(e) for e in claim.log_slopes()]
    return own if isinstance(claim, PureDP | ApproxDP) else sorted({*own, *_MORE_SLOPES})


def broken_at(claim: Claim, p: Ball, q: Ball) -> float | None:
    """Return an epsilon with p > e^epsilon q + delta(epsilon), by a margin; None if none is seen.

    Notes
    -----
    `Claim.delta` rounds up, so that the comparison is safe.
    """
    if not p > 0:
        return None
    surely = p * (1 - rational(MARGIN))
    lines = _lines(cast(Any, claim), flint.ctx.prec)
    return next((epsilon for epsilon, growth, delta in lines if surely > growth * q + delta), None)


@lru_cache(maxsize=100)
def _lines(claim: Any, bits: int) -> tuple[tuple[float, Ball, Ball], ...]:
    """Return the epsilons at which a claim is tested, with e^epsilon and delta in balls."""
    del bits  # of the balls
    return tuple(
        (e, rational(Fraction(e)).exp(), rational(Fraction(claim.delta(e))))  # rounds up
        for e in slopes(claim)
    )


def refuting(
    claim: Claim, left: Sequence[Release], right: Sequence[Release]
) -> tuple[Telling, float, Joint | None] | None:
    """Return an event that breaks the claim on two datasets, its epsilon, and the form."""
    found: Joint | None = None
    if len(left) == len(right) == 1 and left[0].shape == right[0].shape:
        found = joint(left[0], right[0])
    candidates = iter(_of_joint(claim, found, left[0])) if found is not None else iter(())
    # Of one number a half-line is as good, and simpler.
    alone = len(left[0].rows) == 1 and len(right[0].rows) == 1
    both = (tellings(left, right), candidates) if alone else (candidates, tellings(left, right))
    breaking = (t for t in chain(*both) if broken_at(claim, t.p, t.q) is not None)
    telling = _easily_shown(claim, breaking)
    if telling is not None:
        return telling, _loss(claim, telling), found
    moment = _moment(claim, found)
    return None if moment is None else (moment, _loss(claim, moment), found)


def _easily_shown(claim: Claim, breaking: Iterator[Telling]) -> Telling | None:
    """Return the first event that runs show, else of a few the one that needs fewest calls."""
    few: list[Telling] = []
    for telling in islice(breaking, _MORE_EVENTS):
        few.append(telling)
        if calls_needed(claim, telling) <= EASY:
            break
    return min(few, key=lambda telling: calls_needed(claim, telling), default=None)


def calls_needed(claim: Claim, telling: Telling) -> float:
    """Return how many calls on each dataset show an event by counting it.

    Parameters
    ----------
    claim : Claim
    telling : Telling
    """
    return calls_to_show(claim, interval(telling.p)[0], interval(telling.q)[1])


def _loss(claim: Claim, telling: Telling) -> float:
    return loss_at_least(telling.p, telling.q, claim.declared_delta)


def _of_joint(claim: Claim, found: Joint, left: Release) -> Iterator[Telling]:
    one = flint.arb(1)
    if found.disjoint is not None:
        used = [i for i, factor in enumerate(found.readings[0].factors) if factor]
        if len(used) == 1 and not left.rows[used[0]].terms:
            value, path = left.rows[used[0]].constant, f"output{left.paths[used[0]]}"
            words, source = f"{path} = {float(value):g}", equals(path, value)
            yield Telling(words, source, one, flint.arb(0), "support", used[0])
            return
        words = "a combination of the numbers in the output, free of noise, has the left value"
        relation = ">=" if found.disjoint < 0 else "<="
        source = found.readings[0].beyond(found.paths, relation, found.disjoint / 2)
        yield Telling(words, source, one, flint.arb(0), "support")
        return
    if found.squared_mu is not None:
        for epsilon in slopes(claim) if found.squared_mu else ():
            yield _halfspace(found, epsilon)
        return
    for c, reading in zip(found.coordinates, found.readings, strict=True):
        if c.left.integral and c.shift.denominator != 1 and abs(
            c.shift - round(c.shift)
        ) > Fraction(1, 10**5):  # fmt: skip
            words = "the output is a whole number away from the left answer"
            noise = reading.source(found.paths)
            source = f"abs({noise} - round({noise})) < 1e-6"
            yield Telling(words, source, one, flint.arb(0), "support")
    yield from orthants(found, one, one)


def _halfspace(found: Joint, epsilon: float) -> Telling:
    """Return the half-space at which (p, q) is farthest beyond the line of slope e^epsilon.

    References
    ----------
    B. Balle, Y.-X. Wang 2018, Theorem 8.
    """
    assert found.squared_mu is not None
    p, q = halfspace(found.squared_mu, Fraction(epsilon))
    words = f"the half-space where the privacy loss is at least {epsilon:g}"
    cut = found.squared_mu / 2 - Fraction(epsilon)
    return Telling(words, found.readings[0].beyond(found.paths, "<=", cut), p, q, "orthant")


def _moment(claim: Claim, found: Joint | None) -> Telling | None:
    """Compare a Rényi divergence that is known in closed form with the claim."""
    if found is None or found.disjoint is not None:
        return None
    if found.squared_mu:
        squared = found.squared_mu
        if not gaussian_exceeds(squared * (1 - MARGIN), claim):
            return None
        shown = _halfspace(found, float(found.squared_mu / 2))
        because = f"the distance mu^2 = {float(squared):.6g} of Gaussian outputs"
        return replace(shown, kind="moment", because=because)
    if not isinstance(claim, RenyiDP) or not is_product(found, Laplace):
        return None
    losses = [
        abs(c.shift) / c.left.scale * (1 - MARGIN)
        for c in found.coordinates
        if isinstance(c.left, Laplace)
    ]
    if not laplace_exceeds(losses, claim):
        return None
    because = f"the Renyi divergence of order {claim.order:g} of Laplace outputs"
    shown = orthants(found, flint.arb(1), flint.arb(1))[0]
    return replace(shown, kind="moment", because=because)
