"""Edges of histograms that are the same for all data need no noise."""

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real
from tests.proving import is_proved

HUNDRED = AddRemove(Real(0, 100), max_size=10)
EDGES = [0, 25, 50, 100]


def released(data, rng, *bins, scale=1.0, **options):
    counts, edges = np.histogram(data, *bins, **options)
    return counts + rng.laplace(scale=scale, size=len(counts)), edges


def by_range(data, rng):
    return released(data, rng, bins=4, range=(0, 100))


def by_place(data, rng):
    return released(data, rng, 4, (0, 100))


def by_edges(data, rng):
    counts, edges = np.histogram(data, bins=EDGES)
    return counts + rng.laplace(size=3), (edges[1:] + edges[:-1]) / 2


@pytest.mark.parametrize("mechanism", [by_range, by_place, by_edges])
def test_fixed_edges_are_released(mechanism):
    assert is_proved(mechanism, PureDP(1.0), HUNDRED)


def of_too_little_noise(data, rng):
    return released(data, rng, bins=4, range=(0, 100), scale=0.9)


def to_the_largest(data, rng):
    return released(data, rng, bins=4, range=(0, max(1, data.max(initial=1))))


def of_the_data(data, rng):
    return released(data, rng, bins=4)


def estimated(data, rng):
    return released(data, rng, bins="auto", range=(0, 100))


def as_many_as_records(data, rng):
    counts, edges = np.histogram(data, bins=len(data) + 1, range=(0, 100))
    return counts.sum() + rng.laplace(), edges


def times_the_size(data, rng):
    counts, edges = np.histogram(data, bins=4, range=(0, 100))
    return counts + rng.laplace(size=4), edges * len(data)


def beside_the_mean(data, rng):
    counts, edges = np.histogram(data, bins=4, range=(0, 100))
    return counts + rng.laplace(size=4), edges + 1e-18 * data.sum()


TWINS = [
    of_too_little_noise, to_the_largest, of_the_data, estimated, as_many_as_records, times_the_size,
    beside_the_mean,
]  # fmt: skip


@pytest.mark.parametrize("mechanism", TWINS)
def test_edges_of_the_data_are_not_proved(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), HUNDRED)
