# ruff: noqa: NPY002 (legacy randomness is part of what is tested)
import random
import secrets
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from dpaudit.outputs import Columns, Raised, encode
from dpaudit.subject import Subject, vectorized
from dpaudit.worker import InPlace, Task, WorkerError
from dpaudit.worker.datasets import duplicate, same

LEFT, RIGHT = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0])
TRIAL = 16
MODES = ("label", "coupled", "independent")


def laplace(data, rng):
    return data.sum() + rng.laplace()


def task(mode="label", size=200, key=(1, 2), left=LEFT, right=RIGHT):
    return Task(left, right, mode, size, key)


def run(mechanism, *args, **kwargs):
    return InPlace(Subject.of(mechanism)).run([task(*args, **kwargs)])[0]


def outputs_of(draws):
    return [part for part in (draws.outputs, draws.left, draws.right) if part is not None]


def assert_same(one, other):
    assert (one.calls, one.flags) == (other.calls, other.flags)
    for a, b in zip(outputs_of(one), outputs_of(other), strict=True):
        assert a.same_as(b)


@pytest.mark.parametrize("mode", MODES)
def test_the_same_task_gives_the_same_draws(mode):
    assert_same(run(laplace, mode), run(laplace, mode))


def test_labels_say_which_dataset_was_used():
    draws = run(lambda data: len(data), "label", 1000)
    assert draws.outputs.numbers[""].tolist() == [(3, 2)[label] for label in draws.labels]
    assert 400 < draws.labels.sum() < 600
    assert draws.calls == 1000 + TRIAL


def test_every_call_is_counted_once():
    calls = []
    runner = InPlace(Subject.of(lambda data: calls.append(1)))
    tasks = [Task(LEFT, RIGHT, mode, 7, (i,)) for i, mode in enumerate(MODES)]
    draws = runner.run(tasks) + runner.run(tasks)
    assert sum(each.calls for each in draws) == len(calls)
    assert len(calls) == TRIAL + 2 * sum(each.calls for each in tasks)


@pytest.mark.parametrize(
    "mechanism",
    [
        laplace,
        lambda data: data.sum() + np.random.laplace(),
        lambda data: data.sum() + np.random.normal(),
        lambda data: data.sum() + random.gauss(0, 1),
    ],
)
def test_coupled_draws_share_their_noise_whatever_it_comes_from(mechanism):
    draws = run(mechanism, "coupled", 300)
    difference = draws.left.numbers[""] - draws.right.numbers[""]
    assert np.allclose(difference, 3.0)
    assert len(set(draws.left.numbers[""])) == 300
    draws = run(mechanism, "independent", 300)
    assert len(set((draws.left.numbers[""] - draws.right.numbers[""]).tolist())) == 300
    assert "unseeded" not in draws.flags


def test_pairs_stay_independent_where_the_number_of_draws_depends_on_the_data():
    """A correlation above .2 among 1000 independent pairs has probability below 1e-9."""

    def sums(data, rng):
        return sum(rng.normal() for _ in data)

    draws = run(sums, "coupled", 1000)
    left, right = draws.left.numbers[""], draws.right.numbers[""]
    assert np.corrcoef(left, right)[0, 1] > 0.6
    for one, other in ((left, left), (left, right), (right, left), (right, right)):
        assert abs(np.corrcoef(one[1:], other[:-1])[0, 1]) < 0.2


def test_randomness_of_the_system_is_noticed():
    draws = run(lambda data: secrets.randbelow(10**9))
    assert "unseeded" in draws.flags
    assert "unseeded" in run(lambda data: np.random.default_rng().random()).flags


def test_exceptions_are_outputs():
    def fails(data):
        if len(data) < 3:
            raise ValueError("too few")
        sys.exit(3)

    codes, words = run(fails, "coupled", 5).left.labels[":type"]
    assert [words[code] for code in codes] == ["raises SystemExit"] * 5
    codes, words = run(fails, "coupled", 5).right.labels[":message"]
    assert [words[code] for code in codes] == ["too few"] * 5


def test_an_interrupt_is_no_output_and_leaves_nothing_changed():
    def interrupted(data):
        raise KeyboardInterrupt

    before = random.getstate(), sys.stdout, sys.stdin
    with pytest.raises(KeyboardInterrupt):
        run(interrupted)
    assert (random.getstate(), sys.stdout, sys.stdin) == before


