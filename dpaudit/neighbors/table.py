"""A dataset of real records: takes rows out, puts rows in, and keeps container and dtypes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpaudit.extras import optional
from dpaudit.neighbors.containers import NotADatasetError


class _Ways(NamedTuple):
    """How one kind of container is read and written."""

    names: Callable[[Any], tuple[str, ...]]
    layout: Callable[[Any], Any]
    rows: Callable[[Any], list[Any]]
    column: Callable[[Any, int], list[Any]]
    take: Callable[[Any, Sequence[int]], Any]
    append: Callable[[Any, Any, list[Any]], Any]
    copied: Callable[[Any], Any]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A base dataset and how its kind is handled.

    Attributes
    ----------
    base : DataFrame, Series, ndarray or list
        A copy of what was given.
    """

    base: Any
    _ways: _Ways

    @staticmethod
    def of(base: Any) -> Table:
        """Return the dataset as a table.

        Raises
        ------
        TypeError
            If it is no array, list, or pandas or Polars data.
        """
        ways = _ways_for(base)
        return Table(ways.copied(base), ways)

    def __len__(self) -> int:
        return len(self.base)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, none for bare values."""
        return self._ways.names(self.base)

    def rows(self, dataset: Any) -> list[Any]:
        """Return the rows of a dataset of the same layout.

        Raises
        ------
        NotADatasetError
            If its type, columns or dtypes differ from those of the base.
        """
        same = type(dataset) is type(self.base)
        if not same or self._ways.layout(dataset) != self._ways.layout(self.base):
            raise NotADatasetError("another layout")
        return self._ways.rows(dataset)

    def columns(self) -> list[list[Any]]:
        """Return the base's values, one list a column."""
        count = len(self.names) or 1
        return [self._ways.column(self.base, i) for i in range(count)]

    def build(self, indices: Sequence[int]) -> Any:
        """Return rows of the base: the base itself for all of them."""
        everything = len(indices) == len(self.base)
        return self.base if everything else self._ways.take(self.base, indices)

    def build_with(self, indices: Sequence[int], new: list[Any]) -> tuple[Any, list[Any]]:
        """Return rows of the base with new rows after them, and the latter as they are held.

        Raises
        ------
        NotADatasetError
            If the base's dtypes cannot hold a new row.
        """
        try:
            built = self._ways.append(self.build(indices), self.base, new)
        except (TypeError, ValueError, OverflowError) as error:
            raise NotADatasetError("a record that does not fit") from error
        tail = range(len(indices), len(indices) + len(new))
        return built, self.rows(self._ways.take(built, tail))


def _ways_for(base: Any) -> _Ways:
    library = type(base).__module__.partition(".")[0]
    if library == "pandas" and hasattr(base, "iloc"):
        return _PANDAS_FRAME if hasattr(base, "columns") else _PANDAS_SERIES
    if library == "polars" and hasattr(base, "gather_every"):
        return _POLARS_FRAME if hasattr(base, "columns") else _POLARS_SERIES
    if isinstance(base, np.ndarray) and base.ndim >= 1:
        return _ARRAY
    if isinstance(base, list):
        return _LIST
    raise TypeError(
        f"`base` must be a DataFrame, a Series, an array or a list of records, got "
        f"{type(base).__name__}; put one record in each row"
    )


def _array_append(kept: Any, base: Any, new: list[Any]) -> Any:
    rows = [tuple(row.values()) for row in new] if base.dtype.names else new
    return np.concatenate([kept, np.array(rows, dtype=base.dtype)])


def _array_layout(array: Any) -> Any:
    return array.dtype, array.shape[1:]


def _array_rows(array: Any) -> list[Any]:
    rows = array.tolist()
    return [_frozen(row) for row in rows] if array.ndim > 1 else rows


def _frozen(row: Any) -> Any:
    return tuple(map(_frozen, row)) if isinstance(row, list) else row


