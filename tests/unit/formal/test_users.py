"""Users with any number of rows: mechanisms that bound them are proved, evil twins are not."""

import numpy as np
import pandas as pd
import pytest

import dpaudit
from tests.proving import is_proved
from tests.sweeps import sampled, thinned
from tests.unit.formal import user_programs as programs


def named(table):
    return [pytest.param(*entry, id=entry[0].__name__) for entry in table]


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), sampled(named(programs.SOUND), 6))
def test_users_that_the_mechanism_bounds_are_verified(mechanism, claim, neighbors):
    report = dpaudit.verify(mechanism, claim, neighbors)
    assert report.verdict is dpaudit.Verdict.VERIFIED, report.reason
    assert report.checked


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), thinned(named(programs.BROKEN)))
def test_an_evil_twin_is_never_verified(mechanism, claim, neighbors):
    assert not is_proved(mechanism, claim, neighbors)


def test_rows_of_a_user_who_comes_leave_the_others_rows_and_sums_as_they_are():
    """Both are compared bit by bit, on 10 pairs of frames with a fixed seed."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        n = int(rng.integers(1, 40))
        more = pd.DataFrame({"user": rng.integers(0, 6, n), "amount": rng.normal(0, 1e3, n)})
        more["sign"] = more["amount"] > 0
        less = more[more["user"] != 3]
        for kept in (
            lambda df: df.groupby("user").head(2),
            lambda df: df.groupby("user").tail(2),
            lambda df: df.drop_duplicates("user", keep="last"),
            lambda df: df.sort_values(["user", "amount"]).groupby("user").head(2),
            lambda df: df.sort_values("sign", kind="stable").groupby("user").head(2),
            lambda df: df.drop_duplicates(["user", "sign"]),
            lambda df: df[df["amount"] > 0].groupby("user").head(1),
        ):
            both = kept(more)
            assert both[both["user"] != 3].equals(kept(less))
            assert (both["user"] == 3).sum() <= 2
        for how in ("sum", "mean", "max", "median", "first", "count", "nunique"):
            each = more.groupby("user")["amount"].agg(how)
            assert each.drop(3, errors="ignore").equals(less.groupby("user")["amount"].agg(how))
        positive = more.assign(amount=more["amount"].abs()).groupby("user")["amount"].sum()
        assert (positive >= 0).all()
