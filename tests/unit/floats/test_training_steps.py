"""Steps of training in the bounds of rounding: parameters that were released enter later steps."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from dpaudit import AddRemove, Integer, PureDP, Real, Row, ZeroConcentratedDP
from dpaudit.floats import Refused, float_bounds
from dpaudit.floats.functions import Functions
from dpaudit.floats.ledger import Ledger
from dpaudit.floats.values import INF, Many, Num
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported

BATCH = 50.0
CLICKS = AddRemove(Row(x=Real(0, 1), y=Integer(0, 1)), max_size=6, container="list")
POINTS = AddRemove(Row(x=Real(-1, 1, enforced=False), y=Real(-1, 1, enforced=False)), max_size=6)
PEOPLE = AddRemove(Integer(0, 1), max_size=6, container="list")
logger = logging.getLogger("released")


def is_proved(mechanism, claim, neighbors):
    """Whether the claim is proved, the rounding of floats included."""
    try:
        program = lift(mechanism)
        kind = prove_by_cost(program, claim, neighbors).to_dict()["kind"]
        float_bounds(to_dict(program), claim, neighbors, kind)
    except (Refused, Unsupported):
        return False
    return True


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def shortened(g, most=1.0, to=1.0):
    norm = np.linalg.norm(g)
    if norm > most:
        g = g * (to / norm)
    return g


def trained(rows, rng, shorten, sigma=2.0):
    X = np.array([[1.0, r["x"]] for r in rows], dtype=float).reshape(-1, 2)
    y = np.array([r["y"] for r in rows], dtype=float)
    w = np.zeros(2)
    for _ in range(2):
        total = np.zeros(2)
        for xi, yi in zip(X, y, strict=False):
            total += shorten((sigmoid(xi @ w) - yi) * xi)
        total += rng.normal(0.0, sigma, size=2)
        w = w - 0.5 * total / BATCH
    return w


def steps(rows, rng):
    return trained(rows, rng, shortened)


def steps_to_a_longer_norm(rows, rng):
    return trained(rows, rng, lambda g: shortened(g, 1.0, 2.0))


def steps_that_are_not_shortened_below_two(rows, rng):
    return trained(rows, rng, lambda g: shortened(g, 2.0, 2.0))


def steps_by_the_norm_of_another(rows, rng):
    return trained(rows, rng, lambda g: g * (1.0 / np.linalg.norm(g + 1)))


def steps_with_less_noise(rows, rng):
    return trained(rows, rng, shortened, sigma=1.9)


def test_gradients_at_released_parameters_are_shortened_within_a_finite_rounding():
    assert is_proved(steps, ZeroConcentratedDP(0.1876), CLICKS)


@pytest.mark.parametrize(
    "mechanism",
    [
        steps_to_a_longer_norm,
        steps_that_are_not_shortened_below_two,
        steps_by_the_norm_of_another,
        steps_with_less_noise,
    ],
)
def test_gradients_that_are_longer_or_have_less_noise_are_not_proved(mechanism):
    assert not is_proved(mechanism, ZeroConcentratedDP(0.1876), CLICKS)


def centers_of(data, rng, scale=1.0, keeps=False):
    X = np.clip(np.column_stack([data["x"], data["y"]]), -1, 1)
    d = X.shape[1]
    centers = np.tile(np.array([-0.3, 0.3])[:, None], (1, d))
    for _ in range(2):
        label = ((X[:, None, :] - centers[None, :, :]) ** 2).sum(axis=2).argmin(axis=1)
        new = centers.copy()
        for j in range(2):
            members = X[label == j]
            n = len(members) + rng.laplace(scale=4 * scale)
            s = members.sum(axis=0) + rng.laplace(scale=4 * d * scale, size=d)
            if keeps:
                s = members.sum(axis=0)
            if n > 1:
                new[j] = np.clip(s / n, -1, 1)
        centers = new
    return centers


def clusters(data, rng):
    return centers_of(data, rng)


def clusters_with_half_the_noise(data, rng):
    return centers_of(data, rng, scale=0.5)


def clusters_of_plain_sums(data, rng):
    return centers_of(data, rng, keeps=True)


def test_noise_of_a_scale_by_the_number_of_columns_hides_the_rounding_of_sums():
    assert is_proved(clusters, PureDP(1.0), POINTS)


@pytest.mark.parametrize("mechanism", [clusters_with_half_the_noise, clusters_of_plain_sums])
def test_clusters_with_less_noise_are_not_proved(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), POINTS)


def logged(data, rng, private=False):
    noisy = max(0, sum(data) + int(rng.geometric(0.5)) - int(rng.geometric(0.5)))
    if noisy == 0:
        logger.info("a quiet day")
    if private:
        logger.info("%d", sum(data))
    return noisy


def a_line_on_some_days(data, rng):
    return logged(data, rng)


def a_line_with_the_sum(data, rng):
    return logged(data, rng, private=True)


def a_line_where_nobody_came(data, rng):
    noisy = logged(data, rng)
    if sum(data) == 0:
        logger.info("nobody")
    return noisy


def test_lines_that_a_function_logs_on_some_paths_are_followed():
    assert is_proved(a_line_on_some_days, PureDP(0.7), PEOPLE)


@pytest.mark.parametrize("mechanism", [a_line_with_the_sum, a_line_where_nobody_came])
def test_lines_that_tell_of_records_are_not_proved(mechanism):
    assert not is_proved(mechanism, PureDP(0.7), PEOPLE)


def side_by_side(*arrays):
    functions = Functions(Ledger(), strict=False, records=8.0, sized=False)
    return functions.apply("numpy.hstack", [Many(list(arrays))], {}, "").columns


def an_array(columns, numbers):
    return Num(0.0, 1.0, size=numbers, fewest=numbers, scalar=False, columns=columns)


def test_arrays_side_by_side_have_the_columns_of_both_where_those_are_told():
    assert side_by_side(an_array(2.0, 16.0), an_array(INF, 8.0)) == 3  # of the shape (8, 1)
    assert side_by_side(an_array(2.0, 16.0), an_array(5.0, 40.0)) == 7
    assert side_by_side(an_array(2.0, 16.0), an_array(1.0, 40.0)) >= 7  # not told
