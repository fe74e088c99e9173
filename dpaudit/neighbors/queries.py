"""Neighboring vectors of query answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np

from dpaudit.neighbors.containers import Codec, NotADatasetError, codec_for
from dpaudit.neighbors.numbers import Real
from dpaudit.neighbors.pair import Pair
from dpaudit.neighbors.units import validated_count
from dpaudit.neighbors.writing import call_dict, call_text, number_text

Norm = Literal["linf", "l1", "l2", "l0"]
Vector = tuple[float, ...]

# Answers and their change in units of the distance, for n answers of which h are the first half.
# The first eight are the inputs of DP-Sniper's benchmark.
PATTERNS: dict[str, Callable[[int, int], tuple[list[int], list[int]]]] = {
    "the first answer rises": lambda n, h: ([1] * n, [1] + [0] * (n - 1)),
    "the first answer falls": lambda n, h: ([1] * n, [-1] + [0] * (n - 1)),
    "the first answer rises, the rest fall": lambda n, h: ([1] * n, [1] + [-1] * (n - 1)),
    "the first answer falls, the rest rise": lambda n, h: ([1] * n, [-1] + [1] * (n - 1)),
    "the first half rises, the rest fall": lambda n, h: ([1] * n, [1] * h + [-1] * (n - h)),
    "all answers rise": lambda n, h: ([1] * n, [1] * n),
    "all answers fall": lambda n, h: ([1] * n, [-1] * n),
    "the halves swap": lambda n, h: ([1] * h + [0] * (n - h), [-1] * h + [1] * (n - h)),
    "the first half rises": lambda n, h: ([1] * n, [1] * h + [0] * (n - h)),
    "all answers but the last fall, the last rises": lambda n, h: (
        [1] * (n - 1) + [0],
        [-1] * (n - 1) + [1],
    ),
    "the last answer rises": lambda n, h: ([1] * n, [0] * (n - 1) + [1]),
    "the last answer falls": lambda n, h: ([1] * n, [0] * (n - 1) + [-1]),
    "the first half falls": lambda n, h: ([1] * n, [-1] * h + [0] * (n - h)),
    "one answer rises from zero": lambda n, h: ([0] * n, [1] + [0] * (n - 1)),
    "one answer falls from zero": lambda n, h: ([0] * n, [-1] + [0] * (n - 1)),
    "answers far apart, the last alone falls": lambda n, h: (
        [30] * (n - 1) + [-10],
        [1] * (n - 1) + [-1],
    ),
    "every second answer rises, the rest fall": lambda n, h: (
        [1] * n,
        [-1 if i % 2 else 1 for i in range(n)],
    ),
}


@dataclass(frozen=True, slots=True, repr=False)
class QueryAnswers:
    """Vectors of query answers that differ by at most a distance in a norm.

    Parameters
    ----------
    length : int
        Number of answers.
    distance : float
        Largest change, positive.
    norm : str
        ``"linf"`` (every answer may change), ``"l1"``, ``"l2"``, or ``"l0"``: one answer changes,
        by at most `distance`.
    monotone : bool
        Whether all changes have one sign.
    container : str
        ``"array"`` (float64), ``"list"``, ``"pandas"`` or ``"polars"``.

    Raises
    ------
    TypeError, ValueError
        For options out of range.

    Notes
    -----
    Whether two vectors are neighboring is decided in exact arithmetic on their floats: 1.1 is
    farther than .1 from 1.0.

    References
    ----------
    .. [1] Bichsel, Steffen, Bogunovic, Vechev (2021). "DP-Sniper: Black-Box Discovery of
       Differential Privacy Violations using Classifiers." IEEE S&P.
    """

    length: int
    _: KW_ONLY
    distance: float = 1.0
    norm: str = "linf"
    monotone: bool = False
    container: str = "array"
    _codec: Codec = field(init=False, repr=False, compare=False)

    def __init__(
        self,
        length: int,
        distance: float = 1.0,
        norm: str = "linf",
        monotone: bool = False,
        *,
        container: str = "array",
    ) -> None:
        if norm not in get_args(Norm):
            known = ", ".join(repr(n) for n in get_args(Norm))
            raise ValueError(f"`norm` must be one of {known}, got {norm!r}")
        if not isinstance(monotone, bool | np.bool_):
            raise TypeError(f"`monotone` must be True or False, got {monotone!r}")
        for name, value in (
            ("length", validated_count("length", length)),
            ("distance", _validated_distance(distance)),
            ("norm", norm),
            ("monotone", bool(monotone)),
            ("container", container),
            ("_codec", codec_for(Real(0, 1), container)),
        ):
            object.__setattr__(self, name, value)

    def __str__(self) -> str:
        return call_text(self)

    __repr__ = __str__

    @property
    def fixed_count(self) -> int | None:
        """None: pairs are not listed."""
        return None

    def pairs(self, rng: np.random.Generator) -> Iterator[Pair]:
        """Yield the known patterns first, then random vectors without end."""
        seen: set[frozenset[Vector]] = set()
        for left, right, how in self._candidates(rng):
            key = frozenset((left, right))
            if key not in seen and self._near(left, right):
                seen.add(key)
                yield self._pair(left, right, how)

    def mutate(self, pair: Pair, rng: np.random.Generator) -> Pair:
        """Return a pair with another answer or another change."""
        left, step = self._read(pair)
        for _ in range(50):
            new, change, at = list(left), list(step), int(rng.integers(self.length))
            move = rng.random()
            if move < 0.4:
                new[at] += self.distance * float(rng.choice([-1.0, -0.5, 0.5, 1.0]))
            elif move < 0.8:
                change[at] = float(rng.choice([-1.0, 0.0, 1.0])) * self.distance
            else:
                to = int(rng.integers(self.length))
                new[at], new[to] = new[to], new[at]
                change[at], change[to] = change[to], change[at]
            right = self._moved(new, change)
            if right is not None and self._near(tuple(new), right):
                return self._pair(tuple(new), right, _how(tuple(new), right))
        return pair

    def shrink(self, pair: Pair) -> Iterator[Pair]:
        """Yield pairs with fewer changes or simpler answers, boldest first."""
        left, step = self._read(pair)
        before = self._complexity(left, step)
        seen = set()
        for new, change in self._simpler(left, step):
            right = self._moved(new, change)
            if right is None or (tuple(new), right) in seen or not self._near(tuple(new), right):
                continue
            seen.add((tuple(new), right))
            if self._complexity(new, [b - a for a, b in zip(new, right, strict=True)]) < before:
                yield self._pair(tuple(new), right, _how(tuple(new), right))

    def contains(self, pair: Pair) -> bool:
        """Whether the two vectors are neighboring, and differ."""
        try:
            left, right = self._codec.decode(pair.left), self._codec.decode(pair.right)
        except NotADatasetError:
            return False
        return self._near(left, right)

    def received(self, dataset: Any) -> Any:
        """Return a dataset as the mechanism receives it, whatever its records came in.

        Raises
        ------
        NotADatasetError
            Where it holds none.
        """
        return self._codec.received(dataset)

    def assumptions(self) -> tuple[str, ...]:
        """Sentences for the report."""
        distance = number_text(self.distance)
        change = (
            f"one of the {self.length} answers changes, by at most {distance}"
            if self.norm == "l0"
            else f"the {self.length} answers change by at most {distance} in {self.norm}"
        )
        sign = ", all in one direction" if self.monotone else ""
        return (f"{change}{sign} (guaranteed by the queries)",)

    def to_dict(self) -> dict[str, Any]:
        """Return a description that JSON can hold."""
        return call_dict(self)

    def _candidates(self, rng: np.random.Generator) -> Iterator[tuple[Vector, Vector, str]]:
        n = self.length
        for how, pattern in PATTERNS.items():
            answers, change = pattern(n, n // 2)
            left = tuple(self.distance * answer for answer in answers)
            right = self._moved(left, [float(c) for c in change], full=True)
            if right is not None:
                yield left, right, how
        while True:
            left, step = self._random(rng)
            right = self._moved(left, step, full=True)
            if right is not None:
                yield left, right, "random answers"

    def _random(self, rng: np.random.Generator) -> tuple[Vector, list[float]]:
        n, scale = self.length, float(rng.choice([1.0, 1.0, 1.0, 3.0, 10.0, 100.0]))
        grid = rng.random() < 0.5
        answers = rng.integers(0, 3, n) if grid else rng.uniform(0.0, 2.0, n)
        left = tuple(float(a) * scale * self.distance for a in answers)
        signs = [0.0, 1.0] if self.monotone else [-1.0, 0.0, 1.0, 1.0, -1.0]
        step = [float(s) for s in rng.choice(signs, n)]
        if self.norm == "l0":
            only = int(rng.integers(n))
            step = [float(rng.choice([-1.0, 1.0])) if i == only else 0.0 for i in range(n)]
        flip = -1.0 if rng.random() < 0.5 else 1.0
        return left, [flip * s for s in step]

    def _moved(
        self, left: Sequence[float], step: Sequence[float], *, full: bool = False
    ) -> Vector | None:
        """Return left + step, the step brought to the full distance, or within it."""
        size = _norm(step, self.norm)
        if size == 0.0 or (self.norm == "l0" and sum(s != 0.0 for s in step) > 1):
            return None
        scale = self.distance / size
        scale = scale if full else min(scale, 1.0)
        for attempt in range(50):
            # The sum is rounded, and may come out too far by an ulp or so.
            slack = 0.0 if attempt == 0 else 2.0 ** (attempt - 53)
            right = tuple(a + scale * (1.0 - slack) * s for a, s in zip(left, step, strict=True))
            if self._near(left, right):
                return right
        return None

    def _near(self, left: Sequence[Any], right: Sequence[Any]) -> bool:
        """Whether the vectors are neighboring, in exact arithmetic."""
        if len(left) != self.length or len(right) != self.length:
            return False
        numbers = (*left, *right)
        if not all(isinstance(v, float) and math.isfinite(v) for v in numbers):
            return False
        change = [Fraction(b) - Fraction(a) for a, b in zip(left, right, strict=True) if a != b]
        if not change or (self.monotone and min(change) < 0 < max(change)):
            return False
        limit = Fraction(self.distance)
        if self.norm == "l1":
            return sum(map(abs, change)) <= limit
        if self.norm == "l2":
            return sum(c * c for c in change) <= limit * limit
        return max(map(abs, change)) <= limit and (self.norm == "linf" or len(change) == 1)

    def _simpler(
        self, left: Vector, step: list[float]
    ) -> Iterator[tuple[Sequence[float], list[float]]]:
        yield (0.0,) * self.length, step
        yield (self.distance,) * self.length, step
        for i in range(self.length):
            if step[i]:
                yield left, [*step[:i], 0.0, *step[i + 1 :]]
            for value in (0.0, self.distance, 2.0 * self.distance, float(round(left[i]))):
                if left[i] != value:
                    yield (*left[:i], value, *left[i + 1 :]), step

    def _complexity(self, left: Sequence[float], step: Sequence[float]) -> tuple[int, int]:
        ladder = [0.0, self.distance, 2.0 * self.distance]
        ranks = [ladder.index(v) if v in ladder else 3 + len(repr(v)) for v in left]
        return sum(s != 0.0 for s in step), sum(ranks)

    def _read(self, pair: Pair) -> tuple[Vector, list[float]]:
        left, right = self._codec.decode(pair.left), self._codec.decode(pair.right)
        return left, [b - a for a, b in zip(left, right, strict=True)]

    def _pair(self, left: Vector, right: Vector, how: str) -> Pair:
        return Pair(self._codec.encode(left), self._codec.encode(right), how)


def _norm(step: Sequence[float], norm: str) -> float:
    if norm == "l1":
        return math.fsum(map(abs, step))
    return math.hypot(*step) if norm == "l2" else max(map(abs, step))


def _how(left: Vector, right: Vector) -> str:
    up = sum(b > a for a, b in zip(left, right, strict=True))
    down = sum(b < a for a, b in zip(left, right, strict=True))
    return f"of {len(left)} answers {up} rise and {down} fall"


def _validated_distance(distance: Any) -> float:
    if isinstance(distance, bool | np.bool_) or not isinstance(
        distance, int | float | np.integer | np.floating
    ):
        raise TypeError(f"`distance` must be a number, got {distance!r}")
    if not 0.0 < distance < math.inf:
        raise ValueError(f"`distance` must be positive and finite, got {distance!r}; use 1.0")
    return float(distance)
