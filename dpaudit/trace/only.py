"""One pair of a neighboring relation, for whoever is to look at that pair alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.neighbors import Neighbors, Pair


@dataclass(frozen=True, slots=True, eq=False)
class Only:
    """The relation of which a single pair is tried.

    Parameters
    ----------
    pair : Pair
    of : Neighbors
    """

    pair: Pair
    of: Neighbors

    def __str__(self) -> str:
        return str(self.of)

    def __getattr__(self, name: str) -> Any:
        """Return what the relation says of its records."""
        if name in ("records", "group", "distance"):
            return getattr(self.of, name)
        raise AttributeError(name)

    @property
    def fixed_count(self) -> int | None:
        """One."""
        return 1

    def pairs(self, rng: np.random.Generator) -> Iterator[Pair]:
        """Yield the pair."""
        yield self.pair

    def mutate(self, pair: Pair, rng: np.random.Generator) -> Pair:
        """Return the pair as it is."""
        return pair

    def shrink(self, pair: Pair) -> Iterator[Pair]:
        """Yield nothing: the share of α is this pair's."""
        yield from ()

    def contains(self, pair: Pair) -> bool:
        """Whether two datasets are neighboring."""
        return self.of.contains(pair)

    def assumptions(self) -> tuple[str, ...]:
        """Return those of the relation."""
        return self.of.assumptions()

    def to_dict(self) -> dict[str, Any]:
        """Return the relation's description."""
        return self.of.to_dict()
