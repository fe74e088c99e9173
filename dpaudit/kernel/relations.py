"""Relations: what the two runs hold in one variable, and how far they may differ.

The two runs are those on neighboring datasets, with the draws coupled as the rules say.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from typing import Any, Literal

from dpaudit.kernel.numbers import Real

End = Fraction | None  # of a range; None where it has none
Kind = Literal["float", "int", "bool", "str"]


@dataclass(frozen=True, slots=True)
class Known:
    """Both runs hold this value; `real` is the number that its expression has over the reals."""

    value: Any
    real: Real | None


@dataclass(frozen=True, slots=True)
class Same:
    """Both runs hold the same, type and bits."""


@dataclass(frozen=True, slots=True)
class Part:
    """A set of records: those of which the value in `base` lies in one of the intervals.

    Attributes
    ----------
    base : int
        A variable that holds a number a record.
    intervals : tuple of (end, closed, end, closed)
        Disjoint and in order.
    nan : bool
        Whether records with NaN belong to it.
    """

    base: int
    intervals: tuple[tuple[End, bool, End, bool], ...]
    nan: bool


@dataclass(frozen=True, slots=True)
class Share:
    """One of several numbers that the change of neighbors is spread over.

    Attributes
    ----------
    source : int
        The variable whose change is spread: records, or a vector of answers.
    part : Part or int
        Which records the number is a function of; or which answer it is.
    """

    source: int
    part: Part | int


@dataclass(frozen=True, slots=True)
class Num:
    """A number in each run, finite, in [low, high], of one type; they differ by `moved` at most.

    Attributes
    ----------
    kind : {"float", "int", "bool"}
        An integer is exact.
    low, high : Fraction or None
    moved : Fraction
    share : Share or None
    mean_of : tuple of (str, int) or None
        Of which rows it is the sum or the size, where the rule of means may need it.
    python : bool
        Whether it is known to be of a type of Python, not of NumPy.
    """

    kind: Kind
    low: End
    high: End
    moved: Fraction
    share: Share | None = None
    mean_of: tuple[str, int] | None = None
    python: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    """A value a record: one public function of the record in both runs.

    Attributes
    ----------
    index : int
        The variable that fixes which records there are, and in which order.
    root : int
        The variable of all records.
    change : {"edit", "replace"}
        Up to `k` records come or go, at any places; or are replaced, where they stand.
    k : int
    size : int
        The public number of records, of all that may be replaced; else 0.
    some : bool
        Whether only the records of a filter are there.
    kind : {"float", "int", "bool", "str"}
    low, high : Fraction or None
        Of values that are not NaN; where one may be infinite, that end is None.
    nan, inf : bool
        Whether a value may be NaN, or infinite.
    listed : bool
        Whether they are in a list of Python, not in an array.
    within : Part or None
        The part of the records to which those of a filter belong.
    part : Part or None
        Of truth values: for which records they hold.
    """

    index: int
    root: int
    change: Literal["edit", "replace"]
    k: int
    size: int
    some: bool
    kind: Kind
    low: End
    high: End
    nan: bool = False
    inf: bool = False
    listed: bool = False
    within: Part | None = None
    part: Part | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A structured array, one row a record, or a vector of answers."""

    columns: tuple[tuple[str | int, Rows | Num], ...]


@dataclass(frozen=True, slots=True)
class Hidden:
    """Noise around 0 that nothing has been told of: its law, its scale, and what it is drawn with.

    Attributes
    ----------
    law : {"laplace", "normal", "geometric", "two-sided"}
    scale : Real
        Of geometric draws the chance of another failure.
    on : Num or None
        What one geometric draw was added to already, and waits for the other to be subtracted.
    """

    law: str
    scale: Real
    on: Num | None = None


Relation = Known | Same | Num | Rows | Table | Hidden


def written(value: Any) -> Any:
    """Return a relation, or what is in it, as JSON-able values."""
    if isinstance(value, Real):
        return {"real": str(value)}
    if isinstance(value, Fraction):
        return str(value)
    if is_dataclass(value):
        inside = {f.name: written(getattr(value, f.name)) for f in fields(value)}
        return {"is": type(value).__name__, **inside}
    if isinstance(value, tuple | list):
        return [written(item) for item in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    return f"{type(value).__name__} {value!r:.80}"
