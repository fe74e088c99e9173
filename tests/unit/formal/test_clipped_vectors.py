"""Vectors that are shortened to a length, as code for federated learning writes it."""

import math

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, ApproxDP, QueryAnswers, Real, ReplaceOne, Row
from tests.checking import check
from tests.proving import is_proved

CLAIM = ApproxDP(1.0, 1e-5)
UPDATE = QueryAnswers(3, 4.0, "l2")
TEN = ReplaceOne(Row(a=Real(-5, 5), b=Real(-5, 5)), size=10, container="list")
FRAME = ReplaceOne(TEN.records, size=10, container="pandas")
PAIRS = AddRemove(Row(a=Real(-5, 5), b=Real(-5, 5)), container="list", min_size=1)


def by_the_larger_of_one_and_the_norm(update, rng):
    norm = np.linalg.norm(update)
    return update / max(1.0, norm / 1.0) + rng.normal(0, 8.0, size=update.shape)


def records_by_the_smaller_factor(data, rng):
    clipped = []
    for row in data:
        gradient = np.array([row["a"], row["b"]])
        norm = np.linalg.norm(gradient)
        clipped.append(gradient * min(1.0, 1.0 / (norm + 1e-12)))
    return np.sum(clipped, axis=0) + rng.normal(0, 5.0, size=2)


def with_noise_for_one_length(update, rng):
    norm = np.linalg.norm(update)
    return update / max(1.0, norm / 1.0) + rng.normal(0, 4.0, size=update.shape)


def by_the_norm_of_a_part(update, rng):
    norm = np.linalg.norm(update[:2])
    return update / max(1.0, norm / 1.0) + rng.normal(0, 8.0, size=update.shape)


def by_the_smaller_of_both(update, rng):
    norm = np.linalg.norm(update)
    return update / min(1.0, norm + 0.1) + rng.normal(0, 8.0, size=update.shape)


def twice(update, rng):
    norm = np.linalg.norm(update)
    clipped = update / max(1.0, norm / 1.0)
    return clipped + clipped + rng.normal(0, 8.0, size=update.shape)


def with_an_entry_again(update, rng):
    norm = np.linalg.norm(update)
    clipped = update / max(1.0, norm / 1.0)
    return clipped + rng.normal(0, 8.0, size=update.shape), clipped[0] + rng.normal(0, 8.0)


def with_the_norm(update, rng):
    norm = np.linalg.norm(update)
    return update / max(1.0, norm / 1.0) + rng.normal(0, 8.0, size=update.shape), norm > 1


def another_vector_by_this_norm(update, rng):
    norm = np.linalg.norm(update)
    return (update + 1) / max(1.0, norm / 1.0) + rng.normal(0, 8.0, size=update.shape)


def by_the_root_of_the_factor(data, rng):
    clipped = []
    for row in data:
        gradient = np.array([row["a"], row["b"]])
        norm = np.linalg.norm(gradient)
        clipped.append(gradient * np.sqrt(min(1.0, 1.0 / (norm + 1e-12))))
    return np.sum(clipped, axis=0) + rng.normal(0, 5.0, size=2)


def by_hypot_of_all_entries(data, rng):
    total = np.zeros(2)
    for row in data:
        vector = [row["a"], row["b"]]
        total += np.array(_shortened(vector, math.hypot(*vector)))
    return total + rng.normal(0, 10.0, size=2)


def _shortened(vector, norm):
    scale = 1.0 / max(1.0, norm)
    return [x * scale for x in vector]


def mean_of_rows_of_a_frame(frame, rng):
    rows = np.atleast_2d(frame[["a", "b"]].to_numpy(dtype=float))
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    clipped = rows * np.minimum(1.0, 1.0 / np.maximum(norms, 1e-12))
    return clipped.mean(axis=0) + rng.normal(0, 10.0 / rows.shape[0], size=2)


def mean_of_rows_with_noise_for_more_of_them(frame, rng):
    rows = np.atleast_2d(frame[["a", "b"]].to_numpy(dtype=float))
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    clipped = rows * np.minimum(1.0, 1.0 / np.maximum(norms, 1e-12))
    return clipped.mean(axis=0) + rng.normal(0, 10.0 / rows.size, size=2)


def mean_of_rows_along_the_other_axis(frame, rng):
    rows = np.atleast_2d(frame[["a", "b"]].to_numpy(dtype=float))
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    clipped = rows * np.minimum(1.0, 1.0 / np.maximum(norms, 1e-12))
    return clipped.mean(axis=1) + rng.normal(0, 1.0, size=rows.shape[0])


def by_hypot_of_one_entry(data, rng):
    total = np.zeros(2)
    for row in data:
        vector = [row["a"], row["b"]]
        total += np.array(_shortened(vector, math.hypot(*vector[:1])))
    return total + rng.normal(0, 10.0, size=2)


def by_hypot_of_entries_that_are_halved(data, rng):
    total = np.zeros(2)
    for row in data:
        vector = np.array([row["a"], row["b"]])
        total += np.array(_shortened(vector, math.hypot(*vector / 2)))
    return total + rng.normal(0, 10.0, size=2)


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [
        (by_the_larger_of_one_and_the_norm, UPDATE),
        (records_by_the_smaller_factor, PAIRS),
        (by_hypot_of_all_entries, TEN),
        (mean_of_rows_of_a_frame, FRAME),
    ],
)
def test_noise_for_shortened_vectors_is_proved_and_the_proof_is_checked(mechanism, neighbors):
    report = dpaudit.verify(mechanism, CLAIM, neighbors)
    assert report.verdict is dpaudit.Verdict.VERIFIED, report.reason
    assert check(report.certificate.to_dict()).accepted


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [
        (with_noise_for_one_length, UPDATE),
        (by_the_norm_of_a_part, UPDATE),
        (by_the_smaller_of_both, UPDATE),
        (twice, UPDATE),
        (with_an_entry_again, UPDATE),
        (with_the_norm, UPDATE),
        (another_vector_by_this_norm, UPDATE),
        (by_the_root_of_the_factor, PAIRS),
        (by_hypot_of_one_entry, TEN),
        (mean_of_rows_with_noise_for_more_of_them, FRAME),
        (mean_of_rows_along_the_other_axis, FRAME),
        (by_hypot_of_entries_that_are_halved, TEN),
    ],
)
def test_a_vector_that_is_shortened_otherwise_is_not_verified(mechanism, neighbors):
    assert not is_proved(mechanism, CLAIM, neighbors)
