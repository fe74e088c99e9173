"""Relations: what is neighboring, what comes first, what is refused."""

import itertools
import math
import re
import subprocess
import sys
from itertools import islice

import numpy as np
import pandas as pd
import polars as pl
import pytest

from dpaudit.neighbors import (
    AddRemove,
    AnyPair,
    Categorical,
    Integer,
    Neighbors,
    Pair,
    Pairs,
    QueryAnswers,
    Real,
    ReplaceOne,
    Row,
    ZeroOut,
)

SHOP = Row(user=Integer(0, 9), shop=Categorical(["a", "b"]), paid=Real(0, 10))


def first(neighbors, count):
    return list(islice(neighbors.pairs(np.random.default_rng(0)), count))


def listed(neighbors, count):
    """The first pairs as unordered pairs of plain lists."""
    return [{str(list(p.left)), str(list(p.right))} for p in first(neighbors, count)]


def floats(*values):
    return np.array(values, dtype=float)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: AddRemove(Real(0, 1), max_size=0), ValueError, "`max_size` must be at least 1"),
        (lambda: AddRemove(Real(0, 1), max_size=2.5), TypeError, "integer"),
        (lambda: AddRemove(Real(0, 1), group=0), ValueError, "`group`"),
        (lambda: AddRemove(Real(0, 1), max_size=2, group=3), ValueError, "exceeds"),
        (lambda: AddRemove(Real(0, 1), container="set"), ValueError, "`container` must be one of"),
        (lambda: AddRemove(Real(0, 1), invariant="length"), ValueError, "use ReplaceOne"),
        (lambda: AddRemove(SHOP, invariant="shop:sizes"), ValueError, "use ReplaceOne"),
        (lambda: AddRemove(SHOP, invariant="city"), ValueError, "'shop'"),
        (lambda: AddRemove(SHOP, invariant=3), TypeError, "invariant"),
        (lambda: AddRemove(SHOP, invariant="user", unit="user"), ValueError, "AddRemove changes"),
        (lambda: AddRemove(SHOP, invariant="shop", max_size=1), ValueError, "no two datasets"),
        (lambda: AddRemove(Real(0, 1), unit="user"), ValueError, "use Row"),
        (lambda: AddRemove(SHOP, unit="name"), ValueError, "must be one of user, shop, paid"),
        (lambda: AddRemove(SHOP, rows_per_unit=2), ValueError, "add unit="),
        (lambda: AddRemove(SHOP, unit="user", partition="shop"), ValueError, "give both"),
        (
            lambda: AddRemove(SHOP, unit="user", partition="user", partitions_per_unit=1),
            ValueError,
            "another column",
        ),
        (lambda: AddRemove(Integer(0, 2**64)), ValueError, "container='list'"),
        (lambda: AddRemove(Integer(0, 2**60, allow_missing=True)), ValueError, "float64"),
        (lambda: ReplaceOne(Real(1, 1)), ValueError, "single value"),
        (lambda: ReplaceOne(Real(0, 1), size=0), ValueError, "`size`"),
        (lambda: ReplaceOne(SHOP, size=20, unit="user"), ValueError, "10 values"),
        (lambda: ZeroOut(SHOP, size=2), TypeError, "dict with a value"),
        (lambda: ZeroOut(Categorical(["a"]), zero=0), TypeError, "records' type"),
        (lambda: ZeroOut(Categorical(["a"]), zero="abc"), ValueError, "longest text"),
        (lambda: ZeroOut(Real(0, 0)), ValueError, "no two datasets"),
        (lambda: ZeroOut(SHOP, unit="user"), ValueError, "use ReplaceOne"),
        (lambda: AnyPair(Categorical(["a"])), ValueError, "single value"),
        (lambda: QueryAnswers(0), ValueError, "`length`"),
        (lambda: QueryAnswers(3, distance=0), ValueError, "positive"),
        (lambda: QueryAnswers(3, distance=math.nan), ValueError, "positive"),
        (lambda: QueryAnswers(3, norm="l3"), ValueError, "`norm` must be one of"),
        (lambda: QueryAnswers(3, monotone="yes"), TypeError, "monotone"),
        (lambda: Pairs([]), ValueError, "must not be empty"),
        (lambda: Pairs(3), TypeError, "list of pairs"),
        (lambda: Pairs([(1, 2, 3)]), TypeError, "entry 0"),
    ],
)
def test_bad_options_are_refused_with_fact_value_and_remedy(make, error, words):
    with pytest.raises(error, match=words):
        make()


