"""Datasets that can be gone through one by one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.formal.unsupported import OutOfScope
from dpaudit.neighbors import AddRemove, AnyPair, Categorical, Integer, Pairs, ReplaceOne, Row

_RECORDS = 64
_DATASETS = 1500


@dataclass(frozen=True, slots=True, eq=False)
class Domain:
    """All datasets, and which of them are neighboring.

    Attributes
    ----------
    datasets : list
        As the mechanism receives them.
    pairs : list of (int, int)
        Each pair once; both directions are meant.
    """

    datasets: list[Any]
    pairs: list[tuple[int, int]]


def domain_of(neighbors: Any) -> Domain:
    """Return all datasets and pairs of a neighboring relation.

    Raises
    ------
    OutOfScope
        Where there are infinitely or very many.
    """
    if isinstance(neighbors, Pairs):
        datasets = [side for pair in neighbors.listed for side in (pair.left, pair.right)]
        return Domain(datasets, [(2 * i, 2 * i + 1) for i in range(len(neighbors.listed))])
    if type(neighbors) is AnyPair:
        members = _members(neighbors.records)
        encoded = [neighbors._codec.encode_record(row) for row in members]
        return Domain(encoded, list(itertools.combinations(range(len(encoded)), 2)))
    if type(neighbors) in (AddRemove, ReplaceOne):
        return _of_datasets(neighbors)
    raise OutOfScope(f"{type(neighbors).__name__} has datasets that cannot be gone through")


def _members(records: Any) -> tuple[Any, ...]:
    domains = records.domains if isinstance(records, Row) else (records,)
    for domain in domains:
        if not isinstance(domain, Categorical | Integer) or not getattr(domain, "enforced", True):
            raise OutOfScope(f"records of {domain} cannot be gone through one by one")
    members = records.members(_RECORDS + 1)
    if len(members) > _RECORDS:
        raise OutOfScope(f"{records} has more than {_RECORDS} values")
    return tuple(members)


def _of_datasets(neighbors: Any) -> Domain:
    plain = neighbors.unit is None and neighbors.group == 1 and not neighbors._invariants
    if not plain:
        raise OutOfScope("datasets with users, groups or invariants are not gone through")
    members = _members(neighbors.records)
    fixed = isinstance(neighbors, ReplaceOne)
    sizes = [neighbors.size] if fixed else list(range(neighbors.min_size, neighbors.max_size + 1))
    count = sum(len(members) ** size for size in sizes)
    if count > _DATASETS:
        raise OutOfScope(f"{count} datasets are more than are gone through")
    choices = range(len(members))
    every = [key for size in sizes for key in itertools.product(choices, repeat=size)]
    number = {key: i for i, key in enumerate(every)}
    near = _replaced(number, len(members)) if fixed else _removed(number)
    datasets = [neighbors._codec.encode([members[i] for i in key]) for key in every]
    return Domain(datasets, sorted(set(near)))


def _removed(number: dict[tuple[int, ...], int]) -> Iterator[tuple[int, int]]:
    for key, i in number.items():
        for at in range(len(key)):
            less = number.get(key[:at] + key[at + 1 :])
            if less is not None:
                yield less, i


def _replaced(number: dict[tuple[int, ...], int], count: int) -> Iterator[tuple[int, int]]:
    for key, i in number.items():
        for at in range(len(key)):
            for value in range(key[at] + 1, count):
                yield i, number[(*key[:at], value, *key[at + 1 :])]


def sample(neighbors: Any, count: int) -> list[tuple[Any, Any]]:
    """Return pairs of a relation that has too many: telling ones first."""
    pairs = neighbors.pairs(np.random.default_rng(0))
    return [(pair.left, pair.right) for pair in itertools.islice(pairs, count)]
