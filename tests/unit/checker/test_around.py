"""Certificates around real records: what is told of them is the statement that is checked."""

import copy
import json
from functools import partial

import numpy as np
import pandas as pd
import pytest

from dpaudit import AddRemove, PureDP, Real, Row, verify
from tests.checking import check
from tests.sweeps import sampled
from tests.unit.checker.forged import forged
from tests.unit.checker.mutations import changed, leaves, sealed

FRAME = pd.DataFrame({
    "age": [30, 41, 25], "pay": [1.5, 2.5, np.nan], "town": ["a", "b", "a"],
    "in": [True, False, True], "when": [1j, 2j, 3j],
})  # fmt: skip
VISITS = pd.DataFrame({"x": [1.0, 7.0, 3.0], "k": [2, 5, 3]})
ADDED = Row(x=Real(0, 10, allow_nan=True), k=Real(0, 9))
ONE = PureDP(1.0)


def paid(frame, rng):
    pay = frame["pay"].to_numpy()
    return float(np.fmin(np.fmax(pay, 0.0), 3.0).sum()) + rng.laplace(scale=3.0)


def ages(frame, rng):
    return float(frame["age"].to_numpy().sum()) + rng.laplace(scale=41.0)


def of_a_series(frame, rng):
    grown = frame[(frame["age"] >= 26) & frame["in"]]
    return float(grown["pay"].clip(0, 3).sum()) + rng.laplace(scale=3.0)


def in_town(frame, rng):
    return len(frame[frame["town"] == "a"]) + rng.laplace(scale=1.0)


def clipped(frame, rng):
    return float(np.fmin(np.fmax(frame["x"].to_numpy(), 0), 7).sum()) + rng.laplace(scale=7.0)


def unclipped(frame, rng):
    return float(frame["x"].to_numpy().sum()) + rng.laplace(scale=7.0)


def certificate(mechanism, neighbors, claim=ONE):
    report = verify(mechanism, claim, neighbors)
    assert report.certificate is not None, report.reason
    return json.loads(json.dumps(report.certificate.to_dict()))


def told(found, column_name, /, **values):
    """Return a certificate that tells otherwise of a column."""
    found = copy.deepcopy(found)
    (column,) = (c for c in found["subject"]["around"]["columns"] if c["name"] == column_name)
    column.update(values)
    return sealed(found)


@pytest.mark.parametrize("mechanism", [paid, ages, of_a_series, in_town])
def test_it_is_accepted_for_every_dataset_of_rows_that_are_as_it_tells(mechanism):
    result = check(certificate(mechanism, AddRemove.around(FRAME)))
    assert result.accepted, result.reason
    says = result.says[0]
    assert says.startswith("it is proved for every dataset of rows with these columns and ranges")
    assert "age (int64) in [25, 41]; pay (float64) in [1.5, 2.5] or missing" in says
    assert "town (object) among 'a', 'b'" in says or "town (str) among 'a', 'b'" in says
    assert "in (bool); when (complex128, not read)" in says
    assert "the 3 given records are rows with these columns and ranges" in result.trusted


@pytest.mark.parametrize(
    "base",
    [
        pd.Series([1.0, 2.0, 7.0]),
        np.array([1.0, 2.0, 7.0]),
        np.array([(1.0,), (7.0,)], dtype=[("x", "f8")]),
    ],
)
def test_series_and_arrays_are_described_too(base):
    def total(data, rng):
        values = data["x"] if getattr(data, "dtype", None).names else data
        return values.sum() + rng.laplace(scale=7.0)

    def bare(data, rng):
        return data.sum() + rng.laplace(scale=7.0)

    def named(data, rng):
        return data["x"].sum() + rng.laplace(scale=7.0)

    mechanism = named if base.dtype.names else bare if hasattr(base, "dtype") else total
    result = check(certificate(mechanism, AddRemove.around(base)), base=base)
    assert result.accepted, result.reason


