"""Gradients of one row each, shortened in a loop and added up, as in training by hand."""

import numpy as np
import pytest

from dpaudit import AddRemove, Categorical, GaussianDP, Real, Row
from tests.proving import is_proved

POINTS = AddRemove(Row(a=Real(-5, 5), b=Real(-5, 5), label=Categorical([0, 1])), max_size=30)
ONCE = GaussianDP(1.0)


def points_of(data):
    return np.column_stack([data["a"], data["b"]]), data["label"]


def one_step(data, rng):
    points, labels = points_of(data)
    weights, gradient = np.zeros(2), np.zeros(2)
    for x, y in zip(points, labels, strict=True):
        error = 1 / (1 + np.exp(-x @ weights)) - y
        each = error * x
        gradient += each / max(1.0, np.linalg.norm(each) / 1.0)
    gradient += rng.normal(0, 1.0, size=2)
    return weights - 0.1 * gradient


def three_steps(data, rng):
    points, labels = points_of(data)
    weights = np.zeros(2)
    for _ in range(3):
        gradient = np.zeros(2)
        for x, y in zip(points, labels, strict=True):
            each = (1.0 / (1.0 + np.exp(-np.dot(x, weights))) - y) * x
            each = each / max(1.0, np.linalg.norm(each))
            gradient = gradient + each
        weights = weights - 0.05 * (gradient + rng.normal(0, 1.0, 2))
    return weights


def weights_that_are_zero(data, rng):
    points, _ = points_of(data)
    weights, total = np.zeros(2), np.zeros(2)
    for x in points:
        each = (x @ weights) * x
        total += each / max(1.0, np.linalg.norm(each))
    return total + rng.normal(0, 1.0, size=2)


@pytest.mark.parametrize(
    ("mechanism", "claim"),
    [
        (one_step, ONCE),
        (three_steps, GaussianDP(1.7321)),
        (weights_that_are_zero, ONCE),
    ],
)
def test_gradients_that_a_loop_shortens_are_proved(mechanism, claim):
    assert is_proved(mechanism, claim, POINTS)


def sum_that_is_shortened(data, rng):
    points, labels = points_of(data)
    gradient = np.zeros(2)
    for x, y in zip(points, labels, strict=True):
        gradient += (0.5 - y) * x
    gradient = gradient / max(1.0, np.linalg.norm(gradient))
    return gradient + rng.normal(0, 1.0, size=2)


def large_columns(data, rng):
    total = np.zeros(2)
    for x in np.column_stack([data["a"] + 1e17, data["b"]]):
        total += x - np.array([1e17, 0.0])
    return np.clip(total, -1, 1) * 0.5 + rng.normal(0, 1.0, size=2)


def many_additions(data, rng):
    total = np.zeros(2)
    for _ in range(50):
        for x in points_of(data)[0]:
            total += x / max(1.0, np.linalg.norm(x)) / 50
    return total + rng.normal(0, 1.0, size=2)


@pytest.mark.parametrize(
    ("mechanism", "claim"),
    [
        (one_step, GaussianDP(0.9)),
        (three_steps, GaussianDP(1.73)),
        (sum_that_is_shortened, ONCE),
        (large_columns, ONCE),
        (many_additions, ONCE),
    ],
)
def test_a_mistake_about_gradients_in_a_loop_is_not_proved(mechanism, claim):
    assert not is_proved(mechanism, claim, POINTS)
