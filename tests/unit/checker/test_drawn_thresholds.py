"""A number that was drawn is the same in both runs; what private values make of it is not."""

import numpy as np
import pytest

from dpaudit import AddRemove, Categorical, PureDP, QueryAnswers, Real, ReplaceOne
from tests.proving import is_proved

ANSWERS = QueryAnswers(4)
THREE = ReplaceOne(Real(0, 1), size=3)
SOME = AddRemove(Real(0, 1), max_size=5)
WORDS = AddRemove(Categorical(["no", "yes"]), max_size=5)


def an_answer_above_a_draw(answers, rng):
    return answers[0] > rng.uniform(-1.0, 3.0)


def a_draw_below_an_answer(answers, rng):
    return rng.uniform(-1.0, 3.0) < answers[0]


def an_answer_that_a_draw_hits(answers, rng):
    return answers[0] == rng.choice([0.5, 2.0])


def answers_above_one_threshold(answers, rng, *, one=1.0):
    threshold = rng.choice([-1.0, one]) * rng.exponential(scale=2.0)
    flags = []
    for answer in answers:
        flags.append(bool(answer >= threshold))
        if flags[-1]:
            break
    return tuple(flags)


def a_record_below_a_draw(data, rng):
    return data[0] < rng.uniform(0.0, 2.0)


def a_mean_below_a_draw(data, rng):
    return np.mean(data) < rng.uniform(0.0, 2.0)


def a_mean_below_a_draw_as_a_number(data, rng):
    return float(np.mean(data) < rng.uniform(0.0, 2.0)) + rng.laplace(scale=0.1)


def a_branch_on_a_mean(data, rng):
    if sum(data) / 3 < rng.uniform(0.0, 2.0):
        return rng.laplace()
    return 5.0


def records_above_a_draw(data, rng):
    threshold = rng.uniform(0.0, 2.0)
    return sum(1 for x in data if x > threshold) + rng.laplace(scale=0.5)


def records_times_a_draw(data, rng):
    factor = rng.uniform(0.0, 2.0)
    return sum(1 for x in data if x * factor > 0.5) + rng.laplace(scale=0.5)


def words_that_were_drawn(data, rng):
    word = rng.choice(["no", "yes"])
    return sum(1 for each in data if each == word) + rng.laplace(scale=0.5)


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [
        (an_answer_above_a_draw, ANSWERS),
        (a_draw_below_an_answer, ANSWERS),
        (an_answer_that_a_draw_hits, ANSWERS),
        (answers_above_one_threshold, ANSWERS),
        (a_record_below_a_draw, THREE),
        (a_mean_below_a_draw, THREE),
        (a_mean_below_a_draw_as_a_number, THREE),
        (a_branch_on_a_mean, THREE),
        (records_above_a_draw, SOME),
        (records_times_a_draw, SOME),
        (words_that_were_drawn, WORDS),
    ],
)
def test_private_values_beside_a_draw_are_not_released_for_nothing(mechanism, neighbors):
    assert not is_proved(mechanism, PureDP(1), neighbors)


def a_public_number_below_a_draw(data, rng):
    if len(data) < rng.uniform(0.0, 6.0):
        return sum(data) + rng.laplace()
    return 5.0


def enough_noise_above_a_draw(data, rng):
    threshold = rng.uniform(0.0, 2.0)
    return sum(1 for x in data if x > threshold) + rng.laplace()


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [(a_public_number_below_a_draw, THREE), (enough_noise_above_a_draw, SOME)],
)
def test_public_values_beside_a_draw_cost_nothing(mechanism, neighbors):
    assert is_proved(mechanism, PureDP(1), neighbors)
