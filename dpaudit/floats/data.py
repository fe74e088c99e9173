"""The data of a neighboring relation, as values of the float analysis."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import reduce
from typing import Any

from dpaudit.floats.values import DOUBLE, LARGEST, Many, Num, Table, Thing, Unknown, joined, point
from dpaudit.neighbors import (
    AddRemove,
    AnyPair,
    Around,
    Categorical,
    Integer,
    Pairs,
    QueryAnswers,
    Real,
    ReplaceOne,
    Row,
    ZeroOut,
)

_UNITS = {"float32": 2.0**-24, "float16": 2.0**-11}
_BITS = {"int8": 7, "uint8": 8, "int16": 15, "uint16": 16, "int32": 31, "uint32": 32}


def cases(neighbors: Any, records: float, magnitude: float, fewest: float) -> list[Any]:
    """Return what the mechanism may get, one by one where that is little."""
    if isinstance(neighbors, AnyPair):
        domain = neighbors.records
        if isinstance(domain, Integer) and domain.enforced and domain.high - domain.low < 32:
            return [constant(value) for value in range(int(domain.low), int(domain.high) + 1)]
        if isinstance(domain, Categorical) and len(domain.values) <= 32:
            return [constant(value) for value in domain.values]
    if isinstance(neighbors, Pairs):
        sides = [side for pair in neighbors.listed for side in (pair.left, pair.right)]
        if len(sides) <= 32:
            return [constant(side) for side in sides]
    return [_with_fewest(data_value(neighbors, records, magnitude), fewest)]


def _with_fewest(value: Any, fewest: float) -> Any:
    if isinstance(value, Num):
        return replace(value, fewest=min(value.size, max(value.fewest, fewest)))
    if isinstance(value, Table):
        columns = {name: _with_fewest(v, fewest) for name, v in value.columns.items()}
        return replace(value, columns=columns)
    return value


def data_value(neighbors: Any, records: float, magnitude: float) -> Any:
    """Return what the mechanism gets.

    Parameters
    ----------
    neighbors : Neighbors
    records : float
        N, the most records that there are.
    magnitude : float
        Between minus and plus what answers of queries lie, in units of their distance.
    """
    match neighbors:
        case AddRemove() | ReplaceOne() | ZeroOut():
            found = _in_columns(_column(neighbors.records, records))
            unit, rows = neighbors.unit, neighbors.rows_per_unit
            if isinstance(found, Table):
                found.framed = neighbors.container == "pandas"
            if isinstance(found, Table) and unit is not None:
                found.unit = unit, float(rows or math.inf)
            if isinstance(neighbors, ZeroOut):
                zero = _in_columns(_column(neighbors.zero, records, constant=True))
                found = joined(found, zero)
            return found
        case AnyPair():
            return _column(neighbors.records, 1.0)
        case QueryAnswers():
            most = magnitude * neighbors.distance
            size = float(neighbors.length)
            return Num(-most, most, size=size, scalar=False, fewest=size)
        case Pairs():
            sides = (constant(side) for p in neighbors.listed for side in (p.left, p.right))
            return reduce(joined, sides)
        case Around():
            return _around(neighbors, records)
    return Unknown(f"neighbors of the type {type(neighbors).__name__}")


def is_unbounded(neighbors: Any) -> bool:
    """Whether the relation leaves the magnitude of its numbers open."""
    return isinstance(neighbors, QueryAnswers)


def constant(value: Any) -> Any:
    """Return a Python object as a value."""
    import numpy as np

    if isinstance(value, bool | int | float | np.number | np.bool_):
        return typed(
            point(value if isinstance(value, int) else float(value)),
            str(getattr(value, "dtype", "")),
        )
    if isinstance(value, np.ndarray) and value.dtype.names:
        return Table({name: constant(value[name]) for name in value.dtype.names})
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.size:
        there = value[~np.isnan(value)]  # a missing value is the same in floats as in the proof
        low, high = (float(np.min(there)), float(np.max(there))) if there.size else (0.0, 0.0)
        whole = bool(np.all(there == np.floor(there)))
        found = Num(low, high, whole=whole, size=float(value.size), scalar=False)
        return typed(found, str(value.dtype))
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return Num(0.0, 0.0, whole=True, size=0.0, scalar=False)
    if isinstance(value, np.ndarray):
        return constant(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return Many([constant(item) for item in value])
    if isinstance(value, dict):
        return Table({key: constant(item) for key, item in value.items()})
    columns = getattr(value, "columns", None)
    if columns is not None:
        return Table({str(name): constant(value[name].to_numpy()) for name in columns})
    if hasattr(value, "to_numpy"):
        return constant(value.to_numpy())
    return Thing(value)


def typed(number: Num, dtype: str) -> Num:
    """Return a number as one of a NumPy type, cast without loss."""
    if dtype in _BITS:
        return replace(number, unit=2.0 ** -_BITS[dtype], wraps=True, whole=True)
    return replace(number, unit=_UNITS.get(dtype, DOUBLE), wraps=False)


def _in_columns(found: Any) -> Any:
    """Return the records of a dataset, which is an array or a frame of one record too."""
    if isinstance(found, Table):
        for name, value in found.columns.items():
            found.columns[name] = _in_columns(value)
    return replace(found, scalar=False) if isinstance(found, Num) else found


def _column(domain: Any, size: float, *, constant: bool = False) -> Any:
    match domain:
        case Row():
            return Table({n: _column(d, size) for n, d in domain.fields}, None)
        case Real():
            most = LARGEST[DOUBLE]
            low, high = float(domain.low), float(domain.high)
            if not domain.enforced or domain.allow_infinity:
                low, high = -most, most
            return Num(max(low, -most), min(high, most), size=size, scalar=size == 1)
        case Integer():
            low, high = float(domain.low), float(domain.high)
            if not domain.enforced:
                low, high = -(2.0**62), 2.0**62
            return Num(low, high, whole=True, size=size, scalar=size == 1)
        case Categorical():
            return _categories(domain, size)
    if constant:
        value = globals()["constant"](domain)
        return replace(value, size=size, scalar=size == 1) if isinstance(value, Num) else value
    return Unknown(f"records of the type {type(domain).__name__}")


def _categories(domain: Categorical, size: float) -> Any:
    values = domain.values
    if any(isinstance(v, list | tuple) for v in values):
        return _many(reduce(joined, map(constant, values)), size)
    if all(isinstance(v, bool | int | float) for v in values):
        whole = all(float(v) == math.floor(float(v)) for v in values)
        low, high = float(min(values)), float(max(values))
        return Num(low, high, whole=whole, size=size, scalar=size == 1)
    return Thing(("some", None))


def _many(value: Any, size: float) -> Any:
    if isinstance(value, Num):
        return replace(value, size=value.size * size, scalar=False)
    if isinstance(value, Many):
        return reduce(joined, (_many(item, size) for item in value.items))
    return value


def _around(neighbors: Around, records: float) -> Any:
    base = constant(neighbors.base)
    added = neighbors.records
    if added is not None:
        base = joined(base, _column(added, records))
    if isinstance(base, Table):
        return Table({name: _many_of(v, records) for name, v in base.columns.items()})
    return _many_of(base, records)


def _many_of(value: Any, records: float) -> Any:
    return replace(value, size=records, scalar=False) if isinstance(value, Num) else value