@pytest.mark.parametrize(
    ("left", "right", "neighboring"),
    [
        ([1, 2, 3], [1, 3], True),
        ([2, 3], [1, 2, 3], True),
        ([], [5], True),
        ([1, 2, 3], [1, 2, 3], False),
        ([1, 2, 3], [3, 1], False),
        ([1, 2, 3], [1, 4], False),
        ([1, 2, 3], [1], False),
        ([1, 1, 1], [1, 1], True),
        ([11], [], False),
    ],
)
def test_add_remove_takes_one_record_out_anywhere_and_keeps_the_order(left, right, neighboring):
    relation = AddRemove(Real(0, 10), max_size=3)
    assert relation.contains(Pair(floats(*left), floats(*right))) is neighboring


def test_add_remove_bounds_the_larger_dataset():
    pair = Pair(floats(1, 2, 3), floats(1, 2))
    assert AddRemove(Real(0, 10), max_size=3).contains(pair)
    assert not AddRemove(Real(0, 10), max_size=2).contains(pair)


def test_a_group_of_two_allows_one_or_two_records():
    relation = AddRemove(Real(0, 10), group=2)
    assert relation.contains(Pair(floats(1, 2, 3), floats(2)))
    assert relation.contains(Pair(floats(1, 2, 3), floats(2, 3)))
    assert not relation.contains(Pair(floats(1, 2, 3), floats()))


def test_replace_one_keeps_the_public_size():
    relation = ReplaceOne(Real(0, 10), size=3)
    assert relation.contains(Pair(floats(1, 2, 3), floats(1, 9, 3)))
    assert not relation.contains(Pair(floats(1, 2, 3), floats(9, 9, 3)))
    assert not relation.contains(Pair(floats(1, 2), floats(1, 9)))
    assert ReplaceOne(Real(0, 10), size=3, group=2).contains(Pair(floats(1, 2, 3), floats(9, 9, 3)))


def test_zero_out_has_the_neutral_record_on_one_side_only():
    relation = ZeroOut(Real(1, 10), size=2)
    assert relation.contains(Pair(floats(1, 2), floats(1, 0)))
    assert relation.contains(Pair(floats(0, 2), floats(1, 2)))
    assert not relation.contains(Pair(floats(1, 2), floats(1, 3)))
    assert not relation.contains(Pair(floats(0, 2), floats(0, 3)))
    assert ZeroOut(SHOP, size=2, zero={"user": 0, "shop": "a", "paid": 0}).contains(
        first(ZeroOut(SHOP, size=2, zero={"user": 0, "shop": "a", "paid": 0}), 1)[0]
    )


def test_nan_equals_itself_as_a_record():
    relation = AddRemove(Real(0, 10, allow_nan=True))
    assert relation.contains(Pair(floats(math.nan, 1), floats(math.nan)))
    assert not AddRemove(Real(0, 10)).contains(Pair(floats(math.nan, 1), floats(math.nan)))


def test_user_level_neighbors_differ_in_all_rows_of_one_key():
    relation = AddRemove(SHOP, unit="user", rows_per_unit=2, container="list")

    def row(user, paid=1.0):
        return {"user": user, "shop": "a", "paid": paid}

    larger = [row(1), row(2), row(1, 2.0)]
    assert relation.contains(Pair(larger, [row(2)]))
    assert not relation.contains(Pair(larger, [row(1), row(2)]))
    assert not relation.contains(Pair([row(1)] * 3, []))
    assert not relation.contains(Pair(larger, []))
    assert AddRemove(SHOP, unit="user", group=2, container="list").contains(Pair(larger, []))


