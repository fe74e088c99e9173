"""A program that was misread does something else than its code, and proves nothing."""

from __future__ import annotations

import itertools
import math
import random
import secrets
from dataclasses import dataclass, replace

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, Categorical, PureDP, QueryAnswers, Real, ReplaceOne, Row, Verdict
from dpaudit.formal import agreement, attempts, concrete, lift
from dpaudit.formal.agreement import disagreement
from dpaudit.formal.program import Call, Constant, Program, walk
from dpaudit.subject import Subject
from mechanisms.above_threshold import above_threshold
from mechanisms.clipped_sum import clipped_sum
from mechanisms.mean import mean_private_size
from tests.proving import is_proved

PEOPLE = AddRemove(Real(0, 100), max_size=8)
KEYS = (1, 2, 3)
SALES = AddRemove(
    Row(region=Categorical([1, 2, 3]), amount=Real(0, 10)), container="pandas", max_size=6
)


@dataclass
class Answer:
    value: float
    epsilon: float


def answered(data, rng, epsilon=1.0):
    return Answer(len(data) + rng.laplace(scale=1 / epsilon), epsilon)


def legacy(data):
    return {"count": len(data) + np.random.laplace(scale=1.0)}  # noqa: NPY002


def held(data, rng):
    return np.clip(data, 0, 50).sum() + rng.laplace(scale=50)


def by_difference(data, rng):
    return len(data) + rng.exponential() - rng.exponential()


def by_python(data):
    return len(data) + random.expovariate(1.0) - random.expovariate(1.0)


def refuses_none(data, rng):
    if len(data) == 0:
        raise ValueError("no data")
    return clipped_sum(data, rng)


class TooFewError(Exception):
    pass


def refuses_few(data, rng):
    noisy = len(data) + rng.laplace()
    if noisy < 3:
        raise TooFewError("too few")
    return noisy


def where_it_differs(mechanism, program, neighbors=PEOPLE):
    return disagreement(Subject.of(mechanism), program, neighbors, None, 0)


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [
        (answered, PEOPLE),
        (legacy, PEOPLE),
        (by_difference, PEOPLE),
        (by_python, PEOPLE),
        (refuses_none, PEOPLE),
        (refuses_few, PEOPLE),
        (mean_private_size, PEOPLE),
        (above_threshold, QueryAnswers(5)),
    ],
)
def test_a_program_agrees_with_the_code_that_it_was_read_from(mechanism, neighbors):
    """Where the noise is not the same, a fresh seed fails with a probability below 1e-6."""
    assert where_it_differs(mechanism, lift.lift(mechanism), neighbors) == ""


def changed(program: Program, found, put) -> Program:
    """Return a program in which one node is another."""
    from dpaudit.formal.lifting.trees import rewritten

    [node] = [node for node in walk(program.entry) if found(node)][:1]
    other = put(node)
    body = tuple(
        rewritten(statement, lambda each: other if each is node else None)
        for statement in program.entry.body
    )
    return replace(program, entry=replace(program.entry, body=body))


def is_call(name):
    return lambda node: isinstance(node, Call) and node.function == name


MISREADINGS = {
    "another bound": (
        held,
        is_call("numpy.clip"),
        lambda node: replace(node, arguments=(*node.arguments[:2], Constant(node.place, 49))),
    ),
    "another query": (
        answered,
        is_call("builtins.len"),
        lambda node: replace(node, function="numpy.sum"),
    ),
    "another sign": (
        held,
        is_call("method.sum"),
        lambda node: replace(node, function="method.min"),
    ),
    "another scale": (
        answered,
        is_call("operator.truediv"),
        lambda node: Constant(node.place, 2.0),
    ),
    "other noise by Python's generator": (
        by_python,
        is_call("operator.add"),
        lambda node: replace(node, arguments=(Constant(node.place, 3), node.arguments[1])),
    ),
}


@pytest.mark.parametrize("kind", MISREADINGS)
def test_a_misread_program_differs_from_its_code(kind):
    mechanism, found, put = MISREADINGS[kind]
    program = lift.lift(mechanism)
    assert where_it_differs(mechanism, changed(program, found, put)) != ""


KEEP = math.e / (math.e + 3)
ANSWERS = ("a", "b", "c", "d")
_SYSTEM = secrets.SystemRandom()


def shares(data):
    reports = []
    for answer in data:
        others = [each for each in ANSWERS if each != answer]
        kept = _SYSTEM.random() < KEEP
        reports.append(answer if kept else others[secrets.randbelow(3)])
    return [reports.count(each) / len(reports) for each in ANSWERS]