def test_what_is_told_is_compared_with_the_records_where_they_are_at_hand():
    found = certificate(paid, AddRemove.around(FRAME))
    result = check(found, base=FRAME)
    assert result.accepted
    assert not any("given records" in sentence for sentence in result.trusted)
    other = FRAME.assign(age=[30, 99, 25])
    result = check(found, base=other)
    assert (result.accepted, result.decided) == (False, True)
    assert "holds 99" in result.reason
    assert not check(found, base=FRAME.drop(columns="town")).accepted
    assert not check(found, base=FRAME.assign(age=FRAME["age"].astype(float))).accepted
    assert not check(found, base=FRAME.iloc[:2]).accepted
    assert not check(found, base=FRAME["age"]).accepted
    plain = certificate(lambda data, rng: len(data) + rng.laplace(), AddRemove(Real(0, 1)))
    assert check(plain).accepted
    assert "around no records" in check(plain, base=FRAME).reason


def test_ranges_that_are_narrower_than_the_records_are_seen_in_what_is_said():
    narrow = told(certificate(ages, AddRemove.around(FRAME)), "age", high=35)
    narrow["proof"] |= {"spent": "35/41"}
    narrow["proof"]["releases"][0]["epsilon"] = "35/41"
    narrow = sealed(narrow)
    result = check(narrow)
    assert result.accepted
    assert "age (int64) in [25, 35]" in result.says[0]
    assert "holds 41" in check(narrow, base=FRAME).reason


def test_no_column_may_be_narrower_than_the_records_that_may_be_added():
    found = certificate(clipped, AddRemove.around(VISITS, ADDED))
    assert check(found).accepted
    for change in ({"high": 9}, {"low": 1}, {"missing": False}):
        result = check(told(found, "x", **change))
        assert (result.accepted, result.decided) == (False, True)
        assert "records that may be added are Real(0, 10, allow_nan=True)" in result.reason


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("age", {"high": 42}),
        ("age", {"low": -42}),
        ("age", {"high": None}),
        ("age", {"dtype": "float64", "missing": True}),
        ("age", {"dtype": "float64", "infinite": True}),
        ("age", {"dtype": "int32"}),
        ("age", {"name": "years"}),
        ("age", {"dtype": "object", "values": ["a"], "low": None, "high": None}),
        ("age", {"missing": True}),
        ("age", {"low": 50}),
        ("age", {"high": True}),
        ("age", {"name": "pay"}),
    ],
)
def test_what_does_not_hold_for_the_rows_that_are_told_is_not_accepted(name, change):
    assert not check(told(certificate(ages, AddRemove.around(FRAME)), name, **change)).accepted


def test_missing_values_that_are_told_reach_a_sum():
    base = VISITS.assign(x=[1.0, 7.0, 3.0])
    found = certificate(unclipped, AddRemove.around(base))
    assert check(found).accepted
    assert not check(told(found, "x", missing=True)).accepted
    assert not check(told(found, "x", high=7.5)).accepted


def test_a_forged_certificate_of_a_false_claim_is_not_accepted():
    wide = AddRemove.around(VISITS, Row(x=Real(0, 8), k=Real(0, 9)))
    assert not check(forged(unclipped, ONE, wide)).accepted
    assert not check(forged(unclipped, ONE, AddRemove.around(VISITS, ADDED))).accepted
    assert not check(forged(unclipped, ONE, AddRemove.around(VISITS, group=2))).accepted
    assert not check(forged(unclipped, ONE, AddRemove.around(VISITS, unit="k", group=2))).accepted
    assert check(forged(unclipped, ONE, AddRemove.around(VISITS))).accepted


def test_users_with_several_rows_cost_what_their_rows_cost():
    base = pd.DataFrame({"who": [1, 1, 2], "x": [1.0, 2.0, 3.0]})
    users = AddRemove.around(base, unit="who")
    found = certificate(lambda frame, rng: len(frame) + rng.laplace(scale=2.0), users)
    result = check(found)
    assert result.accepted
    assert "up to 2 rows more or less" in result.says[0]
    assert any("no `who` has more than 2" in sentence for sentence in result.trusted)
    fewer = copy.deepcopy(found)
    fewer["subject"]["around"]["rows"] = 1
    assert "more than stated" in check(sealed(fewer), base=base).reason
    more = copy.deepcopy(found)
    more["subject"]["around"]["rows"] = 3
    assert not check(sealed(more)).accepted


