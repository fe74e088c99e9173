"""Conversions keep the noise of traced numbers, and make of all else what they always do."""

import numpy as np
import pytest

from dpaudit.subject import Subject
from dpaudit.trace.record import Bench


def run(mechanism, data=3):
    with Bench(Subject.of(mechanism)) as bench:
        bench.keeping = True
        plain = bench.run(data, (1,), traced=False)
        traced = bench.run(data, (1,))
    assert type(plain.output) is type(traced.output)
    assert np.array_equal(plain.output, traced.output)
    return [traced.tape.base(sink).round(9).tolist() for sink in traced.tape.sinks]


@pytest.mark.parametrize(
    ("mechanism", "base"),
    [
        (lambda x, rng: x + float(rng.laplace()), [3.0]),
        (lambda x, rng: x + int(rng.geometric(0.5)), [3.0]),
        (lambda x, rng: float(x + rng.laplace(size=1)[0]), [3.0]),
        (lambda x, rng: x + np.array([rng.laplace(), rng.laplace()]), [3.0, 3.0]),
        (lambda x, rng: x + np.asarray(rng.laplace(size=2), dtype=float), [3.0, 3.0]),
        (lambda x, rng: (x + np.array([[rng.normal()], [rng.normal()]])).ravel(), [3.0, 3.0]),
    ],
)
def test_a_conversion_keeps_the_noise(mechanism, base):
    assert run(mechanism)[-1] == base


def filled(made):
    def mechanism(x, rng):
        noise = made()
        for i in range(2):
            noise[i] = rng.laplace()
        noise[1] = noise[1] + rng.laplace()
        return x + noise

    return mechanism


@pytest.mark.parametrize(
    "made",
    [
        lambda: np.zeros(2),
        lambda: np.empty(2),
        lambda: np.full(2, 7.0),
        lambda: np.ones_like(np.arange(2.0)),
    ],
)
def test_an_array_knows_the_noise_that_its_entries_are_filled_with(made):
    assert run(filled(made))[-1] == [3.0, 3.0]


def test_an_array_is_filled_with_sums_and_what_has_no_noise():
    def mechanism(x, rng):
        table = np.zeros((2, 2))
        table[0, 1] = table[1, 0] = x + rng.laplace()
        table[1, 1] += rng.normal()
        table[0, 0] = 4
        return table.T @ np.eye(2)

    assert run(mechanism)[-1] == [4.0, 3.0, 3.0, 0.0]


def test_an_array_without_noise_is_no_other_than_before():
    def mechanism(x, rng):
        counts = np.zeros(3)
        counts[1] += x
        np.add.at(counts, [2, 2], 1.0)
        counts.sort()
        return counts + rng.laplace(size=3) if counts.tolist() == [0.0, 2.0, 3.0] else counts

    assert run(mechanism) == [[0.0, 2.0, 3.0]]


def test_a_number_that_is_rounded_is_all_that_matters():
    assert run(lambda x, rng: int(x + rng.laplace()))[0] == [3.0]


def test_replaced_types_are_taken_for_those_they_stand_for():
    def mechanism(x, rng):
        noise = rng.laplace()
        assert isinstance(noise, float)
        assert isinstance(1, int)
        assert {float: "known"}[type(x / 1)] == "known"
        assert np.zeros(1, dtype=float).dtype == np.arange(2).astype(float).dtype
        assert int("11", 2) == 3
        assert float.fromhex("0x1p0") == float(1)
        assert issubclass(bool, int)
        return x + noise

    assert run(mechanism) == [[3.0]]


def test_names_of_a_module_are_what_they_were_after_a_run():
    before = dict(globals())
    functions = np.array, np.asarray, np.zeros
    run(lambda x, rng: x + float(rng.laplace()))
    assert globals().keys() == before.keys()
    assert (np.array, np.asarray, np.zeros) == functions
