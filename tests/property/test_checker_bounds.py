"""No bound of the checker is contradicted by running NumPy, nor by numbers drawn at random."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpaudit import AddRemove, QueryAnswers, Real, ReplaceOne
from dpaudit.checker.cost.arithmetic import binary, unary
from dpaudit.checker.cost.ends import end
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import Change, Group, Token, Unknown, unknown
from dpaudit.checker.file import NotCheckedError, Work
from dpaudit.formal.extremal import distance
from dpaudit.formal.sensitivity import NORMS
from tests.property.sensitivity_pairs import QUERIES, RELATIONS, bound, pairs, run
from tests.sweeps import FULL

ROUNDING = Fraction(1, 10**9)
SETTINGS = {
    "max_examples": 8,
    "deadline": None,
    "database": None,
    "derandomize": True,
    "suppress_health_check": list(HealthCheck),
}


def bounds(query, neighbors):
    """Return the largest distance by the norm; empty where it is not understood."""
    found = {norm: bound(query, neighbors, norm) for norm in NORMS}
    return {norm: far for norm, far in found.items() if far < math.inf}


BOUNDED = {"added": 28, "replaced": 38, "anything": 14}  # queries of which a bound is known


@pytest.mark.parametrize("name", RELATIONS if FULL else BOUNDED)
def test_no_pair_moves_a_query_by_more_than_the_checker_finds(name):
    bounded = 0
    for query in QUERIES:
        limits = bounds(query, RELATIONS[name])
        bounded += bool(limits)
        if limits:
            _search(query, name, limits)
    assert bounded >= BOUNDED.get(name, 0)


def _search(query, name, limits):
    @settings(**SETTINGS)
    @given(pairs(name))
    def no_counterexample(pair):
        left, right = (run(query, data) for data in pair)
        assert not isinstance(left, Exception), (query, left)
        assert not isinstance(right, Exception), (query, right)
        for norm, far in limits.items():
            found = distance(left, right, norm)
            limit = Fraction(far) * (1 + ROUNDING) + ROUNDING
            assert found <= limit, (query.__name__, norm, float(found), far, pair)

    no_counterexample()


# --- numbers of two runs


@st.composite
def numbers_in_two_runs(draw):
    """Return an unknown number, and what it is in each run."""
    values = st.integers(-6, 6).map(lambda n: Fraction(n, 2))
    left, right = draw(values), draw(values)
    wide, narrow = (draw(st.integers(0, 3)) for _ in range(2))
    low, high = min(left, right) - wide, max(left, right) + wide
    moved = right - left
    change = Change(end(moved - narrow), end(moved + narrow))
    if draw(st.booleans()):
        change = Change()
        right = left
    return Unknown("float", end(low), end(high), change), left, right


OPERATIONS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "truediv": lambda a, b: a / b,
    "maximum": max,
    "minimum": min,
    "fmax": max,
    "fmin": min,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
}


@pytest.mark.parametrize("name", OPERATIONS)
@settings(**{**SETTINGS, "max_examples": 100})
@given(one=numbers_in_two_runs(), other=numbers_in_two_runs())
def test_what_becomes_of_two_numbers_lies_where_the_checker_says(name, one, other):
    (x, *values), (y, *others) = one, other
    try:
        found = unknown(binary(Run(Work(math.inf)), name, x, y))
    except (NotCheckedError, TypeError):
        return
    if name == "truediv" and 0 in others:
        return  # it raises in both runs or in none
    left, right = (Fraction(OPERATIONS[name](a, b)) for a, b in zip(values, others, strict=True))
    assert found.low <= min(left, right)
    assert max(left, right) <= found.high
    low, high = found.change.ends()
    assert low <= right - left <= high


@pytest.mark.parametrize(
    ("name", "function"), [("abs", abs), ("neg", lambda v: -v), ("square", lambda v: v * v)]
)
@settings(**{**SETTINGS, "max_examples": 100})
@given(one=numbers_in_two_runs())
def test_what_becomes_of_one_number_lies_where_the_checker_says(name, function, one):
    x, left, right = one
    found = unary(Run(Work(math.inf)), name, x)
    assert found.low <= min(function(left), function(right))
    assert max(function(left), function(right)) <= found.high
    low, high = found.change.ends()
    assert low <= function(right) - function(left) <= high


@settings(**{**SETTINGS, "max_examples": 200})
@given(
    norm=st.sampled_from(["l1", "l2"]),
    factors=st.lists(st.integers(-3, 3), min_size=3, max_size=3),
    direction=st.lists(st.integers(-5, 5), min_size=3, max_size=3),
)
def test_a_sum_of_joint_changes_is_within_the_dual_norm(norm, factors, direction):
    group = Group(norm, end(-2), end(2))
    tokens = [Token(group) for _ in factors]
    total = Change()
    for token, factor in zip(tokens, factors, strict=True):
        total = total.plus(Change(tokens={token: end(1)}).times(end(factor)))
    size = sum(map(abs, direction)) if norm == "l1" else math.hypot(*direction)
    if size == 0:
        return
    moved = sum(2 * d / size * f for d, f in zip(direction, factors, strict=True))
    assert abs(moved) <= float(total.far().ball.upper()) * (1 + 1e-9) + 1e-12


def twice(answers):
    return 2 * answers


def differences(answers):
    return answers[1:] - answers[:-1]


@pytest.mark.parametrize("query", [twice, differences])
@pytest.mark.parametrize("norm", ["l1", "l2", "linf", "l0"])
def test_answers_that_move_together_move_a_query_by_no_more_than_the_checker_finds(query, norm):
    neighbors = QueryAnswers(4, norm=norm)
    limits = bounds(query, neighbors)
    rng = np.random.default_rng(0)
    for _, pair in zip(range(200), neighbors.pairs(rng), strict=False):
        for measured, limit in limits.items():
            found = distance(query(pair.left), query(pair.right), measured)
            assert found <= Fraction(limit) * (1 + ROUNDING) + ROUNDING
    assert limits


def test_what_is_not_understood_has_no_bound():
    assert not bounds(lambda data: data[0], AddRemove(Real(0, 1)))
    assert not bounds(lambda data: np.linalg.det(np.diag(data)), ReplaceOne(Real(0, 1)))
