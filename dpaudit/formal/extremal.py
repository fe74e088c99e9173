"""Neighboring datasets that a query tells apart most: the extreme points of the domain, run."""

from __future__ import annotations

import itertools
import math
import numbers
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.formal.clock import charge, now
from dpaudit.neighbors import AddRemove, Pair, ReplaceOne
from dpaudit.neighbors.units import Single

MOST_RUNS = 4_000
TOLERANCE = Fraction(1, 10**9)


@dataclass(frozen=True, slots=True)
class Found:
    """A pair on which the query was run.

    Attributes
    ----------
    pair : Pair
    left, right : Any
        What the query returned; an exception where it raised.
    distance : Fraction or float
    size : int
        Number of records of the larger dataset.
    """

    pair: Pair
    left: Any
    right: Any
    distance: Fraction | float
    size: int


@dataclass(slots=True)
class Search:
    """Runs a query on pairs of neighboring datasets."""

    query: Callable[..., Any]
    neighbors: Any
    norm: str
    parameters: Mapping[str, Any]
    deadline: float
    runs: int = 0

    def found(self) -> Iterator[Found]:
        """Yield pairs with the distance that the query puts between them, simplest first."""
        for pair in itertools.chain(extreme_pairs(self.neighbors), self._proposed()):
            if self.runs > MOST_RUNS or now() > self.deadline:
                return
            result = self.measured(pair)
            if result is not None:
                yield result

    def _proposed(self) -> Iterator[Pair]:
        return itertools.islice(self.neighbors.pairs(np.random.default_rng(0)), 300)

    def measured(self, pair: Pair) -> Found | None:
        """Return the distance of a pair, None where the query raises on both sides."""
        left, right = self._run(pair.left), self._run(pair.right)
        broken = [isinstance(side, Exception) for side in (left, right)]
        if all(broken):
            return None
        far = math.inf if any(broken) else distance(left, right, self.norm)
        return Found(pair, left, right, far, max(_size(pair.left), _size(pair.right)))

    def _run(self, data: Any) -> Any:
        charge(1000)
        self.runs += 1
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return self.query(_copied(data), **self.parameters)
        except Exception as error:
            return error

    def shrunk(self, found: Found, breaks: Callable[[Found], bool]) -> Found:
        """Return the simplest pair that still breaks, from one that does."""
        going = True
        while going and now() < self.deadline:
            going = False
            for pair in itertools.islice(self.neighbors.shrink(found.pair), 400):
                simpler = self.measured(pair)
                if simpler is not None and breaks(simpler):
                    found, going = simpler, True
                    break
        return found


def _copied(data: Any) -> Any:
    return data.copy() if hasattr(data, "copy") else data


def _size(data: Any) -> int:
    try:
        return len(data)
    except TypeError:
        return 1


def extreme_pairs(neighbors: Any) -> Iterator[Pair]:
    """Yield pairs of small datasets whose records are at the ends of the domain."""
    single = isinstance(getattr(neighbors, "_grain", None), Single)
    if not isinstance(neighbors, AddRemove | ReplaceOne) or not single:
        return
    values = _landmarks(neighbors.records)
    encode = neighbors._codec.encode
    seen = 0
    for rows, other in _changes(neighbors, values):
        pair = Pair(encode(rows), encode(other), "extreme points of the domain")
        if neighbors.contains(pair):
            seen += 1
            yield pair
        if seen > 1_500:
            return


def _landmarks(records: Any) -> list[Any]:
    marks = records.landmarks()
    listed = [marks.low, marks.high, *(v for v, _ in marks.risky[:4])]
    listed += [v for v, _ in marks.others[:6]]
    return listed


def _changes(neighbors: Any, values: list[Any]) -> Iterator[tuple[list[Any], list[Any]]]:
    group = neighbors.group
    if isinstance(neighbors, AddRemove):
        for size in range(min(4, neighbors.max_size)):
            few = values if size < 2 else values[:4] if size < 3 else values[:2]
            for base in itertools.product(few, repeat=size):
                for new in values:
                    added = [new] * min(group, max(1, neighbors.max_size - size))
                    for at in dict.fromkeys((0, size)):
                        rows = [*base[:at], *added, *base[at:]]
                        yield rows, list(base)
        for size in range(4, neighbors.max_size):
            for old, new in itertools.product(values[:3], repeat=2):
                yield [new, *[old] * size], [old] * size
            half = [values[0]] * (size // 2) + [values[1]] * (size - size // 2)
            for new in values[:2]:
                yield [new, *half], half
        return
    size = neighbors.size
    for low in range(size + 1 - min(group, size)):
        for a, b in itertools.permutations(values[:3], 2):
            rest = [a] * low + [b] * (size - low - min(group, size))
            for old, new in itertools.permutations(values, 2):
                many = min(group, size)
                yield [old] * many + rest, [new] * many + rest


def flattened(output: Any) -> Iterator[Any]:
    """Yield the numbers of an output; what is none as it is."""
    if isinstance(output, np.ndarray):
        yield ("shape", output.shape)
        yield from output.ravel().tolist()
    elif isinstance(output, tuple | list):
        yield ("length", len(output))
        for item in output:
            yield from flattened(item)
    elif isinstance(output, dict):
        yield ("keys", tuple(output))
        for item in output.values():
            yield from flattened(item)
    elif isinstance(output, np.generic):
        yield output.item()
    elif hasattr(output, "to_numpy"):
        yield from flattened(output.to_numpy())
    else:
        yield output


def distance(left: Any, right: Any, norm: str) -> Fraction | float:
    """Return how far apart two outputs are, exactly but for roots; infinite where not comparable.

    Two outputs of different shapes, or of which one is NaN or infinite and the other is not, are
    infinitely far apart.
    """
    one, other = list(flattened(left)), list(flattened(right))
    if len(one) != len(other):
        return math.inf
    changes: list[Fraction] = []
    for a, b in zip(one, other, strict=True):
        if isinstance(a, numbers.Real) and isinstance(b, numbers.Real):
            if a == b or (a != a and b != b):
                continue
            if not (math.isfinite(a) and math.isfinite(b)):
                if norm != "l0":
                    return math.inf
                a, b = 0, 1  # one entry, whatever it changes to
            changes.append(abs(Fraction(a) - Fraction(b)))
        elif a != b:
            return math.inf
    if norm == "l0":
        return Fraction(len(changes))
    if norm == "linf":
        return max(changes, default=Fraction(0))
    if norm == "l1":
        return sum(changes, Fraction(0))
    try:
        return math.sqrt(sum(c * c for c in changes))
    except OverflowError:  # the sum of squares is no float: its root, rounded up, may be one
        return Fraction(math.isqrt(math.ceil(sum(c * c for c in changes))) + 1)
