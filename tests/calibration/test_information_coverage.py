"""Intervals of information, leakage, capacity and entropy from samples cover as they say."""

import numpy as np
import pytest
from scipy.stats import binom

from dpaudit.estimates.information import (
    channel_capacity,
    entropy,
    min_entropy_leakage,
    mutual_information,
)
from tests.sweeps import repeated

FLIP = np.array([[0.75, 0.25], [0.25, 0.75]])
LEFT = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]])
QUANTITIES = (mutual_information, min_entropy_leakage, channel_capacity)
REPETITIONS = repeated(30, full=200)
SURE = 1e-4


@pytest.mark.parametrize("matrix", [FLIP, LEFT, np.full((2, 2), 0.5)], ids=["flip", "left", "none"])
def test_intervals_cover_as_often_as_they_say(matrix):
    """H0: each interval misses with probability at most .05. More than a binomial test at 1e-4
    allows would come up with fresh seeds less than once in 2,000 runs."""
    truths = [quantity(matrix).value for quantity in QUANTITIES]
    missed = np.zeros(len(QUANTITIES))
    for seed in range(REPETITIONS):
        shown = samples(matrix, 150, seed)
        for i, quantity in enumerate(QUANTITIES):
            low, high = quantity(shown, seed=seed).confidence_interval
            missed[i] += not low - 1e-9 <= truths[i] <= high + 1e-9
    assert missed.max() <= binom.isf(SURE, REPETITIONS, 0.05)


def test_entropy_covers_as_often_as_it_says():
    """H0: as above, with two intervals a repetition."""
    truth = entropy(probabilities=LEFT[0]).value
    missed = 0
    for seed in range(REPETITIONS):
        low, high = entropy(samples(LEFT, 100, seed)[0], support=range(3)).confidence_interval
        missed += not low <= truth <= high
        missed += entropy(samples(LEFT, 100, seed)[0]).confidence_interval.low > truth
    assert missed <= binom.isf(SURE, 2 * REPETITIONS, 0.05)


def gaussian(shift, n, rng):
    return shift + rng.normal(size=n)


def test_lower_ends_from_intervals_of_a_number_cover_too():
    """H0: each lower end exceeds what Gaussian noise lets through, .111 nats for a fair bit, with
    probability at most .05; 60 repetitions, which fresh seeds fail less than once in 10,000 runs.
    """
    y = np.linspace(-12, 13, 100_001)
    p, q = (np.exp(-((y - at) ** 2) / 2) / np.sqrt(2 * np.pi) for at in (0.0, 1.0))
    truth = np.trapezoid((p * np.log(2 * p / (p + q)) + q * np.log(2 * q / (p + q))) / 2, y)
    above = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        shown = {shift: gaussian(shift, 300, rng) for shift in (0.0, 1.0)}
        above += mutual_information(shown, seed=seed).confidence_interval.low > truth
    assert above <= binom.isf(SURE, 60, 0.05)


def samples(matrix, n, seed):
    rng = np.random.default_rng(seed)
    return {x: rng.choice(len(row), size=n, p=row) for x, row in enumerate(matrix)}
