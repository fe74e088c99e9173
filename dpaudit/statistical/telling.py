"""The event to show to people: the simplest set of outputs that the claim cannot explain.

Evidence comes from the bets; this event is an illustration of it. It is chosen on one half of
the kept outputs and counted on the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpaudit.evidence import Counts, Event
from dpaudit.outputs import Columns
from dpaudit.statistical.book import Stakes
from dpaudit.statistical.rows import label_is, numbers, row_hashes

Mask = NDArray[np.bool_]
What = Literal["exception", "structure", "atom", "interval"]
QUANTILES = 24
MAX_PATHS = 64


@dataclass(frozen=True, slots=True)
class Told:
    """A telling event.

    Attributes
    ----------
    event : Event
    mirrored : bool
        True where it is too likely under the right dataset.
    counts : Counts
        Sightings in the half that did not choose it, the likelier dataset first.
    paths : tuple of str
        The columns that it reads.
    what : {"exception", "structure", "atom", "interval"}
        What kind of set it is.
    """

    event: Event
    mirrored: bool
    counts: Counts
    paths: tuple[str, ...]
    what: What


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    event: Event
    paths: tuple[str, ...]
    on: tuple[Mask, Mask]  # rows of (left, right) inside the event
    what: What
    handicap: float = 0.0  # standard errors by which it must beat a plainer event


def telling_event(left: Columns, right: Columns, stakes: Stakes) -> Told:
    """Return the event whose frequencies overshoot the claim most, in standard errors.

    Parameters
    ----------
    left, right : Columns
        Kept outputs of both datasets.
    stakes : Stakes
        Of the claim.
    """
    chooser = [np.arange(c.size) % 2 == 0 for c in (left, right)]
    best: list[tuple[float, bool, _Candidate]] = []
    for candidate in _candidates(left, right):
        best += _graded(candidate, chooser, stakes)
        best = sorted(best, key=lambda entry: -entry[0])[:4]
    for (_, one_way, one), (_, other_way, two) in list(pairwise(best)):
        if one_way == other_way and one.paths != two.paths:
            best += _graded(_both(one, two), chooser, stakes)
    _, mirrored, chosen = max(best, key=lambda entry: entry[0])
    seen = [int(on[~half].sum()) for on, half in zip(chosen.on, chooser, strict=True)]
    calls = [int((~half).sum()) for half in chooser]
    first, second = (1, 0) if mirrored else (0, 1)
    counts = Counts(seen[first], calls[first], seen[second], calls[second])
    return Told(chosen.event, mirrored, counts, chosen.paths, chosen.what)


def _graded(
    candidate: _Candidate, chooser: list[Mask], stakes: Stakes
) -> list[tuple[float, bool, _Candidate]]:
    """Return the overshoot in standard errors, in both directions."""
    rates, sizes = [], []
    for on, half in zip(candidate.on, chooser, strict=True):
        sizes.append(max(1, int(half.sum())))
        rates.append((on[half].sum() + 0.25) / (sizes[-1] + 0.5))
    graded = []
    for mirrored in (False, True):
        p, q = (rates[1], rates[0]) if mirrored else (rates[0], rates[1])
        n, m = (sizes[1], sizes[0]) if mirrored else (sizes[0], sizes[1])
        scale = np.exp(np.minimum(stakes.slopes, 300.0))
        error = np.sqrt(p * (1 - p) / n + scale**2 * q * (1 - q) / m)
        excess = float(np.max((p - scale * q - stakes.deltas) / error))
        graded.append((excess - candidate.handicap, mirrored, candidate))
    return graded


def _both(one: _Candidate, two: _Candidate) -> _Candidate:
    event = Event(
        f"{one.event.words} and {two.event.words}", f"({one.event.source}) and ({two.event.source})"
    )
    on = (one.on[0] & two.on[0], one.on[1] & two.on[1])
    return _Candidate(event, tuple(dict.fromkeys(one.paths + two.paths)), on, one.what, 1.0)


def _candidates(left: Columns, right: Columns) -> Iterator[_Candidate]:
    sides = (left, right)
    everything = np.ones(left.size, bool), np.ones(right.size, bool)
    yield _Candidate(Event("any output", "True"), (), everything, "interval")
    for path in islice(dict.fromkeys([*left.labels, *right.labels]), MAX_PATHS):
        words = dict.fromkeys(
            word for side in sides if path in side.labels for word in side.labels[path][1]
        )
        for word in islice(words, MAX_PATHS):
            on = label_is(left, path, word), label_is(right, path, word)
            kind = _label_kind(path, word)
            # An exception and "no exception" are told apart by the first of them.
            handicap = 0.5 if kind == "structure" else 0.0
            yield _Candidate(label_event(path, word), (path,), on, kind, handicap)
    for path in islice(dict.fromkeys([*left.numbers, *right.numbers]), MAX_PATHS):
        if path.endswith((".length", ".shape")):
            sizes = np.unique(np.concatenate([numbers(left, path), numbers(right, path)]))
            for size in sizes[~np.isnan(sizes)][:QUANTILES]:
                on = numbers(left, path) == size, numbers(right, path) == size
                yield _Candidate(number_event(path, float(size)), (path,), on, "structure")
    for path in islice(dict.fromkeys([*left.numbers, *right.numbers]), MAX_PATHS):
        if path.endswith((".length", ".shape")):
            continue
        yield from _number_candidates(path, numbers(left, path), numbers(right, path))
    yield from _outcome_candidates(left, right)


def _number_candidates(
    path: str, left: NDArray[np.float64], right: NDArray[np.float64]
) -> Iterator[_Candidate]:
    pooled = np.concatenate([left[~np.isnan(left)], right[~np.isnan(right)]])
    if not len(pooled):
        return
    values, counts = np.unique(pooled, return_counts=True)
    name, place = _named(path)
    if len(values) <= QUANTILES:
        cuts = (values[1:] + values[:-1]) / 2
    else:
        cuts = np.unique(np.quantile(pooled, np.linspace(0.005, 0.995, QUANTILES)))

    def interval(
        words: str, source: str, on: tuple[Mask, Mask], handicap: float = 0.0
    ) -> _Candidate:
        return _Candidate(Event(words, source), (path,), on, "interval", handicap)

    for cut in cuts:
        low = _rounded(float(cut), values)
        yield interval(f"{name} ≤ {low:g}", f"{place} <= {low!r}", (left <= low, right <= low))
        yield interval(f"{name} > {low:g}", f"{place} > {low!r}", (left > low, right > low))
    for i, low in enumerate(cuts):
        for high in cuts[i + 1 :: 2]:
            words = f"{low:.6g} < {name} ≤ {high:.6g}"
            source = f"{float(low)!r} < {place} <= {float(high)!r}"
            inside = (left > low) & (left <= high), (right > low) & (right <= high)
            yield interval(words, source, inside, 0.7)
            outside = (left <= low) | (left > high), (right <= low) | (right > high)
            # A NaN equals nothing: it lies neither inside nor outside.
            yield interval(f"not {words}", f"{place} == {place} and not {source}", outside, 1.0)
    for value in values[np.argsort(-counts, kind="stable")[:QUANTILES]]:
        if (pooled == value).sum() >= 2:
            number = float(value)
            yield _Candidate(
                Event(f"{name} = {number:g}", f"{place} == {number!r}"),
                (path,),
                (left == value, right == value),
                "atom",
            )


def _rounded(cut: float, values: NDArray[np.float64]) -> float:
    """Return a short number on the same side of every value."""
    for digits in range(1, 12):
        short = float(f"{cut:.{digits}g}")
        if np.searchsorted(values, short) == np.searchsorted(values, cut):
            return short
    return cut


def _outcome_candidates(left: Columns, right: Columns) -> Iterator[_Candidate]:
    """Yield whole outputs, where few columns make them up."""
    paths = dict.fromkeys([*left.numbers, *right.numbers])
    if not 1 < len(paths) <= 16:
        return
    sides = left, right
    hashes = row_hashes(left), row_hashes(right)
    known, counts = np.unique(np.concatenate(hashes), return_counts=True)
    for at in np.argsort(-counts, kind="stable")[:QUANTILES]:
        if counts[at] < 4:
            return
        on = hashes[0] == known[at], hashes[1] == known[at]
        side, row = (left, on[0]) if on[0].any() else (right, on[1])
        first = side.take(np.flatnonzero(row)[:1])
        first = Columns(
            1, {p: v for p, v in first.numbers.items() if _varies(p, *sides)}, first.labels
        )
        parts = [number_event(p, float(v[0])) for p, v in first.numbers.items() if v[0] == v[0]]
        parts += [
            label_event(p, w[c[0]])
            for p, (c, w) in first.labels.items()
            if c[0] >= 0 and not _constant_label(p, left, right)
        ]
        yield _Candidate(
            Event(_outcome_words(first, parts), " and ".join(f"({e.source})" for e in parts)),
            (*paths, ":outcome"),
            on,
            "atom",
        )


def _varies(path: str, *sides: Columns) -> bool:
    """Return whether a number is not the same in every output."""
    values = np.concatenate([numbers(side, path) for side in sides])
    return not bool(np.all(values == values[0]))


def _outcome_words(first: Columns, parts: list[Event]) -> str:
    """Return a flat sequence as a whole, anything else place by place."""
    entries = [first.numbers.get(f"[{i}]") for i in range(len(first.numbers))]
    if any(entry is None or entry[0] != entry[0] for entry in entries):
        return " and ".join(event.words for event in parts)
    return f"output = ({', '.join(f'{entry[0]:g}' for entry in entries if entry is not None)})"


def _constant_label(path: str, *sides: Columns) -> bool:
    """Return whether a label never varies: it tells nothing, and need not be said."""
    if any(path not in side.labels for side in sides):
        return False
    words = {side.labels[path][1][c] for side in sides for c in np.unique(side.labels[path][0])}
    return len(words) == 1 and all((side.labels[path][0] >= 0).all() for side in sides)


def number_event(path: str, value: float) -> Event:
    """Return the event that a number column has this value."""
    name, place = _named(path)
    return Event(f"{name} = {value:g}", f"{place} == {value!r}")


def _label_kind(path: str, word: str) -> What:
    if path.endswith(":message") or word.startswith("raises "):
        return "exception"
    value = path.endswith(":type") and word in ("None", "nan", "inf", "-inf")
    structural = (":type", ".length", ".shape", ".keys", ".index", ".truncated")
    return "structure" if path.endswith(structural) and not value else "atom"


_KINDS = {
    "float": "isinstance({0}, (float, np.floating)) and np.isfinite({0})",
    "int": "isinstance({0}, (int, np.integer)) and not isinstance({0}, bool)",
    "bool": "isinstance({0}, (bool, np.bool_))",
    "str": "isinstance({0}, str)",
    "None": "{0} is None",
    "nan": "{0} != {0}",
    "inf": "{0} == math.inf",
    "-inf": "{0} == -math.inf",
}


def label_event(path: str, word: str) -> Event:
    """Return the event that a label column has this word, in words and as a predicate."""
    base, colon, what = path.rpartition(":")
    if colon and what == "type":
        name, place = _named(base)
        if word.startswith("raises "):
            kind = word.removeprefix("raises ")
            return Event(f"{name} is a raised {kind}", f"type({place}).__name__ == {kind!r}")
        if word in ("None", "nan", "inf", "-inf"):
            return Event(f"{name} is {word}", _KINDS[word].format(place))
        kind = word.partition("(")[0]
        source = _KINDS.get(word, "type({0}).__name__ == " + repr(kind)).format(place)
        return Event(f"{name} is of type {word}", source)
    if colon and what == "message":
        name, place = _named(base)
        return Event(f"{name} says {word!r}", f"str({place}) == {word!r}")
    for end, reader in ((".length", "len({0})"), (".shape", "np.shape({0})"), (".keys", "{0}")):
        if path.endswith(end):
            name, place = _named(path.removesuffix(end))
            return Event(
                f"{end[1:]} of {name} is {word}", f"str({reader.format(place)}) == {word!r}"
            )
    name, place = _named(path)
    return Event(f"{name} = {word}", f"str({place}) == {word!r}")


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


_SIZES = {".length": "len({0})"}


def _named(path: str) -> tuple[str, str]:
    """Return a column's name in words, and the Python expression that reads it."""
    place = "output" + path
    for end, reader in _SIZES.items():
        if path.endswith(end):
            name, inner_place = _named(path.removesuffix(end))
            return f"{end[1:]} of {name}", reader.format(inner_place)
    inner = path.removeprefix("[").removesuffix("]")
    if inner.isdigit() and int(inner) < len(_ORDINALS):
        return f"{_ORDINALS[int(inner)]} entry", place
    return place, place
