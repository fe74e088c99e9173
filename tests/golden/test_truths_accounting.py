"""Claims read from dp-accounting's events, against every sample of small datasets."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from dpaudit.claims import from_dp_event
from tests.sweeps import sampled

dp = pytest.importorskip("dp_accounting")

EPSILONS = (0.0, 0.1, 0.5, 1.0, 2.0)
GAUSSIAN, LAPLACE, DISCRETE = "gaussian", "laplace", "discrete"
EVENTS = {
    GAUSSIAN: lambda noise: dp.GaussianDpEvent(noise),
    LAPLACE: lambda noise: dp.LaplaceDpEvent(noise),
    DISCRETE: lambda noise: dp.dp_event.DiscreteLaplaceDpEvent(1 / noise, 1),
}


def density(kind, noise, points):
    """The density, or the probabilities, of the noise."""
    if kind == GAUSSIAN:
        return np.exp(-((points / noise) ** 2) / 2) / (noise * math.sqrt(2 * math.pi))
    if kind == LAPLACE:
        return np.exp(-np.abs(points) / noise) / (2 * noise)
    return np.exp(-np.abs(points) / noise) * math.tanh(1 / (2 * noise))


def grid(kind, noise):
    """Points, and their weights: midpoints between multiples of the step, or whole numbers."""
    if kind == DISCRETE:
        reach = math.ceil(60 * noise)
        points = np.arange(-reach, reach + 1, dtype=float)
        return points, np.ones_like(points)
    step, reach = noise / 200, math.ceil((14 if kind == GAUSSIAN else 30) * noise) + 2
    count = int(2 * reach / step)
    return -reach + (np.arange(count) + 0.5) * step, np.full(count, step)


def outputs(kind, noise, samples, points):
    """The mixture over samples, each with its probability."""
    return sum(chance * density(kind, noise, points - sum(chosen)) for chosen, chance in samples)


def poisson(data, rate):
    for taken in itertools.product((False, True), repeat=len(data)):
        chance = math.prod(rate if t else 1 - rate for t in taken)
        yield [x for x, t in zip(data, taken, strict=True) if t], chance


def without_replacement(data, size):
    chosen = list(itertools.combinations(data, size))
    return [(sample, 1 / len(chosen)) for sample in chosen]


def neighbors(relation, records):
    """All pairs of datasets of `records` values that have norm 1 at most, both ways."""
    for data in itertools.product((-1, 0, 1), repeat=records):
        if relation == "add/remove":
            yield list(data), list(data[:-1])
            yield list(data[:-1]), list(data)
        else:
            for other in (-1, 0, 1):
                yield list(data), [*data[:-1], other]


def worst_deltas(kind, noise, pairs, sampled):
    """The largest delta over pairs at each epsilon, by numerical integration."""
    points, weights = grid(kind, noise)
    best = np.zeros(len(EPSILONS))
    for left, right in pairs:
        p = outputs(kind, noise, sampled(left), points)
        q = outputs(kind, noise, sampled(right), points)
        found = [float(np.maximum(p - math.exp(e) * q, 0) @ weights) for e in EPSILONS]
        best = np.maximum(best, found)
    return best


@pytest.mark.parametrize("relation", ["add/remove", "replace-one"])
@pytest.mark.parametrize("kind", [GAUSSIAN, LAPLACE, DISCRETE])
@pytest.mark.parametrize("noise", [0.7, 2.0])
def test_additive_noise_loses_no_more_than_its_claim(kind, noise, relation):
    claim = from_dp_event(EVENTS[kind](noise), relation=relation)
    truth = worst_deltas(kind, noise, neighbors(relation, 1), lambda data: [(data, 1.0)])
    stated = claim.delta(np.array(EPSILONS))
    assert np.all(stated >= truth * (1 - 1e-5) - 1e-9)
    if kind == GAUSSIAN:
        assert stated == pytest.approx(truth, rel=1e-4)
    else:  # attained at the epsilon of the claim, where delta first is 0
        assert np.all((stated > 0) == (truth > 1e-9))


@pytest.mark.parametrize("kind", [GAUSSIAN, LAPLACE, DISCRETE])
@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_a_poisson_sample_loses_no_more_than_its_claim(kind, rate):
    claim = from_dp_event(dp.PoissonSampledDpEvent(rate, EVENTS[kind](1.0)))
    pairs = neighbors("add/remove", 2)
    truth = worst_deltas(kind, 1.0, pairs, lambda data: list(poisson(data, rate)))
    stated = claim.delta(np.array(EPSILONS))
    assert np.all(stated >= truth * (1 - 1e-5) - 1e-9)
    if kind == GAUSSIAN:
        assert stated == pytest.approx(truth, rel=1e-4, abs=1e-9)


@pytest.mark.parametrize("kind", [GAUSSIAN, LAPLACE, DISCRETE])
@pytest.mark.parametrize("size", sampled([1, 2, 3], 1))
def test_a_sample_of_fixed_size_loses_no_more_than_its_claim(kind, size):
    """A replaced record moves the sum by twice the bound on its norm."""
    event = dp.SampledWithoutReplacementDpEvent(3, size, EVENTS[kind](1.0))
    claim = from_dp_event(event)
    pairs = neighbors("replace-one", 3)
    truth = worst_deltas(kind, 1.0, pairs, lambda data: without_replacement(data, size))
    stated = claim.delta(np.array(EPSILONS))
    assert np.all(stated >= truth * (1 - 1e-5) - 1e-9)
    if kind == GAUSSIAN:
        assert stated == pytest.approx(truth, rel=1e-4)


@pytest.mark.parametrize(("noise", "buckets"), [(0.5, 2), (0.2, 3), (0.9, 5)])
def test_randomized_response_loses_what_its_claim_says(noise, buckets):
    claim = from_dp_event(dp.RandomizedResponseDpEvent(noise, buckets))
    lie = noise / buckets
    truth = (1 - noise) + lie
    for epsilon in EPSILONS:
        exact = max(0.0, truth - math.exp(epsilon) * lie)
        exact += max(0.0, lie - math.exp(epsilon) * truth)
        exact += (buckets - 2) * lie * max(0.0, 1 - math.exp(epsilon))
        assert claim.delta(epsilon) >= exact * (1 - 1e-12)
    assert claim.epsilon == pytest.approx(math.log(truth / lie), rel=1e-12)


def test_a_sample_of_a_tenth_under_replace_one_is_that_of_a_gaussian_moved_twice():
    """The mixture .1 N(2, 1) + .9 N(0, 1) against N(0, 1), both ways, by integration."""
    event = dp.SampledWithoutReplacementDpEvent(100, 10, dp.GaussianDpEvent(1.0))
    points, weights = grid(GAUSSIAN, 1.0)
    alone = density(GAUSSIAN, 1.0, points)
    mixed = 0.1 * density(GAUSSIAN, 1.0, points - 2) + 0.9 * alone
    truth = max(
        float(np.maximum(p - math.e * q, 0) @ weights) for p, q in ((mixed, alone), (alone, mixed))
    )
    assert truth == pytest.approx(0.01965, abs=1e-5)
    assert from_dp_event(event).delta(1.0) == pytest.approx(truth, rel=1e-5)


@pytest.mark.parametrize("kind", [GAUSSIAN, LAPLACE])
@pytest.mark.parametrize("relation", ["add/remove", "replace-one"])
def test_two_sampled_steps_lose_no_more_than_their_claim(kind, relation):
    """All pairs of small datasets, both steps on the same data, by integration on the plane."""
    points = np.linspace(-14, 14, 561)
    weight = (points[1] - points[0]) ** 2
    inner = EVENTS[kind](1.0)
    if relation == "add/remove":
        event, records = dp.PoissonSampledDpEvent(0.3, inner), 1

        def sampled(data):
            return list(poisson(data, 0.3))
    else:
        event, records = dp.SampledWithoutReplacementDpEvent(2, 1, inner), 2

        def sampled(data):
            return without_replacement(data, 1)

    claim = from_dp_event(dp.SelfComposedDpEvent(event, 2))
    worst = np.zeros(len(EPSILONS))
    for left, right in neighbors(relation, records):
        p = outputs(kind, 1.0, sampled(left), points)
        q = outputs(kind, 1.0, sampled(right), points)
        both = np.outer(p, p), np.outer(q, q)
        found = [
            weight * float(np.maximum(both[0] - math.exp(e) * both[1], 0).sum()) for e in EPSILONS
        ]
        worst = np.maximum(worst, found)
    stated = claim.delta(np.array(EPSILONS))
    assert np.all(stated >= worst * (1 - 3e-3) - 1e-6)  # the plane is cut in squares
    if relation == "add/remove":
        assert np.all(stated <= worst * 1.03 + 1e-4)
