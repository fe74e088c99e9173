"""Sabotage weakens noise as it says, counts a record twice, and leaves no trace behind."""

import random
from itertools import islice

import numpy as np
import pytest

from dpaudit.neighbors import AddRemove, Integer, Real
from dpaudit.subject import Subject, vectorized
from dpaudit.trace.probe import probe
from dpaudit.trace.sabotage import Sabotaged, Way, counted_twice, released
from tests.sweeps import sampled

PEOPLE = AddRemove(Real(0, 1), max_size=4)


def pairs(neighbors=PEOPLE):
    return list(islice(neighbors.pairs(np.random.default_rng(0)), 6))


def called(mechanism, way, seed=1):
    """Return what a sabotaged mechanism gives, once its process is as it was."""
    with released():
        return Sabotaged(mechanism, way)(np.ones(2), np.random.default_rng(seed))


LAWS = {
    "laplace": lambda data, rng: rng.laplace(7.0, 3.0),
    "normal": lambda data, rng: rng.normal(7.0, 3.0, size=4),
    "exponential": lambda data, rng: rng.exponential(3.0),
    "python": lambda data, rng: random.Random(4).gauss(7.0, 3.0),
    "global": lambda data, rng: np.random.RandomState(4).laplace(7.0, 3.0),
}
LOCATIONS = {"exponential": 0.0}


@pytest.mark.parametrize("law", sampled(LAWS, 2))
def test_noise_with_a_scale_is_halved_about_its_location_and_is_off_at_it(law):
    location = LOCATIONS.get(law, 7.0)
    plain, halved, off = (called(LAWS[law], Way(noise)) for noise in ("as it is", "halved", "off"))
    assert np.allclose(halved, location + (plain - location) / 2)
    assert not np.allclose(plain, location)
    assert np.all(off == location)


def test_halved_geometric_noise_is_geometric_with_half_the_scale():
    """P(X ≥ 1 + k) is q^k, and of the halved one q^(2k): it maps 1 + 2k and 2 + 2k to 1 + k."""

    def drawn(data, rng):
        return rng.geometric(0.3, size=200)

    plain, halved = (called(drawn, Way(noise)) for noise in ("as it is", "halved"))
    assert np.array_equal(halved, 1 + (plain - 1) // 2)
    assert halved.dtype == plain.dtype


def test_all_other_draws_repeat_in_a_stream_whatever_generator_they_come_from():
    def coins(data, rng):
        return [rng.random(), rng.integers(10**9), random.random(), rng.laplace()]

    first, second, other = (
        called(coins, Way("off", stream), seed=seed) for stream, seed in ((3, 1), (3, 2), (4, 1))
    )
    assert first == second
    assert first != other
    assert first[-1] == other[-1] == 0.0


def test_what_is_intercepted_is_put_back():
    before = np.random.default_rng, np.random.Generator, random.random
    called(LAWS["laplace"], Way("off"))
    assert (np.random.default_rng, np.random.Generator, random.random) == before


def test_a_record_is_counted_twice_in_every_container():
    pd = pytest.importorskip("pandas")
    last = Way(doubled=-1)
    rows = np.array([(1, 2.0), (3, 4.0)], dtype=[("a", int), ("b", float)])
    assert counted_twice(np.array([1.0, 2.0]), last).tolist() == [1.0, 2.0, 2.0]
    assert counted_twice([{"a": 1}], last) == [{"a": 1}, {"a": 1}]
    assert counted_twice([1, 2], Way(doubled=0)) == [1, 2, 1]
    assert counted_twice(rows, last).tolist() == [(1, 2.0), (3, 4.0), (3, 4.0)]
    assert counted_twice(pd.DataFrame({"a": [1, 2]}), last)["a"].tolist() == [1, 2, 2]
    assert counted_twice(np.array([]), last).size == 0
    assert counted_twice(np.array([1.0]), Way(doubled=-1, answers=True)).tolist() == [2.0]


@pytest.mark.parametrize("record", [1, 2.0, "yes", {"age": 3}, (1, 2), np.zeros(1, "i,i")[0]])
def test_a_bare_record_is_not_counted_twice(record):
    with pytest.raises(TypeError, match="a single record"):
        counted_twice(record, Way(doubled=0))


def test_a_probe_finds_what_is_drawn_and_that_outputs_differ_without_noise():
    def noisy(data, rng):
        return data.sum() + rng.laplace(scale=1.0) + (rng.random() < 0.5)

    found = probe(Subject.of(noisy), pairs(), answers=False)
    assert found.kinds == ("laplace", "random")
    assert found.scaled
    assert found.coins == ("random",)
    assert found.stream is not None
    assert found.doubled is not None
    assert found.twice


def test_a_probe_of_a_vectorized_mechanism_looks_at_one_row():
    @vectorized
    def noisy(data, size, rng):
        return data.sum() + rng.laplace(size=size)

    assert probe(Subject.of(noisy), pairs(), answers=False).stream == 0


def test_a_probe_finds_no_difference_where_neighbors_change_no_output():
    def clipped(data, rng):
        return data.clip(0, 1).size * 0 + rng.laplace()

    found = probe(Subject.of(clipped), pairs(), answers=False)
    assert (found.stream, found.doubled, found.reason) == (None, None, "")


def test_a_probe_says_that_noise_is_out_of_reach():
    import os

    def hidden(data):
        source = os.open("/dev/urandom", os.O_RDONLY)
        try:
            return data.sum() + int.from_bytes(os.read(source, 8), "little")
        finally:
            os.close(source)

    found = probe(Subject.of(hidden), pairs(), answers=False)
    assert "outputs vary although all noise that can be intercepted is off" in found.reason


def test_a_count_of_distinct_records_does_not_change_when_one_is_counted_twice():
    def distinct(data, rng):
        return len(set(data.tolist())) + rng.laplace()

    neighbors = AddRemove(Integer(0, 3), max_size=4)
    assert probe(Subject.of(distinct), pairs(neighbors), answers=False).doubled is None