def noise_and_a_coin(data, rng):
    noisy = len(data) + rng.laplace(scale=1.0)
    coin = 1.0 if _SYSTEM.random() < 0.5 else 0.0
    return noisy, coin


def a_coin_for_large_counts(data, rng):
    noisy = len(data) + rng.laplace(scale=1.0)
    if noisy > 2:
        return noisy + _SYSTEM.random()
    return noisy


def mirrored(data, rng):
    u = 0.5 - rng.random()
    return len(data) - math.copysign(1.0, u) * math.log(1 - 2 * abs(u))


def weights_that_may_be_zero(data, rng):
    noisy = [max(0.0, int((data == each).sum()) + rng.laplace(scale=1.0)) for each in KEYS]
    return random.choices(KEYS, weights=noisy, k=3)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [
        (shares, ReplaceOne(Categorical(ANSWERS), size=10, container="list")),
        (noise_and_a_coin, PEOPLE),
        (a_coin_for_large_counts, PEOPLE),
        (mirrored, PEOPLE),
        (weights_that_may_be_zero, AddRemove(Categorical(KEYS), max_size=8)),
    ],
)
def test_other_draws_of_the_same_law_are_no_misreading(mechanism, neighbors, seed):
    """`secrets` takes no seed, so that runs differ; one fails with a probability below 1e-6."""
    program = lift.lift(mechanism)
    assert disagreement(Subject.of(mechanism), program, neighbors, None, seed) == ""


def test_noise_that_is_a_little_larger_is_seen_by_the_seeds():
    program = lift.lift(answered)
    misread = changed(
        program,
        is_call("operator.truediv"),
        lambda node: Constant(node.place, 1.0001),
    )
    assert where_it_differs(answered, misread) != ""


def test_what_was_misread_is_not_verified(monkeypatch):
    honest = lift.lift

    def misread(mechanism, **options):
        program = honest(mechanism, **options)
        return changed(program, *MISREADINGS["another query"][1:])

    monkeypatch.setattr(lift, "lift", misread)
    monkeypatch.setattr(attempts, "rounding_of", lambda *given: "")
    report = dpaudit.verify(answered, PureDP(1.0), AddRemove(Real(0, 1), max_size=8))
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "the code does something else than was read from it" in report.reason


def counted(data, rng):
    counts = data.groupby("region").size().reindex(KEYS, fill_value=0)
    return [count + rng.laplace(scale=1.0) for count in counts]


def counted_with_too_little_noise(data, rng):
    counts = data.groupby("region").size().reindex(KEYS, fill_value=0)
    return [count + rng.laplace(scale=0.1) for count in counts]


def summed_with_too_little_noise(data, rng):
    released = []
    for total in data.groupby("region")["amount"].sum().reindex(KEYS, fill_value=0.0):
        released.append(total + rng.laplace(scale=1.0))  # noqa: PERF401
    return released


def test_a_loop_over_a_series_goes_over_its_counts_and_not_its_keys():
    assert dpaudit.verify(counted, PureDP(1.0), SALES).verdict is Verdict.VERIFIED
    for broken in (counted_with_too_little_noise, summed_with_too_little_noise):
        assert not is_proved(broken, PureDP(1.0), SALES)


def test_a_program_that_does_not_end_is_not_run_for_ever():
    def endless(data, rng):
        while True:
            rng.laplace()

    program = lift.lift(endless)
    with pytest.raises(concrete.NotRunError, match="steps in one run"):
        concrete.Concrete(program).run(np.array([1.0]), np.random.default_rng(0))


def test_the_datasets_that_are_run_are_of_several_sizes():
    proposed = PEOPLE.pairs(np.random.default_rng([0, agreement.KEY]))
    pairs = list(itertools.islice(proposed, agreement.PLACES[-1] + 1))
    sizes = {len(pairs[place].left) for place in agreement.PLACES}
    assert len(sizes) >= 3


def test_an_assignment_to_several_names_is_run_as_python_runs_it():
    def spread(data, rng):
        first, *rest = sorted(data)
        total = 0.0
        for place, value in enumerate(rest):
            total += value if place % 2 else -value
        return first + total + rng.laplace(scale=1.0)

    program = lift.lift(spread)
    data = np.array([3.0, 1.0, 2.0, 5.0])
    ran = concrete.Concrete(program).run(data, np.random.default_rng(7))
    assert ran == spread(data, np.random.default_rng(7))
