"""Neighbors in local differential privacy: any two records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from dpaudit.neighbors.containers import Codec, NotADatasetError, row_key
from dpaudit.neighbors.pair import Pair
from dpaudit.neighbors.records import Records
from dpaudit.neighbors.row import as_records, validate_differing
from dpaudit.neighbors.source import dataset_to_text
from dpaudit.neighbors.writing import call_dict, call_text

_LISTED = 16  # domains of up to so many values are gone through


@dataclass(frozen=True, slots=True, repr=False)
class AnyPair:
    """Any two different records (local differential privacy).

    Parameters
    ----------
    records : Records, Hypothesis strategy, pandera schema or Pydantic model
        What a record may be. The mechanism receives the bare record: a Python number, text or
        other value, and a dict for `Row`; a missing value is None.

    Raises
    ------
    TypeError, ValueError
        For a domain with a single value.
    """

    records: Any
    _codec: Codec = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        domain: Records = as_records(self.records)
        validate_differing(domain, "AnyPair")
        object.__setattr__(self, "records", domain)
        object.__setattr__(self, "_codec", Codec(domain.columns(), "list"))

    def __str__(self) -> str:
        return call_text(self)

    __repr__ = __str__

    @property
    def fixed_count(self) -> int | None:
        """None: pairs are not listed."""
        return None

    def pairs(self, rng: np.random.Generator) -> Iterator[Pair]:
        """Yield likely violations, then all other pairs of a small domain or random ones."""
        seen: set[Any] = set()
        misses = 0
        for left, right in self._candidates(rng):
            key = frozenset((row_key(left), row_key(right)))
            misses += 1
            if len(key) == 2 and key not in seen:
                seen.add(key)
                misses = 0
                yield self._pair(left, right)
            elif misses > 500:
                return

    def mutate(self, pair: Pair, rng: np.random.Generator) -> Pair:
        """Return a pair in which one record is changed."""
        sides = [self._codec.decode_record(pair.left), self._codec.decode_record(pair.right)]
        for _ in range(50):
            moved = list(sides)
            at = int(rng.integers(2))
            moved[at] = self.records.near(moved[at], rng)
            if len({row_key(v) for v in moved}) == 2 and self.records.contains(moved[at]):
                return self._pair(*moved)
        return pair

    def shrink(self, pair: Pair) -> Iterator[Pair]:
        """Yield pairs of simpler records, boldest first."""
        left, right = map(self._codec.decode_record, (pair.left, pair.right))
        simple_left, simple_right = (list(self.records.simpler(v)) for v in (left, right))
        candidates = [
            *zip(simple_left, simple_right, strict=False),
            *((value, right) for value in simple_left),
            *((left, value) for value in simple_right),
        ]
        for a, b in candidates:
            if row_key(a) != row_key(b) and self.records.contains(a) and self.records.contains(b):
                yield self._pair(a, b)

    def contains(self, pair: Pair) -> bool:
        """Whether both are records, and differ."""
        try:
            left, right = map(self._codec.decode_record, (pair.left, pair.right))
        except NotADatasetError:
            return False
        known = self.records.contains(left) and self.records.contains(right)
        return known and row_key(left) != row_key(right)

    def received(self, dataset: Any) -> Any:
        """Return a dataset as the mechanism receives it, whatever its records came in.

        Raises
        ------
        NotADatasetError
            Where it holds none.
        """
        return self._codec.encode_record(self._codec.decode_record(dataset))

    def assumptions(self) -> tuple[str, ...]:
        """Sentences for the report."""
        return (*self.records.assumptions(), "every record is released on its own (local privacy)")

    def to_dict(self) -> dict[str, Any]:
        """Return a description that JSON can hold."""
        return call_dict(self)

    def _candidates(self, rng: np.random.Generator) -> Iterator[tuple[Any, Any]]:
        marks = self.records.landmarks()
        yield marks.low, marks.high
        yield from ((marks.low, value) for value, _ in marks.risky[:6])
        unusual = [value for value, _ in (*marks.others[:6], *marks.risky)]
        yield from ((marks.low, value) for value in unusual)
        yield from ((marks.high, value) for value in unusual)
        listed = self.records.members(_LISTED + 1)
        yield from combinations(listed, 2)
        while len(listed) > _LISTED:
            yield self.records.draw(rng), self.records.draw(rng)

    def _pair(self, left: Any, right: Any) -> Pair:
        bare_left, bare_right = map(self._codec.encode_record, (left, right))
        how = f"{dataset_to_text(bare_left)} against {dataset_to_text(bare_right)}"
        return Pair(bare_left, bare_right, how)
