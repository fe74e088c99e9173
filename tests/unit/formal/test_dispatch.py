"""Functions from tables, parts of lists, orders that are drawn, dicts that keep accounts."""

import math
import types
from functools import partial

import numpy as np
import pytest
from scipy.linalg import hadamard

import dpaudit
from dpaudit import AddRemove, AnyPair, Categorical, PureDP, Real
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from dpaudit.subject import Subject
from tests.proving import is_proved
from tests.sweeps import thinned
from tests.unit.formal import dispatch_programs

VALUES = AddRemove(Real(0, 100), max_size=8)
ONE = PureDP(np.nextafter(1.0, 2))
MECHANISMS = [
    value
    for name, value in vars(dispatch_programs).items()
    if isinstance(value, types.FunctionType)
    and value.__module__ == dispatch_programs.__name__
    and not name.startswith("_")
]


@pytest.mark.parametrize("mechanism", thinned(MECHANISMS), ids=lambda each: each.__name__)
def test_what_is_written_is_proved_where_it_holds_and_nowhere_else(mechanism):
    sound = mechanism.__name__.startswith("sound")
    assert is_proved(mechanism, ONE, VALUES) is sound


@pytest.mark.parametrize(
    "mechanism",
    [
        dispatch_programs.named_tuple_that_copies_itself,
        dispatch_programs.named_tuple_that_makes_its_copies,
    ],
)
def test_copies_that_a_class_makes_in_its_own_way_are_not_read(mechanism):
    with pytest.raises(Unsupported):
        lift(Subject.of(mechanism))


def one_bit(value, rng, *, epsilon=1.0):
    signs = hadamard(4)
    row = int(rng.integers(4))
    kept = rng.random() < math.exp(epsilon) / (1 + math.exp(epsilon))
    return row, int(signs[row, value] if kept else -signs[row, value])


@pytest.mark.parametrize("epsilon", [1.0, 1.4])
def test_one_bit_of_a_hadamard_row_is_proved_at_its_own_epsilon(epsilon):
    answered = partial(one_bit, epsilon=epsilon)
    claim, values = PureDP(np.nextafter(1.0, 2)), AnyPair(Categorical((0, 1, 2, 3)))
    assert is_proved(answered, claim, values) is (epsilon == 1.0)


def listed_sums(data, rng):
    queries = [lambda held: sum(np.clip(held, 0, 10)), len]
    return [query(data) + rng.laplace(scale=20.0) for query in queries]


def test_rounding_is_bounded_for_all_records_that_a_listed_function_adds_up():
    report = dpaudit.verify(listed_sums, PureDP(1.0), AddRemove(Real(0, 10)))
    assert report.verdict is dpaudit.Verdict.VERIFIED
    assert "for up to 2^20 records, the rounding of floats" in report.summary()
