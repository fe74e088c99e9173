"""Half-spaces: events of a weighted sum of entries, for leaks that are spread over many of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dpaudit.evidence import Event
from dpaudit.outputs import Columns
from dpaudit.statistical.events import Candidate, Mask, named
from dpaudit.statistical.numerics import Floats
from dpaudit.statistical.partition import Cells
from dpaudit.statistical.score import separating_direction

ENTRIES = (2, 64)  # number columns, at least and at most
NEGLIGIBLE = 0.08  # of the largest standardized weight
LEVELS = np.linspace(0.02, 0.98, 25)


def linear_candidates(
    left: Columns, right: Columns, choosers: tuple[Mask, Mask]
) -> Iterator[Candidate]:
    """Yield half-spaces whose normal is learned on the chosen rows.

    Parameters
    ----------
    left, right : Columns
    choosers : tuple of ndarray of bool
        Rows of each side that may be learned from; the others count.
    """
    paths = [p for p in left.numbers if p in right.numbers and not p.endswith(".length")]
    sides = [np.stack([c.numbers[p] for p in paths], axis=1) if paths else np.zeros((0, 0))
             for c in (left, right)]  # fmt: skip
    if not ENTRIES[0] <= len(paths) <= ENTRIES[1] or any(np.isnan(x).any() for x in sides):
        return
    chosen = [x[half] for x, half in zip(sides, choosers, strict=True)]
    weights = separating_direction(chosen[0], chosen[1])
    scale = np.std(np.concatenate(chosen), axis=0)
    weights = np.where(
        np.abs(weights) * scale < NEGLIGIBLE * np.max(np.abs(weights) * scale), 0, weights
    )
    used = np.flatnonzero(weights)
    if len(used) < ENTRIES[0]:
        return  # one entry: the plain events have it
    weights = _short(weights / np.max(np.abs(weights)))
    sums = [x @ weights for x in sides]
    words, source = _written(weights, [paths[i] for i in used], used)
    cuts = np.quantile(np.concatenate([s[h] for s, h in zip(sums, choosers, strict=True)]), LEVELS)
    for cut in np.unique([float(f"{c:.4g}") for c in cuts]):
        for sign, on in ((">", [s > cut for s in sums]), ("<=", [s <= cut for s in sums])):
            event = Event(
                f"{words} {'≤' if sign == '<=' else sign} {cut:g}", f"{source} {sign} {cut!r}"
            )
            yield Candidate(event, tuple(paths[i] for i in used), (on[0], on[1]), "interval", 0.8)


def _short(weights: Floats) -> Floats:
    return np.array([float(f"{w:.2g}") for w in weights])


def _written(weights: Floats, paths: list[str], used: Cells) -> tuple[str, str]:
    names = [named(path) for path in paths]
    words = " + ".join(f"{weights[i]:g}·({name[0]})" for i, name in zip(used, names, strict=True))
    source = " + ".join(f"{weights[i]!r} * {name[1]}" for i, name in zip(used, names, strict=True))
    return words, source
