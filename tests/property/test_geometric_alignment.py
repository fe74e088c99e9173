"""Alignment of geometric noise against sums over all of its values."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpaudit import PureDP, QueryAnswers
from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.checker.alignment.state import Draw, Stretch
from dpaudit.checker.alignment.terms import Terms
from dpaudit.formal.alignment.prove import prove_by_alignment
from dpaudit.formal.alignment.shifts import RIGHT_ONLY, admissible
from dpaudit.formal.alignment.system import Path
from dpaudit.formal.clock import now
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from tests import discrete_programs as programs

FAR = 400  # beyond which two-sided noise of the rates below has less than 1e-17 of its weight


@given(
    rate=st.floats(0.01, 5),
    shift=st.fractions(-4, 4, max_denominator=3),
    k=st.integers(1, 60),
)
@settings(max_examples=300, deadline=None)
def test_no_admitted_shift_leaves_the_noise_or_loses_more_than_its_price(rate, shift, k):
    terms = Terms(())
    noise = terms.unknown("noise 0@start", terms.real)
    draw = Draw(noise, "geometric", Ratio.of(1 / Fraction(rate)), "f.py:1")
    stretch = Stretch("start", (), (), (draw,), (), None, {})
    path = Path(stretch, [], {}, [], {}, frozenset())
    if not admissible(Ratio.of(shift), 0, path) or (draw.family in RIGHT_ONLY and shift < 0):
        return
    moved = k + shift
    assert moved.denominator == 1
    assert moved >= 1
    log_law = [math.log(-math.expm1(-rate)) - rate * (at - 1) for at in (k, int(moved))]
    price = abs(float(shift)) / float(draw.scale.constant)
    assert log_law[0] - log_law[1] <= price * (1 + 1e-12) + 1e-12


def tails(rate):
    """Return Pr[Z = z] for |z| <= FAR, and a function z -> Pr[Z >= z], of two-sided noise."""
    z = np.arange(-FAR, FAR + 1)
    weights = np.tanh(rate / 2) * np.exp(-rate * np.abs(z))

    def at_least(values):
        up = np.exp(-rate * np.maximum(values, 1)) / (1 - np.exp(-rate)) * np.tanh(rate / 2)
        down = np.exp(rate * np.minimum(values - 1, 0)) / (1 - np.exp(-rate)) * np.tanh(rate / 2)
        return np.where(values >= 1, up, 1 - down)

    return z, weights, at_least


def chances(answers, threshold, slow, fast):
    """Return the probability of each index of `programs.above`, and of none."""
    z, weights, _ = tails(slow)
    *_, at_least = tails(fast)
    left, found = weights, []
    for answer in answers:
        hit = at_least(threshold + z - answer)
        found.append(float(np.sum(left * hit)))
        left = left * (1 - hit)
    return [*found, float(np.sum(left))]


def loss(threshold, slow, fast):
    """Return the largest log-ratio over neighbors of answers at and far from the threshold."""
    worst = 0.0
    for answers in ((0, 0, 0), (-30, -30, 10), (threshold, -5, threshold)):
        left = chances(answers, threshold, slow, fast)
        for change in product((-1, 0, 1), repeat=3):
            right = chances(np.add(answers, change), threshold, slow, fast)
            worst = max(worst, *(abs(math.log(p / q)) for p, q in zip(left, right, strict=True)))
    return worst


def test_the_sums_are_those_of_draws():
    """With a fresh seed it would fail about once in 30,000 times."""
    rng = np.random.default_rng(5)
    drawn = [programs.above((8, 9, 11), rng) for _ in range(4_000)]
    for at, chance in enumerate(chances((8, 9, 11), 10, 0.5, 0.25)[:3]):
        assert abs(drawn.count(at) / 4_000 - chance) < 4.5 * math.sqrt(chance / 4_000)


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
@pytest.mark.parametrize("claimed", [0.9, 1.0])
def test_what_is_proved_holds_of_the_exact_probabilities(share, claimed):
    """A budget that is spent in other parts on the two noises; and a claim that is too small."""
    fast = (1 - share) / 2
    mechanism = partial(programs.above, slow=share, fast=fast, threshold=2)
    deadline = now() + 60
    try:
        prove_by_alignment(lift(mechanism), PureDP(claimed), QueryAnswers(4), deadline=deadline)
    except Unsupported:
        proved = False
    else:
        proved = True
    exact = loss(2, share, fast)
    assert exact <= 1 + 1e-9
    assert proved is (claimed == 1.0)
    assert not proved or exact <= claimed + 1e-9
