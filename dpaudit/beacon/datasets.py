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
        As the mechanism receives it: numbers, texts, lists, tuples, dicts and NumPy arrays.

    Returns
    -------
    Any
        What JSON holds stands for itself; all else is a list that begins with its kind.

    Raises
    ------
    NoDataError
        Where it is of another type, such as a data frame.
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
    raise NoDataError(f"a dataset of type {kind.__name__} cannot be written as data")


def _dtype(dtype: np.dtype[Any]) -> Any:
    if dtype.names is not None:
        return [[name, _dtype(dtype[name])] for name in dtype.names]
    if dtype.kind not in _KINDS or dtype.subdtype is not None:
        raise NoDataError(f"an array of dtype {dtype} cannot be written as data")
    return dtype.str
