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
    functions = np.array, np.asarray
    run(lambda x, rng: x + float(rng.laplace()))
    assert globals().keys() == before.keys()
    assert (np.array, np.asarray) == functions
