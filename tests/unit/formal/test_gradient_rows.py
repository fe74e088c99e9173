"""Gradients of one row each, shortened in a loop and added up, as in training by hand."""

import math

import numpy as np
import pytest

import dpaudit
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


def each_gradient(data, shorten, rng):
    points, labels = points_of(data)
    weights, total = np.zeros(2), np.zeros(2)
    for x, y in zip(points, labels, strict=True):
        total += shorten((1 / (1 + np.exp(-x @ weights)) - y) * x)
    return total + rng.normal(0, 2.0, size=2)


def by_a_test(data, rng):
    def shorten(each):
        norm = np.linalg.norm(each)
        if norm > 2.0:
            each = each * (2.0 / norm)
        return each

    return each_gradient(data, shorten, rng)


def by_a_test_in_place(data, rng):
    def shorten(each):
        norm = np.sqrt(np.sum(each**2))
        if norm > 2.0:
            each *= 2.0 / norm
        return each

    return each_gradient(data, shorten, rng)


def by_a_test_turned(data, rng):
    def shorten(each):
        norm = (each**2).sum() ** 0.5
        if norm <= 2.0:
            return each
        return each / norm * 2.0

    return each_gradient(data, shorten, rng)


def by_a_sum_in_python(data, rng):
    def shorten(each):
        norm = math.sqrt(sum(v * v for v in each))
        if norm > 2.0:
            each = each * (2.0 / norm)
        return each

    return each_gradient(data, shorten, rng)


def by_the_smaller_factor(data, rng):
    def shorten(each):
        return each * min(1.0, 2.0 / (np.linalg.norm(each) + 1e-12))

    return each_gradient(data, shorten, rng)


@pytest.mark.parametrize(
    ("mechanism", "claim"),
    [
        (by_a_test, ONCE),
        (by_a_test_turned, ONCE),
        (by_a_sum_in_python, ONCE),
        (by_the_smaller_factor, ONCE),
        (one_step, ONCE),
        (three_steps, GaussianDP(1.7321)),
        (weights_that_are_zero, ONCE),
    ],
)
def test_gradients_that_a_loop_shortens_are_proved(mechanism, claim):
    assert is_proved(mechanism, claim, POINTS)


def test_a_gradient_that_a_function_shortens_in_place_is_neither_proved_nor_refuted():
    """The bounds of rounding do not see that its caller holds no other name of it."""
    report = dpaudit.verify(by_a_test_in_place, ONCE, POINTS)
    assert report.verdict is dpaudit.Verdict.INCONCLUSIVE
    assert "an array that a function is given and changes" in report.evidence[0].reason


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


def by_the_norm_of_another(data, rng):
    points, labels = points_of(data)
    total = np.zeros(2)
    for x, y in zip(points, labels, strict=True):
        each, norm = (0.5 - y) * x, np.linalg.norm(x - 3)
        if norm > 2.0:
            each = each * (2.0 / norm)
        total += each
    return total + rng.normal(0, 2.0, size=2)


def by_the_norm_before(data, rng):
    def shorten(each):
        norm = np.linalg.norm(each)
        each = each * 3
        if norm > 2.0:
            each = each * (2.0 / norm)
        return each

    return each_gradient(data, shorten, rng)


def where_it_is_short(data, rng):
    def shorten(each):
        norm = np.linalg.norm(each)
        if norm < 2.0:
            each = each * (2.0 / norm)
        return each

    return each_gradient(data, shorten, rng)


def by_one_entry(data, rng):
    def shorten(each):
        norm = np.sqrt((each**2)[0])
        if norm > 2.0:
            each = each * (2.0 / norm)
        return each

    return each_gradient(data, shorten, rng)


def by_the_norm_of_some(data, rng):
    def shorten(each):
        norm = np.sqrt(np.sum((each**2)[:1]))
        if norm > 2.0:
            each = each * (2.0 / norm)
        return each

    return each_gradient(data, shorten, rng)


def by_the_root_of_the_norm(data, rng):
    def shorten(each):
        norm = np.sqrt(np.linalg.norm(each))
        if norm > 2.0:
            each = each * (2.0 / norm)
        return each

    return each_gradient(data, shorten, rng)


def by_the_negative_norm(data, rng):
    def shorten(each):
        less = -np.linalg.norm(each)
        if less > 2.0:
            each = each * (2.0 / less)
        return each

    return each_gradient(data, shorten, rng)


def by_the_least_entry(data, rng):
    def shorten(each):
        norm = np.sqrt(np.min(each**2))
        if norm > 2.0:
            each = each * (2.0 / norm)
        return each

    return each_gradient(data, shorten, rng)


def large_rows_below_a_test(data, rng):
    total = np.zeros(2)
    for x in np.column_stack([data["a"] + 1e17, data["b"]]):
        norm = np.linalg.norm(x)
        if norm > 2e17:
            x = x * (2e17 / norm)
        total += x - np.array([1e17, 0.0])
    return np.clip(total, -1, 1) * 0.5 + rng.normal(0, 1.0, size=2)


@pytest.mark.parametrize(
    ("mechanism", "claim"),
    [
        (by_a_test, GaussianDP(0.99)),
        (by_the_norm_of_another, ONCE),
        (by_the_norm_before, ONCE),
        (where_it_is_short, ONCE),
        (by_one_entry, ONCE),
        (by_the_norm_of_some, ONCE),
        (by_the_root_of_the_norm, ONCE),
        (by_the_negative_norm, ONCE),
        (by_the_least_entry, ONCE),
        (large_rows_below_a_test, ONCE),
        (one_step, GaussianDP(0.9)),
        (three_steps, GaussianDP(1.73)),
        (sum_that_is_shortened, ONCE),
        (large_columns, ONCE),
        (many_additions, ONCE),
    ],
)
def test_a_mistake_about_gradients_in_a_loop_is_not_proved(mechanism, claim):
    assert not is_proved(mechanism, claim, POINTS)