def test_a_certificate_that_does_not_tell_what_the_records_hold_is_not_checked():
    found = certificate(ages, AddRemove.around(FRAME))
    del found["subject"]["around"]
    result = check(sealed(found))
    assert (result.accepted, result.decided) == (False, False)
    assert "certify anew" in result.reason


def test_other_neighbors_have_no_records_around_which_they_are():
    found = certificate(ages, AddRemove.around(FRAME))
    found["subject"]["neighbors"] = "AddRemove(Row(age=Integer(25, 41)))"
    assert "not of the neighbors" in check(sealed(found)).reason


def test_every_other_word_about_the_records_is_rejected_or_said():
    found = certificate(clipped, AddRemove.around(VISITS, ADDED))
    says = check(found).says
    for path in leaves(found["subject"]["around"]):
        result = check(changed(found, ("subject", "around", *path)))
        assert not result.accepted or result.says != says, path


def chosen(frame, low, high, at):
    rows = frame[(frame["a"] > at) | frame["c"]]
    return float((rows["b"].clip(low, high) * 2.0).abs().sum()) - rows["k"].sum()


def noisy(frame, rng, *, low, high, at, scale):
    rows = frame[(frame["a"] > at) | frame["c"]]
    total = float((rows["b"].clip(low, high) * 2.0).abs().sum()) - rows["k"].sum()
    return total + rng.laplace(scale=scale)


@pytest.mark.parametrize("seed", sampled(range(30), 6))
def test_no_less_noise_is_accepted_than_some_pair_of_frames_needs(seed):
    rng = np.random.default_rng(seed)
    low, high = sorted(map(float, rng.integers(-5, 6, 2)))
    at = float(rng.integers(-2, 2))
    base = pd.DataFrame({
        "a": rng.normal(size=6), "b": rng.normal(scale=4, size=6), "c": rng.random(6) < 0.3,
        "k": rng.integers(-3, 4, 6),
    })  # fmt: skip
    base.loc[rng.random(6) < 0.3, "b"] = np.nan
    neighbors = AddRemove.around(base)
    moved = max(
        abs(chosen(pair.left, low, high, at) - chosen(pair.right, low, high, at))
        for pair in neighbors.pairs(rng)
    )
    options = {"low": low, "high": high, "at": at}
    if moved > 0:
        less = partial(noisy, **options, scale=moved * 0.99)
        assert not check(forged(less, ONE, neighbors)).accepted
    enough = partial(noisy, **options, scale=2 * max(abs(low), abs(high)) + 3)
    result = check(forged(enough, ONE, neighbors), base=base)
    assert result.accepted, result.reason


def test_labels_are_not_taken_for_places():
    def of_two_tests(frame, rng):
        one, other = frame[frame["age"] > 26], frame[frame["in"]]
        return float((one["age"] + other["age"]).sum()) + rng.laplace(scale=100.0)

    def pay(frame, rng):
        return float(frame["pay"].mean()) + rng.laplace(scale=100.0)

    for mechanism in (of_two_tests, pay):
        result = check(forged(mechanism, ONE, AddRemove.around(FRAME)))
        assert not result.accepted


def test_frames_of_records_are_followed_as_frames_around_records_are():
    def spent(frame, rng):
        return float(frame["pay"].clip(0, 3).sum()) + rng.laplace(scale=3.0)

    def mean(frame, rng):
        return float(frame["pay"].mean()) + rng.laplace(scale=300.0)

    frames = AddRemove(Row(pay=Real(0, 10, allow_nan=True), n=Real(0, 1)), container="pandas")
    result = check(certificate(spent, frames))
    assert result.accepted, result.reason
    assert result.says == ()
    series = AddRemove(Real(0, 3), container="pandas")
    result = check(forged(lambda s, rng: s.sum() + rng.laplace(scale=3.0), ONE, series))
    assert result.accepted, result.reason
    assert not check(forged(lambda s, rng: s.sum() + rng.laplace(scale=2.9), ONE, series)).accepted
    assert not check(forged(mean, ONE, frames)).accepted
