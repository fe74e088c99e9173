"""Variances and covariances over a fixed number of records, and counts that are always equal."""

from __future__ import annotations

import numpy as np
import pytest

from dpaudit import AddRemove, Categorical, PureDP, Real, ReplaceOne, Row
from dpaudit.floats import Refused, float_bounds
from dpaudit.formal.clock import now
from dpaudit.formal.cost import CostProof, prove_by_cost
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported

ONE = PureDP(1.0)
FIVE = ReplaceOne(Real(0, 1), size=5)
PAIR = Row(x=Real(0, 1), y=Real(0, 1))
PAIRS = ReplaceOne(PAIR, size=5, container="list")
MANY = AddRemove(PAIR, max_size=8, container="pandas")
FEW = ReplaceOne(PAIR, size=5, container="pandas")


def is_proved(mechanism, neighbors):
    """Return whether there is a proof by cost that holds of floats."""
    try:
        program = lift(mechanism)
        found = prove_by_cost(program, ONE, neighbors, deadline=now() + 300)
        float_bounds(to_dict(program), ONE, neighbors, "cost")
    except (Unsupported, Refused):
        return False
    return isinstance(found, CostProof)


def variance(data, rng):
    n = len(data)
    mean = sum(data) / n
    return sum((x - mean) ** 2 for x in data) / n + rng.laplace(0, 0.2)


def variance_of_clipped(data, rng):
    kept = [max(0.0, min(1.0, x)) for x in data]
    mean = sum(kept) / len(kept)
    return sum([(x - mean) * (x - mean) for x in kept]) / len(kept) + rng.laplace(0, 0.2)


def mean_of_squares(data, rng):
    mean = np.mean(data)
    return np.mean([(x - mean) ** 2 for x in data]) + rng.laplace(0, 0.2)


def variance_with_less_noise(data, rng):
    mean = sum(data) / len(data)
    return sum((x - mean) ** 2 for x in data) / len(data) + rng.laplace(0, 0.15)


def about_another_number(data, rng):
    mean = sum(data) / (len(data) + 1)
    return sum((x - mean) ** 2 for x in data) / len(data) + rng.laplace(0, 0.2)


def largest_deviation(data, rng):
    mean = sum(data) / len(data)
    return max([(x - mean) ** 2 for x in data]) + rng.laplace(0, 0.2)


def deviations_of_some(data, rng):
    mean = sum(data) / len(data)
    return sum((x - mean) ** 2 for x in data if x > 0.5) / len(data) + rng.laplace(0, 0.2)


def deviations_are_shown(data, rng):
    mean = sum(data) / len(data)
    return [(x - mean) ** 2 for x in data], rng.laplace(0, 0.2)


def covariance(rows, rng):
    xs, ys = [r["x"] for r in rows], [r["y"] for r in rows]
    n = len(rows)
    a, b = sum(xs) / n, sum(ys) / n
    return sum((x - a) * (y - b) for x, y in zip(xs, ys, strict=False)) / n + rng.laplace(0, 0.4)


def about_the_mean_of_another_column(rows, rng):
    xs, ys = [r["x"] for r in rows], [r["y"] for r in rows]
    b = sum(ys) / len(rows)
    return sum((x - b) ** 2 for x in xs) / len(rows) + rng.laplace(0, 0.2)


@pytest.mark.parametrize("mechanism", [variance, variance_of_clipped, mean_of_squares])
def test_a_variance_by_a_comprehension_is_proved(mechanism):
    assert is_proved(mechanism, FIVE)


def test_a_covariance_by_a_comprehension_is_proved():
    assert is_proved(covariance, PAIRS)


@pytest.mark.parametrize(
    "mechanism",
    [
        variance_with_less_noise, about_another_number, largest_deviation, deviations_of_some,
        deviations_are_shown,
    ],
)  # fmt: skip
def test_other_deviations_are_not_proved(mechanism):
    assert not is_proved(mechanism, FIVE)


def test_the_variance_of_records_that_come_and_go_is_not_proved():
    assert not is_proved(variance, AddRemove(Real(0, 1), max_size=8, min_size=1))


def test_deviations_from_the_mean_of_another_column_are_not_proved():
    assert not is_proved(about_the_mean_of_another_column, PAIRS)


# --- counts


def of_equal_length(frame, rng):
    x, y = frame["x"].tolist(), frame["y"].tolist()
    if len(x) != len(y):
        raise ValueError("columns of different length")
    return sum(a * b for a, b in zip(x, y, strict=False)) + rng.laplace(0, 1.0)


def of_some_length(frame, rng):
    x, y = frame["x"][frame["x"] > 0.5], frame["y"]
    if len(x) != len(y):
        return 0.0
    return y.sum() + rng.laplace(0, 1.0)


def of_twice_the_length(frame, rng):
    if 2 * len(frame) == len(frame["y"]):
        return 0.0
    return frame["y"].sum() + rng.laplace(0, 1.0)


def unless_empty(frame, rng):
    if frame.empty or frame["x"].empty:
        return 0.0
    return frame["x"].sum() + rng.laplace(0, 1.0)


def unless_some_are_missing(frame, rng):
    some = frame["x"][frame["x"] > 0.5]
    return 0.0 if some.empty else some.sum() + rng.laplace(0, 1.0)


def test_columns_of_the_same_records_have_one_length():
    assert is_proved(of_equal_length, MANY)


@pytest.mark.parametrize("mechanism", [of_some_length, of_twice_the_length])
def test_other_lengths_are_private(mechanism):
    assert not is_proved(mechanism, MANY)


def test_a_frame_of_a_fixed_size_is_not_empty():
    assert is_proved(unless_empty, FEW)
    assert not is_proved(unless_empty, MANY)
    assert not is_proved(unless_some_are_missing, FEW)


# --- copies and weights


def limited_in_a_copy(data, rng):
    x = np.asarray(data).astype(float, copy=True)
    x[x > 1] = 1
    x[x < 0] = 0
    return x.sum() + rng.laplace(0, 1.0)


def limited_without_a_copy(data, rng):
    x = np.asarray(data).astype(float, copy=False)
    x[x > 1] = 1
    return x.sum() + data.sum() + rng.laplace(0, 1.0)


def by_shares(data, rng, half=0.5):
    weights = np.array([np.exp(half * data.count(item)) for item in "abc"])
    weights = weights / np.linalg.norm(weights, ord=1)
    return rng.choice(["a", "b", "c"], p=weights)


def by_sharper_shares(data, rng):
    return by_shares(data, rng, 1.1)


def test_a_copy_of_another_type_may_be_limited():
    assert is_proved(limited_in_a_copy, AddRemove(Real(0, 1), max_size=8))
    assert not is_proved(limited_without_a_copy, AddRemove(Real(0, 1), max_size=8))


def test_weights_over_their_norm_are_shares():
    items = AddRemove(Categorical(["a", "b", "c"]), max_size=8, container="list")
    assert is_proved(by_shares, items)
    assert not is_proved(by_sharper_shares, items)
