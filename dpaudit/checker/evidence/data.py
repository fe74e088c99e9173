"""Datasets read from JSON; nothing is evaluated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpaudit.checker.file import RejectedError

_FLOATS = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}


def dataset(value: Any) -> Any:
    """Return a dataset from its data.

    Parameters
    ----------
    value : Any
        What JSON holds stands for itself, but for lists: these begin with their kind.

    Raises
    ------
    RejectedError
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if not isinstance(value, list) or not value or value[0] not in _READERS:
        raise RejectedError(f"`pair` holds {value!r:.60}, which is no dataset")
    try:
        return _READERS[value[0]](*value[1:])
    except (TypeError, ValueError, KeyError, OverflowError) as error:
        raise RejectedError(f"`pair` holds a {value[0]} that is none: {error!s:.100}") from None


def _list(*entries: Any) -> list[Any]:
    return [dataset(entry) for entry in entries]


def _tuple(*entries: Any) -> tuple[Any, ...]:
    return tuple(dataset(entry) for entry in entries)


def _dict(*entries: Any) -> dict[Any, Any]:
    return {dataset(key): dataset(entry) for key, entry in entries}


def _array(dtype: Any, shape: list[int], entries: Any) -> np.ndarray[Any, Any]:
    return np.array(dataset(entries), dtype=_dtype(dtype)).reshape(shape)


def _scalar(dtype: Any, entry: Any) -> Any:
    return np.array(dataset(entry), dtype=_dtype(dtype))[()]


def _dtype(written: Any) -> np.dtype[Any]:
    if isinstance(written, str):
        found = np.dtype(written)
        if found.kind not in "biufU":
            raise ValueError(f"dtype {written!r:.60}")
        return found
    return np.dtype([(str(name), _dtype(kind)) for name, kind in written])


_READERS: dict[str, Callable[..., Any]] = {
    "list": _list,
    "tuple": _tuple,
    "dict": _dict,
    "array": _array,
    "scalar": _scalar,
    "float": _FLOATS.__getitem__,
}
