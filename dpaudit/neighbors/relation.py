"""What the relations between datasets of records have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

import numpy as np

from dpaudit.neighbors.containers import Codec, NotADatasetError, codec_for, row_key
from dpaudit.neighbors.invariants import Invariant, agree, columns_of, parse_invariants
from dpaudit.neighbors.pair import Pair
from dpaudit.neighbors.propose import REMOVED, Draft, Programme, simplified, varied
from dpaudit.neighbors.row import Row, as_records
from dpaudit.neighbors.schemas import container_of
from dpaudit.neighbors.units import Grain, PerUser, grain_for, validated_count
from dpaudit.neighbors.writing import call_dict, call_text

_PATIENCE = 500  # proposals in a row that are old or not neighboring before none are left


@dataclass(frozen=True, slots=True, repr=False)
class Relation(ABC):
    """Datasets of records that differ in a few records, or in all rows of a few users.

    Subclasses say which drafts to try, and what makes two datasets neighboring.
    """

    records: Any
    _: KW_ONLY
    group: int = 1
    unit: str | None = None
    rows_per_unit: int | None = None
    partition: str | None = None
    partitions_per_unit: int | None = None
    container: str = "array"
    invariant: Any = None
    _codec: Codec = field(init=False, repr=False, compare=False)
    _grain: Grain = field(init=False, repr=False, compare=False)
    _invariants: tuple[Invariant, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        container = container_of(self.records)  # what a schema describes is no array
        if container is not None and self.container == "array":
            object.__setattr__(self, "container", container)
        domain = as_records(self.records)
        names = domain.names if isinstance(domain, Row) else ()
        grain = grain_for(
            domain,
            self._most(),
            self.unit,
            self.rows_per_unit,
            self.partition,
            self.partitions_per_unit,
        )
        for name, value in (
            ("records", domain),
            ("group", validated_count("group", self.group)),
            ("_codec", codec_for(domain, self.container)),
            ("_grain", grain),
            ("_invariants", parse_invariants(self.invariant, names)),
        ):
            object.__setattr__(self, name, value)
        if isinstance(self.invariant, list):
            object.__setattr__(self, "invariant", tuple(self.invariant))
        if self.group > self._most():
            raise ValueError(
                f"group={self.group} exceeds the {self._most()} {grain.noun}s of the largest "
                "dataset; use a smaller group or larger datasets"
            )

    def _validate_some_pair(self) -> None:
        """Refuse invariants under which no two datasets differ."""
        if self._invariants and next(self.pairs(np.random.default_rng(0)), None) is None:
            raise ValueError(
                f"no two datasets are neighboring under {self}; make less public, or allow "
                "more values or more records"
            )

    def __str__(self) -> str:
        return call_text(self)

    __repr__ = __str__

    @property
    def fixed_count(self) -> int | None:
        """None: pairs are not listed."""
        return None

    def pairs(self, rng: np.random.Generator) -> Iterator[Pair]:
        """Yield telling pairs first, then random ones, each once.

        Parameters
        ----------
        rng : numpy.random.Generator
            Chooses the random ones.

        Yields
        ------
        Pair
            Neighboring datasets; the stream ends only when no new ones are found.
        """
        seen: set[Any] = set()
        misses = 0
        for draft in self._drafts(rng):
            sides = self._sides(draft)
            key = None if sides is None else frozenset(map(row_key, sides))
            if sides is None or key in seen or not self._related(*sides):
                misses += 1
                if misses > _PATIENCE:
                    return
                continue
            seen.add(key)
            misses = 0
            yield self._pair(sides, draft.how)

    def mutate(self, pair: Pair, rng: np.random.Generator) -> Pair:
        """Return a random neighboring pair near this one.

        Parameters
        ----------
        pair : Pair
            Neighboring datasets.
        rng : numpy.random.Generator
            Chooses what changes.

        Returns
        -------
        Pair
            The pair itself where no other is found.
        """
        draft = self._read(pair)
        before = self._sides(draft)
        for _ in range(50):
            moved = varied(draft, self._grain.domain, rng, resizable=self._resizable())
            for _ in range(int(rng.integers(3))):
                moved = varied(moved, self._grain.domain, rng, resizable=self._resizable())
            sides = self._sides(moved)
            if sides is None or row_key(sides) == row_key(before):
                continue
            if self._related(*sides):
                return self._pair(sides, self._words(sides))
        return pair

    def shrink(self, pair: Pair) -> Iterator[Pair]:
        """Yield simpler neighboring pairs, boldest first.

        Parameters
        ----------
        pair : Pair
            Neighboring datasets.

        Yields
        ------
        Pair
            With fewer or simpler records, left and right as they were.
        """
        draft = self._read(pair)
        known = self._sides(draft)
        seen = set() if known is None else {tuple(map(row_key, known))}
        for simple in simplified(draft, self._grain.domain, resizable=self._resizable()):
            sides = self._sides(simple)
            if sides is None or not self._related(*sides):
                continue
            key = tuple(map(row_key, sides))
            if key not in seen:
                seen.add(key)
                yield self._pair(sides, self._words(sides))

    def contains(self, pair: Pair) -> bool:
        """Whether the two datasets are neighboring, and differ.

        Parameters
        ----------
        pair : Pair
            Any two objects.

        Returns
        -------
        bool
            Decided exactly, by the definition.
        """
        try:
            return self._related(self._codec.decode(pair.left), self._codec.decode(pair.right))
        except NotADatasetError:
            return False

    def received(self, dataset: Any) -> Any:
        """Return a dataset as the mechanism receives it, whatever its records came in.

        Raises
        ------
        NotADatasetError
            Where it holds none.
        """
        return self._codec.received(dataset)

    def assumptions(self) -> tuple[str, ...]:
        """Sentences for the report: what is taken for granted about the data."""
        sentences = list(self.records.assumptions())
        noun = self._grain.noun
        if self.unit is not None:
            sentences.append(f"a user is all rows with one value of `{self.unit}`")
            if self.rows_per_unit is not None:
                sentences.append(
                    f"every user has at most {self.rows_per_unit} rows (enforced by the caller)"
                )
            if self.partition is not None:
                sentences.append(
                    f"every user is in at most {self.partitions_per_unit} groups of "
                    f"`{self.partition}` (enforced by the caller)"
                )
        if self.group > 1:
            sentences.append(f"neighbors differ in up to {self.group} {noun}s")
        sentences += [invariant.sentence() for invariant in self._invariants]
        return (*sentences, *self._size_sentences())

    def to_dict(self) -> dict[str, Any]:
        """Return a description that JSON can hold."""
        return call_dict(self)

    @abstractmethod
    def _most(self) -> int:
        """Return the largest number of items."""

    @abstractmethod
    def _resizable(self) -> bool:
        """Whether datasets come in several sizes."""

    @abstractmethod
    def _programme(self) -> Programme:
        """Return the telling drafts."""

    @abstractmethod
    def _random(self, rng: np.random.Generator) -> Draft:
        """Draw a random draft."""

    @abstractmethod
    def _align(self, left: Sequence[Any], right: Sequence[Any]) -> Draft | None:
        """Return how the right rows come from the left ones, None if they do not."""

    def _size_sentences(self) -> tuple[str, ...]:
        return ()

    def _domain_of(self, left: Sequence[Any], right: Sequence[Any]) -> bool:
        """Whether all records may occur."""
        return self._valid(left) and self._valid(right)

    def _valid(self, rows: Sequence[Any]) -> bool:
        if not all(map(self.records.contains, rows)):
            return False
        if not isinstance(self._grain, PerUser):
            return True
        return all(map(self._grain.domain.contains, self._grain.items_of(rows)))

    def _drafts(self, rng: np.random.Generator) -> Iterator[Draft]:
        yield from self._programme().drafts()
        while True:
            yield self._random(rng)

    def _random_size_limit(self) -> int:
        capacity = self._grain.capacity()
        return self._most() if capacity is None else min(self._most(), capacity)

    def _sides(self, draft: Draft) -> tuple[tuple[Any, ...], tuple[Any, ...]] | None:
        """Return the rows on both sides, as they come back from the container."""
        if not draft.changes:
            return None
        draft = self._keeping_invariants(self._grain.placed(draft))
        left, right = (
            tuple(map(self._codec.settled, self._grain.rows_of(items)))
            for items in (draft.items, draft.right())
        )
        return (right, left) if draft.flipped else (left, right)

    def _keeping_invariants(self, draft: Draft) -> Draft:
        """Give records that change the public columns of one that stays."""
        columns = columns_of(self._invariants)
        staying = [i for i in range(len(draft.items)) if i not in draft.positions]
        if not columns:
            return draft
        changes = []
        for position, new in draft.changes:
            item = draft.items[position]
            if new is not REMOVED:
                new = self._grain.with_columns(new, columns, item)
            elif staying:
                peer = draft.items[staying[position % len(staying)]]
                draft = draft.having(position, self._grain.with_columns(item, columns, peer))
            changes.append((position, new))
        return replace(draft, changes=tuple(changes))

    def _related(self, left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
        if not agree(self._invariants, left, right):
            return False
        draft = self._aligned(left, right)
        if draft is None or not 1 <= len(draft.changes) <= self.group:
            return False
        if self._few(draft):
            return False
        return len(draft.items) <= self._most() and self._domain_of(left, right)

    def _few(self, draft: Draft) -> bool:
        """Whether the smaller dataset has fewer items than every dataset has."""
        return False

    def _aligned(self, left: Sequence[Any], right: Sequence[Any]) -> Draft | None:
        draft = self._align(left, right)
        if draft is None:
            draft = self._align(right, left)
            draft = None if draft is None else replace(draft, flipped=True)
        return draft

    def _read(self, pair: Pair) -> Draft:
        draft = self._aligned(self._codec.decode(pair.left), self._codec.decode(pair.right))
        if draft is None:
            raise ValueError(f"the two datasets are not neighboring under {self}; check the pair")
        return draft

    def _words(self, sides: tuple[tuple[Any, ...], tuple[Any, ...]]) -> str:
        """Say how the two sides differ."""
        draft = self._aligned(*sides)
        if draft is None or not draft.changes:
            return "given"
        count, total, verb = len(draft.changes), len(draft.items), self._programme().verb
        noun = self._grain.noun + ("s" if total != 1 else "")
        places = sorted(draft.positions)
        ends = {0: "first", total - 1: "last"}
        verb = f"is {verb}" if count == 1 else f"are {verb}"
        if total == count:
            return f"the only {noun} {verb}" if total == 1 else f"all {total} {noun} {verb}"
        which = ends.get(places[0], f"number {places[0] + 1}") if count == 1 else str(count)
        the = "the " if count == 1 and places[0] in ends else ""
        return f"{the}{which} of {total} {noun} {verb}"

    def _pair(self, sides: tuple[tuple[Any, ...], tuple[Any, ...]], how: str) -> Pair:
        return Pair(self._codec.encode(sides[0]), self._codec.encode(sides[1]), how)
