"""Turns rows into the dataset a mechanism receives, and back."""

from __future__ import annotations

import math
import struct
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from dpaudit.extras import optional
from dpaudit.neighbors.records import Column, Records

Container = Literal["array", "list", "pandas", "polars"]


class NotADatasetError(ValueError):
    """The object is no dataset of these records in this container."""


@dataclass(frozen=True, slots=True)
class Codec:
    """Packs rows into one kind of container.

    Parameters
    ----------
    columns : tuple of Column
        One nameless column for bare values, else those of the rows.
    container : str
        ``"array"`` (1-d or structured), ``"list"`` (of dicts for rows), ``"pandas"`` (Series or
        DataFrame) or ``"polars"``.

    Notes
    -----
    A missing value is None in a list and null in Polars. In an array it is NaN among numbers (so
    integers become float64, whether or not one is missing) and None among objects, to which
    texts and booleans change. In pandas it is NaN in float64, and NA in ``Int64``, ``boolean``
    and ``str``.
    """

    columns: tuple[Column, ...]
    container: Container = "array"

    @property
    def bare(self) -> bool:
        """Whether records are single values instead of rows."""
        return len(self.columns) == 1 and not self.columns[0].name

    def encode(self, rows: Sequence[Any]) -> Any:
        """Return the rows as a dataset of its own."""
        if self.container == "array" and self.bare and self.columns[0].kind == "any":
            return list(rows)
        return _ENCODERS[self.container](self, rows)

    def decode(self, dataset: Any) -> tuple[Any, ...]:
        """Return the dataset's rows.

        Raises
        ------
        NotADatasetError
            If the type, dimension or columns are not what `encode` returns.
        """
        container = self.container
        if container == "array" and self.bare and self.columns[0].kind == "any":
            container = "list"
        series = _DECODERS[container](self, dataset)
        entries = [
            [_restored(v, column) for v in values]
            for values, column in zip(series, self.columns, strict=True)
        ]
        return tuple(entries[0]) if self.bare else tuple(zip(*entries, strict=True))

    def received(self, dataset: Any) -> Any:
        """Return a dataset in this container; it may come as a list of records too.

        Raises
        ------
        NotADatasetError
            If it is neither.
        """
        form = replace(self, container="list") if isinstance(dataset, list) else self
        return self.encode(form.decode(dataset))

    def encode_record(self, row: Any) -> Any:
        """Return one bare record: a Python scalar, or a dict for a row."""
        return row if self.bare else dict(zip(self._names, row, strict=True))

    def decode_record(self, record: Any) -> Any:
        """Return the row of a bare record.

        Raises
        ------
        NotADatasetError
            If it is not what `encode_record` returns.
        """
        return Codec(self.columns, "list").decode([record])[0]

    def settled(self, row: Any) -> Any:
        """Return the row as it comes back from the container: None may have become NaN."""
        if self.container not in ("array", "pandas"):
            return row
        if self.bare:
            return _settled(row, self.columns[0])
        return tuple(_settled(v, c) for v, c in zip(row, self.columns, strict=True))

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def _series(self, rows: Sequence[Any]) -> list[Sequence[Any]]:
        """Return one list of values a column."""
        if self.bare:
            return [rows]
        return [[row[i] for row in rows] for i in range(len(self.columns))]


def codec_for(records: Records, container: str) -> Codec:
    """Return the codec for these records.

    Raises
    ------
    ValueError
        For an unknown container, or integers that it cannot hold.
    """
    if container not in get_args(Container):
        known = ", ".join(repr(c) for c in get_args(Container))
        raise ValueError(f"`container` must be one of {known}, got {container!r}")
    columns = records.columns()
    for column in columns if container != "list" else ():
        what = f"column `{column.name}`" if column.name else "the records"
        if column.magnitude > 2**63 - 1:
            raise ValueError(
                f"{what} may hold {column.magnitude}, beyond 64-bit integers; use container='list'"
            )
        if container == "array" and column.allow_missing and column.magnitude > 2**53:
            raise ValueError(
                f"{what} may hold {column.magnitude} and missing values, which a float64 array "
                "cannot hold exactly; use container='list' or 'pandas'"
            )
    return Codec(columns, container)  # type: ignore[arg-type]


def row_key(row: Any) -> Hashable:
    """Return what equals for equal rows alone: NaN equals itself, 0.0 is not -0.0."""
    if isinstance(row, tuple):
        return tuple(map(row_key, row))
    if isinstance(row, float):
        return "nan" if math.isnan(row) else struct.pack("<d", row)
    try:
        hash(row)
    except TypeError:
        return repr(row)
    return (type(row).__name__, row)


def _settled(value: Any, column: Column) -> Any:
    return math.nan if value is None and column.kind == "float" and column.allow_nan else value


def _restored(value: Any, column: Column) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, float):
        if math.isnan(value):
            return None if column.allow_missing and not column.allow_nan else value
        if column.kind == "int" and value.is_integer():
            return int(value)
    if column.kind == "float" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value


