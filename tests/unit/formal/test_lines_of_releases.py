"""Of releases that together cost too much, the line of the first one beyond the claim."""

import inspect

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, PureDP, Real, ReplaceOne, Verdict
from dpaudit.trace.roles import by_role

numbers = AddRemove(Real(0, 10), max_size=5)


def line_with(mechanism, text):
    lines, first = inspect.getsourcelines(mechanism)
    return first + next(i for i, line in enumerate(lines) if text in line)


def noisy(value, scale, rng):
    return value + rng.laplace(scale=scale)


def size_twice(data, rng):
    first = noisy(len(data), 2.0, rng)
    second = noisy(len(data), 2.0, rng)
    third = noisy(int(np.sum(data >= 0)), 2.0, rng)
    return first, second, third


def in_one_statement(data, rng):
    return {
        "size": noisy(len(data), 1.0, rng),
        "total": noisy(data.clip(0, 10).sum(), 10.0, rng),
    }


def running(data, rng):
    total, shown = 0.0, []
    for each in data:
        total += min(max(each, 0.0), 1.0)
        shown.append(noisy(total, 1.0, rng))
    return shown


@pytest.mark.parametrize(
    ("mechanism", "neighbors", "text"),
    [
        (size_twice, numbers, "third ="),
        (in_one_statement, numbers, '"total":'),
        (running, ReplaceOne(Real(0, 1), size=4), "shown.append"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_the_first_release_beyond_the_claim_has_the_line_that_asks_for_it(
    mechanism, neighbors, text
):
    found = dpaudit.verify(mechanism, PureDP(1.0), neighbors).findings[0]
    assert (found.id, found.line) == ("DPA107", line_with(mechanism, text)), found.message


class Late:
    def __init__(self, data, rng):
        self.data, self.rng, self.spent = data, rng, 0.0

    def size(self, epsilon):
        if self.spent > 1.0:
            raise RuntimeError("the budget is spent")
        self.spent += epsilon
        return noisy(len(self.data), 1 / epsilon, self.rng)


class InTime(Late):
    def size(self, epsilon):
        if self.spent + epsilon > 1.0:
            raise RuntimeError("the budget is spent")
        self.spent += epsilon
        return noisy(len(self.data), 0.5 / epsilon, self.rng)


def three_late(data, rng):
    engine = Late(data, rng)
    return engine.size(0.5), engine.size(0.5), engine.size(0.5)


def three_in_time(data, rng):
    engine = InTime(data, rng)
    return engine.size(0.25), engine.size(0.25), engine.size(0.25)


def test_a_check_that_leaves_out_what_it_lets_pass_is_the_cause():
    found = dpaudit.verify(three_late, PureDP(1.0), numbers).findings[0]
    assert (found.id, found.line) == ("DPA107", line_with(Late, "if self.spent > 1.0")), found


def test_a_check_of_what_is_asked_for_is_not():
    report = dpaudit.verify(three_in_time, PureDP(1.0), numbers)
    assert report.verdict is Verdict.REFUTED
    found = report.findings[0]
    assert (found.id, found.line) == ("DPA107", line_with(InTime, "return noisy")), found


def size_at_twice_the_budget(data, rng):
    size = len(data)
    return by_sensitivity(size, 1, 2 * 1.0, rng)


def by_sensitivity(value, sensitivity, epsilon, rng):
    return value + rng.laplace(scale=sensitivity / epsilon)


def test_the_numbers_that_a_helper_is_handed_have_the_line_of_the_call():
    """By its role: the prover, which is alone here, names the call of the noise."""
    found = by_role(dpaudit.verify(size_at_twice_the_budget, PureDP(1.0), numbers).findings[0])
    expected = line_with(size_at_twice_the_budget, "2 * 1.0")
    assert (found.id, found.line) == ("DPA106", expected), found.message
