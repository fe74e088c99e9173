"""Runs of programs with noise as symbols do what Python does, arrays and aliases included."""

import math

import numpy as np
import pytest

from dpaudit.formal.balls import precision
from dpaudit.formal.lift import lift
from dpaudit.formal.trial.affine import Affine
from dpaudit.formal.trial.execute import Trial
from dpaudit.formal.unsupported import Unsupported
from dpaudit.subject import Subject


def entries_are_written_one_by_one(data, rng):
    out = np.zeros(3)
    for at in range(2):
        out[at] = data.sum() + rng.laplace()
    return out


def a_view_sees_what_is_written(data, rng):
    out = np.zeros(3)
    view = out[1:]
    out[1] = data.sum() + rng.laplace()
    view[1] = 7.0
    return out


def an_alias_sees_noise_that_is_added_in_place(data, rng):
    one = np.clip(data, 0, 1)
    other = one
    one += rng.laplace(size=len(one))
    return other


def the_data_take_noise(data, rng):
    data[0] += rng.laplace()
    return data


def a_selection_takes_noise(data, rng):
    chosen = data[data > 0]
    chosen += rng.laplace(size=len(chosen))
    return chosen


def integers_take_noise(data, rng):
    out = np.zeros(2, dtype=int)
    out[0] = len(data) + rng.laplace()
    return out


def a_function_within_returns(data, rng):
    def noisy(value):
        return value + rng.laplace()

    return noisy(data.sum())


def a_generator_is_gone_through_once(data, rng):
    noisy = (value + rng.laplace() for value in data)
    return [list(noisy), list(noisy)]


def an_error_is_an_output(data, rng):
    if len(data) > 1:
        raise ValueError(f"{rng.laplace()}")
    return rng.laplace()


def run(mechanism):
    with precision(80):
        trial = Trial(lift(Subject.of(mechanism)))
        (outcome,) = trial.outcomes(np.array([0.5, 0.25]), deadline=math.inf)
    return outcome


@pytest.mark.parametrize(
    ("mechanism", "noises"),
    [
        (entries_are_written_one_by_one, [1, 1, 0]),
        (a_view_sees_what_is_written, [0, 1, 0]),
        (an_alias_sees_noise_that_is_added_in_place, [1, 1]),
        (the_data_take_noise, [1, 0]),
        (a_selection_takes_noise, [1, 1]),
    ],
)
def test_arrays_hold_the_noise_that_is_written_into_them(mechanism, noises):
    output = run(mechanism).output
    assert [len(v.terms) if isinstance(v, Affine) else 0 for v in output] == noises
    if mechanism is a_view_sees_what_is_written:
        assert output[2] == 7.0


def test_noise_in_an_array_of_integers_is_not_followed():
    with pytest.raises(Unsupported, match="noise read as a number"):
        run(integers_take_noise)


def test_a_result_is_placed_where_the_function_within_returns_it():
    first = a_function_within_returns.__code__.co_firstlineno
    assert run(a_function_within_returns).place.line == first + 2


def test_an_iterator_is_empty_the_second_time():
    first, second = run(a_generator_is_gone_through_once).output
    assert len(first) == 2
    assert second == []


def test_an_error_is_an_output_at_its_line_after_its_test():
    outcome = run(an_error_is_an_output)
    first = an_error_is_an_output.__code__.co_firstlineno
    assert (outcome.raised, outcome.output, outcome.place.line) == (True, "ValueError", first + 2)
    assert [(place.line, answer) for place, answer in outcome.path] == [(first + 1, True)]


def mean(data, rng):
    return data.mean() + rng.laplace()


def test_a_run_of_the_auditors_own_warns_nobody(recwarn):
    Trial(lift(Subject.of(mean))).outcomes(np.array([]), deadline=math.inf)
    assert not recwarn.list
