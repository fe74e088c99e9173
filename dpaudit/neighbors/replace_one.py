"""Neighbors by replacing records: by any others, or by a neutral one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import eq
from typing import Any

import numpy as np

from dpaudit.neighbors.containers import NotADatasetError, row_key
from dpaudit.neighbors.propose import (
    REPLACE_OPENING,
    REPLACE_SEQUEL,
    Draft,
    Programme,
    random_items,
)
from dpaudit.neighbors.records import Landmarks
from dpaudit.neighbors.relation import Relation
from dpaudit.neighbors.row import Row, validate_differing
from dpaudit.neighbors.units import validated_count


@dataclass(frozen=True, slots=True, repr=False)
class ReplaceOne(Relation):
    """Datasets of one public size that differ in the value of one record.

    Parameters
    ----------
    records : Records, Hypothesis strategy, pandera schema or Pydantic model
        What a record may be.
    size : int
        Number of records (of users, with `unit`), which is public.
    group : int
        How many records may differ: from 1 up to `group`, at any places.
    unit, rows_per_unit, partition, partitions_per_unit, container
        As for `AddRemove`. With `unit`, all rows of one key are replaced by those of the same or
        another key, as many as there may be.
    invariant : str or sequence of str, optional
        What else is public: ``"column"`` (which values of it occur), ``"column:sizes"`` (how
        often each does), and with `unit` also ``"length"`` (the number of rows).

    Raises
    ------
    TypeError, ValueError
        For options out of range, or that contradict each other.
    """

    size: int = 16

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", validated_count("size", self.size))
        Relation.__post_init__(self)
        validate_differing(self._grain.domain, "ReplaceOne")
        _validate_users(self, self.size)
        self._validate_some_pair()

    def _most(self) -> int:
        return self.size

    def _resizable(self) -> bool:
        return False

    def _programme(self) -> Programme:
        def other_end(item: Any, marks: Landmarks) -> Any:
            if row_key(item) == row_key(marks.low):
                return marks.high
            if row_key(item) == row_key(marks.high) or not isinstance(item, tuple):
                return marks.low
            # A row between the ends: to the one that it shares more with, so that few columns move.
            shared = [sum(map(eq, item, end)) for end in (marks.low, marks.high)]
            return marks.high if shared[1] >= shared[0] else marks.low

        return _programme(self, other_end, "replaced")

    def _random(self, rng: np.random.Generator) -> Draft:
        domain = self._grain.domain
        marks = domain.landmarks()
        items = random_items(domain, self.size, rng)

        def another() -> Any:
            if rng.random() < 0.4:
                return marks.high if rng.random() < 0.5 else marks.low
            return domain.draw(rng)

        return _random_draft(self, items, another, rng)

    def _align(self, left: Sequence[Any], right: Sequence[Any]) -> Draft | None:
        changes = self._grain.replaced(left, right)
        items = self._grain.items_of(left)
        if changes is None or len(items) != self.size:
            return None
        return Draft(items, changes, "")

    def _size_sentences(self) -> tuple[str, ...]:
        return (f"the number of {self._grain.noun}s, {self.size}, is public",)


@dataclass(frozen=True, slots=True, repr=False)
class ZeroOut(Relation):
    """Datasets of one public size of which one has a neutral record in place of a real one.

    Parameters
    ----------
    records : Records, Hypothesis strategy, pandera schema or Pydantic model
        What a record may be.
    size : int
        Number of records, which is public.
    zero : Any
        The neutral record, a dict for rows. It may lie outside the domain, yet must be of its
        type.
    group, container, invariant
        As for `ReplaceOne`. There are no users here.

    Raises
    ------
    TypeError, ValueError
        For options out of range, or a neutral record of another type.
    """

    size: int = 16
    zero: Any = 0
    _neutral: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", validated_count("size", self.size))
        if self.unit is not None:
            raise ValueError(f"ZeroOut has no users, got unit={self.unit!r}; use ReplaceOne")
        Relation.__post_init__(self)
        object.__setattr__(self, "_neutral", self._validated_zero())
        if all(row_key(v) == row_key(self._neutral) for v in self.records.members(2)):
            raise ValueError(
                f"{self.records} holds nothing but zero={self.zero!r}, so no two datasets differ; "
                "widen the domain"
            )
        self._validate_some_pair()

    def _validated_zero(self) -> Any:
        zero = self.zero
        if isinstance(self.records, Row):
            if not isinstance(zero, Mapping):
                zero = dict.fromkeys(self.records.names, zero)
            zero = self.records.row(zero)
        entries = zero if isinstance(self.records, Row) else (zero,)
        for value, column in zip(entries, self._codec.columns, strict=True):
            kind: tuple[type, ...] = {
                "float": (int, float),
                "int": (int,),
                "bool": (bool,),
                "str": (str,),
            }.get(column.kind, (object,))
            fits = (value is None and column.allow_missing) or isinstance(value, kind)
            if not fits or (isinstance(value, bool) and column.kind in ("int", "float")):
                raise TypeError(
                    f"`zero` must be of the records' type ({column.kind}), got {value!r}; give "
                    "the neutral record, for rows a dict with a value for every column"
                )
            if column.kind == "str" and len(value) > column.width:
                raise ValueError(
                    f"`zero` must not be longer than the longest text ({column.width} characters),"
                    f" got {value!r}; use a shorter one"
                )
        try:
            return self._codec.decode(self._codec.encode([zero]))[0]
        except (NotADatasetError, OverflowError) as error:
            raise ValueError(f"`zero` does not fit the records, got {self.zero!r}") from error

    def _most(self) -> int:
        return self.size

    def _resizable(self) -> bool:
        return False

    def _programme(self) -> Programme:
        return _programme(self, lambda item, marks: self._neutral, "zeroed out")

    def _random(self, rng: np.random.Generator) -> Draft:
        items = random_items(self.records, self.size, rng)
        return _random_draft(self, items, lambda: self._neutral, rng)

    def _align(self, left: Sequence[Any], right: Sequence[Any]) -> Draft | None:
        """Align where all that differs is neutral on the right."""
        changes = self._grain.replaced(left, right)
        if changes is None or len(left) != self.size:
            return None
        neutral = row_key(self._neutral)
        if any(row_key(new) != neutral for _, new in changes):
            return None
        return Draft(tuple(left), changes, "")

    def _domain_of(self, left: Sequence[Any], right: Sequence[Any]) -> bool:
        """Whether all records may occur, but for the neutral ones in place of others."""
        neutral = row_key(self._neutral)
        return all(
            self._valid([a]) or (row_key(a) == neutral and row_key(b) != neutral)
            for side, other in ((left, right), (right, left))
            for a, b in zip(side, other, strict=True)
        )

    def _size_sentences(self) -> tuple[str, ...]:
        return (
            f"the number of records, {self.size}, is public",
            f"neighbors differ by records in place of which {self.zero!r} stands",
        )


def _programme(
    relation: ReplaceOne | ZeroOut, becomes: Callable[[Any, Landmarks], Any], verb: str
) -> Programme:
    grain = relation._grain
    return Programme(
        REPLACE_OPENING,
        REPLACE_SEQUEL,
        grain.domain,
        relation.size,
        relation.group,
        becomes,
        verb,
        grain.noun,
    )


def _random_draft(
    relation: ReplaceOne | ZeroOut,
    items: Sequence[Any],
    another: Callable[[], Any],
    rng: np.random.Generator,
) -> Draft:
    most = relation.group
    count = most if rng.random() < 0.8 else int(rng.integers(1, most + 1))
    places = sorted(int(i) for i in rng.permutation(len(items))[:count])
    changes = tuple((i, another()) for i in places)
    are = "is" if count == 1 else "are"
    noun = relation._grain.noun
    how = f"{len(items)} random {noun}s; {count} {are} {relation._programme().verb}"
    return Draft(tuple(items), changes, how)


def _validate_users(relation: ReplaceOne, size: int) -> None:
    capacity = relation._grain.capacity()
    if capacity is not None and capacity < size:
        raise ValueError(
            f"size={size} users need as many keys, but `{relation.unit}` has {capacity} values; "
            "widen its domain or use fewer users"
        )
