"""Data around a frame of real records: what certificates tell of its columns."""

import numpy as np
import pandas as pd
import pytest

from dpaudit import AddRemove, Integer, PureDP, Real, Row, Verdict, verify
from dpaudit.formal.description import around
from dpaudit.formal.unsupported import Unsupported
from tests.proving import is_proved

FRAME = pd.DataFrame({
    "age": [30, 41, 25], "pay": [1.5, 2.5, np.nan], "town": ["a", "b", "a"], "when": [1j, 2j, 3j],
})  # fmt: skip


def visits(frame, rng):
    return float(frame["age"].clip(20, 50).sum()) + rng.laplace(scale=50.0)


def columns(neighbors):
    return {column["name"]: column for column in around(neighbors)["around"]["columns"]}


def test_a_column_lies_between_the_least_and_the_greatest_of_the_base():
    found = columns(AddRemove.around(FRAME))
    age = found["age"]
    assert (age["low"], age["high"], age["dtype"], age["missing"]) == (25, 41, "int64", False)
    assert found["pay"]["missing"]
    assert found["town"]["values"] == ["a", "b"]
    assert found["when"]["low"] is None
    assert found["when"]["infinite"]


def test_records_that_may_be_added_widen_the_column():
    base = pd.DataFrame({"x": [1.0, 2.0], "k": [0, 1]})
    wider = Row(x=Real(-3, 1, allow_nan=True), k=Integer(0, 9))
    found = columns(AddRemove.around(base, wider))
    x, k = found["x"], found["k"]
    assert (x["low"], x["high"], x["missing"]) == (-3, 2, True)
    assert (k["low"], k["high"], k["missing"]) == (0, 9, False)


def test_records_without_an_enforced_range_leave_the_column_unbounded():
    anything = Row(x=Real(0, 1, enforced=False))
    found = columns(AddRemove.around(pd.DataFrame({"x": [1.0]}), anything))
    assert found["x"]["high"] is None


def test_as_many_rows_come_or_go_as_the_largest_user_has():
    base = pd.DataFrame({"who": [1, 1, 1, 2], "x": [0.0, 1.0, 2.0, 3.0]})
    assert around(AddRemove.around(base, unit="who"))["around"]["rows"] == 3
    assert around(AddRemove.around(base))["around"]["rows"] == 1


def test_bare_values_are_one_column_without_a_name():
    assert list(columns(AddRemove.around(np.array([1.0, 2.0])))) == [None]
    assert columns(AddRemove.around(pd.Series([True, False])))[None]["dtype"] == "bool"
    with pytest.raises(Unsupported, match="around a list"):
        around(AddRemove.around([1.0, 2.0]))


def test_dates_are_told_of_and_nobody_reads_them():
    dates = AddRemove.around(pd.Series(pd.to_datetime(["2020-01-01"])))
    assert columns(dates)[None]["low"] is None

    def year(series, rng):
        return float(series.dt.year.sum()) + rng.laplace(scale=1e6)

    assert not is_proved(year, PureDP(1.0), dates)


def test_a_mechanism_on_a_frame_is_verified_for_what_a_row_may_hold():
    assert verify(visits, PureDP(1.0), AddRemove.around(FRAME)).verdict is Verdict.VERIFIED
    report = verify(visits, PureDP(0.5), AddRemove.around(FRAME))
    assert report.verdict is Verdict.REFUTED
    assert 0.5 < report.epsilon <= 41 / 50


def test_a_missing_value_of_the_base_reaches_the_noise():
    def paid(frame, rng):
        return float(np.sum(np.clip(frame["pay"].to_numpy(), 0, 3))) + rng.laplace(scale=3.0)

    assert not is_proved(paid, PureDP(1.0), AddRemove.around(FRAME))
