"""Certificates about columns put together, and what is found for each record among them."""

from functools import partial

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real, ReplaceOne, Row
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.engine import certificate_of
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from dpaudit.subject import Subject
from mechanisms.flawed.k_means_data_centres import k_means_data_centres
from mechanisms.flawed.k_means_epsilon_each_round import k_means_epsilon_each_round
from mechanisms.k_means import CENTRES, centres_of, k_means
from tests.checking import check
from tests.proving import is_proved
from tests.unit.checker.forged import forged

ONE = PureDP(1.0)
side = Real(-1, 1)
strange = Real(-1, 1, enforced=False, allow_nan=True, allow_infinity=True)
plane = AddRemove(Row(x=side, y=side))
space = AddRemove(Row(x=side, y=side, z=strange))


AXES = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])


def in_space(data, rng):
    return k_means(data, rng, centres=AXES, rounds=1)


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [
        (k_means, plane),
        (partial(k_means, rounds=2), AddRemove(Row(x=strange, y=strange))),
        (in_space, space),
        (partial(k_means, rounds=1, epsilon=0.5), ReplaceOne(Row(x=side, y=side), size=9)),
        (partial(k_means_epsilon_each_round, epsilon=1 / 3), plane),
    ],
)
def test_clusters_about_released_centres_are_proved_and_their_certificate_is_accepted(
    mechanism, neighbors
):
    subject = Subject.of(mechanism)
    program = lift(subject)
    proof = prove_by_cost(program, ONE, neighbors)
    assert check(certificate_of(subject, ONE, neighbors, program, proof).to_dict()).accepted


def points_of(data):
    points = np.fmin(np.fmax([data[c] for c in data.dtype.names], -1.0), 1.0).T
    return points, np.column_stack([points, np.ones(len(points))])


def squares(points, centres):
    return ((points[:, None] - centres) ** 2).sum(axis=2)


def clusters_that_overlap(data, rng):
    points, counted = points_of(data)
    nearest = squares(points, CENTRES).argmin(axis=1)
    sums = (nearest >= np.arange(2)[:, None]) @ counted
    return sums + rng.laplace(scale=3.0, size=(2, 3))


def sizes_without_noise_of_their_own(data, rng):
    points, counted = points_of(data)
    nearest = squares(points, CENTRES).argmin(axis=1)
    sums = (nearest == np.arange(2)[:, None]) @ counted
    return sums + rng.laplace(scale=2.0, size=(2, 3))


def centres_without_noise(data, rng):
    points, counted = points_of(data)
    nearest = squares(points, CENTRES).argmin(axis=1)
    sums = (nearest == np.arange(2)[:, None]) @ counted
    first = sums + rng.laplace(scale=6.0, size=(2, 3))
    nearest = squares(points, centres_of(sums)).argmin(axis=1)
    second = (nearest == np.arange(2)[:, None]) @ counted
    return first, second + rng.laplace(scale=6.0, size=(2, 3))


def distances_are_released(data, rng):
    points, _ = points_of(data)
    return squares(points, CENTRES).argmin(axis=1)


def raw_points(data, rng):
    points = np.array([data[c] for c in data.dtype.names]).T
    nearest = squares(points, CENTRES).argmin(axis=1)
    counted = np.column_stack([points, np.ones(len(points))])
    return (nearest == np.arange(2)[:, None]) @ counted + rng.laplace(scale=3.0, size=(2, 3))


def sums_of_what_has_no_bounds(data, rng):
    points, _ = points_of(data)
    start = rng.laplace(scale=1.0, size=(2, 2)) * 1.0
    return squares(points, start).sum(axis=0) + rng.laplace(scale=100.0, size=2)


FALSE = [
    (k_means_epsilon_each_round, plane),
    (k_means_data_centres, plane),
    (partial(k_means, epsilon=1.01), plane),
    (k_means, ReplaceOne(Row(x=side, y=side), size=9)),
    (k_means, AddRemove(Row(x=side, y=side), group=2)),
    (clusters_that_overlap, plane),
    (sizes_without_noise_of_their_own, plane),
    (centres_without_noise, plane),
    (distances_are_released, plane),
    (raw_points, AddRemove(Row(x=strange, y=strange))),
    (sums_of_what_has_no_bounds, plane),
]


@pytest.mark.parametrize(("mechanism", "neighbors"), FALSE)
def test_what_is_not_private_about_clusters_is_neither_proved_nor_accepted(mechanism, neighbors):
    with pytest.raises(Unsupported):
        prove_by_cost(lift(Subject.of(mechanism)), ONE, neighbors)
    assert not check(forged(mechanism, ONE, neighbors)).accepted


GRID = np.array([10.0, 20.0, 30.0])
HOURS = AddRemove(Real(0, 50))


def counted_below(data, rng, *, scale=3.0):
    below = (data[None, :] < GRID[:, None]).sum(axis=1)
    return below + rng.laplace(scale=scale, size=3)


def counted_in_columns(data, rng, *, scale=3.0):
    return (data[:, None] < GRID[None, :]).sum(axis=0) + rng.laplace(scale=scale, size=3)


def counted_in_deep(data, rng, *, scale=3.0):
    pairs = data[None, None, :] < GRID[:, None, None]
    return pairs[:, 0].sum(axis=-1) + rng.laplace(scale=scale, size=3)


def quantile(data, rng, *, epsilon=1.0, sensitivity=0.9):
    score = -np.abs((data[None, :] < GRID[:, None]).sum(axis=1) - 0.9 * len(data))
    weights = np.exp(epsilon * (score - score.max()) / (2 * sensitivity))
    return float(rng.choice(GRID, p=weights / weights.sum()))


def grid_of_the_records(data, rng):
    grid = data[:3]
    return (data[None, :] < grid[:, None]).sum(axis=1) + rng.laplace(scale=3.0, size=3)


def pairs_of_records(data, rng):
    return (data[None, :] < data[:, None]).sum() + rng.laplace(scale=3.0)


def one_column(data, rng):
    return (data[None, :] < GRID[:, None])[:, 0].sum() + rng.laplace(scale=3.0)


def along_the_grid(data, rng):
    return (data[None, :] < GRID[:, None]).sum(axis=0) + rng.laplace(scale=3.0, size=len(data))


def of_the_middle(data, rng):
    return (data[None, :, None] < GRID).sum(axis=(0, 1)) + rng.laplace(scale=1.0, size=3)


@pytest.mark.parametrize(
    "mechanism", [counted_below, counted_in_columns, counted_in_deep, quantile]
)
def test_a_grid_beside_the_records_is_counted_for_each_of_its_points(mechanism):
    assert is_proved(mechanism, ONE, HOURS)


@pytest.mark.parametrize(
    "mechanism",
    [
        partial(counted_below, scale=2.9),
        partial(counted_in_deep, scale=2.9),
        partial(quantile, sensitivity=0.4),
        grid_of_the_records,
        pairs_of_records,
        one_column,
        along_the_grid,
        of_the_middle,
    ],
)
def test_a_grid_beside_the_records_is_no_licence_for_more(mechanism):
    assert not is_proved(mechanism, ONE, HOURS)
