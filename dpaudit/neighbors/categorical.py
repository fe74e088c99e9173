"""Records that are one of a list of values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from dpaudit.neighbors.records import Column, Kind, Landmarks
from dpaudit.neighbors.writing import call_dict, number_text


@dataclass(frozen=True, slots=True)
class Categorical:
    """One of the values that are listed.

    Parameters
    ----------
    values : iterable
        Different texts, numbers, booleans or other hashable values. If all are booleans, integers,
        numbers or texts, they keep a NumPy type of their own (``<U`` as wide as the longest text).
        A mixture is stored as objects.
    allow_missing : bool
        Whether missing values occur.

    Raises
    ------
    TypeError, ValueError
        For no values, equal values, None or NaN.
    """

    values: tuple[Any, ...]
    _: KW_ONLY
    allow_missing: bool = False

    def __init__(self, values: Iterable[Any], *, allow_missing: bool = False) -> None:
        object.__setattr__(self, "values", _validated_choices(values))
        object.__setattr__(self, "allow_missing", bool(allow_missing))

    def __str__(self) -> str:
        # 1.0 and 1 are stored in columns of different types, so that each is written as it is.
        missing = ", allow_missing=True" if self.allow_missing else ""
        return f"Categorical([{', '.join(map(repr, self.values))}]{missing})"

    __repr__ = __str__

    def columns(self) -> tuple[Column, ...]:
        """How records are stored; one nameless column for bare values."""
        kind = _common_kind(self.values)
        width = max(len(v) for v in self.values) if kind == "str" else 1
        size = max(abs(v) for v in self.values) if kind == "int" else 0
        return (Column("", kind, max(width, 1), size, allow_missing=self.allow_missing),)

    def landmarks(self) -> Landmarks:
        """Return the values that are most likely to show a violation."""
        missing = ((None, "a missing value"),) if self.allow_missing else ()
        others = tuple((v, f"the value {v!r}") for v in self.values[1:-1])
        return Landmarks(self.values[0], self.values[-1], others, missing)

    def members(self, limit: int) -> tuple[Any, ...]:
        """Up to `limit` different values; fewer only where there are no more."""
        return (*self.values, *[None] * self.allow_missing)[:limit]

    def draw(self, rng: np.random.Generator) -> Any:
        """Draw a random value."""
        if self.allow_missing and rng.random() < 0.1:
            return None
        return self.values[int(rng.integers(len(self.values)))]

    def near(self, value: Any, rng: np.random.Generator) -> Any:
        """Draw a random value near this one."""
        return self.draw(rng)

    def simpler(self, value: Any) -> Iterator[Any]:
        """Yield finitely many simpler values, simplest first; repeated use ends."""
        rank = len(self.values) if value is None else self.values.index(value)
        return iter(self.values[:rank])

    def contains(self, value: Any) -> bool:
        """Whether a record may have this value."""
        if value is None:
            return self.allow_missing
        return any(type(value) is type(v) and value == v for v in self.values)

    def assumptions(self) -> tuple[str, ...]:
        """Sentences for the report: what is taken for granted about the data."""
        shown = ", ".join(number_text(v) for v in self.values[:6])
        more = ", …" if len(self.values) > 6 else ""
        return (f"every record is one of {shown}{more} (enforced by the caller)",)

    def to_dict(self) -> dict[str, Any]:
        """Return a description that JSON can hold."""
        return call_dict(self)


def _validated_choices(values: Iterable[Any]) -> tuple[Any, ...]:
    if isinstance(values, str | bytes):
        raise TypeError(
            f"`values` must be a list of values, got the text {values!r}; wrap it in []"
        )
    try:
        choices = tuple(v.item() if isinstance(v, np.generic) else v for v in values)
    except TypeError:
        raise TypeError(f"`values` must be a list of values, got {values!r}") from None
    if not choices:
        raise ValueError("`values` must not be empty: no record could exist; list its values")
    if any(v is None or v != v for v in choices):
        raise ValueError("`values` must not hold None or NaN; use allow_missing=True")
    kinds = {type(v) for v in choices}
    if kinds == {int, float}:
        choices = tuple(float(v) for v in choices)
    try:
        distinct = len(set(choices)) == len(choices)
    except TypeError:
        raise TypeError("`values` must be hashable; turn lists into tuples") from None
    if not distinct:
        raise ValueError(f"`values` must differ from each other, got {list(choices)!r}")
    return choices


def _common_kind(values: Iterable[Any]) -> Kind:
    kinds = {type(v) for v in values}
    names: dict[type, Kind] = {bool: "bool", int: "int", float: "float", str: "str"}
    return names.get(kinds.pop(), "object") if len(kinds) == 1 else "object"
