"""Intervals of the estimates hold the truth; `benchmarks/bench_coverage.py` runs 2,000 of each.

Each interval is nominal 95 %. Of one that misses exactly 5 %, more misses than a binomial test at
1e-3 allows have probability 1e-3 at most; most miss far less often, so a fresh seed fails hardly
ever. `make test` repeats each 80 times, a full sweep (tests/sweeps.py) 200 times.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from dpaudit.estimates.divergences import (
    approximate_max_divergence,
    hockey_stick,
    kl_divergence,
    max_divergence,
    total_variation,
)
from dpaudit.estimates.ratio import PairTest
from dpaudit.estimates.region import Region
from dpaudit.estimates.tradeoff import privacy_profile, tradeoff_curve
from tests.sweeps import repeated

REPETITIONS = repeated(80, full=200)
ALLOWED = int(binom.isf(1e-3, REPETITIONS, 0.05))
N = 400
DELTA, EPSILON = 0.05, 0.25
ALPHAS = (0.1, 0.5)


def geometric_cells(center):
    """Return two-sided geometric noise, ε = 1, clamped to −3..3."""
    r = math.exp(-1)
    inner = (1 - r) / (1 + r) * r ** np.abs(np.arange(-2, 3) - center)
    ends = [r ** (3 + center) / (1 + r), r ** (3 - center) / (1 + r)]
    return np.array([ends[0], *inner, ends[1]])


COINS = np.array([0.75, 0.25])
CELLS = {
    "randomized response": (COINS, COINS[::-1]),
    "geometric": (geometric_cells(0), geometric_cells(1)),
    "skewed": (np.array([0.98, 0.015, 0.005]), np.array([0.98, 0.005, 0.015])),
    "equal": (np.full(10, 0.1), np.full(10, 0.1)),
}


def truths(p, q):
    """Return the divergences by enumeration."""
    order = np.argsort(-p / q)
    power, level = np.cumsum(p[order]), np.cumsum(q[order])
    back = np.argsort(-q / p)
    alarm, miss = np.append(0, np.cumsum(p[back])), 1 - np.append(0, np.cumsum(q[back]))
    above = power > DELTA
    return {
        "max": np.log(p / q).max(),
        "approximate": np.log((power[above] - DELTA) / level[above]).max(),
        "hockey stick": np.maximum(p - math.exp(EPSILON) * q, 0).sum(),
        "total variation": np.abs(p - q).sum() / 2,
        "KL": (p * np.log(p / q)).sum(),
        "trade-off": np.interp(ALPHAS, alarm, miss),
        "profile": np.array([np.maximum(p - math.exp(e) * q, 0).sum() for e in (0.0, EPSILON)]),
    }


ESTIMATES = {
    "max": max_divergence,
    "approximate": lambda p, q, **o: approximate_max_divergence(p, q, DELTA, **o),
    "hockey stick": lambda p, q, **o: hockey_stick(p, q, EPSILON, **o),
    "total variation": total_variation,
    "KL": kl_divergence,
    "trade-off": lambda p, q, **o: tradeoff_curve(p, q, alphas=ALPHAS, **o),
    "profile": lambda p, q, **o: privacy_profile(p, q, epsilons=(0.0, EPSILON), **o),
}


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("name", ESTIMATES)
def test_both_ends_hold_for_few_outcomes(name, cells, named):
    """See the module: fails with a fresh seed in fewer than one of 1,000 runs."""
    p, q = CELLS[cells]
    truth = truths(p, q)[name]
    rng = np.random.default_rng(7)
    missed = 0
    repetitions = REPETITIONS if named else REPETITIONS // 4
    for seed in range(repetitions):
        x, y = rng.choice(len(p), N, p=p), rng.choice(len(q), N, p=q)
        found = ESTIMATES[name](x, y, support=range(len(p)) if named else None, seed=seed)
        low, high = found.confidence_interval
        missed += bool(np.any(low > truth + 1e-9) or np.any(high < truth - 1e-9))
    assert missed <= binom.isf(1e-3, repetitions, 0.05)


CONTINUOUS = {
    "Laplace": (lambda rng: rng.laplace(size=N), lambda rng: rng.laplace(1, size=N), 1.0, 0.393469),
    "Gaussian": (lambda rng: rng.normal(size=N), lambda rng: rng.normal(1, size=N), math.inf,
                 0.382925),
    "equal": (lambda rng: rng.laplace(size=N), lambda rng: rng.laplace(size=N), 0.0, 0.0),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTINUOUS)
def test_lower_ends_hold_for_continuous_outputs(name):
    """See the module: fails with a fresh seed in fewer than one of 1,000 runs."""
    left, right, largest, distance = CONTINUOUS[name]
    rng = np.random.default_rng(8)
    over = np.zeros(2, dtype=int)
    for seed in range(REPETITIONS):
        p, q = left(rng), right(rng)
        over[0] += max_divergence(p, q, seed=seed).confidence_interval.low > largest
        over[1] += total_variation(p, q, seed=seed).confidence_interval.low > distance
    assert over.max() <= ALLOWED


def test_regions_hold_both_distributions():
    """At 80 % more than 60 misses in 200 have probability 5e-4 at most."""
    rng = np.random.default_rng(9)
    for p, q in CELLS.values():
        missed = 0
        for _ in range(REPETITIONS):
            region = Region.of(rng.multinomial(N, p), rng.multinomial(N, q), 0.8)
            inside = all(
                (box.low <= truth).all() and (truth <= box.high).all()
                for box, truth in ((region.p, p), (region.q, q))
            )
            missed += not inside
        assert missed <= 60


@pytest.mark.parametrize("rates", [(0.2, 0.1), (0.5, 0.5), (0.02, 0.01)])
def test_pair_tests_keep_their_level(rates):
    """Nominal 10 %; more than 35 misses in 200 have probability 5e-4 at most."""
    p, q = rates
    rng = np.random.default_rng(10)
    missed = 0
    for _ in range(REPETITIONS):
        x, y, first, second = (int(rng.binomial(1000, rate)) for rate in (p, q, p, q))
        pilot = (first, 1000, second, 1000)
        test = PairTest.planned(x, 1000, y, 1000, level=0.1, pilot=pilot, intercept=0.0)
        missed += test.least_slope(0.0) > p / q
    assert missed <= 35