def test_running_out_of_memory_is_no_output():
    def hungry(data):
        raise MemoryError

    with pytest.raises(WorkerError, match="out of memory") as caught:
        run(hungry)
    assert caught.value.kind == "memory"


def sort_in_place(data, rng):
    data.sort()
    data[0] += 1.0
    return data[0] + rng.laplace()


def pop(data, rng):
    return data.pop() + rng.laplace()


def new_column(data):
    data["b"] = 1.0
    return len(data.columns)


@pytest.mark.parametrize(
    ("mechanism", "make"),
    [
        (sort_in_place, lambda: np.array([3.0, 1.0])),
        (pop, lambda: [1.0, 2.0]),
        (new_column, lambda: pd.DataFrame({"a": [1.0]})),
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_a_mechanism_that_changes_its_dataset_gets_a_copy_for_each_call(mechanism, make, mode):
    left, right = make(), make()
    draws = run(mechanism, mode, 50, left=left, right=right)
    assert "mutates-input" in draws.flags
    assert same(left, make())
    again = run(lambda data, rng: mechanism(duplicate(data), rng), mode, 50, left=left, right=right)
    if mechanism is not new_column:
        for one, other in zip(outputs_of(draws), outputs_of(again), strict=True):
            assert one.same_as(other)


def test_a_task_is_repeated_where_the_dataset_changes_only_later():
    def rarely(data, rng):
        if rng.random() < 0.02:
            data += 1.0
        return data.sum()

    draws = run(rarely, "label", 500, key=(3,))
    assert "mutates-input" in draws.flags
    assert draws.calls == 1000 + TRIAL
    assert set(draws.outputs.numbers[""]) <= {3.0, 5.0, 6.0, 9.0}


def test_a_mechanism_that_returns_one_buffer_again_and_again_is_read_in_time():
    buffer = np.zeros(1)

    def reuse(data, rng):
        buffer[0] = rng.random()
        return buffer

    draws = run(reuse, "coupled", 40)
    assert "reuses-output" in draws.flags
    assert len(set(draws.left.numbers["[0]"])) == 40


def test_prints_and_warnings_and_questions_stay_inside(capfd):
    def noisy(data):
        print("x" * 1000)
        sys.stderr.write("y")
        sys.stdout.buffer.write(b"z")
        warnings.warn("careful", stacklevel=1)
        np.log(np.zeros(1))
        try:
            return input()
        except EOFError:
            return "nobody there"

    draws = run(noisy)
    assert draws.outputs.labels["[0]"][1] == ("nobody there",)
    assert draws.outputs.numbers["[1].length"].min() == 3
    assert capfd.readouterr() == ("", "")


def test_outputs_of_another_type_each_time_and_unhashable_ones_are_encoded():
    kinds = [1, "a", None, [1], {"a": {1}}, np.zeros(2), object(), lambda: 0, {1.0}]

    def moody(data, rng):
        return kinds[rng.integers(len(kinds))]

    draws = run(moody, "coupled", 200)
    assert draws.left.same_as(draws.right)
    assert len(draws.left.labels[":type"][1]) == len(kinds)


@vectorized
def many(data, size, rng):
    return data.sum() + rng.laplace(scale=1 + len(data), size=size)


@pytest.mark.parametrize("mode", MODES)
def test_a_vectorized_mechanism_is_called_once_a_side_and_row_by_row_where_coupled(mode):
    asked = []

    @vectorized
    def mechanism(data, size, rng):
        asked.append(size)
        return many(data, size, rng)

    draws = run(mechanism, mode, 500)
    for part in outputs_of(draws):
        assert len(set(part.numbers[""])) == 500
    assert max(asked[4:]) <= 4 if mode == "coupled" else len(asked) == 6
    assert draws.calls == task(mode, 500).calls + TRIAL
    assert_same(draws, run(mechanism, mode, 500))


def test_vectorized_outputs_stand_in_the_order_of_the_coins():
    draws = run(vectorized(lambda data, size, rng: np.full(size, len(data))), "label", 100)
    assert draws.outputs.numbers[""].tolist() == [(3, 2)[label] for label in draws.labels]


def test_vectorized_draws_are_coupled():
    def steady(data, size, rng):
        a = rng.laplace(data.sum(), 1 + len(data), size=(size, 2)).sum(axis=1)
        return a + rng.normal(size=size) + rng.random(size) + rng.uniform(0, len(data), size=size)

    draws = run(vectorized(steady), "coupled", 300)
    assert np.corrcoef(draws.left.numbers[""], draws.right.numbers[""])[0, 1] > 0.9


@pytest.mark.parametrize(
    "mechanism",
    [
        lambda data, size, rng: rng.normal(size=(size, len(data))).sum(axis=1),
        lambda data, size, rng: rng.normal(size=(2, size)).sum(axis=0),
        lambda data, size, rng: rng.integers(0, 1 + len(data), size=size),
        lambda data, size, rng: rng.binomial(7, 1 / len(data), size=size),
        lambda data, size, rng: rng.spawn(1)[0].normal(size=size),
        lambda data, size, rng: np.random.Generator(rng.bit_generator).normal(size=size),
        lambda data, size, rng: rng.normal(size=size) + (rng.random(size) if len(data) > 2 else 0),
        lambda data, size, rng: rng.normal(size=size) + (rng.random(size) if len(data) < 3 else 0),
        lambda data, size, rng: [rng.normal() for _ in range(size)],
    ],
)
def test_vectorized_pairs_are_independent_where_the_sides_draw_other_numbers(mechanism):
    """A correlation above .35 among 300 independent pairs has probability below 1e-9."""
    draws = run(vectorized(mechanism), "coupled", 300)
    left, right = draws.left.numbers[""], draws.right.numbers[""]
    for lag in (1, 2, 3):
        assert abs(np.corrcoef(left[lag:], right[:-lag])[0, 1]) < 0.35
        assert abs(np.corrcoef(right[lag:], left[:-lag])[0, 1]) < 0.35


def test_a_vectorized_mechanism_must_return_as_many_outputs_as_asked():
    for wrong in (lambda data, size, rng: 1.0, lambda data, size, rng: np.zeros(size + 1)):
        with pytest.raises(WorkerError, match=r"must return an array or list of .* outputs") as e:
            run(vectorized(wrong))
        assert e.value.kind == "wrong-size"


def test_a_vectorized_mechanism_that_raises_by_chance_is_refused():
    def fails(data, size, rng):
        if rng.random() < 0.5:
            raise ValueError("bad luck")
        return rng.random(size)

    runner = InPlace(Subject.of(vectorized(fails)))
    tasks = [Task(LEFT, RIGHT, "independent", 50, (i,)) for i in range(20)]
    with pytest.raises(WorkerError, match=r"not independent: drop @dpaudit\.vectorized"):
        runner.run(tasks)


def test_a_vectorized_mechanism_that_raises_raises_for_every_row():
    @vectorized
    def fails(data, size, rng):
        if len(data) < 3:
            raise ValueError("too few")
        return rng.random(size)

    draws = run(fails, "independent", 50)
    assert draws.right.same_as(encode([Raised(ValueError("too few"))] * 50))
    assert np.isfinite(draws.left.numbers[""]).all()


@pytest.mark.parametrize(
    "arguments",
    [
        {"mode": "other"},
        {"size": 0},
        {"key": ()},
        {"key": (-1,)},
    ],
)
def test_impossible_tasks_are_refused(arguments):
    plain = {"left": 1, "right": 2, "mode": "label", "size": 1, "key": (1,)}
    with pytest.raises(ValueError, match="got"):
        Task(**{**plain, **arguments})


@pytest.mark.parametrize(
    "make",
    [
        lambda: np.arange(3.0),
        lambda: np.array([(1, "a")], dtype=[("x", int), ("y", "U2")]),
        lambda: np.array([[1.0], [2.0]], dtype=object),
        lambda: [1.0, float("nan"), None],
        lambda: {"a": [1]},
        lambda: pd.DataFrame({"a": [1.0, None]}),
        lambda: pd.Series([1, 2], name="x"),
        lambda: pl.DataFrame({"a": [1, 2]}),
        lambda: 3,
        lambda: {1, 2},
    ],
)
def test_datasets_are_copied_and_compared(make):
    dataset = make()
    copied = duplicate(dataset)
    assert same(copied, dataset)
    assert not same(dataset, [dataset])
    if hasattr(copied, "append") and isinstance(copied, list):
        copied.append(1)
        assert not same(copied, dataset)


def test_no_tasks_are_no_draws():
    assert InPlace(Subject.of(laplace)).run([]) == []


def test_many_outputs_are_encoded_piece_by_piece(monkeypatch):
    from dpaudit.worker import draw

    whole = run(laplace, "coupled", 100)
    monkeypatch.setattr(draw, "CHUNK", 7)
    pieces = run(laplace, "coupled", 100)
    assert_same(whole, pieces)
    assert isinstance(pieces.left, Columns)
