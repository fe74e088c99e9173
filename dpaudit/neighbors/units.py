"""What one item is: a single record, or all rows of one user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from dpaudit.neighbors.containers import row_key
from dpaudit.neighbors.propose import REMOVED, Draft
from dpaudit.neighbors.records import Records
from dpaudit.neighbors.row import Row
from dpaudit.neighbors.users import User, UserDomain


class Grain(Protocol):
    """How rows make items."""

    @property
    def domain(self) -> Records:
        """The domain of items."""

    @property
    def noun(self) -> str:
        """What an item is called."""

    def capacity(self) -> int | None:
        """Most items that a dataset can have, None for any number."""

    def items_of(self, rows: Sequence[Any]) -> tuple[Any, ...]:
        """Group rows into items."""

    def rows_of(self, items: Sequence[Any]) -> tuple[Any, ...]:
        """Return the items' rows."""

    def placed(self, draft: Draft) -> Draft:
        """Return the draft with whatever its items still lack."""

    def with_columns(self, item: Any, columns: Sequence[int], peer: Any) -> Any:
        """Return the item with some columns taken from another item."""

    def removed(self, more: Sequence[Any], less: Sequence[Any]) -> tuple[int, ...] | None:
        """Return the items of which `less` lacks all rows while it has all others, or None."""

    def replaced(
        self, left: Sequence[Any], right: Sequence[Any]
    ) -> tuple[tuple[int, Any], ...] | None:
        """Return where right items stand in place of left ones, or None."""


@dataclass(frozen=True, slots=True)
class Single:
    """Every record is an item."""

    domain: Records
    noun: str = "record"

    def capacity(self) -> int | None:
        """Most items that a dataset can have, None for any number."""
        return None

    def items_of(self, rows: Sequence[Any]) -> tuple[Any, ...]:
        """Group rows into items."""
        return tuple(rows)

    def rows_of(self, items: Sequence[Any]) -> tuple[Any, ...]:
        """Return the items' rows."""
        return tuple(items)

    def placed(self, draft: Draft) -> Draft:
        """Return the draft with whatever its items still lack."""
        return draft

    def with_columns(self, item: Any, columns: Sequence[int], peer: Any) -> Any:
        """Return the item with some columns taken from another item."""
        return tuple(peer[i] if i in columns else value for i, value in enumerate(item))

    def removed(self, more: Sequence[Any], less: Sequence[Any]) -> tuple[int, ...] | None:
        """Return the items of which `less` lacks all rows while it has all others, or None."""
        # Greedy matching from the left finds a subsequence wherever there is one.
        gone, rest = [], iter([*map(row_key, less), _END])
        wanted = next(rest)
        for i, row in enumerate(more):
            if row_key(row) == wanted:
                wanted = next(rest)
            else:
                gone.append(i)
        return tuple(gone) if wanted is _END else None

    def replaced(
        self, left: Sequence[Any], right: Sequence[Any]
    ) -> tuple[tuple[int, Any], ...] | None:
        """Return where right items stand in place of left ones, or None."""
        if len(left) != len(right):
            return None
        sides = enumerate(zip(left, right, strict=True))
        return tuple((i, b) for i, (a, b) in sides if row_key(a) != row_key(b))


_END = object()
_ROWS_TRIED = 8


