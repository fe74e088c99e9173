"""Neighbors around a dataset of real records."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from dpaudit.neighbors.containers import Codec, NotADatasetError, row_key
from dpaudit.neighbors.pair import Pair
from dpaudit.neighbors.propose import REMOVED, Draft, simplified
from dpaudit.neighbors.records import Column, Landmarks, Records
from dpaudit.neighbors.row import Row, as_records
from dpaudit.neighbors.table import Table
from dpaudit.neighbors.units import Single, validated_count

_PATIENCE = 500


@dataclass(frozen=True, slots=True)
class _New:
    """A row that the base does not have."""

    row: Any


# An item is what comes or goes at once: rows of the base by index, or new ones.
_Item = tuple["int | _New", ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Around:
    """A dataset of real records against itself less a record, or plus one.

    Made by `AddRemove.around`. Datasets that are smaller still, down to nothing, count as
    neighboring in the same way: every row is one of the base or of `records`.

    Parameters
    ----------
    base : DataFrame, Series, ndarray or list
        Real records, one a row.
    records : Records, Hypothesis strategy, pandera schema or Pydantic model, optional
        What a record that is added may be.
    group : int
        How many records (or users) come or go: from 1 up to `group`.
    unit : str, optional
        The key column of user-level privacy.
    min_size : int
        Fewest records (or users) of the smaller dataset.

    Raises
    ------
    TypeError, ValueError
        For an empty base without records, or records that the base's dtypes cannot hold.
    """

    base: Any
    records: Any = None
    _: KW_ONLY
    group: int = 1
    unit: str | None = None
    min_size: int = 0
    _table: Table = field(init=False, repr=False)
    _codec: Codec | None = field(init=False, repr=False)
    _items: tuple[_Item, ...] = field(init=False, repr=False)
    _rows: tuple[Any, ...] = field(init=False, repr=False)
    _known: frozenset[Hashable] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        table = Table.of(self.base)
        domain = None if self.records is None else as_records(self.records, typed=True)
        codec = None if domain is None else Codec(domain.columns(), "list")
        _validate(table, domain, self.unit)
        for name, value in (
            ("base", table.base),
            ("records", domain),
            ("group", validated_count("group", self.group)),
            ("min_size", validated_count("min_size", self.min_size, least=0)),
            ("_table", table),
            ("_codec", codec),
            ("_rows", tuple(table.rows(table.base))),
        ):
            object.__setattr__(self, name, value)
        if self._count(self._rows) < self.min_size:
            raise ValueError(
                f"`min_size` is {self.min_size}, but the base has {self._count(self._rows)} "
                f"{'users' if self.unit else 'records'}; give more, or a smaller min_size"
            )
        object.__setattr__(self, "_known", frozenset(map(row_key, self._rows)))
        object.__setattr__(self, "_items", self._grouped(range(len(table))))
        if domain is not None:
            marks = domain.landmarks()
            for end in (marks.low, marks.high):
                if self._pair(Draft((*self._items, (_New(end),)), ((0, REMOVED),), "")) is None:
                    raise ValueError(
                        f"the base cannot hold the record {end!r} in its dtypes; make `records` "
                        "fit its columns, or convert them"
                    )

    def __str__(self) -> str:
        parts = [f"<{type(self.base).__name__} of {len(self._table)} records>"]
        parts += [] if self.records is None else [str(self.records)]
        parts += [f"group={self.group}"] if self.group > 1 else []
        parts += [f"unit={self.unit!r}"] if self.unit is not None else []
        parts += [f"min_size={self.min_size}"] if self.min_size else []
        return f"AddRemove.around({', '.join(parts)})"

    __repr__ = __str__

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.base, self.records, self.group, self.unit, self.min_size)

    @property
    def fixed_count(self) -> int | None:
        """None: pairs are not listed."""
        return None

    def pairs(self, rng: np.random.Generator) -> Iterator[Pair]:
        """Yield telling records removed and added, then random ones; each once."""
        seen: set[Any] = set()
        misses = 0
        for draft in chain(self._telling(), self._random(rng)):
            key = tuple(
                item if isinstance(item[0], int) else tuple(row_key(new.row) for new in item)
                for item in (draft.items[p] for p in sorted(draft.positions))
            )
            pair = None if key in seen else self._pair(draft)
            if pair is not None and self.min_size and not self.contains(pair):
                pair = None
            misses = 0 if pair else misses + 1
            if misses > _PATIENCE:
                return
            if pair is not None:
                seen.add(key)
                yield pair

    def mutate(self, pair: Pair, rng: np.random.Generator) -> Pair:
        """Return a pair in which another record comes or goes."""
        draft, records = self._read(pair), self.records
        for _ in range(50):
            if records is not None and rng.random() < 0.5:
                at = int(rng.choice(sorted(draft.positions)))
                token = draft.items[at][0]
                near = records.near(token.row, rng) if isinstance(token, _New) else None
                new = (_New(records.draw(rng) if near is None else near),)
                items = (*draft.items[:at], *draft.items[at + 1 :], new)
                moved = self._pair(Draft(items, ((len(items) - 1, REMOVED),), "one record added"))
            else:
                gone = sorted(rng.permutation(len(draft.items))[: len(draft.changes)].tolist())
                changes = tuple((int(i), REMOVED) for i in gone)
                moved = self._pair(Draft(draft.items, changes, "other records removed"))
            if moved is not None and self.contains(moved):
                return moved
        return pair

    def shrink(self, pair: Pair) -> Iterator[Pair]:
        """Yield pairs of fewer records or simpler added ones, boldest first."""
        for draft in simplified(self._read(pair), _ItemDomain(self.records), resizable=True):
            simple = self._pair(draft) if draft.changes else None
            if simple is not None and self.contains(simple):
                yield simple

    def contains(self, pair: Pair) -> bool:
        """Whether one dataset is the other less some records, all from the base or the domain."""
        try:
            left, right = self._table.rows(pair.left), self._table.rows(pair.right)
        except NotADatasetError:
            return False
        if not all(row_key(row) in self._known or self._admits(row) for row in (*left, *right)):
            return False
        if min(map(self._count, (left, right))) < self.min_size:
            return False
        gone = self._difference(left, right) or self._difference(right, left) or ()
        return 1 <= len(gone) <= self.group

    def assumptions(self) -> tuple[str, ...]:
        """Sentences for the report."""
        what = f"all rows of one `{self.unit}`" if self.unit else "records"
        return (
            f"datasets are those around {len(self._table)} given records: what fails only "
            "elsewhere is not found",
            f"neighbors differ by {what}, up to {self.group} at once",
            *((f"every dataset has at least {self.min_size}",) if self.min_size else ()),
            *added_assumptions(self.records),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return a description that JSON can hold."""
        told = None if self.records is None else self.records.to_dict()
        size, kind = len(self._table), type(self.base).__name__
        return {"kind": "AddRemove.around", "base": f"{kind} of {size} records", "records": told,
                "group": self.group, "unit": self.unit}  # fmt: skip

    def _telling(self) -> Iterator[Draft]:
        count, size = len(self._items), min(self.group, len(self._items))
        last = count - size
        places: dict[str, Sequence[int]] = {}
        if count:
            places = {
                "the first": range(size),
                "the last": range(last, count),
                "the middle": range(last // 2, last // 2 + size),
            }
        marks = None if self.records is None else self.records.landmarks()
        yield from (self._less(gone, f"{words} removed") for words, gone in places.items())
        if marks is not None:
            yield self._plus([marks.high] * self.group, "a high record added")
            yield self._plus([marks.low] * self.group, "a low record added")
            for value, words in marks.risky[:4]:
                yield self._plus([value] * self.group, f"{words} added")
        yield from self._extremes(size)
        if marks is not None:
            for value, words in (*marks.others[:8], *marks.risky[4:]):
                yield self._plus([value] * self.group, f"{words} added")

    def _extremes(self, size: int) -> Iterator[Draft]:
        """Yield drafts less the items with the greatest, least and rarest value of a column."""
        owner = {i: at for at, item in enumerate(self._items) for i in item}
        for column, values in enumerate(self._table.columns()):
            name = f" `{self._table.names[column]}`" if self._table.names else ""
            present = [i for i, v in enumerate(values) if v is not None and v == v]
            absent = sorted(set(range(len(values))) - set(present))
            try:
                ordered = sorted(present, key=values.__getitem__)
            except TypeError:
                ordered = []
            ranks = {"greatest": ordered[::-1], "least": ordered, "missing": absent}
            for words, indices in ranks.items():
                if indices:
                    owners = list(dict.fromkeys(owner[i] for i in indices[: 50 * size]))[:size]
                    yield self._less(sorted(owners), f"the {words}{name} removed")

    def _random(self, rng: np.random.Generator) -> Iterator[Draft]:
        count, size = len(self._items), min(self.group, len(self._items))
        if self.records is None and size == 1:
            yield from (self._less([int(i)], "one record removed") for i in rng.permutation(count))
            return
        while True:
            if self.records is not None and (not count or rng.random() < 0.5):
                rows = [self.records.draw(rng) for _ in range(int(rng.integers(self.group)) + 1)]
                yield self._plus(rows, "a random record added")
            else:
                gone = sorted(rng.choice(count, int(rng.integers(1, size + 1)), replace=False))
                yield self._less([int(i) for i in gone], "random records removed")

    def _less(self, gone: Sequence[int], how: str) -> Draft:
        noun = f"{len(self._items)} {'users' if self.unit else 'records'}"
        return Draft(self._items, tuple((i, REMOVED) for i in gone), f"{how}, of {noun}")

    def _plus(self, rows: Sequence[Any], how: str) -> Draft:
        count = len(self._items)
        new = tuple((_New(row),) for row in rows)
        changes = tuple((count + i, REMOVED) for i in range(len(new)))
        return Draft((*self._items, *new), changes, f"{how} to {count} records", flipped=True)

    def _pair(self, draft: Draft) -> Pair | None:
        try:
            left, right = self._dataset(draft.items), self._dataset(draft.right())
        except NotADatasetError:
            return None
        return Pair(right, left, draft.how) if draft.flipped else Pair(left, right, draft.how)

    def _dataset(self, items: Sequence[_Item]) -> Any:
        tokens = [token for item in items for token in item]
        old = sorted(token for token in tokens if isinstance(token, int))
        new = [token.row for token in tokens if isinstance(token, _New)]
        if self._codec is None or not new:
            return self._table.build(old)
        built, added = self._table.build_with(old, [self._codec.encode_record(row) for row in new])
        # The base's dtypes may round a value, or lose it: then it is another record, or none.
        if not all(row_key(row) in self._known or self._admits(row) for row in added):
            raise NotADatasetError("a record that does not fit")
        return built

    def _grouped(self, indices: Sequence[int]) -> tuple[_Item, ...]:
        if self.unit is None:
            return tuple((i,) for i in indices)
        users: dict[Hashable, list[int]] = {}
        for i in indices:
            users.setdefault(self._user(self._rows[i]), []).append(i)
        return tuple(map(tuple, users.values()))

    def _count(self, rows: Sequence[Any]) -> int:
        return len(rows) if self.unit is None else len(set(map(self._user, rows)))

    def _user(self, row: Any) -> Hashable:
        return row_key(row[self._table.names.index(str(self.unit))])

    def _admits(self, row: Any) -> bool:
        if self.records is None or self._codec is None:
            return False
        named = dict(zip(self._table.names, row, strict=True)) if self._table.names else row
        try:
            return bool(self.records.contains(self._codec.decode_record(named)))
        except NotADatasetError:
            return False

    def _difference(self, more: Sequence[Any], less: Sequence[Any]) -> tuple[int, ...] | None:
        """Return which rows (one a user) of `more` are gone in `less`, None if that is not all."""
        if self.unit is None:
            return Single(_ItemDomain(None)).removed(more, less)
        stay = set(map(self._user, less))
        if [row_key(r) for r in more if self._user(r) in stay] != [row_key(r) for r in less]:
            return None
        gone = {self._user(row): i for i, row in enumerate(more) if self._user(row) not in stay}
        return tuple(gone.values())

    def _read(self, pair: Pair) -> Draft:
        """Return the pair as base rows and new ones.

        Raises
        ------
        ValueError
            If the two are not neighboring.
        """
        left, right = self._table.rows(pair.left), self._table.rows(pair.right)
        gone, flipped = self._difference(left, right), False
        if gone is None:
            left, gone, flipped = right, self._difference(right, left), True
        if gone is None:
            raise ValueError(f"the two datasets are not neighboring under {self}; check the pair")
        free: dict[Hashable, list[int]] = {}
        for i in reversed(range(len(self._rows))):
            free.setdefault(row_key(self._rows[i]), []).append(i)
        tokens = [self._token(row, free) for row in left]
        if self.unit is None:
            items: list[_Item] = [(token,) for token in tokens]
            changed = set(gone)
        else:
            users = [self._user(row) for row in left]
            order = list(dict.fromkeys(users))
            items = [
                tuple(t for t, u in zip(tokens, users, strict=True) if u == user) for user in order
            ]
            changed = {order.index(users[i]) for i in gone}
        changes = tuple((i, REMOVED) for i in sorted(changed))
        return Draft(tuple(items), changes, pair.how, flipped)

    def _token(self, row: Any, free: dict[Hashable, list[int]]) -> int | _New:
        indices = free.get(row_key(row))
        if indices:
            return indices.pop()
        named = dict(zip(self._table.names, row, strict=True)) if self._table.names else row
        return _New(row if self._codec is None else self._codec.decode_record(named))


@dataclass(frozen=True, slots=True)
class _ItemDomain:
    """Items as a domain: real rows stay as they are, new ones become simpler."""

    records: Records | None

    def columns(self) -> tuple[Column, ...]:
        return ()

    def landmarks(self) -> Landmarks:
        return Landmarks((), ())

    def members(self, limit: int) -> tuple[Any, ...]:
        return ()

    def draw(self, rng: np.random.Generator) -> Any:
        return ()

    def near(self, value: Any, rng: np.random.Generator) -> Any:
        return value

    def simpler(self, value: _Item) -> Iterator[_Item]:
        token = value[0]
        if self.records is not None and isinstance(token, _New) and len(value) == 1:
            return (((_New(row)),) for row in self.records.simpler(token.row))
        return iter(())

    def contains(self, value: Any) -> bool:
        return isinstance(value, tuple)

    def assumptions(self) -> tuple[str, ...]:
        return ()

    def to_dict(self) -> dict[str, Any]:
        return {}


def added_assumptions(records: Records | None) -> tuple[str, ...]:
    """Return what is taken for granted about records that are added; given ones may be others."""
    told = () if records is None else records.assumptions()
    return tuple(sentence.replace("every ", "every added ", 1) for sentence in told)


def _restored(base: Any, records: Any, group: int, unit: str | None, min_size: int = 0) -> Around:
    return Around(base, records, group=group, unit=unit, min_size=min_size)


def _validate(table: Table, domain: Records | None, unit: str | None) -> None:
    if domain is None and not len(table):
        raise ValueError("`base` has no records, so none can be removed; give records to add")
    names = table.names
    if unit is not None:
        if unit not in names:
            known = ", ".join(map(str, names)) or "none"
            raise ValueError(f"`unit` must be a column of the base, got {unit!r}; it has {known}")
        if domain is not None:
            raise ValueError("with `unit`, users are only removed; leave out `records`")
    if domain is not None:
        wanted = domain.names if isinstance(domain, Row) else ()
        if wanted != names:
            raise ValueError(
                f"`records` must have the base's columns {list(names)}, got {list(wanted)}; name "
                "them in that order"
            )
