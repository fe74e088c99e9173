"""Simple sets of outputs, in words and as Python predicates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpaudit.evidence import Event
from dpaudit.outputs import Columns
from dpaudit.statistical.lattice import grid_codes, grid_exponents
from dpaudit.statistical.rows import label_is, numbers, row_hashes

Mask = NDArray[np.bool_]
What = Literal["exception", "structure", "atom", "interval", "lattice"]
QUANTILES = 24
MAX_PATHS = 64
MAX_BINADES = 48  # the most frequent pairs of binade and grid, of a column


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """An event with the rows that lie in it."""

    event: Event
    paths: tuple[str, ...]
    on: tuple[Mask, Mask]  # rows of (left, right) inside the event
    what: What
    # Standard errors by which it must beat others; below 0 where it says more than they do.
    handicap: float = 0.0


def candidates(left: Columns, right: Columns) -> Iterator[Candidate]:
    """Yield events on one column of two samples, and whole outcomes."""
    sides = (left, right)
    everything = np.ones(left.size, bool), np.ones(right.size, bool)
    yield Candidate(Event("any output", "True"), (), everything, "interval")
    for path in islice(dict.fromkeys([*left.labels, *right.labels]), MAX_PATHS):
        words = dict.fromkeys(
            word for side in sides if path in side.labels for word in side.labels[path][1]
        )
        for word in islice(words, MAX_PATHS):
            on = label_is(left, path, word), label_is(right, path, word)
            kind = _label_kind(path, word)
            handicap = {"exception": -1.0, "structure": -0.5}.get(kind, 0.0)
            yield Candidate(label_event(path, word), (path,), on, kind, handicap)
    for path in islice(dict.fromkeys([*left.numbers, *right.numbers]), MAX_PATHS):
        if path.endswith((".length", ".shape")):
            sizes = np.unique(np.concatenate([numbers(left, path), numbers(right, path)]))
            for size in sizes[~np.isnan(sizes)][:QUANTILES]:
                on = numbers(left, path) == size, numbers(right, path) == size
                event = number_event(path, float(size))
                yield Candidate(event, (path,), on, "structure", -0.5)
    for path in islice(dict.fromkeys([*left.numbers, *right.numbers]), MAX_PATHS):
        if path.endswith((".length", ".shape")):
            continue
        yield from _number_candidates(path, numbers(left, path), numbers(right, path))
    yield from _outcome_candidates(left, right)


def _number_candidates(
    path: str, left: NDArray[np.float64], right: NDArray[np.float64]
) -> Iterator[Candidate]:
    pooled = np.concatenate([left[~np.isnan(left)], right[~np.isnan(right)]])
    if not len(pooled):
        return
    values, counts = np.unique(pooled, return_counts=True)
    name, place = named(path)
    if len(values) <= QUANTILES:
        cuts = (values[1:] + values[:-1]) / 2
    else:
        cuts = np.unique(np.quantile(pooled, np.linspace(0.005, 0.995, QUANTILES)))

    def interval(
        words: str, source: str, on: tuple[Mask, Mask], handicap: float = 0.0
    ) -> Candidate:
        return Candidate(Event(words, source), (path,), on, "interval", handicap)

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
            yield Candidate(
                Event(f"{name} = {number:g}", f"{place} == {number!r}"),
                (path,),
                (left == value, right == value),
                "atom",
                -0.1,
            )


def lattice_candidates(left: Columns, right: Columns) -> Iterator[Candidate]:
    """Yield "is no multiple of 2^e", a matter of a float's low-order bits, and "is −0.0"."""
    for path in islice(dict.fromkeys([*left.numbers, *right.numbers]), MAX_PATHS):
        name, place = named(path)
        sides = numbers(left, path), numbers(right, path)
        signed = [(side == 0) & np.signbit(side) for side in sides]
        if signed[0].any() or signed[1].any():
            yield Candidate(
                Event(f"{name} is -0.0", f"{place} == 0 and math.copysign(1, {place}) < 0"),
                (path,),
                (signed[0], signed[1]),
                "lattice",
                0.5,
            )
        finest = [grid_exponents(side) for side in sides]
        pooled = np.concatenate(finest)
        for exponent in np.unique(pooled[~np.isnan(pooled)])[1:]:
            power = int(exponent)
            yield Candidate(
                Event(
                    f"{name} is no multiple of 2^{power}",
                    f"not math.ldexp({place}, {-power}).is_integer()",
                ),
                (path,),
                (finest[0] < exponent, finest[1] < exponent),
                "lattice",
                0.5,
            )
        yield from _in_binades(path, sides)


