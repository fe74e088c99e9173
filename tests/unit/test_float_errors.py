"""Errors of floats that the code under audit has NumPy raise: where it runs, and not in ours."""

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real, sensitivity, verify
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from dpaudit.worker.quiet import Quiet, own_float_errors

RECORDS = AddRemove(Real(0, 1), max_size=4)


def total(data, rng):
    return data.sum() + rng.laplace(scale=1.0)


def total_of_small_numbers(data, rng):
    small = data * 1e-300 * 1e-300
    return small.sum() + data.sum() + rng.laplace(scale=1.001)


@pytest.fixture
def raising():
    with np.errstate(all="raise"):
        yield


def test_an_audit_ends_where_errors_of_floats_raise(raising):
    report = verify(total, PureDP(1.0), RECORDS, progress=False)
    assert report.verdict.name != "REFUTED"
    assert np.geterr()["under"] == "raise"


def test_nothing_is_proved_where_errors_of_floats_raise(raising):
    with pytest.raises(Unsupported, match="seterr"):
        lift(total_of_small_numbers)


def test_a_query_is_not_read_where_errors_of_floats_raise(raising):
    assert sensitivity(lambda data: data.sum(), RECORDS).bound is None


def test_errors_of_floats_raise_where_the_code_runs_and_not_in_our_arithmetic(raising):
    with own_float_errors():
        assert np.float64(1e-200) * np.float64(1e-200) == 0
        with Quiet(), pytest.raises(FloatingPointError):
            np.float64(1e-200) * np.float64(1e-200)
        assert np.geterr()["over"] == "warn"
    assert np.geterr()["over"] == "raise"
