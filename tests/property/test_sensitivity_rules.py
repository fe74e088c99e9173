"""No rule of sensitivity is contradicted by running NumPy on neighboring datasets."""

import inspect
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpaudit import AddRemove, Integer, Real, ReplaceOne, Row
from dpaudit.formal.bounds import SIZE
from dpaudit.formal.explore import explore
from dpaudit.formal.lift import lift
from dpaudit.formal.measured import bound_of, distance, is_finite
from dpaudit.formal.relations import datasets
from dpaudit.formal.rules import every
from dpaudit.formal.sensitivity import NORMS
from dpaudit.formal.unsupported import Unsupported
from tests.property import matrix_queries, sensitivity_queries
from tests.sweeps import FULL


def queries_of(module):
    """Return the functions that a module defines, in the order of its text."""
    return [f for f in vars(module).values() if inspect.isfunction(f)]


QUERIES = queries_of(sensitivity_queries)
MATRIX_QUERIES = [q for q in queries_of(matrix_queries) if q is not matrix_queries.rows_of]
LOW, HIGH = -2.0, 3.0
RELATIONS = {
    "added": AddRemove(Real(LOW, HIGH), max_size=6),
    "two added": AddRemove(Real(LOW, HIGH), max_size=6, group=2),
    "replaced": ReplaceOne(Real(LOW, HIGH), size=4),
    "two of five replaced": ReplaceOne(Real(LOW, HIGH), size=5, group=2),
    "one record": ReplaceOne(Real(LOW, HIGH), size=1),
    "integers": AddRemove(Integer(-2, 3), max_size=6),
    "anything": AddRemove(
        Real(LOW, HIGH, enforced=False, allow_nan=True, allow_infinity=True), max_size=5
    ),
}
# Not for every relation: a rule may refuse, but never be wrong.
VALUES = st.sampled_from([LOW, HIGH, -1.0, 0.0, 0.5, 1.0, 2.0]) | st.floats(LOW, HIGH)
STRANGE = st.sampled_from([math.nan, math.inf, -math.inf, 1e12, -1e12])


def walked(query, neighbors):
    return [path for data in datasets(neighbors) for path in explore(lift(query), data)]


@st.composite
def pairs(draw, name):
    neighbors = RELATIONS[name]
    if name == "integers":
        value = st.integers(-2, 3)
    else:
        value = VALUES | STRANGE if name == "anything" else VALUES
    group = neighbors.group
    if isinstance(neighbors, AddRemove):
        left = draw(st.lists(value, max_size=neighbors.max_size - group))
        right = list(left)
        for _ in range(draw(st.integers(1, group))):
            right.insert(draw(st.integers(0, len(right))), draw(value))
    else:
        left = draw(st.lists(value, min_size=neighbors.size, max_size=neighbors.size))
        right = list(left)
        for _ in range(draw(st.integers(1, group))):
            right[draw(st.integers(0, len(right) - 1))] = draw(value)
    dtype = np.int64 if name == "integers" else np.float64
    return np.array(left, dtype), np.array(right, dtype)


def run(query, data):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return query(data.copy())
        except Exception as error:
            return error


OFTEN = ("added", "replaced", "anything")


def tried():
    """Of each query integers and, in turns, one relation that says most and one other; or all."""
    others = [name for name in RELATIONS if name not in OFTEN]
    for k, query in enumerate(QUERIES):
        sample = {"integers", OFTEN[k % len(OFTEN)], others[k % len(others)]}
        for name in RELATIONS if FULL else sorted(sample):
            yield pytest.param(query, name, id=f"{query.__name__}-{name}")


@pytest.mark.parametrize(("query", "name"), [*tried()])
def test_no_pair_moves_a_query_by_more_than_the_rules_say(query, name):
    try:
        paths = walked(query, RELATIONS[name])
    except Unsupported:
        return  # refused: nothing is said
    bounds = {}
    for norm in NORMS:
        each = [bound_of(path.value, norm, path.place)[0] for path in paths if not path.raised]
        bounds[norm] = sympy.Max(0, *each)
    hazardous = any(path.hazards for path in paths)

    @settings(
        max_examples=25,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(pairs(name))
    def no_counterexample(pair):
        left, right = (run(query, data) for data in pair)
        if isinstance(left, Exception) or isinstance(right, Exception):
            assert hazardous or (isinstance(left, Exception) and isinstance(right, Exception)), (
                left,
                right,
            )
            return
        size = max(1, *map(len, pair))
        for norm, bound in bounds.items():
            allowed = bound.subs(SIZE, size)
            if not is_finite(allowed):
                continue
            found = distance(left, right, norm)
            assert found != math.inf, (norm, left, right)
            limit = Fraction(float(allowed)) * (1 + Fraction(1, 10**9)) + Fraction(1, 10**9)
            assert found <= limit, (norm, float(found), float(allowed))

    no_counterexample()


def test_every_rule_is_tried_by_some_query():
    used = set()
    for query, name in (case.values for case in tried()):
        try:
            used |= {step.rule for path in walked(query, RELATIONS[name]) for step in path.steps}
        except Unsupported:
            continue
    sides = Row(x=Real(LOW, HIGH), y=Real(LOW, HIGH), z=Real(LOW, HIGH))
    for query in MATRIX_QUERIES:
        try:
            found = walked(query, AddRemove(sides, max_size=4))
        except Unsupported:
            continue
        used |= {step.rule for path in found for step in path.steps}
    refusing = {"counted"}  # a range of a private number
    # Those of frames are tried in tests/unit/formal/test_frames.py.
    frames = {
        "applied", "copied_frame", "different_values_of_series", "filled_series", "present_values",
        "rows_as_dicts",
    }  # fmt: skip
    assert {rule.name for rule in every()} - used - frames == refusing
