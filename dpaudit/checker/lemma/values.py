"""What a program holds while it is followed on one of two datasets, in the solver's words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.checker.file import NotCheckedError
from dpaudit.checker.lemma.closed import ZERO, Closed, closed

End = Fraction | float  # of a column: an infinity where nothing bounds it
FITS = 2**62  # whole numbers up to this are integers of 64 bits
_MOST = Fraction(2**34)  # what is about as large as a dataset, or a place in it


@dataclass(frozen=True, slots=True, eq=False)
class Num:
    """A number.

    Attributes
    ----------
    closed : Closed or None
        Where it is the same for every dataset.
    text : str
        In SMT-LIB: an Int where it is `whole`, else a Real.
    whole : bool
        By its type.
    most : Fraction
        In size, of a whole number that is not closed, for fewer than 2^32 records.
    """

    closed: Closed | None
    text: str
    whole: bool
    most: Fraction = _MOST

    @property
    def size(self) -> Fraction:
        """How large a whole number is at most."""
        return self.most if self.closed is None else abs(self.closed.rational)

    @property
    def real(self) -> str:
        """The number as a Real."""
        return f"(to_real {self.text})" if self.whole else self.text


def public(value: Any, *, whole: bool = False) -> Num:
    """Return a number that every dataset shares; what is irrational has no text."""
    number = closed(value)
    if number.fraction is None:
        return Num(number, "", False)
    return Num(number, numeral(number.fraction, whole=whole), whole)


def numeral(value: Fraction, *, whole: bool) -> str:
    """Return a rational number in SMT-LIB."""
    if whole:
        if value.denominator != 1:
            raise NotCheckedError("not checked: a whole number that is none")
        return str(value) if value >= 0 else f"(- {-value})"
    size = abs(value)
    text = f"(/ {size.numerator}.0 {size.denominator}.0)"
    return text if value >= 0 else f"(- {text})"


def is_number(value: Any, number: int) -> bool:
    """Whether a value is this public number."""
    known = value.closed if isinstance(value, Num) else value
    return isinstance(known, Closed) and known.fraction == number


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """A tuple or a list, which nothing changes."""

    items: tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A function of each record alone, named by `key`, with values in [low, high]."""

    key: tuple[Any, ...]
    low: End
    high: End
    whole: bool
    nan: bool


@dataclass(frozen=True, slots=True, eq=False)
class Mixed:
    """A column and public numbers, behind one another."""

    column: Column
    numbers: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True, eq=False)
class InOrder:
    """A column and public numbers, sorted: a function of the place, for the solver."""

    name: str
    more: int
    length: Num
    mixed: Mixed


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """A vector: `entry` of a place, times e^(-decay·place)."""

    length: Num
    entry: Callable[[str], Num]
    whole: bool
    decay: Closed = ZERO


@dataclass(frozen=True, slots=True, eq=False)
class Beyond:
    """Which entries of a vector are above (or at) a public bound."""

    steps: Steps
    bound: Closed
    strict: bool


@dataclass(frozen=True, slots=True, eq=False)
class Largest:
    """``factor`` times the largest entry of a vector."""

    steps: Steps
    factor: Closed


@dataclass(frozen=True, slots=True, eq=False)
class FirstBeyond:
    """The first place that is above a bound, plus a public number."""

    beyond: Beyond
    plus: Closed


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """``centre + scale·Z``; `scale` is public, or a `Largest`."""

    draw: int
    law: str
    place: str
    scale: Closed | Largest
    centre: Num | FirstBeyond


@dataclass(frozen=True, slots=True, eq=False)
class Raised:
    """``times·exp(noise)``."""

    noise: Noise
    times: Largest | None


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """Whether noise is above a public threshold."""

    noise: Noise
    threshold: Closed
    above: bool


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """How often the different values of a column occur, or (`values`) which they are."""

    column: Column
    values: bool


@dataclass(frozen=True, slots=True, eq=False)
class HowMany:
    """The number of different values of a column."""

    column: Column


@dataclass(frozen=True, slots=True, eq=False)
class ManyDraws:
    """A draw for each of the different values of a column, or as many as `many` says."""

    draw: int
    law: str
    place: str
    scale: Closed
    many: Column | Num


@dataclass(frozen=True, slots=True, eq=False)
class NoisyCounts:
    """Counts, each with a draw."""

    column: Column
    draws: ManyDraws


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """Which noisy counts are above a public threshold; with `parts`, what is kept there."""

    noisy: NoisyCounts
    threshold: Closed
    parts: tuple[Counts | NoisyCounts, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """A dict of the values whose noisy counts are above a threshold, to these."""

    cut: Cut
