"""Neighbors by adding or removing records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.neighbors.propose import (
    ADD_REMOVE_OPENING,
    ADD_REMOVE_SEQUEL,
    REMOVED,
    Draft,
    Programme,
    random_items,
    random_size,
)
from dpaudit.neighbors.relation import Relation
from dpaudit.neighbors.units import validated_count

if TYPE_CHECKING:
    from dpaudit.neighbors.around import Around


@dataclass(frozen=True, slots=True, repr=False)
class AddRemove(Relation):
    """One dataset is the other with a record added, anywhere.

    Parameters
    ----------
    records : Records, Hypothesis strategy, pandera schema or Pydantic model
        What a record may be.
    max_size : int
        Most records of the larger dataset (most users, with `unit`).
    group : int
        How many records may be added: from 1 up to `group`, at any places.
    unit : str, optional
        The key column of user-level privacy: all rows of one key come or go at once.
    rows_per_unit : int, optional
        Most rows of one key; any number unless given.
    partition, partitions_per_unit : str and int, optional
        Rows of one key have at most so many different values in the column `partition`.
    container : str
        What the mechanism receives: ``"array"``, ``"list"``, ``"pandas"`` or ``"polars"``.
    min_size : int
        Fewest records of the smaller dataset (fewest users, with `unit`). It is 0 unless the
        caller makes sure of more, as for an estimator that raises without data.
    invariant : str or sequence of str, optional
        What is public: ``"column"`` (which values of it occur). The length and
        ``"column:sizes"`` cannot be.

    Raises
    ------
    TypeError, ValueError
        For options out of range, or that contradict each other.

    Examples
    --------
    >>> import numpy as np
    >>> from dpaudit.neighbors import AddRemove, Pair, Real
    >>> neighbors = AddRemove(Real(0, 100), max_size=20)
    >>> neighbors.contains(Pair(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0])))
    True
    """

    max_size: int = 16
    _: KW_ONLY
    min_size: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_size", validated_count("max_size", self.max_size))
        least = validated_count("min_size", self.min_size, least=0)
        object.__setattr__(self, "min_size", least)
        if least >= self.max_size:
            raise ValueError(
                f"`min_size` must be below max_size={self.max_size}, got {least}; the smaller of "
                "two neighboring datasets has at least so many records"
            )
        Relation.__post_init__(self)
        for invariant in self._invariants:
            if invariant.what != "groups" or invariant.name == self.unit:
                raise ValueError(
                    f"{invariant.sentence()}, but AddRemove changes that; use ReplaceOne, or "
                    "make only the groups of a column public"
                )
        self._validate_some_pair()

    @classmethod
    def around(
        cls,
        base: Any,
        records: Any = None,
        *,
        group: int = 1,
        unit: str | None = None,
        min_size: int = 0,
    ) -> Around:
        """Return neighbors around a dataset of real records.

        Parameters
        ----------
        base : DataFrame, Series, ndarray or list
            Real records, one a row. Container, dtypes and index are kept.
        records : Records, Hypothesis strategy, pandera schema or Pydantic model, optional
            What a record that is added may be; without it, records are only removed.
        group : int
            How many records (or users) come or go.
        unit : str, optional
            The key column of user-level privacy; records are then only removed.
        min_size : int
            Fewest records (or users) of the smaller dataset.

        Returns
        -------
        Around
            Pairs of `base` against `base` less a row, or plus one.
        """
        from dpaudit.neighbors.around import Around

        return Around(base, records, group=group, unit=unit, min_size=min_size)

    def _most(self) -> int:
        return self.max_size

    def _resizable(self) -> bool:
        return True

    def _programme(self) -> Programme:
        return Programme(
            ADD_REMOVE_OPENING,
            ADD_REMOVE_SEQUEL,
            self._grain.domain,
            self._random_size_limit(),
            self.group,
            lambda item, marks: REMOVED,
            "removed",
            self._grain.noun,
            self.min_size,
        )

    def _random(self, rng: np.random.Generator) -> Draft:
        most = self._random_size_limit()
        size = random_size(min(self.group + self.min_size, most), most, rng)
        gone = self.group if rng.random() < 0.8 else int(rng.integers(1, self.group + 1))
        places = rng.permutation(size)[: min(gone, size)]
        changes = tuple((int(i), REMOVED) for i in sorted(places))
        items = tuple(random_items(self._grain.domain, size, rng))
        are = "is" if len(changes) == 1 else "are"
        how = f"{size} random {self._grain.noun}s; {len(changes)} {are} removed"
        return Draft(items, changes, how)

    def _align(self, left: Sequence[Any], right: Sequence[Any]) -> Draft | None:
        gone = self._grain.removed(left, right)
        if gone is None:
            return None
        changes = tuple((i, REMOVED) for i in gone)
        return Draft(self._grain.items_of(left), changes, "")

    def _size_sentences(self) -> tuple[str, ...]:
        differ = "neighbors differ by records that are added or removed, at any place"
        if not self.min_size:
            return (differ,)
        noun = self._grain.noun
        return (
            differ,
            f"every dataset has at least {self.min_size} {noun}s (enforced by the caller)",
        )

    def _few(self, draft: Draft) -> bool:
        return len(draft.items) - len(draft.changes) < self.min_size
