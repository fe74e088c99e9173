"""Every refutation comes with an event that runs, and an epsilon that the event shows."""

import copy
import math

import numpy as np
import pytest

from dpaudit import (
    AddRemove,
    AnyPair,
    ApproxDP,
    Integer,
    PureDP,
    QueryAnswers,
    Real,
    RenyiDP,
    vectorized,
)
from dpaudit.claims import GaussianDP
from dpaudit.formal.attempts import decided_by
from dpaudit.formal.balls import loss_at_least, rational
from dpaudit.formal.clock import Limit
from dpaudit.formal.refutation import Counterexample
from dpaudit.subject import Subject
from mechanisms.gaussian import gaussian
from mechanisms.geometric import geometric
from mechanisms.laplace import laplace, laplace_vector
from mechanisms.randomized_response import randomized_response
from mechanisms.unary_encoding import unary_encoding
from tests.sweeps import thinned

CALLS = 4000


def shared_noise(answers, rng):
    return answers + rng.laplace()


def two_answers(answers, rng):
    return {"a": answers[0] + rng.laplace(), "b": 2 * answers[1] - answers[0] + rng.laplace()}


def rounded_noise(x, rng):
    return x + round(rng.laplace())


def one_of_three(x, rng):
    return {"kind": ["low", "high", None][int(rng.random() < 0.9 * x) + int(rng.random() < 0.1)]}


@vectorized
def many(x, size, rng):
    return x + rng.laplace(scale=0.5, size=size)


@vectorized
def many_pairs(answers, size, rng):
    return answers + rng.laplace(scale=1.0, size=(size, 2))


@vectorized
def one_for_all(x, size, rng):
    return float(x) + rng.laplace()


bit = AnyPair(Integer(0, 1))
CASES = [
    (laplace, PureDP(0.5), AnyPair(Real(0, 1))),
    (laplace_vector, PureDP(1.0), QueryAnswers(3)),
    (laplace, RenyiDP(2.0, 0.1), AnyPair(Real(0, 1))),
    (gaussian, GaussianDP(0.1), QueryAnswers(2, norm="l2")),
    (gaussian, RenyiDP(2.0, 0.01), QueryAnswers(1)),
    (gaussian, ApproxDP(0.1, 0.01), QueryAnswers(2, norm="l1")),
    (shared_noise, PureDP(1.0), QueryAnswers(2, norm="l1")),
    (two_answers, PureDP(1.0), QueryAnswers(2)),
    (rounded_noise, PureDP(1.0), AnyPair(Real(0, 1))),
    (geometric, PureDP(0.5), AddRemove(Integer(0, 1), max_size=2)),
    (randomized_response, PureDP(0.5), bit),
    (randomized_response, ApproxDP(0.5, 0.01), bit),
    (randomized_response, RenyiDP(2.0, 0.05), bit),
    (unary_encoding, PureDP(0.5), AnyPair(Integer(0, 3))),
    (one_of_three, PureDP(1.0), bit),
    (many, PureDP(1.0), AnyPair(Real(0, 1))),
    (many_pairs, PureDP(1.0), QueryAnswers(2)),
]


def refuted(mechanism, claim, neighbors):
    subject = Subject.of(mechanism)
    answer = decided_by(subject, claim, neighbors, 60, Limit.of(None, 60))
    assert isinstance(answer.result, Counterexample), answer.reason
    return subject, answer.result


def share(subject, data, source):
    rng = np.random.default_rng(3)
    if subject.vectorized:
        outputs = subject.function(copy.deepcopy(data), CALLS, rng)
    else:
        outputs = (subject.function(copy.deepcopy(data), rng) for _ in range(CALLS))
    names = {"math": math, "np": np}
    return sum(bool(eval(source, names, {"output": output})) for output in outputs) / CALLS


@pytest.mark.parametrize("case", thinned(CASES), ids=lambda c: f"{c[0].__name__}-{c[1]}")
def test_the_event_of_a_refutation_runs_and_shows_its_epsilon(case):
    """A frequency is wrong by more than .05 with a chance below 1e-8 (Hoeffding), a fresh seed."""
    subject, found = refuted(*case)
    assert found.event.source
    assert found.epsilon > 0
    p, q = (share(subject, side, found.event.source) for side in (found.left, found.right))
    delta = case[1].declared_delta
    if math.isinf(found.epsilon):
        assert p > delta
        assert q == 0
    else:
        assert p + 0.05 >= math.exp(found.epsilon) * (q - 0.05) + delta
        assert p > q


def test_a_vectorized_mechanism_that_returns_no_output_for_each_is_not_refuted():
    subject = Subject.of(one_for_all)
    answer = decided_by(subject, PureDP(0.5), AnyPair(Real(0, 1)), 30, Limit.of(None, 30))
    assert not isinstance(answer.result, Counterexample)


def test_the_loss_of_an_event_is_rounded_down():
    third, half = rational(1) / 3, rational(1) / 2
    assert loss_at_least(half, third) < math.log(1.5) < loss_at_least(half, third) + 1e-12
    assert loss_at_least(half, rational(0)) == math.inf
    assert loss_at_least(half, rational(0), 0.5) == 0.0
    assert loss_at_least(third, half) == 0.0


def total(data, rng):
    return float(np.clip(data, 0, 1).sum()) + rng.laplace(scale=1.0)


def test_a_missing_value_that_survives_the_clip_is_an_output_of_its_own():
    unknown = AddRemove(Real(0, 1, allow_nan=True), max_size=3)
    subject, found = refuted(total, PureDP(1.0), unknown)
    assert found.finding.id == "DPA104"
    assert found.epsilon == math.inf
    shares = [share(subject, side, found.event.source) for side in (found.left, found.right)]
    assert shares == [1, 0]
