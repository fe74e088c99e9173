"""What is public: facts on which neighboring datasets agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from dpaudit.neighbors.containers import row_key

What = Literal["length", "groups", "sizes"]


@dataclass(frozen=True, slots=True)
class Invariant:
    """One public fact.

    Attributes
    ----------
    what : str
        ``"length"``: how many records there are; ``"groups"``: which values of a column occur;
        ``"sizes"``: how often each of them does.
    column : int
        The column's index, -1 for the length.
    name : str
        The column's name.
    """

    what: What
    column: int = -1
    name: str = ""

    def of(self, rows: Sequence[Any]) -> Hashable:
        """Return the fact about these rows."""
        if self.what == "length":
            return len(rows)
        counts = Counter(row_key(row[self.column]) for row in rows)
        return frozenset(counts if self.what == "groups" else counts.items())

    def sentence(self) -> str:
        """Return the assumption in words."""
        return {
            "length": "the number of records is public",
            "groups": f"which values of `{self.name}` occur is public",
            "sizes": f"how many records each value of `{self.name}` has is public",
        }[self.what]


def parse_invariants(given: Any, names: Sequence[str]) -> tuple[Invariant, ...]:
    """Read ``"length"``, ``"column"`` or ``"column:groups"``, ``"column:sizes"``, or several.

    Raises
    ------
    TypeError, ValueError
        For what is none of these, or an unknown column.
    """
    if given is None:
        return ()
    texts = given if isinstance(given, list | tuple) else (given,)
    return tuple(_parsed(text, names) for text in texts)


def _parsed(text: Any, names: Sequence[str]) -> Invariant:
    if not isinstance(text, str):
        raise TypeError(f"`invariant` must be a text or a list of texts, got {text!r}")
    if text == "length" and "length" not in names:
        return Invariant("length")
    name, _, what = text.partition(":")
    what = what or "groups"
    if name not in names or what not in ("groups", "sizes"):
        columns = ", ".join(repr(n) for n in names) or "none: records need Row"
        raise ValueError(
            f"`invariant` must be 'length', a column's name (its groups are public) or "
            f"'column:sizes', got {text!r}; columns are {columns}"
        )
    return Invariant(what, names.index(name), name)  # type: ignore[arg-type]


def columns_of(invariants: Sequence[Invariant]) -> tuple[int, ...]:
    """Return the columns of which something is public."""
    return tuple(i.column for i in invariants if i.column >= 0)


def agree(invariants: Sequence[Invariant], left: Sequence[Any], right: Sequence[Any]) -> bool:
    """Whether the two datasets agree on all that is public."""
    return all(invariant.of(left) == invariant.of(right) for invariant in invariants)
