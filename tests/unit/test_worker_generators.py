"""Mechanisms that copy their generator: calls stay independent, and their noise does not repeat."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.random import PCG64, Generator, RandomState

import dpaudit
from dpaudit import Pairs, PureDP, Verdict
from dpaudit.subject import Subject, vectorized
from dpaudit.worker import InPlace, Task
from dpaudit.worker.executors import ExecutorRunner
from tests.sweeps import repeated, sampled

LEFT, RIGHT = np.array([1.0, 2.0]), np.array([1.0])
MODES = ("label", "independent", "coupled")
ONE_APART = Pairs([([1.0], [1.0, 1.0])])


def of_a_state(rng):
    bits = PCG64()
    bits.state = rng.bit_generator.state
    return Generator(bits)


COPIES = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda rng: pickle.loads(pickle.dumps(rng)),
    "state": of_a_state,
    "seed": lambda rng: np.random.default_rng(rng.bit_generator.seed_seq),
    "jumped": lambda rng: Generator(rng.bit_generator.jumped()),
    "legacy": lambda rng: copy.deepcopy(RandomState(rng.bit_generator)),
}
NO_COPIES = {
    "itself": lambda rng: rng,
    "shallow": copy.copy,
    "legacy": lambda rng: RandomState(rng.bit_generator),
    "child": lambda rng: rng.spawn(1)[0],
    "fixed": lambda rng: np.random.default_rng(3),
}


def noisy(made):
    return lambda data, rng: len(data) + made(rng).normal()


def run(mechanism, mode="independent", size=200, key=(1, 2)):
    return InPlace(Subject.of(mechanism)).run([Task(LEFT, RIGHT, mode, size, key)])[0]


def numbers(draws):
    parts = [part for part in (draws.outputs, draws.left, draws.right) if part is not None]
    return np.concatenate([part.numbers[""] for part in parts])


@pytest.mark.parametrize("made", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("mode", MODES)
def test_a_copy_of_the_generator_does_not_repeat_its_noise_from_call_to_call(made, mode):
    draws = run(noisy(made), mode)
    assert "copies-generator" in draws.flags
    assert "unseeded" not in draws.flags
    if mode == "coupled":
        apart = draws.left.numbers[""] - draws.right.numbers[""]
        assert np.allclose(apart, 1.0)
        assert len(set(draws.left.numbers[""].tolist())) == 200
    else:
        assert len(set(numbers(draws).tolist())) == len(numbers(draws))
    assert np.array_equal(numbers(run(noisy(made), mode)), numbers(draws))


@pytest.mark.parametrize("made", NO_COPIES.values(), ids=NO_COPIES)
def test_what_is_no_copy_is_left_alone(made):
    assert "copies-generator" not in run(noisy(made)).flags


def test_numbers_that_a_copy_drew_ahead_do_not_come_again():
    def ahead(data, rng):
        return [*copy.deepcopy(rng).normal(size=3), rng.random()]

    draws = run(ahead, size=100)
    assert "copies-generator" not in draws.flags  # it goes on, though not as far as its copy
    seen = np.concatenate([draws.left.numbers[f"[{i}]"] for i in range(3)])
    assert len(set(seen.tolist())) == 300


@pytest.mark.parametrize("mode", MODES)
def test_numbers_of_a_copy_that_is_made_now_and_then_do_not_come_again(mode):
    def seldom(data, rng):
        if rng.random() < 0.02:
            twin = copy.deepcopy(rng)
            return [*twin.normal(size=3), rng.random()]
        return [rng.normal(), 0.0, 0.0, 0.0]

    draws = run(seldom, mode, size=400)
    assert draws.calls == Task(LEFT, RIGHT, mode, 400, (1, 2)).calls + 16
    for part in (draws.outputs, draws.left, draws.right):
        if part is not None:
            seen = np.concatenate([part.numbers[f"[{i}]"] for i in range(3)])
            seen = seen[seen != 0]
            assert len(set(seen.tolist())) == len(seen) > 400
    if mode == "coupled":
        assert draws.left.same_as(draws.right)


def test_draws_of_a_copy_are_the_same_on_any_executor():
    tasks = [Task(LEFT, RIGHT, "label", 50, (3, index)) for index in range(4)]
    subject = Subject.of(noisy(copy.deepcopy))
    here = InPlace(subject).run(tasks)
    with ThreadPoolExecutor(2) as pool:
        there = ExecutorRunner(subject, pool).run(tasks)
    for one, other in zip(here, there, strict=True):
        assert (one.calls, one.flags) == (other.calls, other.flags)
        assert np.array_equal(numbers(one), numbers(other))


def test_pairs_of_a_vectorized_mechanism_that_copies_its_generator_are_independent():
    """Both sides draw different amounts, which must not be numbers of another pair. A correlation
    above .3 among 499 independent pairs has probability below 1e-9."""

    @vectorized
    def sums(data, size, rng):
        twin = copy.deepcopy(rng)
        return np.array([sum(twin.normal() for _ in data) for _ in range(size)])

    draws = run(sums, "coupled", 1_000)
    left, right = draws.left.numbers[""], draws.right.numbers[""]
    assert abs(np.corrcoef(left[:499], right[1:998:2])[0, 1]) < 0.3


def sound(data, rng):
    return len(data) + copy.deepcopy(rng).laplace()


def flawed(data, rng):
    return len(data) + copy.deepcopy(rng).laplace(scale=0.3)


@pytest.mark.parametrize("engines", sampled([None, ["statistical"]], 1))
def test_a_single_call_decides_though_the_generator_is_copied(engines):
    """Fixed seeds; a sound mechanism would be refuted with probability below 1e-3."""
    options = {"engines": engines, "max_calls": repeated(8_000, full=20_000), "alpha": 1e-3}
    kept = dpaudit.audit(sound, PureDP(1.0), ONE_APART, **options)
    assert kept.verdict is Verdict.NOT_REFUTED
    [warning] = [f for f in kept.findings if f.level == "warning" and f.engine == "statistical"]
    assert warning.id == "DPA110"
    assert "draws from a copy of its generator" in warning.message
    broken = dpaudit.audit(flawed, PureDP(1.0), ONE_APART, **options)
    assert broken.verdict is Verdict.REFUTED
    assert "DPA110" in [f.id for f in broken.findings if f.level == "warning"]


def test_the_script_of_a_witness_gives_each_call_a_generator_of_its_own():
    options = {"engines": ["statistical"], "max_calls": repeated(8_000, full=20_000), "alpha": 1e-3}
    broken = dpaudit.audit(flawed, PureDP(1.0), ONE_APART, **options)
    assert "one_output(fresh, rng.spawn(1)[0])" in broken.witness.script()
    assert broken.to_dict()["witness"]["own_generators"]
