"""What a domain of records is: how its values are stored, and which are worth trying."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np

Kind = Literal["float", "int", "bool", "str", "object", "any"]


@dataclass(frozen=True, slots=True)
class Column:
    """How a scalar domain is stored.

    Attributes
    ----------
    name : str
        Its column's name, "" for bare records.
    kind : str
        ``"any"`` is for values of which nothing is known.
    width : int
        Longest text, in characters.
    magnitude : int
        Largest absolute value of an integer.
    allow_nan, allow_missing : bool
        Whether NaN and missing values occur.
    """

    name: str
    kind: Kind
    width: int = 1
    magnitude: int = 0
    allow_nan: bool = False
    allow_missing: bool = False


@dataclass(frozen=True, slots=True)
class Landmarks:
    """The values of a domain that tell most, with words for the unusual ones.

    Attributes
    ----------
    low, high : Any
        The two ends.
    others : tuple of (Any, str)
        Further ordinary values.
    risky : tuple of (Any, str)
        Values that mechanisms forget about: outside the range, NaN, infinite, missing.
    """

    low: Any
    high: Any
    others: tuple[tuple[Any, str], ...] = ()
    risky: tuple[tuple[Any, str], ...] = ()


@runtime_checkable
class Records(Protocol):
    """A domain of records. Rows are tuples of values in the order of `columns`.

    A missing value is None here; how it reaches the mechanism is the container's affair.
    """

    def columns(self) -> tuple[Column, ...]:
        """How records are stored; one nameless column for bare values."""

    def landmarks(self) -> Landmarks:
        """Return the values that are most likely to show a violation."""

    def members(self, limit: int) -> tuple[Any, ...]:
        """Up to `limit` different values; fewer only where there are no more."""

    def draw(self, rng: np.random.Generator) -> Any:
        """Draw a random value."""

    def near(self, value: Any, rng: np.random.Generator) -> Any:
        """Draw a random value near this one."""

    def simpler(self, value: Any) -> Iterator[Any]:
        """Yield finitely many simpler values, simplest first; repeated use ends."""

    def contains(self, value: Any) -> bool:
        """Whether a record may take this value."""

    def assumptions(self) -> tuple[str, ...]:
        """Sentences on what is taken for granted."""

    def to_dict(self) -> dict[str, Any]:
        """Return a description that JSON can hold."""
