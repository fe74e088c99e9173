"""All datasets of a finite neighboring relation, and its pairs."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

from dpaudit.checker.file import OutOfScopeError
from dpaudit.neighbors import AddRemove, AnyPair, Categorical, Integer, Pairs, ReplaceOne, Row
from dpaudit.neighbors.containers import row_key

_DATASETS = 5_000


@dataclass(frozen=True, slots=True)
class Domain:
    """Datasets as the mechanism receives them, and each neighboring pair of them once."""

    datasets: list[Any]
    pairs: list[tuple[int, int]]


def domain_of(neighbors: Any) -> Domain:
    """Return all datasets and all pairs.

    Raises
    ------
    OutOfScopeError
        Where there are not finitely many, or too many.
    """
    if type(neighbors) is Pairs:
        sides = [side for pair in neighbors.listed for side in (pair.left, pair.right)]
        return Domain(sides, [(i, i + 1) for i in range(0, len(sides), 2)])
    if type(neighbors) is AnyPair:
        records = _records(neighbors.records)
        encoded = [neighbors._codec.encode_record(record) for record in records]
        return Domain(encoded, list(itertools.combinations(range(len(records)), 2)))
    plain = type(neighbors) in (AddRemove, ReplaceOne) and neighbors.group == 1
    if not plain or neighbors.unit is not None or neighbors._invariants:
        raise OutOfScopeError(f"not checked: datasets of {neighbors!s:.80} one by one")
    return _of_datasets(neighbors)


def _records(domain: Any) -> list[Any]:
    parts = domain.domains if isinstance(domain, Row) else (domain,)
    for part in parts:
        if type(part) not in (Categorical, Integer) or not getattr(part, "enforced", True):
            raise OutOfScopeError(f"not checked: records of {domain!s:.80} one by one")
    found = list(domain.members(_DATASETS + 1))
    if len(found) > _DATASETS or len({row_key(record) for record in found}) != len(found):
        raise OutOfScopeError(f"not checked: records of {domain!s:.80} one by one")
    return found


def _of_datasets(neighbors: Any) -> Domain:
    records = _records(neighbors.records)
    adds = type(neighbors) is AddRemove
    sizes = range(neighbors.min_size, neighbors.max_size + 1) if adds else [neighbors.size]
    if sum(len(records) ** size for size in sizes) > _DATASETS:
        raise OutOfScopeError("not checked: too many datasets to go through one by one")
    listed = [
        chosen for size in sizes for chosen in itertools.product(range(len(records)), repeat=size)
    ]
    place = {chosen: i for i, chosen in enumerate(listed)}
    pairs: set[tuple[int, int]] = set()
    for chosen, i in place.items():
        for at in range(len(chosen)):
            before, after = chosen[:at], chosen[at + 1 :]
            if adds and before + after in place:
                pairs.add((place[before + after], i))
            elif adds:  # smaller than every dataset is
                continue
            else:
                others = range(chosen[at] + 1, len(records))
                pairs |= {(i, place[(*before, other, *after)]) for other in others}
    datasets = [neighbors._codec.encode([records[r] for r in chosen]) for chosen in listed]
    return Domain(datasets, sorted(pairs))
