"""Puts outputs of any type into a few bins that people can look at."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dpaudit.outputs import Columns
from dpaudit.sightings import Bins
from dpaudit.statistical.events import Mask, named
from dpaudit.statistical.numerics import Floats
from dpaudit.statistical.partition import Cells
from dpaudit.statistical.rows import numbers, row_hashes, scalar_path
from dpaudit.statistical.score import learned_scores

BINS = 40  # wanted
SHOWN = (0.003, 0.997)  # quantiles of the outputs, between which bins lie
MOST_VALUES = 24  # distinct numbers that are outcomes rather than measurements
MOST_NAMES = 12  # outcomes with a bar of their own
MOST_OTHERS = 0.2  # of the outputs may be none of these; else a score is shown
TRAINED = 2_500  # rows a side that a score is learned from
FEW = 3  # entries; more digits than these are written without commas
OTHER = "others"
LARGEST = 1e300  # beyond it, differences and sums of numbers might overflow
DESCRIBING = (":type", ".length", ".shape", ".keys", ".index")  # ends of paths

Sides = tuple[Columns, Columns]
Masks = tuple[Mask, Mask]
Names = NDArray[np.object_]


def binned(sides: Sides, on: Masks, paths: Sequence[str], taught: Sides) -> Bins:
    """Return the outputs in bins of the column that an event reads, or of what tells most.

    Parameters
    ----------
    sides : tuple of Columns
        Outputs on both datasets.
    on : tuple of ndarray of bool
        Those in the event.
    paths : sequence of str
        Columns that the event reads; empty where there is no event.
    taught : tuple of Columns
        Other outputs, from which a score may be learned.
    """
    both = Columns.concat(list(sides))
    path = paths[0] if len(paths) == 1 else scalar_path(both)
    if path is not None and path in both.numbers:
        values = numbers(sides[0], path), numbers(sides[1], path)
        return _of_numbers(_title(path), values, on)
    if path is not None and path in both.labels:
        codes, words = both.labels[path]
        return _of_names(_title(path), np.array([*words, OTHER], dtype=object)[codes], sides, on)
    known, counts = np.unique(row_hashes(both), return_counts=True)
    often = known[np.argsort(-counts, kind="stable")[:MOST_NAMES]]
    if np.sort(counts)[::-1][:MOST_NAMES].sum() >= (1 - MOST_OTHERS) * both.size:
        return _of_names("output", _outcomes(both, often), sides, on)
    trained = taught[0].take(slice(TRAINED)), taught[1].take(slice(TRAINED))
    scores = learned_scores(*trained, 0)
    if not scores:
        return _of_names("output", _outcomes(both, often), sides, on)
    learned = -scores[0](sides[0]), -scores[0](sides[1])
    return _of_numbers("learned log-odds of the left dataset (nats)", learned, on)


def _title(path: str) -> str:
    for mark in (":type", ":message", ".keys", ".shape", ".index"):
        if path.endswith(mark):
            return f"{mark[1:]} of {named(path.removesuffix(mark))[0]}"
    return named(path)[0]


def _of_numbers(what: str, values: tuple[Floats, Floats], on: Masks) -> Bins:
    values = _of_moderate_size(values[0]), _of_moderate_size(values[1])
    pooled = np.concatenate(values)
    present = ~np.isnan(pooled)
    pooled, inside = pooled[present], np.concatenate(on)[present]
    distinct = np.unique(pooled)
    if len(distinct) <= MOST_VALUES:
        inner, edges = (distinct[1:] + distinct[:-1]) / 2, ()
        names = tuple(f"{value:.6g}" for value in distinct)
    else:
        even = _edges(pooled, inside)
        inner, edges, names = even[1:-1], tuple(even.tolist()), ()
    places = [np.where(np.isnan(v), -1, np.searchsorted(inner, v)) for v in values]
    return _counted(what, edges, names, (places[0], places[1]), on)


def _of_moderate_size(values: Floats) -> Floats:
    """Return numbers whose differences and sums are floats; infinite ones go to the ends."""
    return np.clip(values, -LARGEST, LARGEST)


def _edges(values: Floats, inside: Mask) -> Floats:
    """Return even edges; where the event is an interval, its ends are among them."""
    low, high = np.quantile(values, SHOWN)
    if inside.any():  # a rare event is shown too
        first, last = np.quantile(values[inside], [0.05, 0.95])
        low, high = min(low, first), max(high, last)
    width = max((high - low) / BINS, 8 * np.spacing(max(abs(low), abs(high))))
    order = np.argsort(values, kind="stable")
    change = np.flatnonzero(np.diff(inside[order].astype(np.int8)))
    cuts = (values[order][change] + values[order][change + 1]) / 2
    anchor = low
    if len(cuts) in (1, 2):
        anchor = float(cuts[0])
        if len(cuts) == 2 and (apart := float(cuts[1]) - anchor) > width / 2:
            width = apart / round(apart / width + 0.25)
    below, above = np.floor((low - anchor) / width), np.ceil((high - anchor) / width)
    edges: Floats = anchor + width * np.arange(below, above + 1)
    return edges


def _of_names(what: str, words: Names, sides: Sides, on: Masks) -> Bins:
    """Return a bin for each of the frequent names; `words` has those of both sides."""
    names, place = np.unique(words.astype(str), return_inverse=True)
    counts = np.bincount(place)
    often = [str(names[i]) for i in np.argsort(-counts, kind="stable")[:MOST_NAMES]]
    kept = sorted((name for name in often if name != OTHER), key=_by_numbers)
    if len(names) > len(kept):
        kept.append(OTHER)
    index = {name: i for i, name in enumerate(kept)}
    bins = np.array([index.get(str(name), len(kept) - 1) for name in names])[place]
    return _counted(what, (), tuple(kept), (bins[: sides[0].size], bins[sides[0].size :]), on)


def _by_numbers(name: str) -> list[tuple[int, str]]:
    """Return the key that puts tuple(2) before tuple(10)."""
    return [(int(part) if part.isdecimal() else -1, part) for part in re.split(r"(\d+)", name)]


def _counted(
    what: str,
    edges: tuple[float, ...],
    names: tuple[str, ...],
    places: tuple[Cells, Cells],
    on: Masks,
) -> Bins:
    """Return the counts of outputs whose bins are known; -1 is none."""
    size = len(names) or len(edges) - 1

    def counts(place: Cells) -> tuple[int, ...]:
        return tuple(np.bincount(place[place >= 0], minlength=size).tolist())

    left, right = places
    return Bins(
        what,
        edges,
        names,
        left=counts(left),
        right=counts(right),
        left_in_event=counts(left[on[0]]),
        right_in_event=counts(right[on[1]]),
        left_draws=len(left),
        right_draws=len(right),
    )


def _outcomes(both: Columns, often: NDArray[np.uint64]) -> Names:
    """Return each output in words where it is a frequent one, else `OTHER`."""
    hashes = row_hashes(both)
    words: Names = np.full(both.size, OTHER, dtype=object)
    for known in often:
        rows = np.flatnonzero(hashes == known)
        words[rows] = _in_words(both.take(rows[:1]))
    return words


def _in_words(one: Columns) -> str:
    """Return one output as text: a flat sequence by its entries, else place by place."""
    parts = {path: f"{float(v[0]):.6g}" for path, v in one.numbers.items() if v[0] == v[0]}
    labels: dict[str, str] = {
        path: words[codes[0]] for path, (codes, words) in one.labels.items() if codes[0] >= 0
    }
    parts = {p: w for p, w in (parts | labels).items() if not p.endswith(DESCRIBING)}
    entries = [f"[{i}]" for i in range(len(parts))]
    if parts and all(entry in parts for entry in entries):
        written = [parts[entry] for entry in entries]
        flags = len(written) > FEW and all(len(word) == 1 for word in written)
        return "".join(written) if flags else f"({', '.join(written)})"
    if not parts:
        return labels.get(":type", OTHER)
    if set(parts) == {""}:
        return parts[""]
    return ", ".join(f"{path or 'output'} = {word}" for path, word in parts.items())
