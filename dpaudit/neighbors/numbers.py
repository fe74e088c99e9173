"""Records that are numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, dataclass
from itertools import chain, islice
from typing import Any

import numpy as np

from dpaudit.neighbors.records import Column, Landmarks
from dpaudit.neighbors.writing import call_dict, call_text, number_text

_LARGEST = float(np.finfo(np.float64).max)
_INT64 = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Real:
    """Real numbers in [low, high].

    Parameters
    ----------
    low, high : float
        The range; both ends belong to it, and both are finite.
    allow_nan, allow_infinity, allow_missing : bool
        Whether NaN, the two infinities and missing values occur as well.
    enforced : bool
        Whether the caller keeps records in the range. With False, any finite value occurs, and
        the range only says where values usually lie.

    Raises
    ------
    TypeError, ValueError
        For ends that are not finite numbers, or in the wrong order.

    Examples
    --------
    >>> Real(0, 100, enforced=False)
    Real(0, 100, enforced=False)
    """

    low: float
    high: float
    _: KW_ONLY
    allow_nan: bool = False
    allow_infinity: bool = False
    allow_missing: bool = False
    enforced: bool = True

    def __post_init__(self) -> None:
        for end in ("low", "high"):
            object.__setattr__(self, end, _validated_end(end, getattr(self, end)))
        _validate_order(self.low, self.high)

    def __str__(self) -> str:
        return call_text(self)

    __repr__ = __str__

    def columns(self) -> tuple[Column, ...]:
        """How records are stored; one nameless column for bare values."""
        return (Column("", "float", allow_nan=self.allow_nan, allow_missing=self.allow_missing),)

    def landmarks(self) -> Landmarks:
        """Return the values that are most likely to show a violation."""
        middle = self._between(0.5)
        rare = self._between(0.7320508)
        step = max(abs(self.low), abs(self.high), 1.0)
        far = (-1e6 * step, 1e6 * step, -_LARGEST, _LARGEST, self.high + 1.0)
        outside = _outside(far, self.low, self.high, _LARGEST)
        risky = chain(
            [] if self.enforced else outside[:2],
            [(math.nan, "NaN")] * self.allow_nan,
            [(math.inf, "infinity")] * self.allow_infinity,
            [(None, "a missing value")] * self.allow_missing,
            [(-math.inf, "minus infinity")] * self.allow_infinity,
            [] if self.enforced else outside[2:],
        )
        return Landmarks(self.low, self.high, ((rare, "a rare value"), (middle, "the middle")),
                         tuple(risky))  # fmt: skip

    def members(self, limit: int) -> tuple[Any, ...]:
        """Up to `limit` different values; fewer only where there are no more."""
        marks = self.landmarks()
        steps = (self._between(i / (limit + 1)) for i in range(1, limit + 1))
        return _distinct([self.low, self.high, *steps, *(v for v, _ in marks.risky)], limit)

    def draw(self, rng: np.random.Generator) -> Any:
        """Draw a random value."""
        special = _special(self, rng)
        if special is not _ORDINARY:
            return special
        value = self._between(rng.random())
        whole = float(round(value))
        return whole if rng.random() < 0.5 and self.low <= whole <= self.high else value

    def near(self, value: Any, rng: np.random.Generator) -> Any:
        """Draw a random value near this one."""
        if value is None or not math.isfinite(value) or rng.random() < 0.25:
            return self.draw(rng)
        share = 10.0 ** -int(rng.integers(0, 5))
        moved = value + share * (self._between(rng.random()) - self._between(0.5))
        if self.enforced or not math.isfinite(moved):
            moved = min(max(moved, self.low), self.high)
        return moved

    def simpler(self, value: Any) -> Iterator[Any]:
        """Yield finitely many simpler values, simplest first; repeated use ends."""
        return _simpler_number(self, value)

    def contains(self, value: Any) -> bool:
        """Whether a record may have this value."""
        if value is None:
            return self.allow_missing
        if not isinstance(value, float | int) or isinstance(value, bool):
            return False
        if math.isnan(value):
            return self.allow_nan
        if math.isinf(value):
            return self.allow_infinity
        return not self.enforced or self.low <= value <= self.high

    def assumptions(self) -> tuple[str, ...]:
        """Sentences for the report: what is taken for granted about the data."""
        return _range_assumption(self)

    def to_dict(self) -> dict[str, Any]:
        """Return a description that JSON can hold."""
        return call_dict(self)

    def _between(self, share: float) -> float:
        # A weighted mean: the width high - low may overflow.
        value = self.low * (1.0 - share) + self.high * share
        return min(max(value, self.low), self.high)


@dataclass(frozen=True, slots=True)
class Integer:
    """Integers in [low, high].

    Parameters
    ----------
    low, high : int
        The range; both ends belong to it. Arrays and frames hold 64-bit integers; beyond them
        only ``container="list"`` serves.
    allow_missing : bool
        Whether missing values occur. NumPy arrays then hold float64 with NaN.
    enforced : bool
        Whether the caller keeps records in the range. With False, any 64-bit integer occurs.

    Raises
    ------
    TypeError, ValueError
        For ends that are not integers, or in the wrong order.
    """

    low: int
    high: int
    _: KW_ONLY
    allow_missing: bool = False
    enforced: bool = True

    def __post_init__(self) -> None:
        for end in ("low", "high"):
            value = getattr(self, end)
            if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
                raise TypeError(f"`{end}` must be an integer, got {value!r}; use Real for others")
            object.__setattr__(self, end, int(value))
        _validate_order(self.low, self.high)

    def __str__(self) -> str:
        return call_text(self)

    __repr__ = __str__

    def columns(self) -> tuple[Column, ...]:
        """How records are stored; one nameless column for bare values."""
        magnitude = max(abs(self.low), abs(self.high), 0 if self.enforced else _INT64)
        return (Column("", "int", magnitude=magnitude, allow_missing=self.allow_missing),)

    def landmarks(self) -> Landmarks:
        """Return the values that are most likely to show a violation."""
        middle = (self.low + self.high) // 2
        rare = self.low + (self.high - self.low) * 73 // 100
        step = 10**6 * max(abs(self.low), abs(self.high), 1)
        far = (-step, step, -_INT64, _INT64, self.high + 1)
        outside = _outside(far, self.low, self.high, _INT64)
        risky = chain(
            [] if self.enforced else outside,
            [(None, "a missing value")] * self.allow_missing,
        )
        return Landmarks(self.low, self.high, ((rare, "a rare value"), (middle, "the middle")),
                         tuple(risky))  # fmt: skip

    def members(self, limit: int) -> tuple[Any, ...]:
        """Up to `limit` different values; fewer only where there are no more."""
        inside = range(self.low, self.high + 1)
        risky = (v for v, _ in self.landmarks().risky)
        return _distinct(chain(islice(inside, limit), risky), limit)

    def draw(self, rng: np.random.Generator) -> Any:
        """Draw a random value."""
        special = _special(self, rng)
        if special is not _ORDINARY:
            return special
        width = self.high - self.low
        if width < _INT64:
            return self.low + int(rng.integers(width + 1))
        return self.low + int.from_bytes(rng.bytes(width.bit_length() // 8 + 1)) % (width + 1)

    def near(self, value: Any, rng: np.random.Generator) -> Any:
        """Draw a random value near this one."""
        if value is None or rng.random() < 0.25:
            return self.draw(rng)
        moved = value + int(rng.integers(-3, 4))
        low, high = (self.low, self.high) if self.enforced else (-_INT64, _INT64)
        return min(max(moved, low), high)

    def simpler(self, value: Any) -> Iterator[Any]:
        """Yield finitely many simpler values, simplest first; repeated use ends."""
        return _simpler_number(self, value)

    def contains(self, value: Any) -> bool:
        """Whether a record may have this value."""
        if value is None:
            return self.allow_missing
        if not isinstance(value, int) or isinstance(value, bool):
            return False
        inside = self.low <= value <= self.high
        return inside or (not self.enforced and abs(value) <= _INT64)

    def assumptions(self) -> tuple[str, ...]:
        """Sentences for the report: what is taken for granted about the data."""
        return _range_assumption(self)

    def to_dict(self) -> dict[str, Any]:
        """Return a description that JSON can hold."""
        return call_dict(self)


_ORDINARY = object()


def _special(domain: Real | Integer, rng: np.random.Generator) -> Any:
    """Return an end or a risky value now and then, else `_ORDINARY`."""
    chance = rng.random()
    if chance >= 0.4:
        return _ORDINARY
    risky = domain.landmarks().risky
    if risky and chance < 0.15:
        return risky[int(rng.integers(len(risky)))][0]
    return domain.low if rng.random() < 0.5 else domain.high


def _ladder(domain: Real | Integer) -> list[Any]:
    """Return the simplest values inside the range, simplest first."""
    kind = type(domain.low)
    wanted = [kind(0), domain.low, domain.high, kind(1), kind(-1), kind(2), kind(10), kind(100)]
    return list(_distinct((v for v in wanted if domain.low <= v <= domain.high), len(wanted)))


def _simpler_number(domain: Real | Integer, value: Any) -> Iterator[Any]:
    """Yield the rungs below the value, then its neighbors with fewer digits."""
    ladder = _ladder(domain)
    if value in ladder:
        yield from ladder[: ladder.index(value)]
        return
    yield from ladder
    if value is None or value in (math.inf, -math.inf) or value != value:
        return
    kind = type(domain.low)
    if domain.low <= value <= domain.high:
        for digits in (0, 1, 2, 4):
            shorter = kind(round(value, digits))
            if len(repr(shorter)) < len(repr(value)) and domain.contains(shorter):
                yield shorter
        return
    for power in (1, 2, 3, 4, 6, 9, 12, 18, 100, 300):
        nearer = math.copysign(10**power, value) if kind is float else (
            10**power if value > 0 else -(10**power)
        )  # fmt: skip
        if abs(nearer) < abs(value) and not domain.low <= nearer <= domain.high:
            yield nearer


def _distinct(values: Iterable[Any], limit: int) -> tuple[Any, ...]:
    return tuple(islice(dict.fromkeys(values), limit))


def _outside(values: Iterable[Any], low: Any, high: Any, limit: Any) -> list[tuple[Any, str]]:
    """Keep what lies outside the range and within the type's own limit, with words for it."""
    kept = (v for v in values if abs(v) <= limit and not low <= v <= high)
    return [
        (v, f"{number_text(v)}, {'below' if v < low else 'above'} the range")
        for v in dict.fromkeys(kept)
    ]


