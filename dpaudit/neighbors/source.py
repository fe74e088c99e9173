"""Writes datasets for people, and as Python source that rebuilds them."""

from __future__ import annotations

import math
import pickle
import sys
from collections.abc import Callable, Iterable
from functools import partial
from itertools import groupby, islice
from typing import Any

import numpy as np

from dpaudit.neighbors.writing import number_text

_SHOWN = 8  # runs of equal records before "…"
_DIGITS = 12


def dataset_to_text(dataset: Any) -> str:
    """Write a dataset for people, runs of equal records and long tails cut short.

    Parameters
    ----------
    dataset : Any
        As the mechanism receives it.

    Returns
    -------
    str
        ``"[0 ×15, 100]"``, ``"[{age: 3, city: 'Bern'}]"``.
    """
    library = type(dataset).__module__.partition(".")[0]
    if library in ("pandas", "polars") and hasattr(dataset, "columns"):
        names = [str(name) for name in dataset.columns]
        rows = dataset.itertuples(index=False) if library == "pandas" else dataset.iter_rows()
        return _listing(rows, len(dataset), partial(_row_text, names))
    if library in ("pandas", "polars") and hasattr(dataset, "to_list"):
        return _listing(dataset.to_list(), len(dataset))
    if isinstance(dataset, np.ndarray):
        if dataset.dtype.names is not None and dataset.ndim == 1:
            names = list(dataset.dtype.names)
            return _listing(dataset.tolist(), len(dataset), partial(_row_text, names))
        if dataset.ndim == 0:
            return _value_text(dataset.item())
        return _listing(dataset.tolist(), len(dataset))
    if isinstance(dataset, list):
        return _listing(dataset, len(dataset))
    return _value_text(dataset)


def dataset_to_source(dataset: Any) -> str:
    """Write a dataset as a Python expression that rebuilds it exactly.

    Parameters
    ----------
    dataset : Any
        As the mechanism receives it.

    Returns
    -------
    str
        An expression in ``np`` (NumPy), ``pd`` (pandas) and ``pl`` (Polars), with NaN,
        infinities and dtypes as they are. What has no such form is unpickled.
    """
    for kind, write in _writers():
        if isinstance(dataset, kind):
            return write(dataset)
    if dataset is None or isinstance(dataset, bool | int | str | bytes):
        return repr(dataset)
    return _unpickling(dataset)


def _listing(items: Iterable[Any], count: int, write: Callable[[Any], str] | None = None) -> str:
    """Write the first of so many items; those that are not shown are not written at all."""
    write = write or _value_text
    runs = list(islice(((t, len(list(run))) for t, run in groupby(map(write, items))), _SHOWN))
    shown = ", ".join(f"{text} ×{n}" if n > 2 else ", ".join([text] * n) for text, n in runs)
    hidden = count - sum(n for _, n in runs)
    return f"[{shown}, … {hidden} more]" if hidden else f"[{shown}]"


def _row_text(names: Iterable[str], row: Iterable[Any]) -> str:
    return "{" + ", ".join(f"{n}: {_value_text(v)}" for n, v in zip(names, row, strict=True)) + "}"


def _value_text(value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, dict):
        return _row_text(map(str, value), value.values())
    if isinstance(value, float):
        exact = number_text(value)
        return exact if len(exact) <= _DIGITS else f"{value:.6g}"
    if isinstance(value, list):
        return _listing(value, len(value))
    text = repr(value)
    return text if len(text) <= 200 else text[:197] + "…"


def _writers() -> list[tuple[type, Callable[[Any], str]]]:
    """Return what writes each type; pandas and Polars only where somebody imported them."""
    writers: list[tuple[type, Callable[[Any], str]]] = [
        (np.ma.MaskedArray, _masked),
        (np.ndarray, _array),
        (np.generic, _scalar),
        (float, _float),
    ]
    for name, found in (("pandas", _pandas_writers), ("polars", _polars_writers)):
        if name in sys.modules:
            writers += found(sys.modules[name])
    plain: list[tuple[type, Callable[[Any], str]]] = [
        (list, lambda v: f"[{_joined(v)}]"),
        (tuple, _tuple),
        (dict, _dict),
    ]
    return writers + plain


def _joined(values: Iterable[Any]) -> str:
    return ", ".join(map(dataset_to_source, values))


def _tuple(value: Any) -> str:
    if type(value) is not tuple:
        return _unpickling(value)
    return f"({_joined(value)},)" if len(value) == 1 else f"({_joined(value)})"


def _dict(value: Any) -> str:
    if type(value) is not dict:
        return _unpickling(value)
    entries = (f"{dataset_to_source(k)}: {dataset_to_source(v)}" for k, v in value.items())
    return "{" + ", ".join(entries) + "}"


def _unpickling(value: Any) -> str:
    return f"__import__('pickle').loads({pickle.dumps(value)!r})"


