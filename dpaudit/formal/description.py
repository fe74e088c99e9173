"""What a certificate tells of the data around which a proof was made: all that the proof used.

The records themselves stay where they are. A proof rests on what `around` says of each column, so
that it holds for every dataset of rows with these columns and ranges.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy

from dpaudit.formal.around import layout, records_around, rows_at_once
from dpaudit.formal.bounds import INFINITE, Bound
from dpaudit.formal.domain import Array, Table
from dpaudit.neighbors import Around


def around(neighbors: Any) -> dict[str, Any]:
    """Return the field ``around`` of a certificate's subject, none for other neighbors.

    Parameters
    ----------
    neighbors : Neighbors

    Returns
    -------
    dict
        Under ``around``: the container and the number of the given records; the records that may
        be added, as they are written; how many records, or rows of users, come or go; and of each
        column its name, its type, between what its numbers lie (null: nothing bounds them),
        whether it misses values or has infinite ones, and its texts.
    """
    if not isinstance(neighbors, Around):
        return {}
    found = records_around(neighbors)
    columns: dict[str | None, Any] = (
        dict(found.columns.items()) if isinstance(found, Table) else {None: found}
    )
    _, types = layout(neighbors.base)
    return {
        "around": {
            "container": type(neighbors.base).__name__,
            "count": len(neighbors._table),
            "records": None if neighbors.records is None else str(neighbors.records),
            "group": neighbors.group,
            "unit": neighbors.unit,
            "rows": rows_at_once(neighbors),
            "columns": [_column(name, dtype, columns.get(name)) for name, dtype in types.items()],
        }
    }


def _column(name: str | None, dtype: str, column: Array | None) -> dict[str, Any]:
    told: dict[str, Any] = {
        "name": name, "dtype": dtype, "low": None, "high": None, "missing": True, "infinite": True,
        "values": None,
    }  # fmt: skip
    if column is None:  # of a type that no rule knows: nobody reads it
        return told
    if column.kind != "number":
        return {**told, "missing": False, "infinite": False, "values": list(column.values or ())}
    return {
        **told,
        "low": _end(column.low),
        "high": _end(column.high),
        "missing": column.nan,
        "infinite": column.infinite,
    }


def _end(end: Bound) -> int | float | None:
    """Return the number that an end is: a float where it is no whole number."""
    if end in (INFINITE, -INFINITE) or not isinstance(end, sympy.Rational):
        return None
    exact = Fraction(int(end.p), int(end.q))
    if exact.denominator == 1:
        return int(exact)
    return float(exact) if Fraction(float(exact)) == exact else None