def test_partitions_of_a_user_are_bounded():
    options = {"unit": "user", "partition": "shop", "container": "list"}
    both = [{"user": 1, "shop": s, "paid": 1.0} for s in "ab"]
    assert AddRemove(SHOP, partitions_per_unit=2, **options).contains(Pair(both, []))
    assert not AddRemove(SHOP, partitions_per_unit=1, **options).contains(Pair(both, []))


@pytest.mark.parametrize(
    ("options", "left", "right", "neighboring"),
    [
        ({}, (1, 1), (2, 0), True),
        ({}, (1, 1), (2.5, 1), False),
        ({"norm": "l1"}, (1, 1), (2, 0), False),
        ({"norm": "l1"}, (1, 1), (1.5, 0.5), True),
        ({"norm": "l2"}, (0, 0), (0.6, 0.7), True),
        ({"norm": "l2"}, (0, 0), (0.8, 0.7), False),
        ({"norm": "l0"}, (1, 1), (1, 0.5), True),
        ({"norm": "l0"}, (1, 1), (0.5, 0.5), False),
        ({"monotone": True}, (1, 1), (2, 0), False),
        ({"monotone": True}, (1, 1), (0, 0.5), True),
        ({"distance": 0.1}, (1, 1), (1.1, 1), False),
        ({}, (1, 1), (1, 1), False),
        ({}, (1, 1), (1, math.nan), False),
    ],
)
def test_query_answers_are_compared_exactly(options, left, right, neighboring):
    relation = QueryAnswers(2, **options)
    assert relation.contains(Pair(floats(*left), floats(*right))) is neighboring


def test_query_answers_start_with_the_inputs_of_the_benchmark():
    ones = "1.0"
    expected = [
        [2, 1, 1, 1],
        [0, 1, 1, 1],
        [2, 0, 0, 0],
        [0, 2, 2, 2],
        [2, 2, 0, 0],
        [2, 2, 2, 2],
        [0, 0, 0, 0],
    ]
    pairs = first(QueryAnswers(4), 8)
    assert [p.right.tolist() for p in pairs[:7]] == expected
    assert all(p.left.tolist() == [float(ones)] * 4 for p in pairs[:7])
    assert (pairs[7].left.tolist(), pairs[7].right.tolist()) == ([1, 1, 0, 0], [0, 0, 1, 1])


def test_the_first_pairs_of_add_remove_tell_sums_means_medians_chunks_and_maxima():
    pairs = listed(AddRemove(Real(-1, 5), max_size=4), 14)
    low, high = -1.0, 5.0
    for larger, smaller in [
        ([high], []),
        ([low], []),
        ([low, high], [low]),
        ([low, low, low, high], [low, low, low]),
        ([low, low, high, high], [low, high, high]),
        ([high] * 4, [high] * 3),
        ([low, high], [high]),
    ]:
        assert {str(list(floats(*larger))), str(list(floats(*smaller)))} in pairs


def test_values_that_mechanisms_forget_are_among_the_first_pairs():
    relation = AddRemove(
        Real(0, 1, enforced=False, allow_nan=True, allow_infinity=True, allow_missing=True)
    )
    seen = [v for p in first(relation, 14) for v in (*p.left, *p.right)]
    assert min(seen) < -1e5
    assert max(v for v in seen if math.isfinite(v)) > 1e5
    assert any(map(math.isnan, seen))
    assert math.inf in seen


def test_large_integers_meet_their_overflow_early():
    pairs = first(AddRemove(Integer(0, 2**62)), 14)
    assert any(sum(map(int, p.left)) >= 2**63 for p in pairs)


