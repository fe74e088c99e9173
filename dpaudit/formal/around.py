"""What the data parameter holds around a dataset of real records.

Every dataset of the relation has rows of the base, or of the records that may be added: so a
column lies between the least and the greatest of both, has the base's type, and misses values
where one of them does.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import sympy

from dpaudit.formal.arrays import derived
from dpaudit.formal.bounds import INFINITE, SIZE, ZERO, Bound, exact, larger, smaller
from dpaudit.formal.domain import Array, Rows, Table, Value, fresh
from dpaudit.formal.relations import column
from dpaudit.formal.unsupported import Unsupported
from dpaudit.neighbors import Around, Row

_NUMBERS = frozenset({"float64", "int64", "bool"})
_TEXTS = frozenset({"object", "str"})


def records_around(neighbors: Around) -> Value:
    """Return the frame, column or array that the mechanism gets in both runs.

    Raises
    ------
    Unsupported
        For containers and types that the rules do not know.
    """
    base = neighbors.base
    count = sympy.Integer(neighbors.group * rows_at_once(neighbors))
    rows = Rows(fresh(), "inserted", count, True, larger(ZERO, SIZE - count), SIZE)
    container, types = layout(base)
    domains: dict[str | None, Any]
    if isinstance(neighbors.records, Row):
        domains = dict(zip(neighbors.records.names, neighbors.records.domains, strict=True))
    else:
        domains = dict.fromkeys(types, neighbors.records)
    columns: dict[str | None, Array] = {}
    for (name, dtype), values in zip(types.items(), neighbors._table.columns(), strict=True):
        found = _column(values, dtype, domains[name], rows, container)
        if found is not None:  # others may be there as long as nobody reads them
            columns[name] = replace(found, term=("column", rows.id, name))
    if None in types:
        if None not in columns:
            raise Unsupported(f"neighbors around values of the type {types[None]}")
        return replace(columns[None], term=("data", rows.id))
    return Table(columns, rows, container, term=("data", rows.id))  # type: ignore[arg-type]


def rows_at_once(neighbors: Around) -> int:
    """Return how many rows come or go together: those of one user."""
    if neighbors.unit is None:
        return 1
    at = neighbors._table.names.index(neighbors.unit)
    return max(Counter(map(repr, neighbors._table.columns()[at])).values())


def layout(base: Any) -> tuple[str, dict[str | None, str]]:
    """Return the container, and the type of every column by name (None: bare values)."""
    library = type(base).__module__.partition(".")[0]
    if isinstance(base, np.ndarray) and base.ndim == 1:
        names = base.dtype.names
        kinds = {n: str(base.dtype[n]) for n in names} if names else {None: str(base.dtype)}
        return "array", dict(kinds)
    if library == "pandas" and base.ndim == 1:
        return "pandas", {None: str(base.dtype)}
    if library == "pandas":
        if len(set(base.columns)) < base.shape[1] or not all(isinstance(c, str) for c in base):
            raise Unsupported("a frame whose columns do not each have a name of their own")
        return "pandas", {name: str(base[name].dtype) for name in base.columns}
    raise Unsupported(f"neighbors around a {type(base).__name__}")


def _column(values: list[Any], dtype: str, domain: Any, rows: Rows, container: str) -> Array | None:
    if dtype not in _NUMBERS:
        texts = (*values, *getattr(domain, "values", ()))
        if dtype not in _TEXTS or not all(isinstance(text, str) for text in texts):
            return None
        return Array(
            (rows,), kind="object", values=tuple(dict.fromkeys(texts)), dtype="object",
            container=container, source=rows,
        )  # fmt: skip
    added = None if domain is None else column(domain, rows, "array")
    if added is not None and added.kind != "number":
        raise Unsupported(f"records of the type {type(domain).__name__} in a column of {dtype}")
    present = [v for v in values if v == v]
    ends: list[Bound] = [exact(end) for end in (min(present), max(present))] if present else []
    if added is not None:
        ends += [added.low, added.high]
    infinite = any(end in (INFINITE, -INFINITE) for end in ends[: 2 * bool(present)])
    return derived(Array(
        (rows,), smaller(*ends) if ends else -INFINITE, larger(*ends) if ends else INFINITE,
        integer=dtype != "float64", boolean=dtype == "bool",
        nan=len(present) < len(values) or (added is not None and added.nan and dtype == "float64"),
        infinite=infinite or (added is not None and added.infinite),
        dtype=dtype, container=container, source=rows,
    ))  # fmt: skip
