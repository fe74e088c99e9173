"""Datasets as JSON, exactly: nothing that is read back has to be evaluated."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_KINDS = "biufU"


class NoDataError(ValueError):
    """A dataset that cannot be written as data."""


def as_data(value: Any) -> Any:
    """Return a dataset as JSON-able values.

    Parameters
    ----------
    value : Any
        As the mechanism receives it: numbers, texts, lists, tuples, dicts, NumPy arrays, and
        frames and series of pandas and Polars.

    Returns
    -------
    Any
        What JSON holds stands for itself; all else is a list that begins with its kind.

    Raises
    ------
    NoDataError
        Where it is of another type, or a frame with an index of its own.
    """
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind is float:
        return value if math.isfinite(value) else ["float", repr(value)]
    if kind in (list, tuple):
        return [kind.__name__, *map(as_data, value)]
    if kind is dict:
        return ["dict", *([as_data(key), as_data(entry)] for key, entry in value.items())]
    if kind is np.ndarray:
        return ["array", _dtype(value.dtype), list(value.shape), as_data(value.ravel().tolist())]
    if isinstance(value, np.generic):
        return ["scalar", _dtype(value.dtype), as_data(value.item())]
    frame = _frame(value)
    if frame is not None:
        return frame
    raise NoDataError(f"a dataset of type {kind.__name__} cannot be written as data")


def _frame(value: Any) -> Any:
    """Return a frame or a series of pandas or Polars: its values, as they are without an index."""
    library, kind = type(value).__module__.partition(".")[0], type(value).__name__
    if library not in ("pandas", "polars") or kind not in ("Series", "DataFrame"):
        return None
    if library == "pandas" and not _counted(value.index):
        raise NoDataError("a frame whose index is not 0, 1, 2, … cannot be written as data")
    if kind == "Series":
        return ["series", library, [_entry(each) for each in value.to_list()]]
    columns = [[name, [_entry(each) for each in value[name].to_list()]] for name in value.columns]
    if not all(type(name) is str for name, _ in columns):
        raise NoDataError("a frame with a column that no text names cannot be written as data")
    return ["frame", library, columns]


def _counted(index: Any) -> bool:
    return bool(index.names == [None] and index.tolist() == list(range(len(index))))


def _entry(value: Any) -> Any:
    """Return an entry of a frame; what pandas misses is null."""
    return None if type(value).__name__ in ("NAType", "NaTType") else as_data(value)


def _dtype(dtype: np.dtype[Any]) -> Any:
    if dtype.names is not None:
        return [[name, _dtype(dtype[name])] for name in dtype.names]
    if dtype.kind not in _KINDS or dtype.subdtype is not None:
        raise NoDataError(f"an array of dtype {dtype} cannot be written as data")
    return dtype.str
