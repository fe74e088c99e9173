"""No bound on rows of several numbers is contradicted by running NumPy, nor is too wide."""

import json
import math
import time
from fractions import Fraction

import flint
import numpy as np
import pytest
import sympy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpaudit import AddRemove, Real, ReplaceOne, Row
from dpaudit.checker.exact.numbers import PRECISION
from dpaudit.checker.file import NotCheckedError, RejectedError, Work
from dpaudit.checker.sensitivity import distances
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift
from dpaudit.formal.measured import bound_of, distance, is_finite
from dpaudit.formal.unsupported import Unsupported
from tests.property import matrix_queries
from tests.property.test_sensitivity_rules import MATRIX_QUERIES, run, walked

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


def proved(query, neighbors):
    """Return the distance in the L2 norm that the rules allow, infinite where they refuse."""
    try:
        found = [bound_of(path.value, "l2", path.place)[0] for path in walked(query, neighbors)]
    except Unsupported:
        return math.inf
    bound = sympy.Max(0, *found)
    return float(bound) if is_finite(bound) and not bound.free_symbols else math.inf


def checked(query, neighbors):
    """Return the distance that the checker finds, infinite where it refuses."""
    try:
        program = json.loads(json.dumps(to_dict(lift(query))))
        with flint.ctx.workprec(PRECISION):
            work = Work(time.monotonic() + 10)
            squares = [far.ball for far, _ in distances(program, neighbors, "l2", work)]
        return math.sqrt(max(float(square.upper()) for square in squares))
    except (NotCheckedError, RejectedError):
        return math.inf


@pytest.mark.parametrize("name", RELATIONS)
@pytest.mark.parametrize("query", MATRIX_QUERIES, ids=lambda q: q.__name__)
def test_no_pair_of_rows_moves_a_query_by_more_than_is_said(query, name):
    neighbors = RELATIONS[name]
    known = checked(query, neighbors)
    limit = min(proved(query, neighbors), known)
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
    assert proved(function, RELATIONS[name]) == pytest.approx(moved)
    assert checked(function, RELATIONS[name]) == pytest.approx(moved)


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
    assert proved(function, RELATIONS["added"]) > 1.0
    assert checked(function, RELATIONS["added"]) > 1.0


def test_rows_of_any_length_squared_are_refused():
    assert proved(matrix_queries.too_long_squared, RELATIONS["anything"]) == math.inf
    assert checked(matrix_queries.too_long_squared, RELATIONS["anything"]) == math.inf
