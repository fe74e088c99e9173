"""No bound on rows of several numbers is contradicted by running NumPy, nor is too wide."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpaudit import AddRemove, Real, ReplaceOne, Row
from dpaudit.formal.extremal import distance
from tests.property import matrix_queries
from tests.property.sensitivity_pairs import MATRIX_QUERIES, bound, run
from tests.sweeps import sampled

SIDE = Real(-4, 4)
ANYTHING = Real(-4, 4, enforced=False, allow_nan=True, allow_infinity=True)
RELATIONS = {
    "added": AddRemove(Row(x=SIDE, y=SIDE, z=SIDE), max_size=5),
    "two added": AddRemove(Row(x=SIDE, y=SIDE, z=SIDE), max_size=5, group=2),
    "replaced": ReplaceOne(Row(x=SIDE, y=SIDE, z=SIDE), size=3),
    "anything": AddRemove(Row(x=ANYTHING, y=ANYTHING, z=ANYTHING), max_size=4),
}
TYPE = [("x", float), ("y", float), ("z", float)]
PLAIN = st.sampled_from([-4.0, 4.0, 0.0, 1.0, 1e-170]) | st.floats(-4, 4)
STRANGE = st.sampled_from([math.nan, math.inf, -math.inf, 1e200, -1e12])
# What a record moves a query by in the L2 norm, where both know more than the range of entries.
CLIPPED = {
    "shortened_rows": 0.5,
    "shortened_columns": 1.0,
    "second_moments": 1.0,
    "gradients": 1.0,
}


@st.composite
def pairs(draw, name):
    neighbors = RELATIONS[name]
    value = PLAIN | STRANGE if name == "anything" else PLAIN
    row = st.tuples(value, value, value)
    if isinstance(neighbors, ReplaceOne):
        left = draw(st.lists(row, min_size=3, max_size=3))
        right = [draw(row), *left[1:]]
    else:
        left = draw(st.lists(row, max_size=3))
        right = [*left, *(draw(row) for _ in range(neighbors.group))]
    return np.array(left, TYPE), np.array(right, TYPE)


@pytest.mark.parametrize("name", sampled(RELATIONS, 2))
@pytest.mark.parametrize("query", MATRIX_QUERIES, ids=lambda q: q.__name__)
def test_no_pair_of_rows_moves_a_query_by_more_than_is_said(query, name):
    neighbors = RELATIONS[name]
    limit = bound(query, neighbors, "l2")
    if limit == math.inf:
        return

    @settings(
        max_examples=60,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(pairs(name))
    def no_counterexample(pair):
        left, right = (run(query, data) for data in pair)
        assert distance(left, right, "l2") <= Fraction(limit) * (1 + Fraction(1, 10**9)) + Fraction(
            1, 10**9
        )

    no_counterexample()


@pytest.mark.parametrize("name", ["added", "two added", "replaced"])
@pytest.mark.parametrize("query", CLIPPED)
def test_rows_over_their_length_move_a_sum_by_no_more_than_it(query, name):
    function = getattr(matrix_queries, query)
    moved = CLIPPED[query] * (1 if name == "added" else 2)
    assert bound(function, RELATIONS[name], "l2") == pytest.approx(moved)


@pytest.mark.parametrize(
    "query",
    [
        "shortened_by_another_length",
        "shortened_by_the_length_of_columns",
        "shortened_after_a_change",
    ],
)
def test_another_length_bounds_nothing(query):
    function = getattr(matrix_queries, query)
    assert bound(function, RELATIONS["added"], "l2") > 1.0


def test_rows_of_any_length_squared_are_refused():
    assert bound(matrix_queries.too_long_squared, RELATIONS["anything"], "l2") == math.inf
