"""Users as a domain: all rows of one key are one item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from typing import Any

import numpy as np

from dpaudit.neighbors.containers import row_key
from dpaudit.neighbors.records import Column, Landmarks
from dpaudit.neighbors.row import Row


@dataclass(frozen=True, slots=True)
class User:
    """All rows of one key, in order; the key column of `rows` counts only where `named`."""

    rows: tuple[tuple[Any, ...], ...]
    named: bool = False


@dataclass(frozen=True, slots=True)
class UserDomain:
    """The users that may occur: how many rows they have, and in how many partitions.

    Without a bound on rows, any number is allowed, and up to `most_rows` are tried.
    """

    row: Row
    key: int
    most_rows: int
    bounded: bool
    partition: int
    most_partitions: int

    def columns(self) -> tuple[Column, ...]:
        """How records are stored; one nameless column for bare values."""
        return self.row.columns()

    def landmarks(self) -> Landmarks:
        """Return the values that are most likely to show a violation."""
        marks, most = self.row.landmarks(), self.most_rows
        columns = [cycle(domain.members(most)) for domain in self.row.domains]
        different = list(islice(zip(*columns, strict=True), most))
        others = [
            (self._limited(different), "a user whose rows differ"),
            (User((marks.high,)), "a user with one high row"),
            (self._spread(marks.high), "a user in as many partitions as allowed"),
            (User((marks.low,)), "a user with one low row"),
        ]
        others += [(self._limited([row] * most), f"a user: {words}") for row, words in marks.others]
        risky = [(self._limited([row] * most), f"a user: {words}") for row, words in marks.risky]
        low, high = self._limited([marks.low] * most), self._limited([marks.high] * most)
        return Landmarks(low, high, tuple(others), tuple(risky))

    def members(self, limit: int) -> tuple[Any, ...]:
        """Up to `limit` different values; fewer only where there are no more."""
        domains = tuple(d for i, d in enumerate(self.row.domains) if i != self.key)
        if not domains:
            return tuple(User(self.row.members(1) * n) for n in range(1, self.most_rows + 1))[
                :limit
            ]
        return tuple(User((row,)) for row in self.row.members(limit))

    def draw(self, rng: np.random.Generator) -> Any:
        """Draw a random value."""
        count = int(rng.integers(1, self.most_rows + 1))
        return self._limited([self.row.draw(rng) for _ in range(count)])

    def near(self, value: User, rng: np.random.Generator) -> Any:
        """Draw a random value near this one."""
        rows, move = list(value.rows), rng.random()
        at = int(rng.integers(len(rows)))
        if move < 0.25 and len(rows) < self.most_rows:
            rows.insert(at, rows[at])
        elif move < 0.5 and len(rows) > 1:
            del rows[at]
        else:
            rows[at] = self.keyed(self.row.near(rows[at], rng), rows[at][self.key])
        return replace(self._limited(rows), named=value.named)

    def simpler(self, value: User) -> Iterator[Any]:
        """Yield finitely many simpler values, simplest first; repeated use ends."""
        if len(value.rows) > 1:
            yield replace(value, rows=value.rows[:1])
            for i in range(len(value.rows)):
                yield replace(value, rows=(*value.rows[:i], *value.rows[i + 1 :]))
        for i, row in enumerate(value.rows):
            for other in self.row.simpler(row):
                if row_key(other[self.key]) == row_key(row[self.key]):
                    yield replace(value, rows=(*value.rows[:i], other, *value.rows[i + 1 :]))

    def contains(self, value: Any) -> bool:
        """Whether a person may have this value."""
        if not isinstance(value, User) or not value.rows:
            return False
        if self.bounded and len(value.rows) > self.most_rows:
            return False
        spread = {row_key(row[self.partition]) for row in value.rows} if self.partition >= 0 else ()
        return len(spread) <= self.most_partitions and all(map(self.row.contains, value.rows))

    def assumptions(self) -> tuple[str, ...]:
        """Sentences for the report: what is taken for granted about the data."""
        return self.row.assumptions()

    def to_dict(self) -> dict[str, Any]:
        """Return a description that JSON can hold."""
        return self.row.to_dict()

    def keyed(self, row: tuple[Any, ...], key: Any) -> tuple[Any, ...]:
        """Return the row under another key."""
        return (*row[: self.key], key, *row[self.key + 1 :])

    def _spread(self, row: tuple[Any, ...]) -> User:
        """Return a user whose rows go round as many partitions as are allowed."""
        if self.partition < 0:
            return User((row,) * self.most_rows)
        groups = self.row.domains[self.partition].members(min(self.most_partitions, self.most_rows))
        rows = [list(row) for _ in range(self.most_rows)]
        for i, entry in enumerate(rows):
            entry[self.partition] = groups[i % len(groups)]
        return User(tuple(map(tuple, rows)))

    def _limited(self, rows: Sequence[tuple[Any, ...]]) -> User:
        """Return a user of these rows, moved to the partitions of the first where too many."""
        if self.partition < 0:
            return User(tuple(rows))
        allowed: dict[Any, Any] = {}
        for row in rows:
            if len(allowed) < self.most_partitions:
                allowed.setdefault(row_key(row[self.partition]), row[self.partition])
        fallback = next(iter(allowed.values()))
        kept = []
        for row in rows:
            group = allowed.get(row_key(row[self.partition]), fallback)
            kept.append((*row[: self.partition], group, *row[self.partition + 1 :]))
        return User(tuple(kept))
