"""What a certificate tells of the data around which its proof was made.

The statement that is checked is about every dataset of rows with the columns and ranges that are
told, of any size; that the given records are such rows is taken on trust, or found true where they
are at hand. What is told may be wider than those records, never narrower than the records of which
the statement says that they may be added.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.checker.file import NotCheckedError, RejectedError, Work, fields
from dpaudit.neighbors import AddRemove, Categorical, Integer, Real, Row
from dpaudit.neighbors.around import added_assumptions
from dpaudit.notation import NotationError, parse_neighbors

FIELD = "around"
NUMBERS = ("float64", "int64")
TEXTS = ("object", "str")
_FIELDS = {
    "container": str,
    "count": int,
    "records": str | None,
    "group": int,
    "unit": str | None,
    "rows": int,
    "columns": list,
}
_COLUMN = {
    "name": str | None,
    "dtype": str,
    "low": int | float | None,
    "high": int | float | None,
    "missing": bool,
    "infinite": bool,
    "values": list | None,
}
_CONTAINERS = ("DataFrame", "Series", "ndarray")


@dataclass(frozen=True, slots=True)
class Told:
    """A column.

    Attributes
    ----------
    name : str or None
        None for bare values.
    dtype : str
    low, high : Fraction or None
        Between what numbers lie; None where nothing bounds them.
    missing, infinite : bool
        Whether NaN, whether infinities occur.
    values : tuple of str or None
        The texts that occur, None for numbers.
    """

    name: str | None
    dtype: str
    low: Fraction | None
    high: Fraction | None
    missing: bool
    infinite: bool
    values: tuple[str, ...] | None

    @property
    def known(self) -> bool:
        """Whether what it holds is understood; nobody may read another."""
        if self.dtype in TEXTS:
            return self.values is not None and not self.missing
        return self.dtype == "bool" or self.dtype in NUMBERS

    def __str__(self) -> str:
        name = "values" if self.name is None else self.name
        if not self.known:
            return f"{name} ({self.dtype}, not read)"
        if self.values is not None:
            return f"{name} ({self.dtype}) among {', '.join(map(repr, self.values)):.200}"
        parts = [f"{name} ({self.dtype})"]
        if self.dtype != "bool":
            low = "-infinity" if self.low is None else _shown(self.low)
            parts.append(f"in [{low}, {'infinity' if self.high is None else _shown(self.high)}]")
        parts += ["or missing"] * self.missing + ["or infinite"] * self.infinite
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class Around:
    """Datasets of rows of some columns, of which some come or go.

    Attributes
    ----------
    container : {"DataFrame", "Series", "ndarray"}
    count : int
        Of the records that were given.
    records : Records or None
        What may be added.
    group : int
        How many records, or users, come or go at most.
    unit : str or None
        The column that names users.
    rows : int
        How many rows one of them has at most.
    columns : tuple of Told
    least : int
        How many records, or users, every dataset has at least.
    """

    container: str
    count: int
    records: Any
    group: int
    unit: str | None
    rows: int
    columns: tuple[Told, ...]
    least: int = 0

    def __str__(self) -> str:
        parts = [f"<{self.container} of {self.count} records>"]
        parts += [] if self.records is None else [str(self.records)]
        parts += [f"group={self.group}"] if self.group > 1 else []
        parts += [f"unit={self.unit!r}"] if self.unit is not None else []
        parts += [f"min_size={self.least}"] if self.least else []
        return f"AddRemove.around({', '.join(parts)})"

    def assumptions(self) -> tuple[str, ...]:
        """Return the sentences that a proof about them lists."""
        what = "records" if self.unit is None else f"all rows of one `{self.unit}`"
        return (
            f"datasets are those around {self.count} given records: what fails only elsewhere is "
            "not found",
            f"neighbors differ by {what}, up to {self.group} at once",
            *((f"every dataset has at least {self.least}",) if self.least else ()),
            *added_assumptions(self.records),
        )

    def says(self) -> str:
        """Return what is checked, in a sentence."""
        count = self.group * self.rows
        moved = "one row" if count == 1 else f"up to {count} rows"
        return (
            f"it is proved for every dataset of rows with these columns and ranges, {moved} more "
            f"or less: {'; '.join(map(str, self.columns))}"
        )

    def trusted(self) -> str:
        """Return what is taken on trust of the records that were given."""
        users = "" if self.unit is None else f", and no `{self.unit}` has more than {self.rows}"
        return f"the {self.count} given records are rows with these columns and ranges{users}"


def around(subject: dict[str, Any], work: Work) -> Around | None:
    """Return what the statement says of the data around which it is, None for other neighbors.

    Raises
    ------
    RejectedError
        Where that is malformed, contradicts itself, or is narrower than the statement.
    NotCheckedError
        Where it is missing.
    """
    about = subject["neighbors"].startswith("AddRemove.around(")
    if FIELD not in subject:
        if about:
            raise NotCheckedError(
                "not checked: what the given records hold is not told; certify anew"
            )
        return None
    told = subject[FIELD]
    where = f"`subject.{FIELD}`"
    fields(told, _FIELDS, where)
    if told["container"] not in _CONTAINERS or told["count"] < 0:
        raise RejectedError(f"{where} is of another container, or of no records")
    if told["group"] < 1 or told["rows"] < 0 or (told["unit"] is None and told["rows"] != 1):
        raise RejectedError(f"{where} has neighbors that differ by no rows")
    columns = tuple(_column(column) for column in told["columns"])
    names = [column.name for column in columns]
    bare = told["container"] == "Series" or (told["container"] == "ndarray" and None in names)
    if len(set(names)) != len(names) or (names != [None] if bare else None in names):
        raise RejectedError(f"{where} has columns without names of their own")
    if told["unit"] is not None and told["unit"] not in names:
        raise RejectedError(f"{where} has no column {told['unit']!r:.60}")
    records = _records(told["records"])
    stated = re.search(r", min_size=(\d+)\)$", subject["neighbors"])
    least = 0 if stated is None else int(stated[1])
    found = Around(
        told["container"], told["count"], records, told["group"], told["unit"], told["rows"],
        columns, least,
    )  # fmt: skip
    if str(found) != subject["neighbors"]:
        raise RejectedError(f"{where} is not of the neighbors of `subject`")
    _validate_added(found)
    if work.base is not None:
        validate_base(found, work.base)
    work.says.append(found.says())
    return found


def given(neighbors: Any, work: Work) -> tuple[str, ...]:
    """Return what is taken on trust of the records around which the datasets are."""
    if not isinstance(neighbors, Around) or work.base is not None:
        return ()
    return (neighbors.trusted(),)


def statement(subject: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Refuse a subject that has other fields than these, and perhaps what it is around."""
    told = {FIELD: dict} if FIELD in subject else {}
    fields(subject, {**wanted, **told}, "`subject`")


