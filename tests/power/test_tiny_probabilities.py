"""Outputs that hardly ever come out, and that only one neighbor can produce.

Under ε-DP such an output has the posterior e^ε/(1 + e^ε) at most: nobody who bets on it can earn
more than log(1 + e^(−ε)) nats a sighting, so that `limit(ε)` sightings are needed at α = 1e-6.
"""

import math
from collections.abc import Callable

import numpy as np
import pytest

import dpaudit
from dpaudit import Pairs, PureDP, Verdict
from tests.sweeps import FULL, repeated, sampled

PAIR = Pairs([(0.0, 1.0)])


def limit(epsilon):
    """Sightings that the best bet needs."""
    return -math.log(1e-6) / math.log1p(math.exp(-epsilon))


def catastrophe(probability, sides):
    """Laplace noise, and now and then none, on the answers named."""

    @dpaudit.vectorized
    def mechanism(answer, size, rng):
        noise = rng.laplace(size=size)
        revealed = (rng.random(size) < probability) & (answer in sides)
        return np.where(revealed, answer, answer + noise)

    return mechanism


@pytest.mark.parametrize(
    ("probability", "sides", "calls"),
    sampled(
        [
            (1e-4, (0.0, 1.0), 2_500_000),
            (1e-4, (1.0,), 2_500_000),
            (1e-3, (0.0, 1.0), 200_000),
            (1e-3, (1.0,), 200_000),
        ],
        1,
    ),
)
def test_a_catastrophe_of_tiny_probability_is_refuted(probability, sides, calls):
    """Three quarters of the calls allowed are enough for most fresh seeds."""
    mechanism = catastrophe(probability, sides)
    report = dpaudit.audit(
        mechanism, PureDP(1.0), PAIR, max_calls=calls, seed=0, engines=["statistical"]
    )
    assert report.verdict is Verdict.REFUTED
    assert report.findings[0].id in ("DPA102", "DPA201")


@pytest.mark.parametrize(("probability", "calls"), sampled([(1e-4, 1_000_000), (1e-3, 200_000)], 1))
def test_a_catastrophe_that_delta_pays_for_is_not_refuted(probability, calls):
    """A false alarm once in 10^6 fresh seeds."""
    mechanism = catastrophe(probability, (0.0, 1.0))
    claim = dpaudit.ApproxDP(1.0, probability)
    report = dpaudit.audit(mechanism, claim, PAIR, max_calls=calls, engines=["statistical"])
    assert report.verdict is not Verdict.REFUTED


class Planted:
    """A mechanism with an output of its own for answer 1, which counts how often it gives it."""

    def __init__(self, own: Callable, other: Callable, probability: float) -> None:
        self.own, self.other, self.probability = own, other, probability
        self.sightings = 0

    def __call__(self, answer, rng):
        if answer == 1 and rng.random() < self.probability:
            self.sightings += 1
            return self.own(rng)
        return self.other(rng)


def noise(rng):
    return float(rng.laplace())


def noises(size):
    return lambda rng: rng.laplace(size=size).tolist()


def fails(rng):
    raise ValueError("no records are left")


OUTPUTS = {
    "None": (lambda rng: None, noise),
    "NaN": (lambda rng: math.nan, noise),
    "an exception": (fails, noise),
    "a symbol": (lambda rng: "z", lambda rng: "abc"[rng.integers(3)]),
    "a type": (lambda rng: int(rng.integers(5)), lambda rng: float(rng.integers(5))),
    "a length": (noises(4), noises(3)),
    "a key": (lambda rng: {"a": noise(rng), "b": noise(rng)}, lambda rng: {"a": noise(rng)}),
    "a value": (lambda rng: 0.25, noise),
    "an entry": (lambda rng: [*noises(5)(rng), 0.25, *noises(2)(rng)], noises(8)),
}
ALLOWED = 2.7  # times the limit; a fifth are calls that repeat others, to see what is remembered


def sightings_needed(output, epsilon, probability, most, seed):
    """How many sightings it took to refute, if at most so many are allowed."""
    mechanism = Planted(*OUTPUTS[output], probability)
    calls = int(3 * most / probability)
    report = dpaudit.audit(
        mechanism, PureDP(epsilon), PAIR, max_calls=calls, seed=0, engines=["statistical"]
    )
    return mechanism.sightings if report.verdict is Verdict.REFUTED else math.inf


# Of each output one epsilon, in turns; in a full sweep all.
SIGHTINGS = [
    (output, epsilon)
    for k, output in enumerate(OUTPUTS)
    for j, epsilon in enumerate([0.1, 1.0, 2.0])
    if FULL or j == k % 3
]


@pytest.mark.parametrize(("output", "epsilon"), SIGHTINGS)
def test_an_output_of_one_neighbor_alone_needs_few_sightings(output, epsilon):
    """Of 4 fresh seeds each none needed more."""
    allowed = ALLOWED * limit(epsilon)
    assert sightings_needed(output, epsilon, 0.1, allowed, seed=0) <= allowed


@pytest.mark.parametrize("output", sampled(["None", "an exception", "a value", "an entry"], 2))
def test_rarity_does_not_change_how_many_sightings_are_needed(output):
    """Of 3 fresh seeds each none needed more."""
    allowed = ALLOWED * limit(0.1)
    assert sightings_needed(output, 0.1, 0.005, allowed, seed=0) <= allowed


@pytest.mark.parametrize("own", sampled([math.nan, 0.25], 1))
def test_an_output_that_hardly_ever_comes_is_found(own):
    """Expected sightings at the calls that were needed are at most those allowed.

    It comes once in 10,000 calls, and in a full sweep once in 100,000.
    """
    probability = 1 / repeated(10_000, full=100_000)

    @dpaudit.vectorized
    def mechanism(answer, size, rng):
        noise = rng.laplace(size=size)
        return np.where((rng.random(size) < probability) & (answer == 1), own, noise)

    report = dpaudit.audit(
        mechanism,
        PureDP(0.1),
        PAIR,
        max_calls=int(120 / probability),
        max_seconds=None,
        engines=["statistical"],
    )
    assert report.verdict is Verdict.REFUTED
    assert report.calls / 2 * probability <= ALLOWED * limit(0.1)
