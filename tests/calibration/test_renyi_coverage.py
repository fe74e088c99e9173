"""Intervals of Rényi divergences and their parameters cover at least as often as they say.

24 repetitions with fixed seeds, 200 in a full sweep; each test allows as many misses as a fair
interval exceeds once in ten thousand fresh runs. The lower ends of continuous outputs hold
for the mechanism, so they are held against the truth; their upper ends only for a partition.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from dpaudit.estimates.gaussian import gdp_parameter
from dpaudit.estimates.renyi import renyi_divergence, zcdp_parameter
from dpaudit.estimates.split import tally
from dpaudit.estimates.variational import moment_at_least
from tests.sweeps import repeated

REPETITIONS = repeated(24, full=200)
FEWER = repeated(6, full=60)  # where each takes half a second
N = 2_000
ORDERS = np.array([1.2, 2.0, 8.0])


def allowed(miss):
    return int(binom.ppf(1 - 1e-4, REPETITIONS, miss))


def laplace_truth(order, shift=1.0):
    one = order / (2 * order - 1) * math.exp((order - 1) * shift)
    two = (order - 1) / (2 * order - 1) * math.exp(-order * shift)
    return math.log(one + two) / (order - 1)


def discrete_truth(order, p, q):
    logs = order * np.log(p) + (1 - order) * np.log(q)
    return max(0.0, float(np.logaddexp.reduce(logs)) / (order - 1))


CONTINUOUS = {
    "Gaussian at distance 1": (lambda rng, mu: rng.normal(mu, 1, N), 1.0, lambda a: a / 2),
    "Gaussian at distance 3": (lambda rng, mu: rng.normal(mu, 1, N), 3.0, lambda a: 4.5 * a),
    "Laplace": (lambda rng, mu: rng.laplace(mu, 1, N), 1.0, laplace_truth),
    "equal": (lambda rng, mu: rng.laplace(0, 1, N), 0.0, lambda a: 0.0),
}


@pytest.mark.parametrize("name", CONTINUOUS)
def test_lower_ends_for_several_orders_at_once_are_rarely_too_high(name):
    """A heavy-tailed ratio (order 8, distance 3) is where estimates that trust a mean fail."""
    draw, shift, truth = CONTINUOUS[name]
    exact = np.array([truth(order) for order in ORDERS.tolist()])
    missed = 0
    for seed in range(REPETITIONS):
        rng = np.random.default_rng([seed, 1])
        found = renyi_divergence(draw(rng, shift), draw(rng, 0.0), ORDERS, seed=seed)
        missed += bool(np.any(found.confidence_interval.low > exact))
    assert missed <= allowed(0.05)


@pytest.mark.parametrize("order", [2.0, 8.0])
@pytest.mark.parametrize("name", CONTINUOUS)
def test_the_learned_function_alone_keeps_its_error(name, order):
    """At an error of 20 %, where a fault would show first."""
    draw, shift, truth = CONTINUOUS[name]
    exact = math.exp((order - 1) * truth(order))
    missed = 0
    for seed in range(REPETITIONS):
        rng = np.random.default_rng([seed, 2])
        counted = tally(
            draw(rng, shift), draw(rng, 0.0),
            confidence=0.95, n=None, seed=seed, support=None, method="fixed",
        )  # fmt: skip
        missed += moment_at_least(counted, order, 0.2, rng) > exact
    assert missed <= allowed(0.2)


RESPONSE = np.array([math.e, 1.0]) / (1 + math.e)
GEOMETRIC = np.exp(-np.abs(np.arange(6) - 2.0)) / np.exp(-np.abs(np.arange(6) - 2.0)).sum()
DISCRETE = {
    "randomized response": (RESPONSE, RESPONSE[::-1]),
    "six outcomes": (GEOMETRIC, np.roll(GEOMETRIC, 1)),
    "equal": (GEOMETRIC, GEOMETRIC),
}


@pytest.mark.parametrize("method", ["fixed", "anytime"])
@pytest.mark.parametrize("name", DISCRETE)
def test_both_ends_cover_where_all_outcomes_are_named(name, method):
    p, q = DISCRETE[name]
    exact = np.array([discrete_truth(order, p, q) for order in ORDERS.tolist()])
    missed = 0
    for seed in range(REPETITIONS):
        rng = np.random.default_rng([seed, 3])
        low, high = renyi_divergence(
            rng.choice(len(p), N, p=p), rng.choice(len(q), N, p=q), ORDERS,
            seed=seed, support=range(len(p)), method=method,
        ).confidence_interval  # fmt: skip
        missed += bool(np.any(low > exact) or np.any(high < exact))
    assert missed <= allowed(0.05)


@pytest.mark.parametrize("name", DISCRETE)
def test_parameters_cover_where_all_outcomes_are_named(name):
    from scipy.special import ndtri

    p, q = DISCRETE[name]
    orders = np.geomspace(1.0005, 200.0, 400).tolist()
    rho = max(max(discrete_truth(a, p, q), discrete_truth(a, q, p)) / a for a in orders)
    order = np.argsort(-p / q, kind="stable")
    mu = max(0.0, float(np.max(ndtri(np.cumsum(p[order])[:-1]) - ndtri(np.cumsum(q[order])[:-1]))))
    missed = np.zeros(2, dtype=int)
    for seed in range(FEWER):
        rng = np.random.default_rng([seed, 4])
        draws = rng.choice(len(p), N, p=p), rng.choice(len(q), N, p=q)
        ends = [
            (zcdp_parameter(*draws, seed=seed, support=range(len(p))), rho),
            (gdp_parameter(*draws, seed=seed, support=range(len(p))), mu),
        ]
        missed += [
            not found.confidence_interval.low <= exact <= found.confidence_interval.high
            for found, exact in ends
        ]
    assert max(missed) <= int(binom.ppf(1 - 1e-4, FEWER, 0.05))


@pytest.mark.parametrize("name", ["Gaussian at distance 1", "equal"])
def test_lower_ends_of_parameters_are_rarely_too_high(name):
    draw, shift, _ = CONTINUOUS[name]
    missed = np.zeros(2, dtype=int)
    for seed in range(FEWER):
        rng = np.random.default_rng([seed, 5])
        draws = draw(rng, shift), draw(rng, 0.0)
        missed += [
            zcdp_parameter(*draws, seed=seed).confidence_interval.low > shift**2 / 2,
            gdp_parameter(*draws, seed=seed).confidence_interval.low > shift,
        ]
    assert max(missed) <= int(binom.ppf(1 - 1e-4, FEWER, 0.05))