def _column(told: Any) -> Told:
    where = f"a column of `subject.{FIELD}`"
    fields(told, _COLUMN, where)
    ends = [told["low"], told["high"]]
    if any(isinstance(end, bool) or (end is not None and not math.isfinite(end)) for end in ends):
        raise RejectedError(f"{where} has an end that is no number")
    low, high = (None if end is None else Fraction(end) for end in ends)
    if low is not None and high is not None and low > high:
        raise RejectedError(f"{where} lies between {low} and {high}")
    texts = told["values"]
    if texts is not None and (told["dtype"] not in TEXTS or not _are_texts(texts)):
        raise RejectedError(f"{where} has texts and is of the type {told['dtype']!r:.40}")
    if told["dtype"] in ("int64", "bool") and (told["missing"] or told["infinite"]):
        raise RejectedError(f"{where} is of the type {told['dtype']}, which misses no values")
    return Told(
        told["name"], told["dtype"], low, high, told["missing"], told["infinite"],
        None if texts is None else tuple(texts),
    )  # fmt: skip


def _are_texts(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) for value in values) and len(set(values)) == len(values)


def _records(text: str | None) -> Any:
    """Return the records that may be added, from their text."""
    if text is None:
        return None
    try:
        found = parse_neighbors(f"AddRemove({text})")
    except NotationError:
        raise NotCheckedError(f"not checked: `neighbors` cannot be read: {text:.80}") from None
    if type(found) is not AddRemove or str(found.records) != text:
        raise RejectedError(f"`subject.{FIELD}` has records that are not written as they are")
    return found.records