@pytest.mark.parametrize(
    ("relation", "first"),
    [
        (AddRemove(Real(0, 10)), "1 record, all high; the only one is removed"),
        (AddRemove(Real(0, 9), group=2, min_size=3), "5 records, all high; the last 2 are removed"),
        (ReplaceOne(Real(0, 10), size=3), "3 records, all low; the last one is replaced"),
    ],
)
def test_a_pair_says_in_a_sentence_what_is_done_to_which_record(relation, first):
    pairs = relation.pairs(np.random.default_rng(0))
    assert next(pairs).how == first
    words = " is | are |"
    assert all(re.search(words, pair.how) for pair in itertools.islice(pairs, 60))


@pytest.mark.parametrize(
    ("left", "right", "words"),
    [
        ([1], [], "the only record is removed"),
        ([1, 2], [1], "the last of 2 records is removed"),
        ([1, 2, 3], [1, 3], "number 2 of 3 records is removed"),
        ([1, 2, 3], [1], "2 of 3 records are removed"),
        ([1, 2], [], "all 2 records are removed"),
    ],
)
def test_the_difference_of_a_shrunken_pair_is_a_sentence(left, right, words):
    assert AddRemove(Real(0, 10), group=2)._words((tuple(left), tuple(right))) == words


def test_random_pairs_never_end_in_a_large_domain():
    assert len(first(AddRemove(Real(0, 1)), 300)) == 300


@pytest.mark.parametrize(
    ("relation", "count"),
    [
        (AnyPair(Categorical([0, 1])), 1),
        (AnyPair(Categorical(["a", "b", "c"], allow_missing=True)), 6),
        (AnyPair(Row(a=Integer(0, 1), b=Integer(0, 1))), 6),
        (AddRemove(Categorical(["a"]), max_size=3), 3),
        (ReplaceOne(Integer(0, 1), size=2), 4),
    ],
    ids=str,
)
def test_tiny_domains_are_exhausted(relation, count):
    assert len(first(relation, 1000)) == count


@pytest.mark.parametrize(
    "relation",
    [
        AddRemove(Real(0, 1), group=2, container="list"),
        ReplaceOne(Integer(0, 9), size=3),
        ZeroOut(Real(0, 1), size=3, zero=-1),
        AnyPair(Categorical(["a", "b"])),
        QueryAnswers(3, 0.1, "l2", monotone=True),
        Pairs([([0], [0, 1]), (floats(math.nan), floats())]),
        AddRemove(SHOP, unit="user", rows_per_unit=2, invariant=("shop",)),
    ],
    ids=lambda relation: type(relation).__name__,
)
def test_a_relation_is_written_as_its_constructor_call(relation):
    scope = {**globals(), "np": np}
    text = str(relation)
    assert str(eval(text, scope)) == text == repr(relation)
    assert relation.to_dict()["kind"] == type(relation).__name__
    assert isinstance(relation, Neighbors)
    assert all(isinstance(sentence, str) for sentence in relation.assumptions())


def test_pairs_are_the_ones_listed():
    relation = Pairs([([0], [0, 1]), Pair(3, 4, "by hand")])
    assert relation.fixed_count == 2
    assert [p.how for p in first(relation, 9)] == ["given", "by hand"]
    assert relation.contains(Pair([0, 1], [0]))
    assert not relation.contains(Pair([0, 1], [1]))
    assert list(relation.shrink(first(relation, 1)[0])) == []
    assert AddRemove(Real(0, 1)).fixed_count is None


def test_shrinking_reaches_the_smallest_pair():
    relation = AddRemove(Real(0, 100))
    pair = Pair(floats(*range(10), 73.2), floats(*range(10)))
    steps = 0
    while simpler := next(relation.shrink(pair), None):
        pair, steps = simpler, steps + 1
    assert (pair.left.tolist(), pair.right.tolist()) == ([0.0], [])
    assert steps <= 4


def test_shrinking_keeps_left_and_right():
    relation = AddRemove(Real(0, 100))
    assert all(len(p.left) < len(p.right) for p in relation.shrink(Pair(floats(5), floats(5, 6))))


