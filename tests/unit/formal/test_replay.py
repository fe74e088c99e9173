"""What confirms a counterexample runs where the audit wants it."""

import os

import pytest

from dpaudit import Pairs, PureDP, Verdict, audit
from dpaudit.subject import Subject
from dpaudit.worker import InPlace, ProcessRunner, WorkerError
from dpaudit.worker.replayed import Call, Tape

PAIRS = Pairs([([1.0], [1.0, 1.0])])
METHODS = {"laplace": ("loc", "scale", "size")}
ONE = Tape((Call("laplace", {"scale": 0.5}, 0.25),), METHODS)


def too_little_noise(data, rng):
    return len(data) + rng.laplace(scale=0.5)


def ends_its_process(data, rng):
    noise = rng.laplace(scale=0.5)
    if os.environ.get("PYTHONHASHSEED") == "0":  # as in a worker
        os._exit(3)
    return len(data) + noise


def two_draws(data, rng):
    return rng.laplace(scale=0.5) + rng.laplace(scale=0.5)


def says_where(data, rng, number=os.getpid):  # the module's stands still
    return number() + 0 * rng.laplace(scale=0.5)


@pytest.fixture(scope="module")
def apart():
    runner = ProcessRunner(Subject.of(says_where))
    yield runner
    runner.close()


def test_a_run_answers_draws_from_the_tape():
    assert InPlace(Subject.of(too_little_noise)).replay([1.0], ONE, 1.0).output == 1.25
    assert InPlace(Subject.of(two_draws)).replay([1.0], ONE, 1.0).departed
    other = Tape((Call("laplace", {"scale": 0.5, "size": 2}, 0.25),), METHODS)
    assert InPlace(Subject.of(too_little_noise)).replay([1.0], other, 1.0).departed


def test_noise_of_another_scale_is_answered_at_the_same_quantile():
    wider = Tape((Call("laplace", {"loc": 3.0, "scale": 2.0}, 4.0),), METHODS)
    found = InPlace(Subject.of(too_little_noise)).replay([1.0], wider, 1.0)
    assert found.output == 1.25
    assert found.rescaled
    assert not InPlace(Subject.of(too_little_noise)).replay([1.0], ONE, 1.0).rescaled


def test_a_run_with_a_tape_is_in_the_process_of_the_runner(apart):
    here = InPlace(Subject.of(says_where)).replay([1.0], ONE, 1.0)
    there = apart.replay([1.0], ONE, 30.0)
    assert here.output == os.getpid()
    assert there.output not in (None, os.getpid())


def test_a_mechanism_that_ends_its_process_is_a_workers_error():
    runner = ProcessRunner(Subject.of(ends_its_process))
    try:
        with pytest.raises(WorkerError):
            runner.replay([1.0], ONE, 30.0)
    finally:
        runner.close()


def test_a_counterexample_is_confirmed_in_another_process():
    report = audit(too_little_noise, PureDP(1.0), PAIRS, engines=["formal"], isolation="process")
    assert report.verdict is Verdict.REFUTED


def test_nothing_is_confirmed_by_a_mechanism_that_ends_its_process():
    report = audit(ends_its_process, PureDP(1.0), PAIRS, engines=["formal"], isolation="process")
    assert report.verdict is Verdict.INCONCLUSIVE
