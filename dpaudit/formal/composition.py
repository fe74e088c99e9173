"""What releases cost together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy

from dpaudit.formal.domain import Rows
from dpaudit.formal.price.notions import (
    Apart,
    Price,
    Sampled,
    together,
)
from dpaudit.formal.releases import Release
from dpaudit.formal.terms import is_value


def priced(releases: Sequence[Release]) -> Price:
    """Return the price of all releases of one path.

    Parameters
    ----------
    releases : sequence of Release

    Returns
    -------
    Price
        Releases about disjoint parts of the same records cost what the parts that a neighbor
        changes cost together; releases about a Poisson sample are amplified together.
    """
    return _combined([(release, _chain(release.source)) for release in releases])


def _chain(source: Rows | None) -> tuple[Rows, ...]:
    """Return the sets of rows from below the whole data down to the source."""
    chain: list[Rows] = []
    while source is not None and source.parent is not None:
        chain.append(source)
        source = source.parent
    return tuple(reversed(chain))


def _combined(items: list[tuple[Release, tuple[Rows, ...]]]) -> Price:
    direct = [release.price for release, chain in items if not chain]
    below: dict[Any, list[tuple[Release, tuple[Rows, ...]]]] = {}
    for release, chain in items:
        if chain:
            below.setdefault(_family(chain[0]), []).append((release, chain))
    return together(*direct, *(_of_family(family, group) for family, group in below.items()))


def _family(rows: Rows) -> Any:
    """Return what rows share with the other parts of their partition."""
    parent, cell = rows.parent, rows.cell
    assert parent is not None
    if isinstance(cell, tuple) and len(cell) == 3 and cell[0] == "cell" and is_value(cell[2]):
        return ("cell", parent.id, cell[1])
    return ("rows", rows.id)


def _of_family(family: Any, group: list[tuple[Release, tuple[Rows, ...]]]) -> Price:
    rows = group[0][1][0]
    parent = rows.parent
    assert parent is not None
    if family[0] == "cell":
        parts: dict[Any, list[tuple[Release, tuple[Rows, ...]]]] = {}
        for release, chain in group:
            parts.setdefault(chain[0].cell[2], []).append((release, chain[1:]))  # type: ignore[index]
        kinds = {term[0] for term in parts}
        prices = tuple(map(_combined, parts.values()))
        touched = _touched(parent)
        if len(kinds) > 1 or touched is None or len(prices) <= touched:
            return together(*prices)
        return Apart(prices, touched)
    inner = _combined([(release, chain[1:]) for release, chain in group])
    return _amplified(inner, rows, group)


def _touched(parent: Rows) -> int | None:
    """Return how many parts of these rows a neighbor may change."""
    count = sympy.sympify(parent.count)
    if not count.is_Integer:
        return None
    return int(count) * (1 if parent.relation == "inserted" else 2)


def _amplified(inner: Price, rows: Rows, group: list[tuple[Release, tuple[Rows, ...]]]) -> Price:
    coins = group[0][0].sample
    parent = rows.parent
    is_sample = isinstance(rows.cell, tuple) and rows.cell[0] == "sample"
    if not is_sample or coins is None or parent is None:
        return inner
    rate = coins.rate
    alone = parent.relation == "inserted" and parent.count == 1 and parent.parent is None
    if not alone or not rate.is_number or not (rate > 0 and rate < 1):
        return inner
    return Sampled(inner, rate)