def test_a_mutated_pair_differs_from_its_origin():
    relation, rng = AddRemove(Real(0, 100)), np.random.default_rng(2)
    pair = first(relation, 6)[-1]
    for _ in range(50):
        other = relation.mutate(pair, rng)
        assert (other.left.tolist(), other.right.tolist()) != (
            pair.left.tolist(),
            pair.right.tolist(),
        )


def test_the_same_generator_gives_the_same_pairs():
    relation = AddRemove(SHOP, unit="user", rows_per_unit=3)
    once, again = (
        [(p.left.tolist(), p.right.tolist(), p.how) for p in first(relation, 60)] for _ in range(2)
    )
    assert once == again


@pytest.mark.parametrize(
    ("domain", "container", "kind", "dtype"),
    [
        (Real(0, 1), "array", np.ndarray, "float64"),
        (Integer(0, 9), "array", np.ndarray, "int64"),
        (Integer(0, 9, allow_missing=True), "array", np.ndarray, "float64"),
        (Categorical(["a", "bcd"]), "array", np.ndarray, "<U3"),
        (Categorical(["a"], allow_missing=True), "array", np.ndarray, "object"),
        (Categorical([True, False]), "array", np.ndarray, "bool"),
        (Categorical([1, 2]), "array", np.ndarray, "int64"),
        (Integer(0, 9, allow_missing=True), "pandas", pd.Series, "Int64"),
        (Real(0, 1), "pandas", pd.Series, "float64"),
        (Real(0, 1), "polars", pl.Series, "Float64"),
        (Categorical(["a"]), "polars", pl.Series, "String"),
    ],
)
def test_a_dataset_has_one_dtype_whatever_it_holds(domain, container, kind, dtype):
    for pair in first(AddRemove(domain, max_size=4, container=container), 12):
        for side in (pair.left, pair.right):
            assert isinstance(side, kind)
            assert str(side.dtype) == dtype


def test_rows_are_structured_arrays_dicts_or_frames():
    array, rows, frame, polars = (
        first(AddRemove(SHOP, container=container), 1)[0].left
        for container in ("array", "list", "pandas", "polars")
    )
    assert array.dtype.names == ("user", "shop", "paid")
    assert rows == [{"user": 9, "shop": "b", "paid": 10.0}]
    assert isinstance(frame, pd.DataFrame)
    assert frame.to_dict("records") == rows
    assert isinstance(polars, pl.DataFrame)
    assert polars.to_dicts() == rows


def test_local_privacy_hands_over_the_bare_record():
    pair = first(AnyPair(Integer(0, 3)), 1)[0]
    assert (type(pair.left), pair.left, pair.right) == (int, 0, 3)
    assert first(AnyPair(SHOP), 1)[0].left == {"user": 0, "shop": "a", "paid": 0.0}


def test_listed_pairs_say_that_only_they_count():
    one, two = ([1.0], [2.0]), ([1.0], [3.0])
    assert Pairs([one]).assumptions() == ("only the listed pair counts as neighboring",)
    assert Pairs([one, two]).assumptions() == ("only the 2 listed pairs count as neighboring",)


def test_assumptions_list_group_user_and_what_is_public():
    relation = ReplaceOne(
        SHOP, size=4, group=2, unit="user", rows_per_unit=3, invariant="shop:sizes"
    )
    assert relation.assumptions()[3:] == (
        "a user is all rows with one value of `user`",
        "every user has at most 3 rows (enforced by the caller)",
        "neighbors differ in up to 2 users",
        "how many records each value of `shop` has is public",
        "the number of users, 4, is public",
    )


def test_proposing_loads_no_heavy_package():
    code = (
        "import sys, numpy as np, itertools\n"
        "from dpaudit.neighbors import AddRemove, Real\n"
        "list(itertools.islice(AddRemove(Real(0, 1)).pairs(np.random.default_rng(0)), 20))\n"
        "print([m for m in ('pandas', 'polars', 'hypothesis', 'scipy', 'sympy') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
