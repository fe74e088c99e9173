"""Neighbors around a dataset of real records."""

import pickle
from itertools import islice

import numpy as np
import pandas as pd
import polars as pl
import pytest

from dpaudit import PureDP, Verdict, audit
from dpaudit.neighbors import AddRemove, Categorical, Integer, Neighbors, Pair, Real, Row

FRAME = pd.DataFrame(
    {"age": [31, 64, 18, 45], "city": ["Bern", "Bern", "Genf", "Zug"]}, index=[7, 8, 10, 20]
)
ROW = Row(age=Integer(0, 99), city=Categorical(["Bern", "Genf"]))


def first(neighbors, count=20):
    return list(islice(neighbors.pairs(np.random.default_rng(0)), count))


@pytest.mark.parametrize(
    ("base", "records"),
    [
        (FRAME, None),
        (FRAME, ROW),
        (FRAME["age"], Integer(0, 99)),
        (FRAME.astype({"city": "category"}), ROW),
        (pl.DataFrame(FRAME.to_dict("list")), ROW),
        (pl.Series("x", [1.0, None]), Real(0, 5, allow_missing=True)),
        (FRAME.to_dict("records"), ROW),
        (np.arange(5.0), Real(0, 9, allow_nan=True)),
        (np.arange(5, dtype=np.float32), Real(0, 9)),
        (np.ones((3, 2)), None),
        (FRAME[["age"]].to_records(index=False).view(np.ndarray), Row(age=Integer(0, 9))),
        ([3, 1, 2], Integer(0, 5)),
        ([], Integer(0, 5)),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("group", [1, 2])
def test_every_pair_around_a_base_is_neighboring(base, records, group):
    neighbors, rng = AddRemove.around(base, records, group=group), np.random.default_rng(4)
    assert isinstance(neighbors, Neighbors)
    pairs = first(neighbors)
    assert pairs
    for pair in pairs:
        assert type(pair.left) is type(pair.right) is type(base)
        assert neighbors.contains(pair)
        assert neighbors.contains(neighbors.mutate(pair, rng))
    assert all(map(neighbors.contains, islice(neighbors.shrink(pairs[-1]), 30)))


def test_ranges_are_assumed_of_added_records_and_not_of_given_ones():
    told = AddRemove.around(FRAME, ROW).assumptions()
    assert "every added `age` is an integer in [0, 99] (enforced by the caller)" in told
    assert "every added `city` is one of 'Bern', 'Genf' (enforced by the caller)" in told
    told = AddRemove.around(FRAME["age"], Integer(0, 50)).assumptions()
    assert "every added record is an integer in [0, 50] (enforced by the caller)" in told
    assert not any("every added" in each for each in AddRemove.around(FRAME).assumptions())


def test_dtypes_and_index_are_kept():
    pairs = first(AddRemove.around(FRAME, ROW))
    assert all((p.left.dtypes == FRAME.dtypes).all() for p in pairs)
    assert pairs[0].left.index.tolist() == [7, 8, 10, 20]
    assert pairs[0].right.index.tolist() == [8, 10, 20]
    added = next(p for p in pairs if "added" in p.how)
    assert added.right.index.tolist() == [7, 8, 10, 20, 21]


def test_extreme_records_are_removed_early():
    gone = [set(FRAME.index) - set(p.right.index) for p in first(AddRemove.around(FRAME))]
    assert gone == [{7}, {20}, {8}, {10}]


def test_without_records_there_are_as_many_pairs_as_records():
    assert len(first(AddRemove.around(np.arange(30.0)), 100)) == 30


def test_all_rows_of_a_user_go_at_once():
    frame = pd.DataFrame({"user": [1, 2, 1], "x": [1.0, 2.0, 3.0]})
    neighbors = AddRemove.around(frame, unit="user")
    assert sorted(len(p.right) for p in first(neighbors)) == [1, 2]
    assert neighbors.contains(Pair(frame, frame[frame.user == 2]))
    assert not neighbors.contains(Pair(frame, frame.iloc[:2]))


def test_rows_from_elsewhere_are_not_neighboring():
    neighbors = AddRemove.around([1, 2, 3], Integer(0, 5))
    assert neighbors.contains(Pair([1, 2, 3], [1, 2, 3, 5]))
    assert not neighbors.contains(Pair([1, 2, 3], [1, 2, 3, 6]))
    assert not neighbors.contains(Pair([1, 2, 3], (1, 2)))


def test_the_base_is_safe_from_later_changes():
    base = np.arange(3.0)
    neighbors = AddRemove.around(base)
    base[0] = 99.0
    assert first(neighbors)[0].left.tolist() == [0.0, 1.0, 2.0]


def test_neighbors_around_a_base_can_be_pickled():
    neighbors = AddRemove.around(FRAME, ROW, group=2)
    again = pickle.loads(pickle.dumps(neighbors))
    assert [p.how for p in first(again)] == [p.how for p in first(neighbors)]


def test_shrinking_goes_below_the_base():
    neighbors = AddRemove.around(FRAME)
    smallest = next(neighbors.shrink(first(neighbors)[0]))
    assert (len(smallest.left), len(smallest.right)) == (1, 0)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: AddRemove.around(3), TypeError, "`base` must be"),
        (lambda: AddRemove.around([]), ValueError, "no records"),
        (lambda: AddRemove.around(FRAME, Row(age=Integer(0, 9))), ValueError, "columns"),
        (lambda: AddRemove.around(FRAME, unit="name"), ValueError, "age, city"),
        (lambda: AddRemove.around(FRAME, ROW, unit="age"), ValueError, "leave out"),
        (
            lambda: AddRemove.around(np.arange(3), Categorical(["a", "b"])),
            ValueError,
            "cannot hold",
        ),
    ],
)
def test_bad_bases_are_refused_with_remedy(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_a_least_size_holds_for_every_pair_that_is_proposed_changed_or_shrunk():
    rng = np.random.default_rng(0)
    for neighbors in (
        AddRemove(Real(0, 10), max_size=8, min_size=3),
        AddRemove.around(np.arange(4.0), Real(0, 10), min_size=3),
    ):
        pairs = list(islice(neighbors.pairs(rng), 40))
        pairs += [neighbors.mutate(pair, rng) for pair in pairs]
        pairs += [simple for pair in pairs[:5] for simple in neighbors.shrink(pair)]
        assert min(min(len(pair.left), len(pair.right)) for pair in pairs) == 3
        assert any("at least 3" in sentence for sentence in neighbors.assumptions())


def test_a_least_size_that_leaves_no_pair_is_refused():
    with pytest.raises(ValueError, match="min_size"):
        AddRemove(Real(0, 1), max_size=3, min_size=3)
    with pytest.raises(ValueError, match="min_size"):
        AddRemove.around(np.arange(2.0), min_size=3)


def test_an_estimator_that_raises_on_few_records_is_not_refuted_for_it():
    def total(data, rng):
        if len(data) < 2:
            raise ValueError("too few")
        return data.sum() + rng.laplace(scale=10)

    claim = PureDP(np.nextafter(1.0, 2))
    few = AddRemove(Real(0, 10), max_size=6, min_size=2)
    report = audit(total, claim, few, max_calls=2_000, alpha=1e-4)
    assert report.verdict is not Verdict.REFUTED
    assert any("at least 2 records" in sentence for sentence in report.assumptions)
    everything = AddRemove(Real(0, 10), max_size=6)
    report = audit(total, claim, everything, engines=["trace"], max_calls=4_000)
    assert report.verdict is Verdict.REFUTED
