"""Reads what a process with a mechanism in it sends, and makes nothing of it but plain data.

A pickle may name any function and have it called where it is read. What a worker sends could be the
work of the mechanism, so that only what results are made of is read.
"""

from __future__ import annotations

import dataclasses
import enum
import io
import pickle
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from dpaudit.worker.tasks import WorkerError

MOST_BYTES = 2**30  # of one message
_OURS = (
    "dpaudit.evidence", "dpaudit.neighbors", "dpaudit.outputs", "dpaudit.randomness",
    "dpaudit.trace", "dpaudit.worker",
)  # fmt: skip
_ENVELOPES = {
    ("pebble.common.types", "Result"),
    ("pebble.common.types", "ResultStatus"),
    ("pebble.pool.process", "Acknowledgement"),
    ("pebble.pool.process", "TaskResult"),
}
_PLAIN = {
    *(("builtins", name) for name in ("complex", "frozenset", "range", "set", "slice")),
    ("collections", "OrderedDict"),
    *(("datetime", name) for name in ("date", "datetime", "time", "timedelta", "timezone")),
    ("decimal", "Decimal"),
    ("fractions", "Fraction"),
    ("uuid", "UUID"),
    ("numpy", "dtype"),
    ("numpy", "ndarray"),
    *((f"numpy.{core}.multiarray", name) for core in ("core", "_core")
      for name in ("_reconstruct", "scalar")),
    *((f"numpy.{core}.numeric", "_frombuffer") for core in ("core", "_core")),
}  # fmt: skip
_FRAMES = {
    *(
        ("pandas", name)
        for name in (
            "Categorical",
            "CategoricalDtype",
            "DataFrame",
            "Index",
            "RangeIndex",
            "Series",
            "StringDtype",
        )
    ),
    ("pandas._libs.arrays", "__pyx_unpickle_NDArrayBacked"),
    ("pandas._libs.internals", "_unpickle_block"),
    ("pandas.core.arrays.categorical", "Categorical"),
    ("pandas.core.arrays.datetimes", "DatetimeArray"),
    ("pandas.core.arrays.string_", "StringArray"),
    ("pandas.core.dtypes.dtypes", "CategoricalDtype"),
    *(("pandas.arrays", name) for name in ("DatetimeArray", "StringArray", "TimedeltaArray")),
    ("pandas.core.frame", "DataFrame"),
    ("pandas.core.indexes.base", "Index"),
    ("pandas.core.indexes.base", "_new_Index"),
    ("pandas.core.indexes.range", "RangeIndex"),
    ("pandas.core.internals.managers", "BlockManager"),
    ("pandas.core.internals.managers", "SingleBlockManager"),
    ("pandas.core.series", "Series"),
    ("polars.dataframe.frame", "DataFrame"),
    ("polars.series.series", "Series"),
}


class _Writer(pickle.Pickler):
    def __init__(self, file: io.BytesIO, held: Sequence[Any]) -> None:
        super().__init__(file)
        self._held = held

    def persistent_id(self, value: Any) -> int | None:
        return next((i for i, each in enumerate(self._held) if each is value), None)


class _Reader(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, held: Sequence[Any] = ()) -> None:
        super().__init__(file)
        self._held = held

    def persistent_load(self, place: Any) -> Any:
        if type(place) is int and 0 <= place < len(self._held):
            return self._held[place]
        raise pickle.UnpicklingError("it refers to what is not held")

    def find_class(self, module: str, name: str) -> Any:
        place = module, name
        if place in _PLAIN | _ENVELOPES:
            return super().find_class(module, name)
        if place in _FRAMES and module.partition(".")[0] in sys.modules:
            return super().find_class(module, name)
        if any(module == ours or module.startswith(f"{ours}.") for ours in _OURS):
            found = super().find_class(module, name) if "." not in name else None
            if isinstance(found, type) and found.__module__ == module and _is_data(found):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no part of a result")


def _is_data(found: type) -> bool:
    return dataclasses.is_dataclass(found) or issubclass(found, enum.Enum | WorkerError)


def written(value: Any, held: Sequence[Any]) -> bytes:
    """Pickle a result; what the reader holds already is named by its place, not written.

    Parameters
    ----------
    value : Any
    held : sequence
    """
    file = io.BytesIO()
    _Writer(file, held).dump(value)
    return file.getvalue()


def read(content: bytes, held: Sequence[Any] = ()) -> Any:
    """Return what a worker has pickled.

    Parameters
    ----------
    content : bytes
    held : sequence, optional
        What `written` was given there: objects that only this process may have made.

    Raises
    ------
    pickle.UnpicklingError
        Where it holds anything but results, or is none; nothing that it names was called then.
    """
    try:
        return _Reader(io.BytesIO(content), held).load()
    except pickle.UnpicklingError:
        raise
    except MemoryError:
        raise pickle.UnpicklingError("it is too large") from None
    except Exception as error:
        raise pickle.UnpicklingError(f"{type(error).__name__}: {error}") from None


def guarded(connection: Connection[Any, Any]) -> Connection[Any, Any]:
    """Let a connection receive results alone; a copy sent to another process is an ordinary one.

    What is no result raises an `OSError`, as a connection that is broken does.

    Parameters
    ----------
    connection : multiprocessing.connection.Connection
    """

    def receive() -> Any:
        try:
            return read(connection.recv_bytes(MOST_BYTES))
        except pickle.UnpicklingError as error:
            raise OSError(f"what was sent is no result: {error}") from None

    connection.recv = receive  # type: ignore[method-assign]
    return connection
