"""Numbers by known labels and the like: proved in the spellings of users, no twin of them."""

import numpy as np
import pandas as pd
import pytest

import dpaudit
from dpaudit import AddRemove, PureDP, QueryAnswers, Real, Verdict
from dpaudit.formal.clock import fresh, now
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import OutOfScope, Unsupported
from tests.proving import is_proved
from tests.sweeps import sampled, thinned
from tests.unit.formal import crossed_programs, masked_programs, released_programs, sheet_programs
from tests.unit.formal.labelled_programs import BROKEN, SOUND, first_above, first_above_exactly

EVERY_SOUND = [
    *SOUND,
    *released_programs.SOUND,
    *crossed_programs.SOUND,
    *sheet_programs.SOUND,
    *masked_programs.SOUND,
]
EVERY_BROKEN = [
    *BROKEN,
    *released_programs.BROKEN,
    *crossed_programs.BROKEN,
    *sheet_programs.BROKEN,
    *masked_programs.BROKEN,
]


@pytest.mark.parametrize("case", thinned(EVERY_SOUND), ids=lambda case: case[0].__name__)
def test_it_is_proved_as_the_checker_follows_it(case):
    mechanism, claim, neighbors = case
    with fresh():
        prove_by_cost(lift(mechanism), claim, neighbors, deadline=now() + 60)


@pytest.mark.parametrize("case", EVERY_BROKEN, ids=lambda case: case[0].__name__)
def test_a_twin_with_one_defect_is_not_proved(case):
    mechanism, claim, neighbors = case
    with fresh(), pytest.raises((OutOfScope, Unsupported)):
        prove_by_cost(lift(mechanism), claim, neighbors, deadline=now() + 60)


@pytest.mark.parametrize(
    "name",
    sampled(
        [
            *("counts_in_order", "totals", "told_why", "best_and_its_count"),
            *("index_that_exists", "by_a_mask", "by_out"),
            *(case[0].__name__ for case in sheet_programs.SOUND),
        ],
        2,
    ),
)
def test_such_proofs_are_verified_and_accepted(name):
    [(mechanism, claim, neighbors)] = [case for case in EVERY_SOUND if case[0].__name__ == name]
    assert dpaudit.verify(mechanism, claim, neighbors).verdict is Verdict.VERIFIED


def test_a_sparse_vector_by_next_is_a_loop_that_ends_early():
    assert dpaudit.verify(first_above, PureDP(1.0), QueryAnswers(5)).verdict is Verdict.VERIFIED
    assert not is_proved(first_above_exactly, PureDP(1.0), QueryAnswers(5))


WORDS, LISTED = ["a", "b"], ["a", "b"]
TASKS = [{"make": lambda: WORDS}]
NAMED = [dict(make=lambda: LISTED)]  # noqa: C408


def grown_elsewhere():
    TASKS[0]["make"]().append("c")
    NAMED[0]["make"]().append("c")


def as_loud_as_words(data, rng):
    return len(data) + rng.laplace(scale=len(WORDS) / 2)


def as_loud_as_listed(data, rng):
    return len(data) + rng.laplace(scale=len(LISTED) / 2)


@pytest.mark.parametrize("mechanism", [as_loud_as_words, as_loud_as_listed])
def test_a_list_that_a_function_in_a_dict_hands_out_may_change(mechanism):
    records = AddRemove(Real(0, 1), max_size=4)
    assert dpaudit.verify(mechanism, PureDP(1.0), records).verdict is Verdict.INCONCLUSIVE


def test_pandas_does_what_the_rules_for_its_columns_say():
    pay, towns = pd.Series([1.0, 50.0, 30.0, np.nan]), pd.Series(["b", "a", "b"])
    bands = pd.cut(pay, [0, 18, 40, np.inf], labels=["x", "y", "z"])
    assert dict(bands[:2].value_counts(sort=False)) == {"x": 1, "y": 0, "z": 1}
    assert list(bands[:2].value_counts().sort_index().index) == ["x", "y", "z"]
    assert dict(pay.groupby(bands, observed=False).sum()) == {"x": 1.0, "y": 30.0, "z": 50.0}
    assert list(pay[:2].groupby(bands, observed=True).sum().index) == ["x", "z"]
    assert list(pd.cut(pay, [0, 30, 50], right=False, labels=False)[:1]) == [0]
    assert pd.cut(pay, [1, 30], labels=["x"]).isna()[0]
    assert not pd.cut(pay, [1, 30], labels=["x"], include_lowest=True).isna()[0]
    categories = pd.Series(pd.Categorical(towns, categories=["a", "b", "c"]))
    assert dict(categories.value_counts(sort=False)) == {"a": 1, "b": 2, "c": 0}
    assert list((pay**0).mul(2)) == [2.0] * 4
    assert list(pay.where(pay < 40, 0)[1:]) == [0.0, 30.0, 0.0]
    assert list(pay.mask(pay.lt(40), 0)[:3]) == [0.0, 50.0, 0.0]
    assert pay.isna().sum() == 1
    assert len(pd.DataFrame({"pay": pay, "n": 1}).dropna(subset=["pay"]).index) == 3
    grouped = pd.DataFrame({"town": towns, "n": [1, 2, 4]}).groupby("town").agg(n=("n", "sum"))
    assert dict(grouped.reindex(["a", "c"], fill_value=0)["n"]) == {"a": 2, "c": 0}
    assert pay[:3].var() == np.var(pay[:3].to_numpy(), ddof=1) != np.var(pay[:3])
    fields = np.array([(1, 2.0), (3, 4.0)], dtype=[("n", int), ("x", float)])
    assert list(pd.DataFrame(fields)["x"]) == [2.0, 4.0] == list(pd.Series(fields["x"]))
    assert list(pd.DataFrame({"n": [1], "x": 0.5, "town": "a"}).select_dtypes("number")) == [
        "n",
        "x",
    ]
    assert list(pd.DataFrame({"a": towns, "n": 1})[["a", "n"]].value_counts()[[("b", 1)]]) == [2]
