"""Data around a frame of real records: what the rules know of its columns."""

import numpy as np
import pandas as pd
import pytest
import sympy

from dpaudit import AddRemove, Integer, PureDP, Real, Row, Verdict, verify
from dpaudit.formal.around import records_around
from dpaudit.formal.domain import Array, Table
from dpaudit.formal.unsupported import Unsupported

FRAME = pd.DataFrame({
    "age": [30, 41, 25], "pay": [1.5, 2.5, np.nan], "town": ["a", "b", "a"], "when": [1j, 2j, 3j],
})  # fmt: skip


def visits(frame, rng):
    return float(frame["age"].clip(20, 50).sum()) + rng.laplace(scale=50.0)


def test_a_column_lies_between_the_least_and_the_greatest_of_the_base():
    table = records_around(AddRemove.around(FRAME))
    assert isinstance(table, Table)
    age = table.columns["age"]
    assert (age.low, age.high, age.integer, age.nan) == (25, 41, True, False)
    assert table.columns["pay"].nan
    assert table.columns["town"].values == ("a", "b")
    assert "when" not in table.columns


def test_records_that_may_be_added_widen_the_column():
    base = pd.DataFrame({"x": [1.0, 2.0], "k": [0, 1]})
    wider = Row(x=Real(-3, 1, allow_nan=True), k=Integer(0, 9))
    table = records_around(AddRemove.around(base, wider))
    x, k = table.columns["x"], table.columns["k"]
    assert (x.low, x.high, x.nan) == (-3, 2, True)
    assert (k.low, k.high, k.nan) == (0, 9, False)


def test_records_without_an_enforced_range_leave_the_column_unbounded():
    table = records_around(
        AddRemove.around(pd.DataFrame({"x": [1.0]}), Row(x=Real(0, 1, enforced=False)))
    )
    assert table.columns["x"].high == sympy.oo


def test_as_many_rows_come_or_go_as_the_largest_user_has():
    base = pd.DataFrame({"who": [1, 1, 1, 2], "x": [0.0, 1.0, 2.0, 3.0]})
    assert records_around(AddRemove.around(base, unit="who")).rows.count == 3
    assert records_around(AddRemove.around(base, unit="who", group=2)).rows.count == 6
    assert records_around(AddRemove.around(base)).rows.count == 1


def test_bare_values_are_an_array_of_records():
    assert isinstance(records_around(AddRemove.around(np.array([1.0, 2.0]))), Array)
    assert records_around(AddRemove.around(pd.Series([True, False]))).boolean
    with pytest.raises(Unsupported, match="datetime64"):
        records_around(AddRemove.around(pd.Series(pd.to_datetime(["2020-01-01"]))))
    with pytest.raises(Unsupported, match="around a list"):
        records_around(AddRemove.around([1.0, 2.0]))


def test_a_mechanism_on_a_frame_is_verified_for_what_a_row_may_hold():
    assert verify(visits, PureDP(1.0), AddRemove.around(FRAME)).verdict is Verdict.VERIFIED
    report = verify(visits, PureDP(0.5), AddRemove.around(FRAME))
    assert report.verdict is Verdict.REFUTED
    assert 0.5 < report.epsilon <= 41 / 50


def test_a_missing_value_of_the_base_reaches_the_noise():
    def paid(frame, rng):
        return float(np.sum(np.clip(frame["pay"].to_numpy(), 0, 3))) + rng.laplace(scale=3.0)

    report = verify(paid, PureDP(1.0), AddRemove.around(FRAME))
    assert report.verdict is not Verdict.VERIFIED
