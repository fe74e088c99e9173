"""Records of several columns, and the door through which every domain comes in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice, product
from keyword import iskeyword
from typing import Any
from unicodedata import normalize

import numpy as np

from dpaudit.neighbors.records import Column, Landmarks, Records
from dpaudit.neighbors.schemas import columns_of

_EXAMPLES: dict[type, str] = {
    float: "Real(0, 100)",
    int: "Integer(0, 100)",
    bool: "Categorical([False, True])",
    str: 'Categorical(["a", "b"])',
}


@dataclass(frozen=True, slots=True, init=False)
class Row:
    """Records of several named columns.

    Parameters
    ----------
    **columns : Records
        One scalar domain a column: ``Row(age=Integer(0, 120), income=Real(0, 1e6))``; a name that
        is no identifier as ``Row(**{"Capital Gain": Real(0, 99999)})``.

    Raises
    ------
    TypeError, ValueError
        For no columns, or a column that is no scalar domain.
    """

    fields: tuple[tuple[str, Records], ...]

    def __init__(self, /, **columns: Any) -> None:
        if not columns:
            raise ValueError("Row needs at least one column; write Row(age=Integer(0, 120))")
        fields = tuple((name, as_records(domain)) for name, domain in columns.items())
        for name, domain in fields:
            if isinstance(domain, Row):
                raise TypeError(f"column `{name}` must be a scalar domain, got a Row; flatten it")
        object.__setattr__(self, "fields", fields)

    def __str__(self) -> str:
        return f"Row({', '.join(_argument(name, domain) for name, domain in self.fields)})"

    __repr__ = __str__

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, in order."""
        return tuple(name for name, _ in self.fields)

    @property
    def domains(self) -> tuple[Records, ...]:
        """The columns' domains, in order."""
        return tuple(domain for _, domain in self.fields)

    def columns(self) -> tuple[Column, ...]:
        """How records are stored; one nameless column for bare values."""
        return tuple(replace(domain.columns()[0], name=name) for name, domain in self.fields)

    def landmarks(self) -> Landmarks:
        """Return the values that are most likely to show a violation."""
        marks = [domain.landmarks() for domain in self.domains]
        low, high = tuple(m.low for m in marks), tuple(m.high for m in marks)
        single = [(_with(low, i, high[i]), f"only {n} high") for i, n in enumerate(self.names)]
        but_one = [(_with(high, i, low[i]), f"only {n} low") for i, n in enumerate(self.names)]
        inner = self._per_column(high, [m.others for m in marks])
        # With one column `single` is `high`; with two `but_one` is `single` again.
        edges = [*single, *but_one][: {1: 0, 2: 2}.get(len(marks))]
        # Breadth first: every column's most telling risk before any column's second.
        return Landmarks(
            low, high, (*edges, *inner), self._per_column(high, [m.risky for m in marks])
        )

    def members(self, limit: int) -> tuple[Any, ...]:
        """Up to `limit` different values; fewer only where there are no more."""
        per_column = [domain.members(limit) for domain in self.domains]
        return tuple(islice(product(*per_column), limit))

    def draw(self, rng: np.random.Generator) -> Any:
        """Draw a random value."""
        return tuple(domain.draw(rng) for domain in self.domains)

    def near(self, value: Any, rng: np.random.Generator) -> Any:
        """Draw a random value near this one."""
        column = int(rng.integers(len(self.fields)))
        return _with(value, column, self.domains[column].near(value[column], rng))

    def simpler(self, value: Any) -> Iterator[Any]:
        """Yield finitely many simpler values, simplest first; repeated use ends."""
        simplest = tuple(next(d.simpler(v), v) for d, v in zip(self.domains, value, strict=True))
        if sum(a is not b for a, b in zip(simplest, value, strict=True)) > 1:
            yield simplest
        for i, domain in enumerate(self.domains):
            for entry in domain.simpler(value[i]):
                yield _with(value, i, entry)

    def contains(self, value: Any) -> bool:
        """Whether a record may have this value."""
        if not isinstance(value, tuple) or len(value) != len(self.fields):
            return False
        return all(d.contains(v) for d, v in zip(self.domains, value, strict=True))

    def assumptions(self) -> tuple[str, ...]:
        """Sentences for the report: what is taken for granted about the data."""
        return tuple(
            sentence.replace("every record", f"every `{name}`")
            for name, domain in self.fields
            for sentence in domain.assumptions()
        )

    def to_dict(self) -> dict[str, Any]:
        """Return a description that JSON can hold."""
        return {"kind": "Row", "columns": {n: d.to_dict() for n, d in self.fields}}

    def row(self, value: Any) -> Any:
        """Return a mapping of column names to values as a row.

        Raises
        ------
        ValueError
            If the names are not those of the columns.
        """
        if not isinstance(value, Mapping) or set(value) != set(self.names):
            raise ValueError(f"a row needs the columns {', '.join(self.names)}, got {value!r}")
        return tuple(value[name] for name in self.names)

    def _per_column(
        self, base: tuple[Any, ...], marks: list[tuple[tuple[Any, str], ...]]
    ) -> tuple[tuple[Any, str], ...]:
        """Put each column's marks into the base row, every column's first before any second."""
        depth = max((len(m) for m in marks), default=0)
        return tuple(
            (_with(base, i, m[rank][0]), f"{self.names[i]}: {m[rank][1]}")
            for rank in range(depth)
            for i, m in enumerate(marks)
            if rank < len(m)
        )


def _argument(name: str, domain: Records) -> str:
    """Return a column as an argument of `Row`, as Python reads it."""
    plain = name.isidentifier() and not iskeyword(name) and name == normalize("NFKC", name)
    return f"{name}={domain}" if plain else f"**{{{name!r}: {domain}}}"


def _with(row: tuple[Any, ...], column: int, value: Any) -> tuple[Any, ...]:
    return (*row[:column], value, *row[column + 1 :])


def as_records(domain: Any, *, typed: bool = False) -> Records:
    """Return the domain, also that of a Hypothesis strategy or of a schema.

    Parameters
    ----------
    domain : Records, Hypothesis strategy, pandera schema or Pydantic model
        What a record may be.
    typed : bool
        Whether given records have the dtypes that a schema names.

    Raises
    ------
    TypeError, ValueError
        If it is none of these, or a schema that bounds no values.
    """
    columns = columns_of(domain, typed=typed)
    if columns is not None:
        return columns.get("") or Row(**columns)
    if isinstance(domain, type):
        example = f"{domain.__name__}(…)" if issubclass(domain, Records) else _EXAMPLES.get(domain)
        raise TypeError(f"records must be a domain, got the class {domain.__name__}; write for "
                        f"example {example or _EXAMPLES[float]}")  # fmt: skip
    if isinstance(domain, Records):
        return domain
    if type(domain).__module__.partition(".")[0] == "hypothesis":
        from dpaudit.neighbors.strategies import StrategyRecords

        return StrategyRecords(domain)
    raise TypeError(
        "records must be Real, Integer, Categorical, Row, a Hypothesis strategy, a pandera schema "
        f"or a Pydantic model, got {domain!r}; write for example Real(0, 100)"
    )


def validate_differing(domain: Records, relation: str) -> None:
    """Refuse a domain in which no record differs from another.

    Raises
    ------
    ValueError
        If it has fewer than two values.
    """
    if len(domain.members(2)) < 2:
        raise ValueError(
            f"{domain} holds a single value, so no two records differ under {relation}; "
            "widen the domain"
        )
