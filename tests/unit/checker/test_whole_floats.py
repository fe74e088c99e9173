"""Floats that were integers are made integers again, as `np.histogram2d` gives counts."""

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real, Verdict, verify

NUMBERS = AddRemove(Real(0, 50), max_size=8)
ENDS = (0, 50)


def of_two_axes(data, rng):
    counts, _, _ = np.histogram2d(data, data, bins=3, range=[ENDS, ENDS])
    return counts.astype(np.int64) + rng.laplace(0, 1.0, counts.shape)


def there_and_back(data, rng):
    counts = np.histogram(data, bins=5, range=ENDS)[0].astype(float)
    return counts.astype(int) + rng.laplace(0, 1.0, 5)


def too_little_noise(data, rng):
    counts, _, _ = np.histogram2d(data, data, bins=3, range=[ENDS, ENDS])
    return counts.astype(int) + rng.laplace(0, 0.9, counts.shape)


def sums_of_weights(data, rng):
    weights = np.clip(data, 0, 1)
    sums, _, _ = np.histogram2d(data, data, bins=3, range=[ENDS, ENDS], weights=weights)
    return sums.astype(int) + rng.laplace(0, 0.5, sums.shape)


def halves(data, rng):
    counts = np.histogram(data, bins=3, range=ENDS)[0].astype(float)
    counts /= 2
    return counts.astype(int) + rng.laplace(0, 0.5, 3)


def changed_in_place(data, rng):
    counts, _, _ = np.histogram2d(data, data, bins=3, range=[ENDS, ENDS])
    counts[0] = counts[0] * 0.5
    return counts.astype(int) + rng.laplace(0, 0.5, counts.shape)


def twice_the_counts(data, rng):
    counts = np.histogram(data, bins=3, range=ENDS)[0].astype(float)
    return (counts + counts).astype(int) + rng.laplace(0, 1.0, 3)


def in_few_bits(data, rng):
    counts = np.histogram(data, bins=3, range=ENDS)[0].astype(float)
    return counts.astype(np.int8) + rng.laplace(0, 1.0, 3)


@pytest.mark.parametrize("mechanism", [of_two_axes, there_and_back])
def test_counts_that_were_floats_are_whole(mechanism):
    report = verify(mechanism, PureDP(1.0), NUMBERS)
    assert report.verdict is Verdict.VERIFIED, report.reason


@pytest.mark.parametrize(
    "mechanism",
    [too_little_noise, sums_of_weights, halves, changed_in_place, twice_the_counts, in_few_bits],
)
def test_floats_that_are_not_counts_are_not_taken_for_whole(mechanism):
    assert verify(mechanism, PureDP(1.0), NUMBERS, timeout=3).verdict is not Verdict.VERIFIED
