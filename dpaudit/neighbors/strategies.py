"""A Hypothesis strategy as a domain of records."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpaudit.extras import optional
from dpaudit.neighbors.records import Column, Kind, Landmarks

_POOL = 64
_KINDS: dict[type, Kind] = {bool: "bool", int: "int", float: "float", str: "str"}


@dataclass(frozen=True, slots=True, eq=False)
class StrategyRecords:
    """Records that a Hypothesis strategy makes.

    Parameters
    ----------
    strategy : hypothesis.strategies.SearchStrategy
        Makes one record a time.

    Notes
    -----
    Examples come from seeded runs of Hypothesis, so the same pairs come in every run. Whether a
    strategy can make a value cannot be decided: `contains` accepts every value of the type that
    its examples have. Values that are no numbers, booleans or texts reach the mechanism in a list
    where others reach it in an array.

    Raises
    ------
    ImportError
        If Hypothesis is not installed.
    ValueError
        If the strategy makes no value.
    """

    strategy: Any
    _pool: list[Any] = field(init=False, repr=False)
    _types: frozenset[type] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        pool = _examples(self.strategy, 0)
        if not pool:
            raise ValueError(
                f"the strategy {self.strategy!r} makes no value: no record could exist"
            )
        object.__setattr__(self, "_pool", sorted(pool, key=lambda v: len(repr(v))))
        object.__setattr__(self, "_types", frozenset(map(type, pool)))

    def __str__(self) -> str:
        return repr(self.strategy)

    __repr__ = __str__

    def columns(self) -> tuple[Column, ...]:
        """How records are stored; one nameless column for bare values."""
        missing = type(None) in self._types
        types = self._types - {type(None)}
        kind = _KINDS.get(next(iter(types), object), "any") if len(types) == 1 else "any"
        ordinary = [v for v in self._pool if v is not None]
        magnitude = max(map(abs, ordinary), default=0) if kind == "int" else 0
        if kind == "str":
            kind = "object"  # no width is wide enough for every text
        return (Column("", kind, 1, magnitude, kind == "float", missing),)

    def landmarks(self) -> Landmarks:
        """Return the values that are most likely to show a violation."""
        risky = [v for v in self._pool if not _ordinary(v)]
        ordinary = [v for v in self._pool if _ordinary(v)] or risky
        numbers = all(isinstance(v, int | float) for v in ordinary)
        ends = (min(ordinary), max(ordinary)) if numbers else (ordinary[0], ordinary[-1])
        others = tuple((v, repr(v)) for v in ordinary[1:-1:8])
        return Landmarks(*ends, others, tuple((v, repr(v)) for v in risky[:4]))

    def members(self, limit: int) -> tuple[Any, ...]:
        """Up to `limit` different values; fewer only where there are no more."""
        if limit > len(self._pool):
            pool = [*self._pool, *_examples(self.strategy, 1, 4 * limit)]
        else:
            pool = self._pool
        return tuple({repr(v): v for v in pool if self.contains(v)}.values())[:limit]

    def draw(self, rng: np.random.Generator) -> Any:
        """Draw a random value."""
        if rng.random() < 0.05:
            fresh = _examples(self.strategy, int(rng.integers(2**31)))
            fitting = [v for v in fresh if self.contains(v)]
            if fitting:
                return fitting[int(rng.integers(len(fitting)))]
        return self._pool[int(rng.integers(len(self._pool)))]

    def near(self, value: Any, rng: np.random.Generator) -> Any:
        """Draw a random value near this one."""
        return self.draw(rng)

    def simpler(self, value: Any) -> Iterator[Any]:
        """Yield finitely many simpler values, simplest first; repeated use ends."""
        size = len(repr(value))
        return (v for v in self._pool[:12] if len(repr(v)) < size)

    def contains(self, value: Any) -> bool:
        """Whether a record may have this value."""
        if type(value) not in self._types:
            return False
        return type(value) is not int or self.columns()[0].kind == "any" or abs(value) < 2**63

    def assumptions(self) -> tuple[str, ...]:
        """Sentences for the report: what is taken for granted about the data."""
        return (f"every record is one that {self.strategy!r} makes",)

    def to_dict(self) -> dict[str, Any]:
        """Return a description that JSON can hold."""
        return {"kind": "strategy", "strategy": repr(self.strategy)}


def _ordinary(value: Any) -> bool:
    return value is not None and not (isinstance(value, float) and not math.isfinite(value))


def _examples(strategy: Any, seed: int, count: int = _POOL) -> list[Any]:
    """Return different values of the strategy, the same ones for the same seed."""
    hypothesis = optional("hypothesis")
    found: dict[str, Any] = {}

    def collect(value: Any) -> None:
        found.setdefault(repr(value), value)

    settings = hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    made = hypothesis.seed(seed)(settings(hypothesis.given(strategy)(collect)))
    with suppress(hypothesis.errors.Unsatisfiable):
        made()
    return list(found.values())
