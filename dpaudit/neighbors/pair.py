"""A pair of neighboring datasets, and what every neighboring relation can do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two neighboring datasets.

    Attributes
    ----------
    left, right : Any
        The datasets, exactly as the mechanism receives them.
    how : str
        How they differ: ``"one high among 3 records; last removed"``.
    """

    left: Any
    right: Any
    how: str = "given"


@runtime_checkable
class Neighbors(Protocol):
    """Which datasets count as neighboring, and which pairs are worth trying.

    Every pair is unordered: whoever tests it tests both directions.
    """

    @property
    def fixed_count(self) -> int | None:
        """Number of pairs when they are listed one by one, else None."""

    def pairs(self, rng: np.random.Generator) -> Iterator[Pair]:
        """Yield telling pairs first, then random ones; ends only when none are left."""

    def mutate(self, pair: Pair, rng: np.random.Generator) -> Pair:
        """Return a random neighboring pair near this one."""

    def shrink(self, pair: Pair) -> Iterator[Pair]:
        """Yield finitely many simpler neighboring pairs, boldest first."""

    def contains(self, pair: Pair) -> bool:
        """Whether the two datasets are neighboring, and differ."""

    def assumptions(self) -> tuple[str, ...]:
        """Sentences for the report: what is taken for granted about the data."""

    def to_dict(self) -> dict[str, Any]:
        """Return a description that JSON can hold."""
