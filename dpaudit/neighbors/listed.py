"""Pairs that are listed one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.neighbors.pair import Pair
from dpaudit.neighbors.source import dataset_to_source, dataset_to_text

_LONGEST = 1000  # characters


@dataclass(frozen=True, slots=True, repr=False, init=False, eq=False)
class Pairs:
    """Exactly the pairs that are listed; both directions of each are tested.

    Parameters
    ----------
    pairs : iterable of (Any, Any) or Pair
        Datasets as the mechanism receives them, two by two.

    Raises
    ------
    TypeError, ValueError
        For no pairs, or an entry that is none.
    """

    listed: tuple[Pair, ...]

    def __init__(self, pairs: Iterable[Any]) -> None:
        try:
            listed = tuple(_validated_pair(i, entry) for i, entry in enumerate(pairs))
        except TypeError as error:
            if isinstance(pairs, Iterable):
                raise
            raise TypeError(f"`pairs` must be a list of pairs, got {pairs!r}") from error
        if not listed:
            raise ValueError("`pairs` must not be empty: nothing could be tested; list one pair")
        object.__setattr__(self, "listed", listed)

    def __str__(self) -> str:
        for write in (dataset_to_source, dataset_to_text):
            text = ", ".join(f"({write(p.left)}, {write(p.right)})" for p in self.listed)
            if len(text) <= _LONGEST:
                return f"Pairs([{text}])"
        return f"Pairs([{text[:_LONGEST]}…, {len(self.listed)} in all])"

    __repr__ = __str__

    @property
    def fixed_count(self) -> int | None:
        """Number of pairs."""
        return len(self.listed)

    def pairs(self, rng: np.random.Generator) -> Iterator[Pair]:
        """Yield the pairs as listed."""
        return iter(self.listed)

    def mutate(self, pair: Pair, rng: np.random.Generator) -> Pair:
        """Return one of the listed pairs."""
        return self.listed[int(rng.integers(len(self.listed)))]

    def shrink(self, pair: Pair) -> Iterator[Pair]:
        """Yield nothing: no other pair is known to be neighboring."""
        return iter(())

    def contains(self, pair: Pair) -> bool:
        """Whether the pair is listed, in either direction."""
        return any(
            (_same(pair.left, p.left) and _same(pair.right, p.right))
            or (_same(pair.left, p.right) and _same(pair.right, p.left))
            for p in self.listed
        )

    def received(self, dataset: Any) -> Any:
        """Return the dataset: what is listed is what the mechanism receives."""
        return dataset

    def assumptions(self) -> tuple[str, ...]:
        """Sentences for the report."""
        count = len(self.listed)
        listed = "the listed pair counts" if count == 1 else f"the {count} listed pairs count"
        return (f"only {listed} as neighboring",)

    def to_dict(self) -> dict[str, Any]:
        """Return a description that JSON can hold."""
        sources = [[dataset_to_source(p.left), dataset_to_source(p.right)] for p in self.listed]
        return {"kind": "Pairs", "pairs": sources}


def _validated_pair(index: int, entry: Any) -> Pair:
    if isinstance(entry, Pair):
        return entry
    if not isinstance(entry, tuple | list) or len(entry) != 2:
        raise TypeError(
            f"entry {index} of `pairs` must be two datasets (left, right), got "
            f"{dataset_to_text(entry)}"
        )
    return Pair(entry[0], entry[1], "given")


def _same(one: Any, other: Any) -> bool:
    return one is other or dataset_to_source(one) == dataset_to_source(other)
