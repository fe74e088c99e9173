"""What a counterexample from the source is called, and the line that it names."""

import inspect
import math
import random

import dpaudit
from dpaudit import AddRemove, Integer, PureDP, QueryAnswers, ReplaceOne, Verdict

people = AddRemove(Integer(0, 3), max_size=6)


def refuted(mechanism, neighbors):
    report = dpaudit.verify(mechanism, PureDP(1.0), neighbors)
    assert report.verdict is Verdict.REFUTED
    return report.findings[0]


def line_of(function, number):
    return inspect.getsourcelines(function)[1] + number


def waiting_time(mean):
    return -mean * math.log(1 - random.random())


def count_later(data):
    return len(data) + waiting_time(1.0)


def test_noise_that_is_never_negative_is_miscalibrated():
    found = refuted(count_later, people)
    assert (found.id, found.line) == ("DPA106", line_of(waiting_time, 1))


def count_of_threes(data, rng):
    return int((data >= 3).sum()) + rng.laplace(scale=0.5)


def test_noise_on_both_sides_that_is_too_small_keeps_its_kind():
    assert refuted(count_of_threes, people).id == "DPA105"


def counts_of_each(data, rng):
    return [int((data == value).sum()) + rng.laplace() for value in range(4)]


def test_two_counts_of_a_replaced_record_are_one_release():
    found = refuted(counts_of_each, ReplaceOne(Integer(0, 3), size=3))
    assert found.id == "DPA105"
    assert "DPA107" in found.also


def largest(scores):
    top = scores.max()
    return float(top)


def choice_by_share(data, rng):
    if not len(data):
        raise ValueError("no votes")
    return rng.choice([0, 1], p=[0.5, 0.5])


def test_an_exception_of_one_dataset_is_the_cause_where_noise_chooses_on_the_other():
    found = refuted(choice_by_share, people)
    assert (found.id, found.line) == ("DPA108", line_of(choice_by_share, 1))


def test_what_a_helper_returns_raw_is_at_its_line():
    found = refuted(lambda data: largest(data), QueryAnswers(4))
    assert (found.id, found.line) == ("DPA101", line_of(largest, 2))
