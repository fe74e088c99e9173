"""What the variables of a program hold while it is read on one dataset of n records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from dpaudit.formal.lemmas.forms import Form, Less
from dpaudit.formal.program import Generator, Place

Expr = Any  # a sympy expression

SIZE = sympy.Symbol("n", integer=True, nonnegative=True)
"""The number of records."""
STEP = sympy.Symbol("k", integer=True, nonnegative=True)
"""The place of an entry in a vector."""


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A Python object that is no number: None, a truth value, a function, a generator."""

    value: Any


def is_private(value: object) -> bool:
    """Return whether a value is a generator whose draws nobody knows."""
    held = value.value if isinstance(value, Known) else None
    return isinstance(held, Generator) and held.is_private


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """A number, as an expression in n, sums and order statistics; `whole` by its type."""

    expr: Expr
    whole: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """A tuple or a list."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """One number for every record, which is a function of that record alone.

    Attributes
    ----------
    key : tuple
        Which function: equal keys are equal functions.
    low, high : Expr
        Every number lies between.
    whole : bool
    nan : bool
        Whether some may be NaN.
    """

    key: tuple[Any, ...]
    low: Expr
    high: Expr
    whole: bool
    nan: bool


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """Public numbers and records behind one another, in any order."""

    constants: tuple[Expr, ...]
    records: Records


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """x(0) <= x(1) <= …: records and public numbers in order.

    Attributes
    ----------
    entry : sympy function
        Of the index.
    extra : int
        How many public numbers are among them.
    low, high : Expr or None
        x(0) and the last one where they are public; None where they are not known to be.
    whole : bool
    array : Joined
        What was put in order.
    """

    entry: Any
    extra: int
    low: Expr | None
    high: Expr | None
    whole: bool
    array: Joined

    @property
    def length(self) -> Expr:
        """How many they are."""
        return SIZE + self.extra


@dataclass(frozen=True, slots=True, eq=False)
class Vector:
    """entry(k)·e^(−decay·k) for k = 0, …, length − 1."""

    length: Expr
    entry: Expr
    whole: bool = False
    decay: Expr = sympy.S.Zero


@dataclass(frozen=True, slots=True, eq=False)
class Above:
    """Whether each entry of a vector is above a bound."""

    vector: Vector
    bound: Expr
    strict: bool


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """``shift + factor·Z`` with a draw Z of scale 1 of a symmetric law."""

    draw: int
    family: str
    factor: Expr
    shift: Expr
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Powered:
    """``times·exp(drawn)``."""

    drawn: Drawn
    times: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Test:
    """Whether a noisy number is above a public threshold; `strict` says how it counts there."""

    drawn: Drawn
    threshold: Expr
    above: bool


@dataclass(frozen=True, slots=True, eq=False)
class Occurring:
    """The different values of records in order, or how often each of them occurs."""

    records: Records
    what: str  # "values" or "counts"
    number: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """As many draws as there are different values."""

    draw: int
    family: str
    factor: Expr
    number: Expr
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Noisy:
    """Counts of the different values, each with noise of its own."""

    counts: Occurring
    draws: Draws


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """Those entries of `part` whose noisy count is above the threshold; pairs where it is two."""

    part: tuple[Occurring | Noisy, ...]
    noisy: Noisy
    threshold: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Mask:
    """Which noisy counts are above the threshold."""

    noisy: Noisy
    threshold: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A dict from values that occur to their noisy counts, where these are above the threshold."""

    kept: Kept


# --- the segments between numbers in order


@dataclass(frozen=True, slots=True, eq=False)
class Lengths:
    """How long each segment [x(k), x(k + 1)] is; with `some`, those alone that are not empty."""

    order: Ordered
    some: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class NotEmpty:
    """Which segments are longer than 0."""

    order: Ordered


@dataclass(frozen=True, slots=True, eq=False)
class Somewhere:
    """entry(k) for each k whose segment is not empty."""

    order: Ordered
    entry: Expr
    whole: bool


@dataclass(frozen=True, slots=True, eq=False)
class Nowhere:
    """−∞ for each entry."""

    length: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Masses:
    """log(length of segment k) + exponent(k), −∞ where it is empty.

    Attributes
    ----------
    order : Ordered
    exponent : Expr
    some : bool
        Whether segments that are empty have no entry.
    level : bool
        Whether the largest was subtracted from all.
    """

    order: Ordered
    exponent: Expr
    some: bool
    level: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Heaviest:
    """The largest of the masses."""

    masses: Masses


@dataclass(frozen=True, slots=True, eq=False)
class Perturbed:
    """The masses, each with standard Gumbel noise of its own."""

    masses: Masses
    draw: int


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """e to the power of the masses, or their sums up to each."""

    masses: Masses
    summed: bool


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """A uniform number of [0, 1)."""

    draw: int


@dataclass(frozen=True, slots=True, eq=False)
class Portion:
    """The sum of all weights, times a uniform number of [0, 1) where there is a draw."""

    masses: Masses
    draw: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """The index of a segment drawn with probability ∝ its weight, plus `offset`.

    With `some` it counts those segments alone that are not empty.
    """

    masses: Masses
    draw: int
    some: bool
    offset: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class End:
    """x at such an index: where the segment begins, or with an offset of 1 where it ends."""

    chosen: Chosen


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A uniform point of the segment that was chosen."""

    masses: Masses
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """What permute-and-flip makes of the scores u of its candidates, one stage after the other.

    Attributes
    ----------
    stage : str
        ``"scores"``: factor·u; ``"best"``: the largest of them; ``"deficits"``: factor·(u − max u);
        ``"chances"``: e to the power of these; ``"order"``: a random order; ``"uniform"``: numbers
        of [0, 1); ``"heads"``: which of them are below the chances; ``"first"``: the first place
        of the order with heads; ``"winner"``: the candidate there.
    factor : Expr
    rounded : tuple
        The steps in which floats came by the factor.
    order : int or None
        The random order in which the entries are.
    draw : int or None
    """

    stage: str
    factor: Expr = sympy.S.One
    rounded: tuple[Any, ...] = ()
    order: int | None = None
    draw: int | None = None


Value = (
    Known | Number | Listed | Records | Joined | Ordered | Vector | Above | Drawn | Powered | Test
    | Occurring | Draws | Noisy | Kept | Mask | Shown | Lengths | NotEmpty | Somewhere | Nowhere
    | Masses | Heaviest | Perturbed | Weights | Unit | Portion | Chosen | End | Point | Form | Less
    | Candidates
)  # fmt: skip


def at(vector: Vector, index: Expr) -> Expr:
    """Return the entry of a vector at an index, without its decay."""
    return vector.entry.subs(STEP, index)
