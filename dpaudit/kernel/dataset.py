"""The relation of what a mechanism receives, as the definition of its neighbors says.

Only relations that are listed here are understood; any option that is not read is refused.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

from dpaudit.core.language import Data
from dpaudit.kernel.numbers import Refusal
from dpaudit.kernel.relations import Kind, Num, Relation, Rows, Table
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

LARGEST = Fraction(2) ** 62  # of integers that sums may be made of, times the records
RECORDS = 2**40  # more than there are in any dataset
HUGE = Fraction(10) ** 200  # of floats that sums may be made of


def dataset(neighbors: Any, data: Data) -> Relation:
    """Return what the two runs receive.

    Raises
    ------
    Refusal
        For relations that are not understood, or are not of this form.
    """
    if isinstance(neighbors, AddRemove | ReplaceOne) and type(neighbors) in (AddRemove, ReplaceOne):
        return _records(neighbors, data)
    if type(neighbors) is AnyPair and data.form == "scalar":
        kind, low, high, nan, inf = _domain(neighbors.records)
        if nan or inf or low is None or high is None or kind == "str":
            raise Refusal("one record without a range")
        return Num(kind, low, high, high - low)
    if type(neighbors) is QueryAnswers and data.form == "vector":
        return _answers(neighbors, data)
    if type(neighbors) is Pairs and data.form == "scalar":
        return _listed(neighbors)
    raise Refusal(f"neighbors of the type {type(neighbors).__name__}")


def _records(neighbors: AddRemove | ReplaceOne, data: Data) -> Relation:
    if neighbors.unit is not None or neighbors.invariant is not None:
        raise Refusal("users, or invariants")
    replaces = isinstance(neighbors, ReplaceOne)
    if data.size != (neighbors.size if isinstance(neighbors, ReplaceOne) else 0):
        raise Refusal("another number of records")
    listed = neighbors.container == "list"

    def rows(domain: Any) -> Rows:
        kind, low, high, nan, inf = _domain(domain)
        size = neighbors.size if isinstance(neighbors, ReplaceOne) else 0
        change: Literal["edit", "replace"] = "replace" if replaces else "edit"
        return Rows(0, 0, change, neighbors.group, size, False, kind, low, high, nan, inf, listed)

    if isinstance(neighbors.records, Row) and not listed and neighbors.container == "array":
        columns = tuple((name, rows(domain)) for name, domain in _columns(neighbors.records))
        if data.form != "table" or tuple(name for name, _ in columns) != data.names:
            raise Refusal("records of another form")
        return Table(columns)
    if data.form != {"array": "array", "list": "list"}.get(neighbors.container):
        raise Refusal("records of another form")
    return rows(neighbors.records)


def _columns(row: Row) -> tuple[tuple[str, Any], ...]:
    return tuple(row.fields)


def _domain(records: Any) -> tuple[Kind, Fraction | None, Fraction | None, bool, bool]:
    """Return the kind and the range of one value, and whether it may be NaN or infinite."""
    if type(records) is Real and not records.allow_missing:
        known = records.enforced and not records.allow_infinity
        low, high = Fraction(records.low), Fraction(records.high)
        ends = (low, high) if known else (None, None)
        return "float", *ends, records.allow_nan, records.allow_infinity
    if type(records) is Integer and not records.allow_missing:
        if max(abs(records.low), abs(records.high)) >= 2**62:
            raise Refusal("integers of 63 bits and more")
        ends = (Fraction(records.low), Fraction(records.high)) if records.enforced else (None, None)
        return "int", *ends, False, False
    if type(records) is Categorical and not getattr(records, "allow_missing", True):
        values = records.values
        for kind, of in (("bool", bool), ("int", int), ("str", str)):
            if all(type(value) is of for value in values):
                if kind == "str":
                    return "str", None, None, False, False
                if max(abs(int(value)) for value in values) >= 2**62:
                    raise Refusal("integers of 63 bits and more")
                low, high = (Fraction(int(end(values))) for end in (min, max))
                return kind, low, high, False, False  # type: ignore[return-value]
    raise Refusal("records of a type that is not understood")


def _answers(neighbors: QueryAnswers, data: Data) -> Relation:
    if data.length != neighbors.length:
        raise Refusal("another number of answers")
    moved = Fraction(neighbors.distance)
    one = Num("float", None, None, moved)
    return Table(tuple((place, one) for place in range(neighbors.length)))


def _listed(neighbors: Pairs) -> Relation:
    pairs = [(pair.left, pair.right) for pair in neighbors.listed]
    values = [value for pair in pairs for value in pair]
    for kind, of in (("float", float), ("int", int)):
        if all(type(value) is of and abs(value) < 2**62 for value in values):
            moved = max(abs(Fraction(a) - Fraction(b)) for a, b in pairs)
            low, high = Fraction(min(values)), Fraction(max(values))
            return Num(kind, low, high, moved)  # type: ignore[arg-type]
    raise Refusal("pairs of other things than numbers")


def norm_of(neighbors: Any) -> str:
    """Return how the changes of parts add up: ``"once"``, ``"twice"``, ``"l2"`` or ``"each"``.

    Records that come or go change one part each, a replaced record changes two. A vector of answers
    changes by its norm.
    """
    if type(neighbors) is AddRemove:
        return "once"
    if type(neighbors) is ReplaceOne:
        return "twice"
    if type(neighbors) is QueryAnswers:
        return {"l0": "once", "l1": "once", "l2": "l2"}.get(str(neighbors.norm), "each")
    return "each"
