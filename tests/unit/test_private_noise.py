"""Noise of generators that dpaudit does not seed is told from memory of the data."""

import os

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, Pairs, PureDP, Real
from dpaudit.subject import Subject
from dpaudit.worker import fresh_outputs
from tests.sweeps import sampled
from tests.unit import private_noise

HALF = AddRemove(Real(0, 1), max_size=4)
ONE = Pairs([(np.array([]), np.array([0.5])), (np.array([0.5]), np.array([]))])


def audited(mechanism, **options):
    given = {"engines": ["statistical"], "max_calls": 8_000, "alpha": 1e-6, **options}
    neighbors = given.pop("neighbors", HALF)
    return dpaudit.audit(mechanism, PureDP(1.0), neighbors, **given)


def as_in_main(name):
    """Return the function as a script would define it, which travels to workers by value."""
    scope = {"__name__": "__main__", "private_noise": private_noise}
    noise, _, rest = name.partition("_")
    scale = 0.3 if rest.endswith("too_little") else 1.0
    exec(f"def {name}(data): return len(data) + private_noise.{noise}({scale})", scope)
    return scope[name]


@pytest.mark.parametrize("noise", sampled(private_noise.NOISES, 1))
@pytest.mark.parametrize("way", [lambda name: getattr(private_noise, name), as_in_main])
def test_sound_private_noise_is_not_refuted_and_too_little_is(noise, way):
    """A fresh seed of the system's noise refutes the sound one with probability 1e-6."""
    assert audited(way(f"{noise}_count")).verdict is dpaudit.Verdict.NOT_REFUTED
    report = audited(way(f"{noise}_count_too_little"))
    assert report.verdict is dpaudit.Verdict.REFUTED
    assert report.findings[0].id != "DPA116"


def test_a_generator_that_moves_on_with_the_size_of_the_data_is_no_memory_of_it():
    report = audited(private_noise.library_vector)
    assert report.verdict is dpaudit.Verdict.NOT_REFUTED
    assert any("takes no seed" in note for note in report.evidence[0].notes)


@pytest.mark.parametrize("name", ["library_many_on_one", "library_many_on_none"])
def test_outputs_that_would_share_numbers_of_one_stream_are_no_memory(name):
    """H0 holds at epsilon 0: refuted with probability 1e-6. The stream is the same in each run."""
    report = audited(getattr(private_noise, name), neighbors=ONE)
    assert report.verdict is not dpaudit.Verdict.REFUTED


def test_memory_behind_a_private_stream_is_no_verdict():
    """Where noise comes from a stream that nobody seeds, nothing that is kept is refuted."""
    report = audited(private_noise.library_largest)
    assert report.verdict is dpaudit.Verdict.INCONCLUSIVE
    assert "remembers" in report.reason


@pytest.mark.parametrize("calls", [8_000, 20_000])  # the second has a tier before it is looked for
@pytest.mark.parametrize("name", ["system_largest", "secret_first"])
def test_memory_of_the_data_behind_private_noise_is_found(name, calls):
    """The power is above 0.999 with a fresh seed."""
    report = audited(getattr(private_noise, name), max_calls=calls)
    assert report.verdict is dpaudit.Verdict.REFUTED
    assert report.findings[0].id == "DPA116"


class Kept:
    """Draws its noise once, and gives the same one ever after."""

    def __init__(self):
        self.noise = None

    def __call__(self, data, rng):
        if self.noise is None:
            self.noise = rng.laplace()
        return len(data) + self.noise


def test_noise_that_is_drawn_once_is_no_private_generator():
    report = audited(Kept())
    assert report.verdict is dpaudit.Verdict.INCONCLUSIVE
    assert "remembers" in report.evidence[0].reason


def counted(data, seen=[]):  # noqa: B006
    seen.append(len(data))
    return sum(seen)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="histories are chained by forks")
def test_chained_histories_give_what_each_gives_by_itself():
    histories = [[np.zeros(2)] * (i + 1) for i in range(4)]
    keys = [(1, i) for i in range(4)]
    subject = Subject.of(counted)
    chained = fresh_outputs(subject, histories, np.zeros(1), keys, chained=True)
    assert chained.same_as(fresh_outputs(subject, histories, np.zeros(1), keys))
    assert list(chained.numbers[""]) == [3, 5, 7, 9]
