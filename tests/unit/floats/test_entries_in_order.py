"""Differences of entries in order: none is negative, and they add up to how far the ends are."""

import pytest

from dpaudit.floats.functions import Functions
from dpaudit.floats.ledger import Ledger
from dpaudit.floats.values import Many, Num, point

RECORDS = Num(0.0, 100.0, size=8.0, scalar=False, fewest=8.0)


def applied(name, *args, **keywords):
    functions = Functions(Ledger(), strict=True, records=8.0, sized=True)
    return functions.apply(f"numpy.{name}", list(args), keywords, "")


def ends(array, low=0.0, high=100.0):
    return applied("concatenate", Many([Many([point(low)]), array, Many([point(high)])]))


def test_differences_of_sorted_records_and_public_ends_have_a_large_one():
    for z in (ends(applied("sort", RECORDS)), applied("sort", ends(RECORDS))):
        lengths = applied("diff", z)
        assert lengths.low == 0
        assert 100 / 9 * (1 - 2**-40) < lengths.holds < 100 / 9
        assert lengths.rel == 2**-53
        assert lengths.size == 9


def test_without_ends_all_of_them_may_be_0():
    assert applied("diff", applied("sort", RECORDS)).holds <= 0
    one_end = applied("concatenate", Many([Many([point(0.0)]), applied("sort", RECORDS)]))
    assert applied("diff", one_end).low == 0
    assert applied("diff", one_end).holds <= 0


@pytest.mark.parametrize(
    "array",
    [
        RECORDS,
        ends(RECORDS),
        ends(applied("sort", RECORDS), low=50.0),
        ends(applied("sort", RECORDS), high=50.0),
        applied("flip", ends(applied("sort", RECORDS))),
        applied("roll", ends(applied("sort", RECORDS)), point(1)),
        applied("negative", ends(applied("sort", RECORDS))),
        applied("array", ends(applied("sort", RECORDS)), dtype="float32"),
        applied("reshape", ends(applied("sort", RECORDS)), point(2), point(5)),
        applied("sort", Num(0.0, 100.0, error=1e-9, size=8.0, scalar=False)),
        applied("sort", Num(0.0, 100.0, size=8.0, scalar=False, columns=4.0)),
        applied("sort", Num(0.0, 100.0, size=8.0, scalar=False, open=True)),
    ],
)
def test_of_others_a_difference_may_be_negative(array):
    assert applied("diff", array).low < 0


def test_second_differences_may_be_negative():
    assert applied("diff", ends(applied("sort", RECORDS)), n=point(2)).low < 0
    assert applied("diff", ends(applied("sort", RECORDS)), point(2)).low < 0


def test_factors_that_lost_their_digits_hold_no_product_up():
    lengths = Num(0.0, 1e300, size=8.0, scalar=False, holds=1e300, rel=2**-53, error=1e284)
    factors = Num(1e-320, 1e-310, size=8.0, scalar=False, error=1e-320, rel=2**-52)
    assert applied("multiply", lengths, factors).holds == 0
