"""Whatever a relation proposes, mutates or shrinks to is neighboring."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpaudit.neighbors import (
    AddRemove,
    AnyPair,
    Categorical,
    Integer,
    Pair,
    QueryAnswers,
    Real,
    ReplaceOne,
    Row,
    ZeroOut,
    dataset_to_source,
)
from tests.sweeps import repeated

CONTAINERS = st.sampled_from(["array", "list", "pandas", "polars"])
FAST = settings(
    max_examples=repeated(8, full=15),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)


@st.composite
def reals(draw):
    low, high = sorted(draw(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))))
    flags = draw(st.tuples(*[st.booleans()] * 4))
    names = ("allow_nan", "allow_infinity", "allow_missing", "enforced")
    return Real(low, high + 1.0, **dict(zip(names, flags, strict=True)))


@st.composite
def integers(draw):
    low = draw(st.integers(-100, 100))
    missing, enforced = draw(st.sampled_from([(False, True), (True, True), (False, False)]))
    return Integer(low, low + draw(st.integers(1, 50)), allow_missing=missing, enforced=enforced)


categories = st.builds(
    Categorical,
    st.sampled_from([["a", "bcd", ""], [1, 5], [0.5, 2], [True, False], ["x", 3, 2.5]]),
    allow_missing=st.booleans(),
)
scalars = st.one_of(reals(), integers(), categories)
rows = st.builds(lambda a, b: Row(a=a, b=b), scalars, scalars)
records = st.one_of(scalars, rows)


def assert_all_neighboring(neighbors, seed, count=24):
    rng = np.random.default_rng(seed)
    pairs = list(islice(neighbors.pairs(rng), count))
    assert pairs
    for pair in pairs:
        assert neighbors.contains(pair), (neighbors, pair.left, pair.right, pair.how)
        assert neighbors.contains(Pair(pair.right, pair.left))
        assert not neighbors.contains(Pair(pair.left, pair.left))
    written = {(dataset_to_source(p.left), dataset_to_source(p.right)) for p in pairs}
    assert len(written) == len(pairs)
    assert not any((right, left) in written for left, right in written)
    for pair in pairs[-1::-7]:
        assert neighbors.contains(neighbors.mutate(pair, rng))
        assert neighbors.contains(neighbors.mutate(Pair(pair.right, pair.left), rng))
        assert all(map(neighbors.contains, islice(neighbors.shrink(pair), 50)))


@FAST
@given(records, st.integers(1, 9), st.integers(1, 3), CONTAINERS, st.integers(0, 2**32))
def test_every_pair_of_add_remove_is_neighboring(domain, size, group, container, seed):
    size = max(size, group)
    neighbors = AddRemove(domain, max_size=size, group=group, container=container)
    assert_all_neighboring(neighbors, seed)


@FAST
@given(records, st.integers(1, 9), st.integers(1, 3), CONTAINERS, st.integers(0, 2**32))
def test_every_pair_of_replace_one_is_neighboring(domain, size, group, container, seed):
    size = max(size, group)
    neighbors = ReplaceOne(domain, size=size, group=group, container=container)
    assert_all_neighboring(neighbors, seed)


@FAST
@given(st.one_of(reals(), integers()), st.integers(1, 9), CONTAINERS, st.integers(0, 2**32))
def test_every_pair_of_zero_out_is_neighboring(domain, size, container, seed):
    assert_all_neighboring(ZeroOut(domain, size=size, zero=-7, container=container), seed)


@FAST
@given(records, st.integers(0, 2**32))
def test_every_pair_of_any_pair_is_neighboring(domain, seed):
    assert_all_neighboring(AnyPair(domain), seed)


@FAST
@given(
    st.integers(1, 12),
    st.sampled_from([1.0, 0.1, 1 / 3, 1e-9, 7e12]),
    st.sampled_from(["linf", "l1", "l2", "l0"]),
    st.booleans(),
    CONTAINERS,
    st.integers(0, 2**32),
)
def test_every_pair_of_query_answers_is_neighboring(n, distance, norm, monotone, container, seed):
    neighbors = QueryAnswers(n, distance, norm, monotone, container=container)
    assert_all_neighboring(neighbors, seed)


@FAST
@given(
    st.sampled_from([AddRemove, ReplaceOne]),
    st.integers(1, 2),
    st.one_of(st.none(), st.integers(1, 4)),
    st.one_of(st.none(), st.integers(1, 2)),
    CONTAINERS,
    st.integers(0, 2**32),
)
def test_every_pair_of_users_is_neighboring(relation, group, limit, groups, container, seed):
    domain = Row(user=Integer(0, 19), shop=Categorical(["a", "b", "c"]), paid=Real(0, 10))
    size = {"max_size": 5} if relation is AddRemove else {"size": 5}
    spread = {} if groups is None else {"partition": "shop", "partitions_per_unit": groups}
    neighbors = relation(
        domain, **size, group=group, unit="user", rows_per_unit=limit, container=container, **spread
    )
    assert_all_neighboring(neighbors, seed)


@FAST
@given(
    st.sampled_from(
        [
            (AddRemove, "shop"),
            (AddRemove, ("shop:groups",)),
            (ReplaceOne, "shop"),
            (ReplaceOne, "shop:sizes"),
            (ReplaceOne, ["length", "shop"]),
        ]
    ),
    st.integers(1, 2),
    st.booleans(),
    CONTAINERS,
    st.integers(0, 2**32),
)
def test_neighbors_agree_on_what_is_public(case, group, users, container, seed):
    relation, invariant = case
    domain = Row(user=Integer(0, 19), shop=Categorical(["a", "b", "c"]), paid=Real(0, 10))
    unit = "user" if users else None
    neighbors = relation(
        domain, group=group, invariant=invariant, container=container, unit=unit, rows_per_unit=None
    )
    assert_all_neighboring(neighbors, seed)
    for pair in islice(neighbors.pairs(np.random.default_rng(seed)), 20):
        sides = [
            [row["shop"] for row in side] if container == "list" else list(side["shop"])
            for side in (pair.left, pair.right)
        ]
        assert set(sides[0]) == set(sides[1])
        if invariant == "shop:sizes":
            assert sorted(sides[0]) == sorted(sides[1])


@pytest.mark.parametrize("container", ["array", "list", "pandas", "polars"])
@pytest.mark.parametrize(
    "strategy",
    [
        st.floats(0, 1),
        st.integers(0, 9),
        st.text(max_size=3),
        st.booleans(),
        st.one_of(st.none(), st.floats(0, 1)),
        st.tuples(st.integers(0, 3), st.booleans()),
    ],
    ids=["floats", "integers", "text", "booleans", "optional", "tuples"],
)
def test_strategies_serve_as_records(strategy, container):
    for neighbors in (
        AddRemove(strategy, max_size=5, container=container),
        ReplaceOne(strategy, size=4, container=container),
    ):
        assert_all_neighboring(neighbors, seed=5, count=24)
    assert_all_neighboring(AnyPair(strategy), seed=6, count=1)


@FAST
@given(records, st.integers(0, 2**32))
def test_shrinking_comes_to_an_end(domain, seed):
    neighbors = AddRemove(domain, max_size=6, group=2)
    rng = np.random.default_rng(seed)
    pair = list(islice(neighbors.pairs(rng), 40))[-1]
    for _ in range(2_000):
        simpler = list(islice(neighbors.shrink(pair), 30))
        if not simpler:
            return
        pair = simpler[int(rng.integers(len(simpler)))]
    raise AssertionError("2,000 steps without an end")


@FAST
@given(st.integers(1, 6), st.sampled_from(["linf", "l1", "l2", "l0"]), st.integers(0, 2**32))
def test_shrinking_query_answers_comes_to_an_end(length, norm, seed):
    neighbors = QueryAnswers(length, 0.3, norm)
    rng = np.random.default_rng(seed)
    pair = list(islice(neighbors.pairs(rng), 40))[-1]
    for _ in range(500):
        simpler = list(neighbors.shrink(pair))
        if not simpler:
            return
        pair = simpler[int(rng.integers(len(simpler)))]
    raise AssertionError("500 steps without an end")
