"""What a certificate tells of the data around which a proof was made: all that the proof used.

The records themselves stay where they are. Every dataset of the relation has rows of the base, or
of the records that may be added: so a column lies between the least and the greatest of both, has
the base's type, and misses values where one of them does. A proof rests on what `around` says of
each column, so that it holds for every dataset of rows with these columns and ranges.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.checker.rounding import double_of
from dpaudit.formal.unsupported import Unsupported
from dpaudit.neighbors import Around, Categorical, Integer, Real, Row

_NUMBERS = frozenset({"float64", "int64", "bool"})
_TEXTS = frozenset({"object", "str"})


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

    Raises
    ------
    Unsupported
        For containers and types that are not known.
    """
    if not isinstance(neighbors, Around):
        return {}
    types = _types(neighbors.base)
    records = neighbors.records
    domains: dict[str | None, Any] = dict.fromkeys(types, records)
    if isinstance(records, Row):
        domains = dict(zip(records.names, records.domains, strict=True))
    columns = zip(types.items(), neighbors._table.columns(), strict=True)
    return {
        "around": {
            "container": type(neighbors.base).__name__,
            "count": len(neighbors._table),
            "records": None if records is None else str(records),
            "group": neighbors.group,
            "unit": neighbors.unit,
            "rows": _rows_at_once(neighbors),
            "columns": [
                {"name": name, "dtype": dtype, **_column(values, dtype, domains[name])}
                for (name, dtype), values in columns
            ],
        }
    }


def _rows_at_once(neighbors: Around) -> int:
    """Return how many rows come or go together: those of one user."""
    if neighbors.unit is None:
        return 1
    at = neighbors._table.names.index(neighbors.unit)
    return max(Counter(map(repr, neighbors._table.columns()[at])).values())


def _types(base: Any) -> dict[str | None, str]:
    """Return the type of every column by name (None: bare values)."""
    library = type(base).__module__.partition(".")[0]
    if isinstance(base, np.ndarray) and base.ndim == 1:
        names = base.dtype.names
        return {n: str(base.dtype[n]) for n in names} if names else {None: str(base.dtype)}
    if library == "pandas" and base.ndim == 1:
        return {None: str(base.dtype)}
    if library == "pandas":
        if len(set(base.columns)) < base.shape[1] or not all(isinstance(c, str) for c in base):
            raise Unsupported("a frame whose columns do not each have a name of their own")
        return {name: str(base[name].dtype) for name in base.columns}
    raise Unsupported(f"neighbors around a {type(base).__name__}")


def _column(values: list[Any], dtype: str, domain: Any) -> dict[str, Any]:
    """Return what is told of a column; of one of another type, nothing: nobody can read it."""
    told: dict[str, Any] = {
        "low": None, "high": None, "missing": True, "infinite": True, "values": None,
    }  # fmt: skip
    if dtype not in _NUMBERS:
        texts = (*values, *getattr(domain, "values", ()))
        if dtype not in _TEXTS or not all(isinstance(text, str) for text in texts):
            return told
        return {
            **told, "missing": False, "infinite": False, "values": list(dict.fromkeys(texts)),
        }  # fmt: skip
    present = [value for value in values if value == value]
    ends = [min(present), max(present)] if present else []
    missing, infinite = len(present) < len(values), any(map(math.isinf, ends))
    if domain is not None:
        added, nan, beyond = _added(domain, dtype)
        ends += added
        missing, infinite = missing or (nan and dtype == "float64"), infinite or beyond
    low, high = (min(ends), max(ends)) if ends else (-math.inf, math.inf)
    return {
        **told, "low": _end(low), "high": _end(high), "missing": missing, "infinite": infinite,
    }  # fmt: skip


def _added(domain: Any, dtype: str) -> tuple[list[Any], bool, bool]:
    """Return the least and greatest record that may be added, and whether NaN or infinity may."""
    missing = bool(domain.allow_missing)
    match domain:
        case Real():
            infinite = bool(domain.allow_infinity)
            bounded = domain.enforced and not infinite
            ends = [domain.low, domain.high] if bounded else [-math.inf, math.inf]
            return ends, missing or bool(domain.allow_nan), infinite
        case Integer():
            ends = [domain.low, domain.high] if domain.enforced else [-math.inf, math.inf]
            return ends, missing, False
        case Categorical() if all(isinstance(v, bool | int | float) for v in domain.values):
            return [min(domain.values), max(domain.values)], missing, False
    raise Unsupported(f"records of the type {type(domain).__name__} in a column of {dtype}")


def _end(end: Any) -> int | float | None:
    """Return the number that an end is: a float where it is no whole number."""
    if math.isinf(end):
        return None
    exact = Fraction(end.item() if isinstance(end, np.generic) else end)
    if exact.denominator == 1:
        return int(exact)
    return double_of(exact)
