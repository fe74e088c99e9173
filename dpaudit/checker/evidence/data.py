"""Datasets read from JSON; nothing is evaluated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpaudit.checker.file import NotCheckedError, RejectedError
from dpaudit.extras import optional

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
    except RejectedError:
        raise
    except ImportError as error:
        raise NotCheckedError(f"not checked: {error}") from None
    except Exception as error:  # libraries of frames have errors of their own
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


def _series(library: str, entries: list[Any]) -> Any:
    return _LIBRARIES[library]([dataset(entry) for entry in entries])


def _pandas(entries: list[Any]) -> Any:
    pd = optional("pandas")

    return pd.Series(entries, dtype=object)  # `received` gives it the type of its records


def _polars(entries: list[Any]) -> Any:
    pl = optional("polars")

    return pl.Series(entries)


def _frame(library: str, columns: list[Any]) -> Any:
    named = {str(name): _series(library, entries) for name, entries in columns}
    if len(named) != len(columns):
        raise ValueError("a name of a column comes twice")
    if library == "pandas":
        pd = optional("pandas")

        return pd.DataFrame(named)
    pl = optional("polars")

    return pl.DataFrame(named)


_LIBRARIES = {"pandas": _pandas, "polars": _polars}


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
    "series": _series,
    "frame": _frame,
    "float": _FLOATS.__getitem__,
}