@dataclass(frozen=True, slots=True)
class PerUser:
    """All rows of one key are an item."""

    domain: UserDomain
    keys: tuple[Any, ...]
    noun: str = "user"

    def capacity(self) -> int | None:
        """Most items that a dataset can have, None for any number."""
        return len(self.keys)

    def items_of(self, rows: Sequence[Any]) -> tuple[Any, ...]:
        """Group rows into items."""
        users: dict[Any, list[Any]] = {}
        for row in rows:
            users.setdefault(row_key(row[self.domain.key]), []).append(row)
        return tuple(User(tuple(rows), named=True) for rows in users.values())

    def rows_of(self, items: Sequence[Any]) -> tuple[Any, ...]:
        """Return the items' rows."""
        return tuple(row for user in items for row in user.rows)

    def placed(self, draft: Draft) -> Draft:
        """Return the draft with whatever its items still lack."""
        everyone = [*draft.items, *(new for _, new in draft.changes if new is not REMOVED)]
        used = {self._name(user) for user in everyone if user.named}
        free = iter([key for key in self.keys if row_key(key) not in used])
        seen: set[Any] = set()

        def named(user: User) -> User:
            if not user.named or self._name(user) in seen:
                user = self._renamed(user, next(free, self.keys[0]))
            seen.add(self._name(user))
            return user

        items = tuple(map(named, draft.items))
        # Whoever replaces a user takes over the key, unless it brings one of its own.
        changes = tuple(
            (p, new if new is REMOVED or new.named else self._renamed(new, self._key(items[p])))
            for p, new in draft.changes
        )
        return replace(draft, items=items, changes=changes)

    def with_columns(self, item: Any, columns: Sequence[int], peer: Any) -> Any:
        """Return the item with some columns taken from another item."""
        rows = [
            tuple(peer.rows[0][i] if i in columns else value for i, value in enumerate(row))
            for row in item.rows
        ]
        return replace(item, rows=tuple(rows))

    def removed(self, more: Sequence[Any], less: Sequence[Any]) -> tuple[int, ...] | None:
        """Return the items of which `less` lacks all rows while it has all others, or None."""
        stay = {self._of(row) for row in less}
        if [row_key(r) for r in more if self._of(r) in stay] != [row_key(r) for r in less]:
            return None
        names = [self._name(user) for user in self.items_of(more)]
        return tuple(i for i, name in enumerate(names) if name not in stay)

    def replaced(
        self, left: Sequence[Any], right: Sequence[Any]
    ) -> tuple[tuple[int, Any], ...] | None:
        """Return where right items stand in place of left ones, or None."""
        users, others = self.items_of(left), self.items_of(right)
        before = {self._name(user): row_key(user.rows) for user in users}
        after = {self._name(user): row_key(user.rows) for user in others}
        same = {name for name, rows in before.items() if after.get(name) == rows}
        rest = [[row_key(r) for r in side if self._of(r) in same] for side in (left, right)]
        changed = [i for i, user in enumerate(users) if self._name(user) not in same]
        new = [user for user in others if self._name(user) not in same]
        if rest[0] != rest[1] or len(changed) != len(new):
            return None
        return tuple(zip(changed, new, strict=True))

    def _of(self, row: Any) -> Any:
        return row_key(row[self.domain.key])

    def _key(self, user: User) -> Any:
        return user.rows[0][self.domain.key]

    def _name(self, user: User) -> Any:
        return row_key(self._key(user))

    def _renamed(self, user: User, key: Any) -> User:
        return User(tuple(self.domain.keyed(row, key) for row in user.rows), named=True)


def grain_for(
    records: Records,
    most: int,
    unit: str | None,
    rows_per_unit: int | None,
    partition: str | None,
    partitions_per_unit: int | None,
) -> Grain:
    """Return what an item is, the options of user-level privacy validated.

    Raises
    ------
    TypeError, ValueError
        For options that contradict each other, or columns that are not there.
    """
    if unit is None:
        for name, value in (
            ("rows_per_unit", rows_per_unit),
            ("partition", partition),
            ("partitions_per_unit", partitions_per_unit),
        ):
            if value is not None:
                raise ValueError(f"`{name}` needs a user's key column, got {value!r}; add unit=")
        return Single(records)
    if not isinstance(records, Row):
        raise ValueError(f"unit={unit!r} needs records with columns, got {records}; use Row")
    names = records.names
    for option, column in (("unit", unit), ("partition", partition)):
        if column is not None and column not in names:
            raise ValueError(f"`{option}` must be one of {', '.join(names)}, got {column!r}")
    if partition == unit:
        raise ValueError(f"`partition` must be another column than unit={unit!r}")
    if (partition is None) != (partitions_per_unit is None):
        raise ValueError("`partition` and `partitions_per_unit` need each other; give both")
    bounded = rows_per_unit is not None
    rows = validated_count("rows_per_unit", rows_per_unit) if bounded else _ROWS_TRIED
    groups = rows
    if partitions_per_unit is not None:
        groups = validated_count("partitions_per_unit", partitions_per_unit)
    place = -1 if partition is None else names.index(partition)
    key = names.index(unit)
    keys = records.domains[key].members(most + 2)
    return PerUser(UserDomain(records, key, rows, bounded, place, groups), keys)


def validated_count(name: str, value: Any, least: int = 1) -> int:
    """Return a whole number that is not below the least one.

    Raises
    ------
    TypeError, ValueError
        If it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"`{name}` must be an integer, got {value!r}")
    if value < least:
        raise ValueError(f"`{name}` must be at least {least}, got {value}; use {least} or more")
    return int(value)
