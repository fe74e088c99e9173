"""Interception leaves no trace, and recording changes nothing that a mechanism computes."""

# ruff: noqa: NPY002 (the legacy states are part of what is intercepted)
import os
import random
import secrets

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpaudit import frozen_noise
from dpaudit.subject import Subject
from dpaudit.trace.record import Bench, _seeded
from dpaudit.trace.standins import original_of
from tests.sweeps import repeated

ACTIONS = {
    "generator": lambda rng: rng.laplace(),
    "vector": lambda rng: rng.normal(size=3).sum(),
    "made": lambda rng: np.random.default_rng(5).laplace(),
    "legacy": lambda rng: np.random.normal(),
    "seeded": lambda rng: np.random.seed(3) or np.random.laplace(),
    "state": lambda rng: np.random.RandomState(4).laplace(),
    "python": lambda rng: random.gauss(0, 1),
    "python seed": lambda rng: random.seed(4) or random.random(),
    "uniform": lambda rng: rng.random() - 0.5,
    "order": lambda rng: float(rng.permutation(4)[0]),
    "chosen": lambda rng: float(rng.choice([1.0, 2.0], p=[0.25, 0.75])),
    "larger": lambda rng: max(1.0, rng.laplace()),
    "scaled": lambda rng: -2 * rng.exponential() / 3,
    "geometric": lambda rng: rng.geometric(0.5) - rng.geometric(0.5),
    "converted": lambda rng: float(rng.laplace()) + int(rng.geometric(0.5)),
    "listed": lambda rng: float(np.array([rng.laplace(), rng.normal()]).sum()),
}
programs = st.lists(st.sampled_from(sorted(ACTIONS)), min_size=1, max_size=6)


def program(names):
    def mechanism(data, rng):
        total = [data]
        for name in names:
            total.append(total[-1] + ACTIONS[name](rng))
        return total

    return mechanism


def everything():
    """Return what interception replaces, and the global states."""
    named = [
        globals(),
        vars(np),
        vars(np.random),
        vars(random),
        vars(secrets),
        vars(os),
        vars(random.Random),
    ]
    state = np.random.get_state(legacy=False)
    states = random.getstate(), state["state"]["key"].tobytes(), state["state"]["pos"]
    return [{name: id(value) for name, value in each.items()} for each in named], states


def plainly(names, seed):
    """Run a program without any interception, from the states that a bench sets."""
    python, numpy = random.getstate(), np.random.get_state()
    try:
        return program(names)(0.0, original_of(_seeded((seed,))))
    finally:
        random.setstate(python)
        np.random.set_state(numpy)


@settings(max_examples=repeated(5, full=10))
@given(programs, st.integers(0, 2**20))
def test_recording_changes_no_bit_of_what_is_computed(names, seed):
    expected = plainly(names, seed)
    with Bench(Subject.of(program(names))) as bench:
        bench.keeping = True
        traced, plain = (bench.run(0.0, (seed,), traced=t).output for t in (True, False))
    assert [float(x).hex() for x in traced] == [float(x).hex() for x in expected]
    assert [float(x).hex() for x in plain] == [float(x).hex() for x in expected]
    assert list(map(type, traced)) == list(map(type, expected))


@settings(max_examples=repeated(5, full=10))
@given(programs, st.booleans(), st.booleans())
def test_interception_leaves_no_trace_even_after_an_exception(names, zero, fails):
    before = everything()
    frozen = frozen_noise(zero=True) if zero else frozen_noise(seed=1)
    rng = np.random.default_rng(1)
    if fails:
        with pytest.raises(ZeroDivisionError), frozen:
            _ = program(names)(0.0, rng)[0] / 0
    else:
        with frozen:
            program(names)(0.0, rng)
        with Bench(Subject.of(program(names))) as bench:
            bench.keeping = True
            bench.run(0.0, (1,))
    assert everything() == before
    assert type(rng) is np.random.Generator
    assert rng.laplace() == np.random.default_rng(1).laplace()
