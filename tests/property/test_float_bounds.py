"""The bounds of the float analysis hold for what NumPy does, against exact rationals."""

import functools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpaudit.floats import arithmetic
from dpaudit.floats.ledger import Ledger
from dpaudit.floats.values import Num

TYPES = {np.float64: 2.0**-53, np.float32: 2.0**-24, np.float16: 2.0**-11}
numbers = st.floats(-100, 100, allow_nan=False, width=16)


def value_of(values, unit):
    return Num(min(values), max(values), unit=unit, size=float(len(values)), scalar=False)


@settings(max_examples=200, deadline=None)
@given(st.lists(numbers, min_size=1, max_size=40), st.sampled_from(list(TYPES)))
def test_the_sum_of_an_array_lies_within_its_bounds(values, kind):
    found = arithmetic.total(value_of(values, TYPES[kind]), float(len(values)))
    got = float(np.array(values, kind).sum(dtype=kind))
    exact = sum(map(Fraction, values))
    assert found.low <= got <= found.high
    assert abs(Fraction(got) - exact) <= Fraction(found.error)


@settings(max_examples=300, deadline=None)
@given(numbers, numbers, numbers, st.sampled_from(["+", "-", "*", "/"]))
def test_two_operations_lie_within_their_bounds(a, b, c, operator):
    one, other, third = (Num(x, x) for x in (a, b, c))
    ledger = Ledger()
    if operator == "/" and b == 0:
        return
    exact = {"+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y,
             "/": lambda x, y: x / y}[operator]  # fmt: skip
    made = {
        "+": lambda: arithmetic.add(one, other, ledger, ""),
        "-": lambda: arithmetic.subtract(one, other, ledger, ""),
        "*": lambda: arithmetic.multiply(one, other),
        "/": lambda: arithmetic.divide(one, other),
    }[operator]()
    found = arithmetic.add(made, third, ledger, "")
    got = exact(a, b) + c
    assert found.low <= got <= found.high
    gap = abs(Fraction(got) - (exact(Fraction(a), Fraction(b)) + Fraction(c)))
    assert gap <= Fraction(found.error)


@pytest.mark.parametrize(
    ("values", "kind"),
    [([21.65625] * 3, np.float16), ([0.1] * 1_000, np.float32), ([-0.7] * 997, np.float64)],
)
def test_the_ends_of_a_sum_are_as_far_as_its_roundings_go(values, kind):
    values = [float(kind(value)) for value in values]
    found = arithmetic.total(value_of(values, TYPES[kind]), float(len(values)))
    one_by_one = functools.reduce(lambda a, b: a + b, map(kind, values))
    assert found.low <= float(one_by_one) <= found.high


def test_sums_of_numbers_with_few_digits_keep_their_ends():
    found = arithmetic.total(value_of([0.0, 1.0] * 50, TYPES[np.float64]), 100.0)
    assert found.high <= 100 * (1 + 2.0**-49)
