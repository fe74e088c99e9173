"""Arrays of rows that a comprehension writes out, and of columns that are put together."""

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real, Row, Verdict, verify

ROWS = AddRemove(Row(x=Real(-1, 1), y=Real(-1, 1)), max_size=8, container="list")
MADE = {
    "tuples": lambda d: np.array([(r["x"], r["y"]) for r in d], dtype=float).reshape(-1, 2),
    "lists": lambda d: np.array([[r["x"], r["y"]] for r in d]).reshape(len(d), 2),
    "a_form_as_a_tuple": lambda d: np.asarray([(r["x"], r["y"]) for r in d]).reshape((-1, 2)),
    "columns": lambda d: np.column_stack([[r["x"] for r in d], [r["y"] for r in d]]),
    "rows_turned": lambda d: np.vstack([[r["x"] for r in d], [r["y"] for r in d]]).T,
}
OTHER = {
    "vectors_within": lambda d: np.array([([r["x"], r["y"]], [r["y"], r["x"]]) for r in d]).reshape(
        -1, 2
    ),
    "another_form": lambda d: np.array([(r["x"], r["y"]) for r in d]).reshape(2, -1).T,
    "fewer_rows": lambda d: np.array([(r["x"], r["y"]) for r in d if r["x"] > 0]).reshape(
        len(d), 2
    ),
    "no_form": lambda d: np.array([(r["x"], r["y"]) for r in d]),
    "columns_of_some": lambda d: np.column_stack(
        [[r["x"] for r in d], [r["y"] for r in d if r["x"] > 0]]
    ),
    "rows_of_an_iterator": lambda d: np.array(
        [(r["x"], r["y"]) for rows in [iter(d)] for r in rows]
    ).reshape(-1, 2),
}


def released(made, scale):
    """Return a mechanism that adds noise to the sum of each column of an array."""

    def release(data, rng):
        return made(data).clip(-1, 1).sum(axis=0) + rng.laplace(0, scale, 2)

    return release


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_sums_of_columns_of_rows_are_proved(made):
    report = verify(released(made, 2.0), PureDP(1.0), ROWS)
    assert report.verdict is Verdict.VERIFIED, report.reason


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_half_of_the_noise_is_not_proved(made):
    report = verify(released(made, 1.0), PureDP(1.0), ROWS, timeout=3)
    assert report.verdict is not Verdict.VERIFIED


@pytest.mark.parametrize("made", OTHER.values(), ids=OTHER)
def test_rows_of_another_form_are_not_proved(made):
    report = verify(released(made, 2.0), PureDP(1.0), ROWS, timeout=3)
    assert report.verdict is not Verdict.VERIFIED


def test_how_many_rows_there_are_is_not_proved():
    def release(data):
        return np.array([(r["x"], r["y"]) for r in data]).reshape(-1, 2).shape[0]

    assert verify(release, PureDP(1.0), ROWS, timeout=3).verdict is not Verdict.VERIFIED
