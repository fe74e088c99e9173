"""Datasets in words and as source."""

import datetime
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

from dpaudit.neighbors import dataset_to_source, dataset_to_text

SCOPE = {"np": np, "pd": pd, "pl": pl}


@pytest.mark.parametrize(
    "array",
    [
        np.array([]),
        np.array([0.1, math.nan, math.inf, -math.inf, -0.0, 5e-324]),
        np.array([1, 2], dtype=np.int8),
        np.array([1.1], dtype=np.float32),
        np.array([True, False]),
        np.array(["a", "bcd"]),
        np.array([], dtype="<U7"),
        np.array([b"ab"]),
        np.array([(1, math.nan, "x")], dtype=[("a", "i8"), ("b", "f8"), ("c", "U4")]),
        np.zeros((0, 3)),
        np.arange(6).reshape(2, 3),
        np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"),
        np.array([1 + 2j]),
        np.array([1], dtype=">i4"),
        np.float64(math.nan),
        np.int16(3),
    ],
    ids=repr,
)
def test_arrays_are_rebuilt_exactly(array):
    built = eval(dataset_to_source(array), SCOPE)
    assert type(built) is type(array)
    assert built.dtype == array.dtype
    assert built.shape == array.shape
    assert built.tobytes() == array.tobytes()


def test_object_arrays_keep_their_entries():
    array = np.empty(3, dtype=object)
    array[:] = [None, "a", 2.5]
    array[1] = [1, 2]
    built = eval(dataset_to_source(array), SCOPE)
    assert built.dtype == object
    assert built.tolist() == array.tolist()


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1, 2], "b": [math.nan, math.inf], "c": ["x", None]}),
        pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}, index=["r", "s"]),
        pd.DataFrame({"a": [1.0, 2.0, 3.0]}).iloc[1:],
        pd.DataFrame({"a": [1.0, 2.0, 3.0]}).drop(index=1),
        pd.DataFrame({"a": pd.Categorical(["p", "q"]), "t": pd.Timestamp("2020-01-01")}),
        pd.DataFrame({"a": pd.Series([], dtype="float64")}),
        pd.DataFrame(),
        pd.DataFrame({"a": np.array([1], dtype="float32")}, index=pd.Index([3], name="id")),
    ],
    ids=range(8),
)
def test_pandas_frames_are_rebuilt_exactly(frame):
    built = eval(dataset_to_source(frame), SCOPE)
    pd.testing.assert_frame_equal(built, frame)
    assert type(built.index) is type(frame.index)


def test_pandas_series_are_rebuilt_exactly():
    series = pd.Series([True, None], dtype="boolean", name="flag", index=[4, 9])
    pd.testing.assert_series_equal(eval(dataset_to_source(series), SCOPE), series)


def test_polars_frames_are_rebuilt_exactly():
    frame = pl.DataFrame(
        {
            "a": [1, None],
            "b": [math.nan, 1.0],
            "c": ["x", None],
            "d": [datetime.date(2020, 1, 1)] * 2,
        }
    )
    built = eval(dataset_to_source(frame), SCOPE)
    assert built.schema == frame.schema
    assert built.equals(frame)


@pytest.mark.parametrize(
    "value",
    [3, True, None, "it's", 0.1, (1,), (), [{"a": math.inf}], {"k": (1, [2])}, {1, 2}, b"x"],
    ids=repr,
)
def test_plain_values_are_rebuilt_exactly(value):
    assert eval(dataset_to_source(value), SCOPE) == value


def test_nan_is_written_as_np_nan():
    assert dataset_to_source([math.nan, -math.inf]) == "[np.nan, -np.inf]"


@pytest.mark.parametrize(
    ("dataset", "text"),
    [
        (np.array([0.0] * 15 + [100.0]), "[0 ×15, 100]"),
        (np.array([]), "[]"),
        (np.array([1, 1, 2]), "[1, 1, 2]"),
        (np.arange(20), "[0, 1, 2, 3, 4, 5, 6, 7, … 12 more]"),
        ([{"age": 3, "city": "Bern"}], "[{age: 3, city: 'Bern'}]"),
        (pd.DataFrame({"age": [3], "x": [0.1 + 0.2]}), "[{age: 3, x: 0.3}]"),
        (pd.Series(["a", "b"]), "['a', 'b']"),
        (pl.DataFrame({"a": [1, 1, 1]}), "[{a: 1} ×3]"),
        (np.array([(1, 2.0)], dtype=[("a", "i8"), ("b", "f8")]), "[{a: 1, b: 2}]"),
        (np.array([[1, 2]]), "[[1, 2]]"),
        (3.0, "3"),
        (math.nan, "nan"),
        (np.float64(2.5), "2.5"),
    ],
)
def test_datasets_are_short_in_words(dataset, text):
    assert dataset_to_text(dataset) == text