def _range_assumption(domain: Real | Integer) -> tuple[str, ...]:
    if not domain.enforced:
        return ()
    extra = [
        word
        for option, word in (
            ("allow_nan", "NaN"),
            ("allow_infinity", "infinite"),
            ("allow_missing", "missing"),
        )
        if getattr(domain, option, False)
    ]
    what = "" if isinstance(domain, Real) else "an integer "
    where = f"[{number_text(domain.low)}, {number_text(domain.high)}]"
    tail = f" or {' or '.join(extra)}" if extra else ""
    verb = "is" if what else "lies"
    return (f"every record {verb} {what}in {where}{tail} (enforced by the caller)",)


def _validated_end(name: str, value: Any) -> float:
    if isinstance(value, bool | np.bool_) or not isinstance(
        value, int | float | np.integer | np.floating
    ):
        raise TypeError(f"`{name}` must be a number, got {value!r}")
    try:
        end = float(value)
    except OverflowError:
        end = math.inf
    if math.isnan(end):
        raise ValueError(f"`{name}` must be a finite number, got NaN; allow_nan=True admits NaN")
    if math.isinf(end):
        raise ValueError(
            f"`{name}` must be finite, got {value!r}; say where values usually lie, and that "
            "nobody checks it: Real(low, high, enforced=False)"
        )
    return end + 0.0  # turns -0.0 into 0.0


def _validate_order(low: float, high: float) -> None:
    if low > high:
        raise ValueError(
            f"`low` must not exceed `high`, got {number_text(low)} > {number_text(high)}: "
            "the domain is empty; swap them"
        )
