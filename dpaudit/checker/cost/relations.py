"""Which pairs of datasets there are: a few cases, each with the records that changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.checker.around import Around, Told
from dpaudit.checker.cost.arrays import Arr, cell
from dpaudit.checker.cost.constants import FixedDict, FixedList
from dpaudit.checker.cost.ends import INF, ONE, ZERO, end, least, most
from dpaudit.checker.cost.frames import Frame, Series
from dpaudit.checker.cost.listed import listed
from dpaudit.checker.cost.parts import Parts
from dpaudit.checker.cost.record_columns import ANY, Rows, Table, View
from dpaudit.checker.cost.records import Pick, Var
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.users import OfUsers
from dpaudit.checker.cost.values import ENDS, Change, Group, Text, Token, Unknown
from dpaudit.checker.exact.numbers import Number, number
from dpaudit.checker.file import NotCheckedError
from dpaudit.neighbors import (
    AddRemove,
    AnyPair,
    Categorical,
    Integer,
    Pairs,
    QueryAnswers,
    Real,
    ReplaceOne,
    Row,
)

Case = Callable[[Run], Any]  # returns what the data parameter holds
_MOST_CHANGED = 16
_MOST_PAIRS = 2000
_FEW = 16  # integers


def cases(neighbors: Any) -> Iterator[Case]:
    """Yield cases which together hold every pair of neighboring datasets.

    Where one of two datasets has more records it is D'. The order of others does not matter: what
    is spent bounds the ratio of probabilities both ways.

    Raises
    ------
    NotCheckedError
        For relations and records that are not understood.
    """
    kind = type(neighbors)
    if kind is AddRemove or kind is ReplaceOne:
        yield from _of_records(neighbors)
    elif kind is Around:
        yield from _around(neighbors)
    elif kind is QueryAnswers:
        yield lambda run: _answers(run, neighbors)
    elif kind is AnyPair:
        yield from _bare(neighbors.records)
    elif kind is Pairs:
        for pair in neighbors.listed:
            yield lambda run, pair=pair: listed(pair.left, pair.right)  # type: ignore[misc]
    else:
        raise NotCheckedError(f"not checked: neighbors of the type {kind.__name__}")


def _of_records(neighbors: Any) -> Iterator[Case]:
    count = neighbors.group
    if neighbors.unit is not None:
        if type(neighbors) is not AddRemove:
            raise NotCheckedError("not checked: users that are replaced")
        if neighbors.rows_per_unit is None:
            yield _of_users(neighbors)
            return
        count *= neighbors.rows_per_unit
    if count > _MOST_CHANGED:
        raise NotCheckedError(f"not checked: neighbors that differ in {count} records")
    if neighbors.container not in ("array", "list", "pandas"):
        raise NotCheckedError(f"not checked: records in the container {neighbors.container!r}")
    added = type(neighbors) is AddRemove
    for changed in range(1, count + 1):
        first = tuple(range(1, changed + 1))
        if added:
            view = View((), first, None, INF, whole=True, least=neighbors.min_size)
        else:
            other = tuple(range(changed + 1, 2 * changed + 1))
            view = View(first, other, neighbors.size, end(neighbors.size), whole=True)
        yield lambda run, view=view: _records(neighbors, view)  # type: ignore[misc]


def _of_users(neighbors: Any) -> Case:
    """Return the case of a user who comes with any number of rows."""
    if neighbors.container not in ("array", "pandas"):
        what = "users with any number of rows in a list; `rows_per_unit` says how many"
        raise NotCheckedError(f"not checked: {what} at most")
    if neighbors.group != 1:
        raise NotCheckedError(f"not checked: {neighbors.group} users with any number of rows")
    view = View((), (), None, INF, whole=True, least=neighbors.min_size)
    return lambda run: OfUsers(_records(neighbors, view))


def _records(neighbors: Any, view: View) -> Any:
    records, listed = neighbors.records, neighbors.container == "list"
    labelled = neighbors.container == "pandas"
    if isinstance(records, Row):
        pairs = zip(records.names, records.domains, strict=True)
        if labelled:
            _validate_no_missing(records.domains, "pandas")
        table = Table(view, {name: column(domain, view) for name, domain in pairs})
        if neighbors.unit is not None and neighbors.group == 1 and neighbors.unit in table.columns:
            rows = neighbors.rows_per_unit or INF
            own = replace(table.columns[neighbors.unit], unit=rows)
            table = Table(view, {**table.columns, neighbors.unit: own})
        if listed:
            _validate_no_missing(records.domains, "list")
            return Parts(view, dict(table.columns))
        return Frame(table) if labelled else table
    found = column(records, view)
    if listed or labelled:
        _validate_no_missing((records,), neighbors.container)
    rows = Rows(view, found.lanes, found.dtype, listed=listed)
    return Series(rows) if labelled else rows


def _validate_no_missing(domains: Iterable[Any], container: str) -> None:
    """Refuse values that are missing, but for numbers of pandas, where they are NaN."""
    held = [d for d in domains if container != "pandas" or not isinstance(d, Real)]
    if any(getattr(domain, "allow_missing", False) for domain in held):
        raise NotCheckedError(f"not checked: missing values in the container {container!r}")


def _around(neighbors: Around) -> Iterator[Case]:
    count = neighbors.group * neighbors.rows
    if count > _MOST_CHANGED:
        raise NotCheckedError(f"not checked: neighbors that differ in {count} records")
    for changed in range(1, count + 1):
        rows = tuple(range(1, changed + 1))
        view = View((), rows, None, INF, whole=True, least=neighbors.least)
        yield lambda run, view=view: _rows_around(neighbors, view)  # type: ignore[misc]


def _rows_around(neighbors: Around, view: View) -> Any:
    columns = {}
    for told in neighbors.columns:
        if told.known:  # who reads another asks for a column that is not there
            make, anyone = _told(told)
            dtype = {"float64": "float", "int64": "int", "bool": "bool"}.get(told.dtype, "str")
            lanes = {ANY: cell(anyone), **{lane: cell(make()) for lane in view.changed}}
            columns[told.name] = Rows(view, lanes, dtype)
    if neighbors.container == "DataFrame":
        hidden = len(columns) < len(neighbors.columns)
        return Frame(Table(view, columns, hidden))  # type: ignore[arg-type]
    if [told.name for told in neighbors.columns] != [None]:
        return Table(view, columns)  # type: ignore[arg-type]
    if None not in columns:
        raise NotCheckedError(f"not checked: values of the type {neighbors.columns[0].dtype}")
    return Series(columns[None]) if neighbors.container == "Series" else columns[None]


def _told(told: Told) -> tuple[Callable[[], Any], Any]:
    """Return what makes a row's value in a column that is told of, and any row's."""
    if told.values is not None:
        values = told.values
        return (lambda: Pick(values)) if values else Text, Text()
    if told.dtype == "bool":
        return lambda: Pick((False, True)), Unknown("bool", ZERO, ONE)
    kind: Any = "float" if told.dtype == "float64" else "int"
    low = -INF if told.low is None else end(told.low)
    high = INF if told.high is None else end(told.high)
    special = (float("nan"),) * told.missing + (INF, -INF) * told.infinite
    ends = (-INF, INF) if told.infinite else (low, high)
    anyone = Unknown(kind, *ends, nan=told.missing, infinite=told.infinite, kept=ENDS)
    return lambda: Var(kind, low, high, special), anyone


def column(domain: Any, view: View) -> Rows:
    """Return the records of a domain."""
    make, anyone, dtype = _domain(domain)
    lanes = {ANY: cell(anyone), **{lane: cell(make()) for lane in view.changed}}
    return Rows(view, lanes, dtype)


def _domain(domain: Any) -> tuple[Callable[[], Any], Any, str]:
    """Return what makes a record that changed, any record, and the type of entries."""
    match domain:
        case Real():
            nan = domain.allow_nan or domain.allow_missing
            inf = domain.allow_infinity
            low, high = _range(domain)
            special = (float("nan"),) * nan + (INF, -INF) * inf
            ends = (-INF, INF) if inf else (low, high)
            anyone = Unknown("float", ends[0], ends[1], nan=nan, infinite=inf, kept=ENDS)
            return lambda: Var("float", low, high, special), anyone, "float"
        case Integer():
            nan = domain.allow_missing
            kind: Any = "float" if nan else "int"
            low, high = _range(domain)
            special = (float("nan"),) * nan
            anyone = Unknown(kind, low, high, nan=nan, kept=ENDS)
            return lambda: Var(kind, low, high, special), anyone, kind
        case Categorical() if not domain.allow_missing:
            return _categories(domain.values)
    raise NotCheckedError(f"not checked: records of the type {type(domain).__name__}")


def _range(domain: Any) -> tuple[Any, Any]:
    if not domain.enforced:
        return -INF, INF
    return end(Fraction(domain.low)), end(Fraction(domain.high))


def _categories(values: tuple[Any, ...]) -> tuple[Callable[[], Any], Any, str]:
    types = {type(value) for value in values}
    if types == {str}:
        return lambda: Pick(values), Text(tuple(values)), "str"
    if types == {bool}:
        return lambda: Pick(values), Unknown("bool", ZERO, ONE), "bool"
    if not types <= {int, float}:
        raise NotCheckedError("not checked: categories of several types")
    dtype = "int" if types == {int} else "float"
    held = values if dtype == "int" else tuple(number(Fraction(v)) for v in values)
    ends = [end(Fraction(v)) for v in values]
    anyone = Unknown(dtype, least(ends), most(ends))  # type: ignore[arg-type]
    return lambda: Pick(held), anyone, dtype


def _answers(run: Run, neighbors: QueryAnswers) -> Any:
    far = end(Fraction(neighbors.distance))
    low = ZERO if neighbors.monotone else -far
    n = neighbors.length
    if neighbors.norm == "l0":
        at = run.fork(n)
        changes = [Change(low, far) if i == at else Change() for i in range(n)]
    elif neighbors.norm == "linf":
        changes = [Change(low, far)] * n
    else:
        group = Group(neighbors.norm, -far, far)
        changes = [Change(tokens={Token(group): ONE}) for _ in range(n)]
    values = [Unknown("float", change=change) for change in changes]
    if neighbors.container == "list":
        return FixedList(values)
    if neighbors.container != "array":
        raise NotCheckedError(f"not checked: answers in a container {neighbors.container!r}")
    cells = np.empty(n, dtype=object)
    for i, value in enumerate(values):
        cells[i] = value
    cells.setflags(write=False)
    return Arr(cells, "float")


def _bare(records: Any) -> Iterator[Case]:
    """Yield the cases of one record, any against any other."""
    values = _few(records)
    if values is not None:
        for i, left in enumerate(values):
            for right in values[:i]:
                yield lambda run, a=left, b=right: listed(a, b)  # type: ignore[misc]
        return
    if isinstance(records, Row):
        pairs = list(zip(records.names, records.domains, strict=True))
        yield lambda run: FixedDict({name: _any(domain) for name, domain in pairs})
    else:
        yield lambda run: _any(records)


def _any(domain: Any) -> Unknown:
    """Return a number of a domain in each run, whichever they are."""
    if not isinstance(domain, Real | Integer):
        raise NotCheckedError("not checked: a record that is no number")
    if domain.allow_missing:
        raise NotCheckedError("not checked: a record that may be missing")
    nan = getattr(domain, "allow_nan", False)
    infinite = getattr(domain, "allow_infinity", False)
    low, high = (-INF, INF) if infinite else _range(domain)
    kind: Any = "float" if isinstance(domain, Real) else "int"
    width = INF if nan or not isinstance(low, Number) else high - low
    return Unknown(kind, low, high, Change(-width, width), nan=nan, infinite=infinite, kept=ENDS)


def _few(records: Any) -> tuple[Any, ...] | None:
    """Return all values of a record where they are few numbers, of which each pair is a case."""
    if isinstance(records, Categorical) and not records.allow_missing:
        values = records.values
        if not {type(v) for v in values} <= {int, float} or len(values) ** 2 > _MOST_PAIRS:
            raise NotCheckedError("not checked: a record that is no number")
        return values
    if not isinstance(records, Integer) or records.allow_missing or not records.enforced:
        return None
    low, high = int(records.low), int(records.high)
    return tuple(range(low, high + 1)) if high - low < _FEW else None