def _validate_added(found: Around) -> None:
    """Refuse columns that are narrower than the records that may be added."""
    if found.records is None:
        return
    row = isinstance(found.records, Row)
    names = tuple(found.records.names) if row else (None,)
    domains = found.records.domains if row else (found.records,)
    if names != tuple(column.name for column in found.columns):
        raise RejectedError(f"`subject.{FIELD}` has other columns than the records of `neighbors`")
    for column, domain in zip(found.columns, domains, strict=True):
        if column.known and not _holds(column, domain):
            raise RejectedError(
                f"`subject.{FIELD}` has {column}, and records that may be added are {domain}"
            )


def _holds(column: Told, domain: Any) -> bool:
    """Whether a column holds all that a record may be and its type can hold."""
    if column.dtype == "bool":
        return True  # it holds both truth values
    if column.values is not None:
        texts = isinstance(domain, Categorical) and _are_texts(domain.values)
        return texts and not domain.allow_missing and set(domain.values) <= set(column.values)
    if isinstance(domain, Categorical):
        if not all(isinstance(value, int | float) for value in domain.values):
            return False
        ends: list[Any] = [min(domain.values), max(domain.values)]
        missing = domain.allow_missing
    elif isinstance(domain, Real | Integer):
        ends = [domain.low, domain.high] if domain.enforced else [None, None]
        missing = domain.allow_missing or getattr(domain, "allow_nan", False)
    else:
        return False
    infinite = getattr(domain, "allow_infinity", False)
    if column.dtype == "float64" and (missing > column.missing or infinite > column.infinite):
        return False
    return _within(column, *ends)


def _within(column: Told, low: Any, high: Any) -> bool:
    below = column.low is None or (low is not None and column.low <= Fraction(low))
    return below and (column.high is None or (high is not None and Fraction(high) <= column.high))


def validate_base(found: Around, base: Any) -> None:
    """Refuse a description that does not fit the records, where they are at hand.

    Parameters
    ----------
    found : Around
    base : DataFrame, Series or ndarray

    Raises
    ------
    RejectedError
        Where a record is none of the rows of which the statement speaks.
    """
    if type(base).__name__ != found.container or len(base) != found.count:
        raise RejectedError(f"`base` is no {found.container} of {found.count} records")
    held = _held(base)
    if [(c.name, c.dtype) for c in found.columns] != [(n, t) for n, (t, _) in held.items()]:
        raise RejectedError("`base` has other columns, or columns of other types")
    for column in found.columns:
        values = held[column.name][1]
        strange = [v for v in values if not _is_told(column, v)] if column.known else []
        if strange:
            raise RejectedError(f"`base` holds {strange[0]!r:.60}, and `subject` says {column}")
    if found.unit is not None:
        most = max(Counter(map(repr, held[found.unit][1])).values(), default=0)
        if most > found.rows:
            raise RejectedError(f"`base` has {most} rows of one `{found.unit}`: more than stated")


def _held(base: Any) -> dict[str | None, tuple[str, list[Any]]]:
    """Return the types and values of columns by their names."""
    if isinstance(base, np.ndarray):
        if base.dtype.names is None:
            return {None: (str(base.dtype), base.tolist())}
        return {name: (str(base.dtype[name]), base[name].tolist()) for name in base.dtype.names}
    if not hasattr(base, "columns"):
        return {None: (str(base.dtype), base.tolist())}
    return {name: (str(base[name].dtype), base[name].tolist()) for name in base.columns}


def _is_told(column: Told, value: Any) -> bool:
    if column.values is not None:
        return isinstance(value, str) and value in column.values
    if column.dtype == "bool":
        return isinstance(value, bool)
    if value != value:
        return column.missing
    if math.isinf(value):
        return column.infinite
    return _within(column, value, value)


def _shown(end: Fraction) -> str:
    return str(end) if end.denominator == 1 else f"{float(end)!r}"
