"""Traced numbers compute what plain ones compute, and know what they are made of."""

import concurrent.futures
import random

import numpy as np
import pytest

from dpaudit.subject import Subject
from dpaudit.trace.record import Bench


def traced(mechanism, data=3.0):
    with Bench(Subject.of(mechanism)) as bench:
        plain = bench.run(data, (1,), traced=False)
        run = bench.run(data, (1,))
    assert type(run.output) is type(plain.output)
    assert np.array_equal(run.output, plain.output)
    return run


def bases(run):
    return [run.tape.base(sink).round(9).tolist() for sink in run.tape.sinks]


def test_noise_that_is_added_leaves_the_value_before_it():
    assert bases(traced(lambda x, rng: x + rng.laplace())) == [[3.0]]


def test_a_location_is_the_value_before_the_noise():
    assert bases(traced(lambda x, rng: rng.laplace(x, 2.0))) == [[3.0]]


def test_noise_may_be_scaled_before_and_after_it_is_added():
    (sink,) = traced(lambda x, rng: (x + 2 * rng.normal()) / 4).tape.sinks
    assert sink.coefficients.tolist() == [0.5]


@pytest.mark.parametrize("kind", [float, int, np.float64, np.int64])
def test_a_noisy_number_can_be_put_into_a_plain_array(kind):
    def mechanism(x, rng):
        held = np.zeros(2)
        noise = rng.geometric(0.5) if issubclass(kind, (int, np.integer)) else rng.laplace()
        held[0] = kind(x) + noise
        return held

    traced(mechanism)


def test_arrays_know_the_noise_of_each_entry():
    run = traced(lambda x, rng: np.arange(3.0) + rng.laplace(size=3))
    assert bases(run) == [[0.0, 1.0, 2.0]]


def test_entries_keep_their_noise_when_they_are_moved():
    def mechanism(x, rng):
        noise = rng.laplace(size=4).reshape(2, 2).T[::-1]
        return np.concatenate([noise[0], noise[1]]) + np.arange(4)

    assert bases(traced(mechanism)) == [[0.0, 1.0, 2.0, 3.0]]


def test_a_sum_of_noises_is_one_number_made_of_all():
    run = traced(lambda x, rng: x + (rng.laplace(size=3)).sum())
    (sink,) = run.tape.sinks
    assert run.tape.terms(int(sink.cells[0])) == {0: 1.0, 1: 1.0, 2: 1.0}
    assert bases(run) == [[3.0]]


@pytest.mark.parametrize("mean", [np.mean, lambda noise: noise.mean()])
def test_a_mean_of_noises_is_one_number_made_of_all(mean):
    run = traced(lambda x, rng: x + mean(rng.laplace(size=16)))
    [sink] = run.tape.sinks
    assert sink.coefficients.tolist() == [1 / 16]
    assert sink.values.tolist() == [run.output]


def test_a_matrix_times_noise_is_made_of_its_rows():
    matrix = np.array([[1.0, 0.0], [2.0, 3.0]])
    run = traced(lambda x, rng: matrix @ rng.normal(size=2))
    terms = [run.tape.terms(cell) for cell in run.tape.sinks[0].cells.tolist()]
    assert terms == [{0: 1.0}, {0: 2.0, 1: 3.0}]


def test_a_comparison_is_an_order_and_not_an_equality():
    (sink,) = traced(lambda x, rng: bool(x + rng.laplace() > 100)).tape.sinks
    assert (sink.kind, sink.above.tolist()) == ("order", [False])


def test_what_is_computed_from_a_noisy_number_leaves_an_equality_where_it_leaves():
    assert bases(traced(lambda x, rng: float(np.exp(x + rng.laplace())))) == [[3.0]]


def test_the_largest_of_noisy_numbers_is_a_choice():
    (sink,) = traced(lambda x, rng: int(np.argmax(np.arange(3) + rng.laplace(size=3)))).tape.sinks
    assert sink.kind == "choice"


def test_noise_added_in_place_to_a_plain_array_is_seen():
    def mechanism(x, rng):
        total = np.arange(3.0)
        total += rng.laplace(size=3)
        return total

    assert bases(traced(mechanism)) == [[0.0, 1.0, 2.0]]


def test_pandas_is_seen_where_it_adds_noise():
    pd = pytest.importorskip("pandas")

    def mechanism(x, rng):
        counts = pd.Series([1.0, 2.0], index=["a", "b"])
        return (counts + rng.laplace(size=2)).tolist()

    assert [1.0, 2.0] in bases(traced(mechanism))


def test_types_pass_for_what_they_stand_for():
    def mechanism(x, rng):
        number, array = rng.laplace(), rng.laplace(size=2)
        assert isinstance(number, float)
        assert number.__class__ is float
        assert isinstance(array, np.ndarray)
        assert isinstance(rng, np.random.Generator)
        return number

    traced(mechanism)


def test_nothing_traced_is_left_in_what_a_mechanism_keeps():
    kept = {}

    def mechanism(x, rng):
        kept["noise"] = rng.laplace()
        kept["many"] = [rng.laplace(size=2)]
        return x + kept["noise"]

    traced(mechanism)
    assert type(kept["noise"]) is float
    assert type(kept["many"][0]) is np.ndarray


def test_a_mechanism_that_draws_without_end_is_stopped():
    def mechanism(x, rng):
        while True:
            rng.laplace()

    with Bench(Subject.of(mechanism)) as bench:
        assert bench.run(0.0, (1,)).endless


def test_a_draw_has_its_law_its_value_and_its_line():
    def mechanism(x, rng):
        return x + rng.laplace(scale=2.0)

    (draw,) = traced(mechanism).noise
    assert (draw.kind, draw.request.arguments["scale"]) == ("laplace", 2.0)
    assert draw.place.line == mechanism.__code__.co_firstlineno + 1


def test_global_states_are_those_of_the_key_whoever_looks_at_them():
    """They are seeded when something asks for them, and no sooner."""

    def mechanism(looks, rng):
        noise = rng.laplace()
        if looks:
            assert random.getstate() == random.getstate()
            assert np.random.get_state()[0] == "MT19937"  # noqa: NPY002
        return noise, random.random(), np.random.normal(), random.gauss()  # noqa: NPY002

    with Bench(Subject.of(mechanism)) as bench:
        outputs = [bench.run(looks, (key,)).output for key in (1, 2) for looks in (True, False)]
    assert outputs[0] == outputs[1] != outputs[2] == outputs[3]


def test_a_thread_draws_from_the_states_of_the_key():
    def mechanism(_, rng):
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            return pool.submit(random.random).result(), random.random()

    with Bench(Subject.of(mechanism)) as bench:
        first, again, other = (bench.run(0, (key,)).output for key in (1, 1, 2))
    assert first == again != other