def _float(value: float) -> str:
    if math.isnan(value):
        return "np.nan"
    if math.isinf(value):
        return "np.inf" if value > 0 else "-np.inf"
    return repr(float(value))


def _scalar(value: Any) -> str:
    if value.dtype.kind in "fiub":
        return f"np.{value.dtype.type.__name__}({dataset_to_source(value.item())})"
    if value.dtype.kind == "U":
        return f"np.str_({str(value)!r})"
    return f"{_array(np.array(value))}[()]"


def _masked(value: Any) -> str:
    mask = _array(np.ma.getmaskarray(value))
    return f"np.ma.masked_array({_array(np.asarray(value.data))}, mask={mask})"


def _array(array: Any) -> str:
    if type(array) is not np.ndarray:
        return _unpickling(array)
    kind, dtype = array.dtype.kind, array.dtype
    if kind in "mM":
        return f"{_array(array.view(np.int64))}.view({dtype.str!r})"
    if kind == "O":
        # The trailing None keeps NumPy from making nested sequences another dimension.
        flat = f"np.array([{_joined([*array.ravel().tolist(), None])}], dtype=object)[:-1]"
        return flat if array.ndim == 1 else f"{flat}.reshape({array.shape})"
    if kind not in "fiubUSV" or (kind == "V" and dtype.names is None) or (dtype.itemsize > 8 and (
        kind == "f"
    )):  # fmt: skip
        return _unpickling(array)
    name = f"np.{dtype.type.__name__}" if kind in "fiu" and dtype.isnative else repr(dtype.str)
    if kind == "b":
        name = "bool"
    if kind == "V":
        name = repr(dtype.descr)
    text = f"np.array({dataset_to_source(array.tolist())}, dtype={name})"
    return f"{text}.reshape({array.shape})" if array.size == 0 and array.ndim > 1 else text


def _pandas_writers(pd: Any) -> list[tuple[type, Callable[[Any], str]]]:
    def index(value: Any) -> str:
        if type(value) is pd.RangeIndex and value.name is None:
            return f"pd.RangeIndex({value.start}, {value.stop}, {value.step})"
        if type(value) is not pd.Index or not (plain(value.dtype) or len(value) == 0):
            return _unpickling(value)
        name = "" if value.name is None else f", name={dataset_to_source(value.name)}"
        return f"pd.Index({dataset_to_source(value.tolist())}, dtype={str(value.dtype)!r}{name})"

    def plain(dtype: Any) -> bool:
        known = ("object", "str", "boolean", "bool")
        return str(dtype) in known or str(dtype).lower().rstrip("0123456789") in (
            "int",
            "uint",
            "float",
        )

    def series(value: Any, with_index: bool = True) -> str:
        if not plain(value.dtype):
            return _unpickling(value)
        parts = [dataset_to_source(value.tolist()), f"dtype={str(value.dtype)!r}"]
        if with_index:
            if not _default_index(value, pd):
                parts.append(f"index={index(value.index)}")
            if value.name is not None:
                parts.append(f"name={dataset_to_source(value.name)}")
        return f"pd.Series({', '.join(parts)})"

    def frame(value: Any) -> str:
        exact = (
            type(value) is pd.DataFrame and value.columns.is_unique and value.columns.name is None
        )
        if not exact or not all(map(plain, value.dtypes)) or not len(value.columns):
            return _unpickling(value)
        columns = ", ".join(
            f"{dataset_to_source(name)}: {series(value[name], False)}" for name in value.columns
        )
        made = f"pd.DataFrame({{{columns}}})"
        return made if _default_index(value, pd) else f"{made}.set_axis({index(value.index)})"

    missing: list[tuple[type, Callable[[Any], str]]] = [
        (type(pd.NA), lambda v: "pd.NA"),
        (type(pd.NaT), lambda v: "pd.NaT"),
    ]
    return [(pd.DataFrame, frame), (pd.Series, series), *missing]


def _default_index(value: Any, pd: Any) -> bool:
    index = value.index
    plain = type(index) is pd.RangeIndex and index.name is None
    return plain and (index.start, index.step) == (0, 1)


def _polars_writers(pl: Any) -> list[tuple[type, Callable[[Any], str]]]:
    simple = (pl.Float64, pl.Float32, pl.Int64, pl.Int32, pl.Boolean, pl.String, pl.Object)

    def series(value: Any) -> str:
        if value.dtype not in simple:
            return _unpickling(value)
        entries = dataset_to_source(value.to_list())
        return f"pl.Series({value.name!r}, {entries}, dtype=pl.{value.dtype!r})"

    def frame(value: Any) -> str:
        return f"pl.DataFrame([{', '.join(series(column) for column in value.get_columns())}])"

    return [(pl.DataFrame, frame), (pl.Series, series)]
