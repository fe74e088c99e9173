"""Queries, relations, and pairs of neighboring datasets on which they are run."""

import inspect
import json
import math
import warnings

import numpy as np
from hypothesis import strategies as st

from dpaudit import AddRemove, Integer, Real, ReplaceOne
from dpaudit.checker.exact.numbers import precisely
from dpaudit.checker.file import RejectedError, Work
from dpaudit.checker.number_text import number_told
from dpaudit.checker.sensitivity import bound_of
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from tests.property import matrix_queries, sensitivity_queries


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


def bound(query, neighbors, norm):
    """Return how far a query may move, infinite where it is not understood."""
    try:
        program = json.loads(json.dumps(to_dict(lift(query))))
        with precisely():
            found = bound_of(program, neighbors, norm, Work(math.inf))
            return float(number_told(found.bound).ball.upper()) if found.bound != "oo" else math.inf
    except (Unsupported, RejectedError):
        return math.inf
