"""What a program makes of the cells between sorted values: their lengths, weights, and one of them.

Each keeps the sorted values, or the very array of weights, that it is about, so that nothing of
another array is taken for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpaudit.checker.lemma.values import InOrder, Num, Steps


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The differences of sorted values; those alone that are not 0 where `full`."""

    order: InOrder
    full: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Full:
    """Which differences are above 0."""

    order: InOrder


@dataclass(frozen=True, slots=True, eq=False)
class Sparse:
    """Entries of a vector, for those places alone whose difference is above 0."""

    order: InOrder
    steps: Steps


@dataclass(frozen=True, slots=True, eq=False)
class Never:
    """An array of −∞ that has no other name."""

    length: Num


@dataclass(frozen=True, slots=True, eq=False)
class Logs:
    """Logarithms of differences, each plus an entry of `added`; `topped` where the top is 0."""

    order: InOrder
    added: Steps
    full: bool
    topped: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Top:
    """The largest logarithm."""

    logs: Logs


@dataclass(frozen=True, slots=True, eq=False)
class Shaken:
    """Logarithms, each plus Gumbel noise."""

    logs: Logs
    draw: int


@dataclass(frozen=True, slots=True, eq=False)
class Shifted:
    """Entries of a vector, less a number that is the same for all of them."""

    steps: Steps


@dataclass(frozen=True, slots=True, eq=False)
class Factors:
    """Powers of e, but for a factor that is the same for all of them."""

    exponents: Steps | Sparse


@dataclass(frozen=True, slots=True, eq=False)
class Powers:
    """What they are logarithms of, but for a factor; `running` where each is the sum up to there.

    `whole` where they are divided by the sum of all.
    """

    logs: Logs
    running: bool
    whole: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Dice:
    """A uniform number of [0, 1)."""

    draw: int


@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """The sum of all powers, times a uniform number."""

    logs: Logs
    draw: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Pick:
    """Which cell was drawn, by its place among all or (`full`) among those that are not empty."""

    logs: Logs
    draw: int
    full: bool
    plus: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Border:
    """The sorted value at such a place."""

    pick: Pick


@dataclass(frozen=True, slots=True, eq=False)
class Gap:
    """The length of the cell that was drawn, times another uniform number where there is one."""

    pick: Pick
    draw: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Inside:
    """A uniform point of the cell that was drawn."""

    logs: Logs
    place: str