def _array_type(column: Column) -> np.dtype[Any]:
    missing = column.allow_missing
    return {
        "float": np.dtype(np.float64),
        "int": np.dtype(np.float64 if missing else np.int64),
        "bool": np.dtype(object if missing else np.bool_),
        "str": np.dtype(object if missing else f"<U{column.width}"),
    }.get(column.kind, np.dtype(object))


def _array_column(values: Sequence[Any], column: Column) -> np.ndarray[Any, Any]:
    dtype = _array_type(column)
    if dtype == np.float64:
        values = [math.nan if v is None else v for v in values]
    array = np.empty(len(values), dtype=dtype)
    if dtype.kind == "O":
        for i, value in enumerate(values):  # not at once: NumPy would unpack tuples and lists
            array[i] = value
    else:
        array[:] = values
    return array


def _to_array(codec: Codec, rows: Sequence[Any]) -> Any:
    series = codec._series(rows)
    if codec.bare:
        return _array_column(series[0], codec.columns[0])
    dtype = [(column.name, _array_type(column)) for column in codec.columns]
    array = np.empty(len(rows), dtype=dtype)
    for column, values in zip(codec.columns, series, strict=True):
        array[column.name] = _array_column(values, column)
    return array


def _from_array(codec: Codec, dataset: Any) -> list[Sequence[Any]]:
    if not isinstance(dataset, np.ndarray) or dataset.ndim != 1:
        raise NotADatasetError("not a 1-d array")
    names = dataset.dtype.names
    if codec.bare:
        if names is not None:
            raise NotADatasetError("a structured array")
        return [dataset.tolist()]
    if names != codec._names:
        raise NotADatasetError("other columns")
    return [dataset[name].tolist() for name in names]


def _to_list(codec: Codec, rows: Sequence[Any]) -> Any:
    return [codec.encode_record(row) for row in rows]


def _from_list(codec: Codec, dataset: Any) -> list[Sequence[Any]]:
    if not isinstance(dataset, list):
        raise NotADatasetError("not a list")
    if codec.bare:
        return [dataset]
    if not all(isinstance(row, dict) and tuple(row) == codec._names for row in dataset):
        raise NotADatasetError("other columns")
    return [[row[name] for row in dataset] for name in codec._names]


def _pandas_type(column: Column) -> str:
    missing = column.allow_missing
    return {
        "float": "float64",
        "int": "Int64" if missing else "int64",
        "bool": "boolean" if missing else "bool",
        "str": "str",
    }.get(column.kind, "object")


def _to_pandas(codec: Codec, rows: Sequence[Any]) -> Any:
    pd = optional("pandas")

    # The old "str" of pandas 2 would turn missing texts into "None".
    old = int(pd.__version__.partition(".")[0]) < 3

    def series(values: Sequence[Any], column: Column) -> Any:
        dtype = _pandas_type(column)
        return pd.Series(list(values), dtype="object" if old and dtype == "str" else dtype)

    packed = [series(v, c) for v, c in zip(codec._series(rows), codec.columns, strict=True)]
    return packed[0] if codec.bare else pd.DataFrame(dict(zip(codec._names, packed, strict=True)))


def _from_pandas(codec: Codec, dataset: Any) -> list[Sequence[Any]]:
    pd = optional("pandas")

    if codec.bare:
        if not isinstance(dataset, pd.Series):
            raise NotADatasetError("not a Series")
        return [dataset.tolist()]
    if not isinstance(dataset, pd.DataFrame) or tuple(dataset.columns) != codec._names:
        raise NotADatasetError("not a DataFrame of these columns")
    return [dataset[name].tolist() for name in codec._names]


def _to_polars(codec: Codec, rows: Sequence[Any]) -> Any:
    pl = optional("polars")

    types: dict[str, Any] = {
        "float": pl.Float64,
        "int": pl.Int64,
        "bool": pl.Boolean,
        "str": pl.String,
    }
    packed = [
        pl.Series(column.name, list(values), dtype=types.get(column.kind, pl.Object))
        for values, column in zip(codec._series(rows), codec.columns, strict=True)
    ]
    return packed[0] if codec.bare else pl.DataFrame(packed)


def _from_polars(codec: Codec, dataset: Any) -> list[Sequence[Any]]:
    pl = optional("polars")

    if codec.bare:
        if not isinstance(dataset, pl.Series):
            raise NotADatasetError("not a Series")
        return [dataset.to_list()]
    if not isinstance(dataset, pl.DataFrame) or tuple(dataset.columns) != codec._names:
        raise NotADatasetError("not a DataFrame of these columns")
    return [dataset[name].to_list() for name in codec._names]


_ENCODERS = {"array": _to_array, "list": _to_list, "pandas": _to_pandas, "polars": _to_polars}
_DECODERS = {
    "array": _from_array,
    "list": _from_list,
    "pandas": _from_pandas,
    "polars": _from_polars,
}