def _in_binades(path: str, sides: tuple[NDArray[np.float64], ...]) -> Iterator[Candidate]:
    """Yield "is an odd multiple of 2^e in a binade", the most frequent ones first."""
    name, place = named(path)
    codes = [grid_codes(side) for side in sides]
    pooled = np.concatenate(codes)
    known, first, counts = np.unique(pooled, return_index=True, return_counts=True)
    values = np.concatenate(sides)[first]
    for at in np.argsort(-counts, kind="stable")[:MAX_BINADES]:
        if np.isnan(known[at]):
            continue
        power, binade = int(grid_exponents(values[at : at + 1])[0]), int(np.frexp(values[at])[1])
        sign, below = ("-", "< 0") if values[at] < 0 else ("", "> 0")
        yield Candidate(
            Event(
                f"{name} is an odd multiple of 2^{power}, between {sign}2^{binade - 1} and "
                f"{sign}2^{binade}",
                f"{place} {below} and math.frexp({place})[1] == {binade} "
                f"and math.ldexp({place}, {-power}) % 2 == 1",
            ),
            (path,),
            (codes[0] == known[at], codes[1] == known[at]),
            "lattice",
            0.6,
        )


def _rounded(cut: float, values: NDArray[np.float64]) -> float:
    """Return a short number on the same side of every value."""
    for digits in range(1, 12):
        short = float(f"{cut:.{digits}g}")
        if np.searchsorted(values, short) == np.searchsorted(values, cut):
            return short
    return cut


def _outcome_candidates(left: Columns, right: Columns) -> Iterator[Candidate]:
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
        yield Candidate(
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
    name, place = named(path)
    return Event(f"{name} = {value:g}", f"{place} == {value!r}")


def _label_kind(path: str, word: str) -> What:
    if path.endswith(":message") or word.startswith("raises "):
        return "exception"
    value = path.endswith(":type") and word in ("None", "nan", "inf", "-inf", "float")
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
        name, place = named(base)
        if word.startswith("raises "):
            kind = word.removeprefix("raises ")
            return Event(f"{name} is a raised {kind}", f"type({place}).__name__ == {kind!r}")
        if word in ("None", "nan", "inf", "-inf"):
            return Event(f"{name} is {word}", _KINDS[word].format(place))
        kind = word.partition("(")[0]
        source = _KINDS.get(word, "type({0}).__name__ == " + repr(kind)).format(place)
        return Event(f"{name} is of type {word}", source)
    if colon and what == "message":
        name, place = named(base)
        return Event(f"{name} says {word!r}", f"str({place}) == {word!r}")
    if path.endswith(".keys"):
        name, place = named(path.removesuffix(".keys"))
        source = f"hasattr({place}, 'keys') and ', '.join(map(repr, {place}.keys())) == {word!r}"
        return Event(f"keys of {name} are {word}" if word else f"{name} has no keys", source)
    for end, reader in ((".length", "len({0})"), (".shape", "np.shape({0})")):
        if path.endswith(end):
            name, place = named(path.removesuffix(end))
            return Event(
                f"{end[1:]} of {name} is {word}", f"str({reader.format(place)}) == {word!r}"
            )
    name, place = named(path)
    return Event(f"{name} = {word}", f"str({place}) == {word!r}")


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


_SIZES = {".length": "len({0})"}


def named(path: str) -> tuple[str, str]:
    """Return a column's name in words, and the Python expression that reads it."""
    place = "output" + path
    for end, reader in _SIZES.items():
        if path.endswith(end):
            name, inner_place = named(path.removesuffix(end))
            return f"{end[1:]} of {name}", reader.format(inner_place)
    inner = path.removeprefix("[").removesuffix("]")
    if inner.isdigit() and int(inner) < len(_ORDINALS):
        return f"{_ORDINALS[int(inner)]} entry", place
    return place, place
