"""Grouped tables, merges and capped users as analysts write them are proved, evil twins are not."""

from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

import dpaudit
from dpaudit import auditor
from tests.proving import is_proved, prover_alone
from tests.sweeps import sampled, thinned
from tests.unit.formal import grouped_programs as programs


def named(table):
    return [pytest.param(*entry, id=entry[0].__name__) for entry in table]


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), sampled(named(programs.SOUND), 6))
def test_tables_merges_and_capped_users_are_verified(mechanism, claim, neighbors):
    report = dpaudit.verify(mechanism, claim, neighbors)
    assert report.verdict is dpaudit.Verdict.VERIFIED, report.reason
    assert report.checked


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), thinned(named(programs.BROKEN)))
def test_an_evil_twin_is_never_verified(mechanism, claim, neighbors):
    assert not is_proved(mechanism, claim, neighbors)


@pytest.mark.parametrize(
    "mechanism",
    [
        programs.piped_in_place,
        programs.converted_truths,
        programs.converted_arrays,
        programs.table_in_a_function,
        programs.table_in_a_loop,
        programs.names_twice,
    ],
)
def test_the_proof_is_refused_for_what_the_code_does(mechanism):
    with patch.object(auditor, "_verifying", prover_alone):
        reason = dpaudit.verify(mechanism, programs.ONE, programs.TABLE).reason
    assert "the prover failed" not in reason
    assert "something else than was read" not in reason


def test_pandas_does_what_the_normal_forms_say():
    df = pd.DataFrame({"a": ["x", "y", "x"], "b": ["f", "m", "f"], "n": [1.0, 2.0, 4.0]})
    for part in (df, df[:1], df[:0]):
        table = pd.crosstab(part["a"], part["b"])
        table = table.reindex(index=["x", "z"], columns=["m", "f"], fill_value=0)
        by_column = {
            b: part["a"][part["b"] == b].value_counts().reindex(["x", "z"], fill_value=0)
            for b in ("m", "f")
        }
        assert np.array_equal(table, pd.DataFrame(by_column))
        assert set(table.dtypes) == {np.dtype(int)}
        means = part.groupby("a")["n"].mean().reindex(["x", "z"], fill_value=0)
        assert list(means) == [sum(part["n"][part["a"] == "x"]) / max(1, sum(part["a"] == "x")), 0]
        assert part[part.groupby("a").cumcount() < 1].equals(part.groupby("a").head(1))
    of_none = df[:0].pivot_table(index="a", columns="b", values="n", aggfunc="sum", fill_value=0)
    assert of_none.reindex(index=["x"], columns=["f"], fill_value=0)["f"].dtype == int
    twice = pd.DataFrame({"a": ["x", "x"], "v": [1, 2]})
    assert len(df.merge(twice, on="a")) == 4
    assert list(df.merge(twice[:1], on="a").index) == [0, 1]
