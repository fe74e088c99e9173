"""Arrays that are made by a shape and filled, and faults of the float analysis."""

from __future__ import annotations

import numpy as np
import pytest

from dpaudit import PureDP, QueryAnswers
from dpaudit.formal import attempts
from dpaudit.formal.clock import Limit
from dpaudit.subject import Subject
from tests.proving import is_proved

ANSWERS = QueryAnswers(length=3, distance=1.0, norm="l0")
FAR = 1e17


def in_columns_of_an_empty_array(answers, rng):
    noisy = np.atleast_2d(answers) + rng.laplace(scale=2.0, size=(1, 3))
    sums = np.empty(shape=(1, 3), dtype=float)
    total = np.zeros(shape=(1,))
    for i in range(3):
        total = total + noisy[:, i]
        sums[:, i] = total
    return sums


def in_a_full_array(answers, rng):
    noisy = np.full(shape=3, fill_value=0.5)
    for i in range(3):
        noisy[i] += answers[i] + rng.laplace(scale=2.0)
    return noisy


def in_an_array_of_large_numbers(answers, rng):
    far = np.full(shape=3, fill_value=FAR)
    for i in range(3):
        far[i] += answers[i]
    return far + rng.laplace(scale=2.0, size=3)


def of_one_row_that_two_answers_fill(answers, rng):
    sums = np.empty(shape=(1, 3))
    for i in range(3):
        sums[:, i] = answers[i]
        sums[:, 0] = sums[:, 0] + answers[i]
    return sums + rng.laplace(scale=2.0, size=(1, 3))


@pytest.mark.parametrize("mechanism", [in_columns_of_an_empty_array, in_a_full_array])
def test_an_array_that_is_made_by_the_keyword_shape_is_proved(mechanism):
    assert is_proved(mechanism, PureDP(0.5), ANSWERS)


@pytest.mark.parametrize(
    "mechanism", [in_an_array_of_large_numbers, of_one_row_that_two_answers_fill]
)
def test_what_fills_it_counts(mechanism):
    assert not is_proved(mechanism, PureDP(0.5), ANSWERS)


def test_a_fault_of_the_float_analysis_is_no_proof_and_ends_nothing(monkeypatch):
    def fails(*_):
        raise IndexError("a fault")

    monkeypatch.setattr(attempts, "rounding_of", fails)
    subject = Subject.of(in_a_full_array)
    found = attempts.decided_by(subject, PureDP(0.5), ANSWERS, 60, Limit.of(None, 60))
    assert found.result is None
    assert "the prover failed (IndexError: a fault)" in found.reason
