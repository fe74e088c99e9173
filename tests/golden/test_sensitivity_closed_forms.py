"""Sensitivities in closed form: textbook queries, and what tutorials say of them."""

import numpy as np
import pytest
import sympy

from dpaudit import AddRemove, AnyPair, Integer, QueryAnswers, Real, ReplaceOne, Row, Verdict
from dpaudit.formal.sensitivity import sensitivity
from dpaudit.neighbors import Pairs

ADDED, REPLACED = AddRemove(Real(0, 100)), ReplaceOne(Real(0, 100), size=5)
EDGES = np.array([20.0, 40.0, 60.0, 80.0])
root = sympy.sqrt


def total(data):
    return float(data.sum())


def count(data):
    return len(data)


def count_above(data):
    return np.count_nonzero(data > 50.0)


def mean(data):
    return data.sum() / max(1, len(data))


def variance(data):
    n = max(2, len(data))
    deviations = data - data.sum() / max(1, len(data))
    return float(deviations @ deviations) / (n - 1)


def histogram(data):
    return np.bincount(EDGES.searchsorted(data, side="right"), minlength=len(EDGES) + 1)


def counts_above(data):
    return np.count_nonzero(data[:, None] >= EDGES, axis=0)


def largest(data):
    return np.max(data, initial=0.0)


def median(data):
    return np.median(data)


def squares(data):
    return (data**2).sum()


def ten_times(data):
    return 10.0 * data.sum()


def distinct(data):
    return len(np.unique(data))


def clipped_far(data):
    return np.clip(data, 100.0, 125.0).sum()


def without_lower_end(data):
    return data.clip(max=100.0).sum()


def clipped_nan(data):
    return np.clip(data, 0.0, 100.0).sum()


def fmin_fmax(data):
    return np.fmin(np.fmax(data, 0.0), 100.0).sum()


def gradients(data):
    both = np.column_stack([data["x"], data["y"]])
    lengths = np.sqrt((both**2).sum(axis=1, keepdims=True))
    return (both / np.maximum(1.0, lengths / 2.0)).sum(axis=0)


def covariance(data):
    x, y = data["x"] - data["x"].mean(), data["y"] - data["y"].mean()
    return x @ y


def running_sums(answers):
    return np.cumsum(answers)


def rank_of_median(data):
    return np.abs(np.sort(data).searchsorted(EDGES) - 0.5 * len(data))


def with_symbolic_ends(data, low, high):
    return np.clip(data, low, high).sum()


@pytest.mark.parametrize(
    ("query", "neighbors", "norm", "bound"),
    [
        (total, ADDED, "l1", 100),
        (total, AddRemove(Real(-100, 50)), "l1", 100),
        (total, AddRemove(Real(0, 100), group=3), "l1", 300),
        (total, REPLACED, "l1", 100),
        (total, ReplaceOne(Real(-100, 50), size=5), "l1", 150),
        (total, AddRemove(Integer(-3, 7)), "l1", 7),
        (count, ADDED, "l1", 1),
        (count, REPLACED, "l1", 0),
        (count_above, ADDED, "l1", 1),
        (count_above, REPLACED, "l1", 1),
        (mean, REPLACED, "l1", 20),
        (variance, ReplaceOne(Real(0, 1), size=8), "l1", sympy.Rational(1, 8)),
        (histogram, ADDED, "l1", 1),
        (histogram, ADDED, "l2", 1),
        (histogram, ADDED, "linf", 1),
        (histogram, REPLACED, "l1", 2),
        (histogram, REPLACED, "l2", root(2)),
        (histogram, REPLACED, "linf", 1),
        (counts_above, ADDED, "l1", 4),
        (counts_above, ADDED, "l2", 2),
        (counts_above, REPLACED, "l1", 4),
        (largest, ADDED, "l1", 100),
        (largest, REPLACED, "l1", 100),
        (median, REPLACED, "l1", 100),
        (median, ReplaceOne(Real(0, 100), size=6), "l1", 50),
        (squares, ADDED, "l1", 10_000),
        (squares, AddRemove(Real(-200, 100)), "l1", 40_000),
        (ten_times, ADDED, "l1", 1000),
        (rank_of_median, ADDED, "linf", sympy.Rational(1, 2)),
        (rank_of_median, REPLACED, "linf", 1),
        (distinct, ADDED, "l1", 1),
        (distinct, REPLACED, "l1", 1),
        (clipped_far, ADDED, "l1", 100),
        (clipped_far, AddRemove(Real(0, 1000)), "l1", 125),
        (clipped_far, ReplaceOne(Real(0, 1000), size=4), "l1", 25),
        (without_lower_end, AddRemove(Real(0, 100)), "l1", 100),
        (fmin_fmax, AddRemove(Real(0, 100, allow_nan=True, enforced=False)), "l1", 100),
        (gradients, AddRemove(Row(x=Real(-9, 9), y=Real(-9, 9))), "l2", 2),
        (gradients, ReplaceOne(Row(x=Real(-9, 9), y=Real(-9, 9)), size=3), "l2", 4),
        (covariance, ReplaceOne(Row(x=Real(0, 2), y=Real(0, 3)), size=3), "l1", 4),
        (total, QueryAnswers(4, 1.0, "linf"), "l1", 4),
        (total, QueryAnswers(4, 1.0, "l0"), "l1", 1),
        (total, QueryAnswers(4, 1.0, "l2"), "l1", 2),
        (running_sums, QueryAnswers(4, 1.0, "l0"), "l1", 4),
        (running_sums, QueryAnswers(4, 1.0, "l0"), "l2", 2),
        (running_sums, QueryAnswers(4, 1.0, "l1"), "linf", 1),
        (float, AnyPair(Real(-1, 3)), "l1", 4),
        (total, Pairs([(np.zeros(2), np.array([1.0, 0.5])), (np.ones(1), np.zeros(1))]), "l1", 1.5),
    ],
)
def test_the_bound_is_the_closed_form(query, neighbors, norm, bound):
    if query is float:

        def query(value):
            return float(value)

    report = sensitivity(query, neighbors, norm)
    assert sympy.simplify(report.bound - bound) == 0 or report.bound == bound, str(report)