def _array_column(array: Any, index: int) -> list[Any]:
    if array.dtype.names:
        return list(array[array.dtype.names[index]].tolist())
    # Of a matrix, the first entry of each row stands for it.
    return list(array.reshape(len(array), -1)[:, 0].tolist()) if array.size else []


_ARRAY = _Ways(
    names=lambda array: array.dtype.names or (),
    layout=_array_layout,
    rows=_array_rows,
    column=_array_column,
    take=lambda array, indices: array[np.asarray(indices, dtype=np.intp)],
    append=_array_append,
    copied=lambda array: array.copy(),
)


def _list_names(rows: list[Any]) -> tuple[str, ...]:
    return tuple(rows[0]) if rows and isinstance(rows[0], dict) else ()


def _list_rows(rows: list[Any]) -> list[Any]:
    return [tuple(row.values()) if isinstance(row, dict) else row for row in rows]


_LIST = _Ways(
    names=_list_names,
    layout=lambda rows: None,
    rows=_list_rows,
    column=lambda rows, i: [r[i] if _list_names(rows) else r for r in _list_rows(rows)],
    take=lambda rows, indices: [rows[i] for i in indices],
    append=lambda kept, base, new: [*kept, *new],
    copied=copy.deepcopy,
)


def _pandas_append(kept: Any, base: Any, new: list[Any]) -> Any:
    pd = optional("pandas")

    if hasattr(base, "columns"):
        extra = pd.DataFrame(new, columns=base.columns).astype(dict(base.dtypes))
    else:
        extra = pd.Series(new, dtype="object", name=base.name).astype(base.dtype)
    extra.index = _more_labels(base.index, len(new))
    return pd.concat([kept, extra])


def _more_labels(index: Any, count: int) -> Any:
    """Return labels for rows that come after: the next numbers, else the last label again."""
    pd = optional("pandas")

    if isinstance(index, pd.RangeIndex):
        start = index.stop if len(index) else 0
        more = pd.RangeIndex(start, start + count * index.step, index.step, name=index.name)
        return more
    if len(index) and pd.api.types.is_integer_dtype(index.dtype):
        following = [int(index.max()) + 1 + i for i in range(count)]
        return pd.Index(following, dtype=index.dtype, name=index.name)
    return index[[-1] * count] if len(index) else index


_PANDAS_FRAME = _Ways(
    names=lambda frame: tuple(frame.columns),
    layout=lambda frame: (tuple(frame.columns), tuple(map(str, frame.dtypes))),
    rows=lambda frame: list(frame.itertuples(index=False, name=None)),
    column=lambda frame, i: list(frame.iloc[:, i].tolist()),
    take=lambda frame, indices: frame.iloc[list(indices)],
    append=_pandas_append,
    copied=lambda frame: frame.copy(),
)
_PANDAS_SERIES = _PANDAS_FRAME._replace(
    names=lambda series: (),
    layout=lambda series: (series.name, str(series.dtype)),
    rows=lambda series: list(series.tolist()),
    column=lambda series, i: list(series.tolist()),
)


def _polars_append(kept: Any, base: Any, new: list[Any]) -> Any:
    pl = optional("polars")

    if hasattr(base, "columns"):
        return pl.concat([kept, pl.DataFrame(new, schema=base.schema)])
    return pl.concat([kept, pl.Series(base.name, new, dtype=base.dtype)])


_POLARS_FRAME = _Ways(
    names=lambda frame: tuple(frame.columns),
    layout=lambda frame: (tuple(frame.columns), tuple(map(str, frame.dtypes))),
    rows=lambda frame: list(frame.rows()),
    column=lambda frame, i: list(frame[:, i].to_list()),
    take=lambda frame, indices: frame[list(indices)],
    append=_polars_append,
    copied=lambda frame: frame.clone(),
)
_POLARS_SERIES = _POLARS_FRAME._replace(
    names=lambda series: (),
    layout=lambda series: (series.name, str(series.dtype)),
    rows=lambda series: list(series.to_list()),
    column=lambda series, i: list(series.to_list()),
)