@pytest.mark.parametrize(
    ("query", "neighbors", "claimed", "verdict"),
    [
        (clipped_far, AddRemove(Real(100, 125)), 25, Verdict.REFUTED),
        (clipped_far, AddRemove(Real(100, 125)), 125, Verdict.VERIFIED),
        (clipped_far, ReplaceOne(Real(100, 125), size=3), 25, Verdict.VERIFIED),
        (squares, ADDED, 100, Verdict.REFUTED),
        (ten_times, ADDED, 100, Verdict.REFUTED),
        (without_lower_end, AddRemove(Real(0, 100, enforced=False)), 100, Verdict.REFUTED),
        (clipped_nan, AddRemove(Real(0, 100, allow_nan=True)), 100, Verdict.REFUTED),
        (mean, ADDED, "100/(n + 1)", Verdict.REFUTED),
        (mean, ADDED, 100, Verdict.VERIFIED),
        (histogram, REPLACED, 1, Verdict.REFUTED),
        (with_symbolic_ends, AddRemove(Real(0, 200)), "high - low", Verdict.REFUTED),
    ],
)
def test_claims_of_tutorials_are_decided(query, neighbors, claimed, verdict):
    report = sensitivity(query, neighbors, claimed=claimed)
    assert report.verdict is verdict, str(report)
    if verdict is Verdict.REFUTED:
        assert report.refuted_by is not None
        assert neighbors.contains(report.refuted_by)


def opposite_gradients(data):
    lengths = np.abs(data)
    return (data / np.maximum(1.0, lengths)).sum()


def test_clipped_gradients_move_by_twice_their_bound_where_one_is_replaced():
    neighbors = ReplaceOne(Row(x=Real(-9, 9), y=Real(-9, 9)), size=2)
    report = sensitivity(gradients, neighbors, "l2", claimed=2)
    assert report.bound == 4
    assert report.verdict is Verdict.REFUTED


def by_position(data):
    part = np.arange(len(data)) * 5 // max(1, len(data))
    members = [data[part == j] for j in range(5)]
    return float(np.mean([np.max(m) if len(m) else 50.0 for m in members]))


def test_sample_and_aggregate_by_position_is_refuted_by_concrete_datasets():
    report = sensitivity(by_position, ADDED, claimed=20)
    assert report.verdict is Verdict.REFUTED
    assert report.bound is None
    left, right = by_position(report.refuted_by.left), by_position(report.refuted_by.right)
    assert abs(left - right) > 20


def by_value(data):
    part = np.searchsorted((20.0, 40.0, 60.0, 80.0), data)
    members = [data[part == j] for j in range(5)]
    return np.mean([np.max(m) if len(m) else 50.0 for m in members])


def test_sample_and_aggregate_by_value_moves_by_the_range_over_the_number_of_parts():
    report = sensitivity(by_value, ADDED, claimed=20)
    assert report.bound == 20
    assert report.verdict is Verdict.VERIFIED
