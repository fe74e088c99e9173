"""Values of the float analysis: what each says of two runs on neighboring datasets.

The two runs draw the same ideal noise, and everything that was released so far came out the same.
Of one number let x and x' be the floats in the two runs, and X and X' the real numbers that a proof
has for them, computed from the released floats as they are.

- `error`: |x - X| and |x' - X'| are at most that.
- `private`: whether x and x' may differ. If not, x = x', and an error tells nothing; it counts once
  a private value is multiplied with it. A private value that is hidden by noise is private no
  longer: it is released, and the error before is charged to that noise.
- `noise.role`: `FRESH` noise has hidden nothing. `HIDING` noise was added to a private value; a
  proof pays for the sum then, or later for the sum with more private values in it. `SHOWN` noise is
  that of a released value which was computed with, and hides nothing from then on.

So a private value whose noise is hiding is charged to that noise and to any that is added; one
whose noise is shown is charged to what is added, and may not leave without.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

DOUBLE = 2.0**-53
LARGEST = {DOUBLE: 1.7976931348623157e308, 2.0**-24: 3.4028234663852886e38, 2.0**-11: 65504.0}
TINY = 2.0**-1074
SLACK = 1 + 2.0**-40  # the bounds are computed in floats too
INF = math.inf
FRESH, HIDING, SHOWN = "fresh", "hiding", "shown"  # what noise does, in this order
_TOO_LARGE = "what noise is multiplied with may be beyond the largest float"
LIKELY = 2.0**24  # a quotient of noise times more than that may be beyond the floats
EXACT = 0.0  # the unit roundoff of Python's integers and fractions
WHOLE = 2.0**53  # from here on a whole number may be none of the floats


class Refused(Exception):  # noqa: N818 - an answer, not a fault
    """An obligation does not hold, or nothing is known of what it needs."""

    def __init__(self, why: str, place: str) -> None:
        super().__init__(f"{place}: {why}" if place else why)
        self.why, self.place = why, place


@dataclass(frozen=True, slots=True)
class Noise:
    """The noise in a value.

    Attributes
    ----------
    width : float
        The density is at most 1/width; 0 where nothing is known of it.
    draws : frozenset of int
        Which draws it was made from; noise from one draw may cancel.
    discrete : bool
    uniform : tuple of float, optional
        Of a plain uniform draw, its ends.
    role : str
        `FRESH`, `HIDING` or `SHOWN`.
    scaled_by : frozenset of int
        The draws in released numbers without bounds with which its scale grows.
    normal : bool
    """

    width: float
    draws: frozenset[int]
    discrete: bool = False
    uniform: tuple[float, float] | None = None
    role: str = SHOWN
    scaled_by: frozenset[int] = frozenset()
    normal: bool = False


_CELLS = itertools.count(1)


def new_memory(*, axes: bool = True) -> frozenset[int]:
    """Return a place in memory where nothing else is; below zero it is that of no axis."""
    cell = next(_CELLS)
    return frozenset((cell if axes else -cell,))


@dataclass(frozen=True, slots=True)
class Num:
    """A number, or all numbers of an array.

    Attributes
    ----------
    low, high : float
        Every value lies between, but for tails of noise beyond 2^-90.
    error : float
        Bound on |float − real|.
    whole : bool
        Whether it is an integer, so that sums are exact up to 1/unit.
    unit : float
        Unit roundoff of its type.
    wraps : bool
        Whether it is an integer of fewer than 64 bits.
    size : float
        How many numbers at most.
    noise : Noise, optional
    scalar : bool
    rel : float
        Bound on the relative error of every entry.
    holds : float
        Some entry is at least that; the last one, where it is `rising`.
    peak : Num or tuple of Num, optional
        The array of which it is the greatest entry, or the numbers of which it is the greatest.
    below : tuple of Num and int, optional
        It is at most 0: that number of the greatest of several, less the greatest.
    powers : tuple of Num and frozenset of int, optional
        The greatest of several: it is at least the powers of e of these, each less the greatest.
    fewest : float
        How many numbers at least.
    tilt : float
        Of weights, the relative error that is the error of an exponent: privacy loss.
    square : Num, optional
        The array of which these are the squares, or sums of squares.
    norm : tuple of Num and float, optional
        An array, and how often its rows' norms go into the values.
    over : tuple of Num and float, optional
        An array, and what it is at most once it is multiplied by a row's norm.
    open : bool
        Whether it may be infinite instead, which no rounding changes.
    shape : tuple of int, optional
        Of a constant array.
    private : bool
        Whether it may differ between the runs although all that was released is the same.
    vast : bool
        Whether it has noise and may be beyond the floats, not by a quotient alone.
    sum_of : Num, optional
        The array of which it is the sum.
    columns : float
        How many numbers at most each entry along the first axis has, where that is told: else 1,
        as of an array of one axis.
    span : tuple of two float and a bool, optional
        Some entry is at most the first, some at least the second; whether they are in order.
    memory : frozenset of int
        Where an array may be: what changes one in place changes all that share memory with it. A
        scalar has some if it may be an array of no axis.
    """

    low: float
    high: float
    error: float = 0.0
    whole: bool = False
    unit: float = DOUBLE
    wraps: bool = False
    size: float = 1.0
    noise: Noise | None = None
    scalar: bool = True
    rel: float = INF
    holds: float = -INF
    peak: Num | tuple[Num, ...] | None = None
    below: tuple[Num, int] | None = None
    powers: tuple[Num, frozenset[int]] | None = None
    fewest: float = 0.0
    tilt: float = 0.0
    square: Num | None = None
    norm: tuple[Num, float] | None = None
    over: tuple[Num, float] | None = None
    open: bool = False
    shape: tuple[int, ...] | None = None
    private: bool = True
    vast: bool = False
    rising: bool = False
    sum_of: Num | None = None
    columns: float = 1.0
    span: tuple[float, float, bool] | None = None
    memory: frozenset[int] = field(default=frozenset(), compare=False)

    @property
    def rows(self) -> tuple[float, float]:
        """How many entries there are along the first axis, at least and at most."""
        return math.ceil(self.fewest / max(self.columns, 1.0)), self.size

    @property
    def relative(self) -> float:
        """Bound on the relative error."""
        if self.error == 0:
            return 0.0
        least = 0.0 if self.low <= 0 <= self.high else min(abs(self.low), abs(self.high))
        return min(self.rel + self.tilt, self.error / least if least else INF)

    @property
    def most(self) -> float:
        """The bound on the magnitude."""
        return max(abs(self.low), abs(self.high))

    @property
    def known(self) -> bool:
        """Whether it is one float; a whole number that no float may hold is not."""
        exact = self.unit != EXACT or self.most < WHOLE or self.most == INF
        return self.low == self.high and self.noise is None and exact

    @property
    def beyond(self) -> bool:
        """Whether a noisy number may be infinite, and not by a quotient alone."""
        return self.vast and self.most == INF

    def __deepcopy__(self, memo: Any) -> Num:
        return self


@dataclass(frozen=True, slots=True)
class Thing:
    """What is no number: a text, None, a generator, a type."""

    value: Any = None

    def __deepcopy__(self, memo: Any) -> Thing:
        return self


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value of which nothing is known, and why."""

    why: str

    def __deepcopy__(self, memo: Any) -> Unknown:
        return self


@dataclass(slots=True, eq=False)
class Many:
    """A list or tuple whose items are told apart."""

    items: list[Any]
    memory: frozenset[int] = field(default_factory=new_memory)


@dataclass(slots=True, eq=False)
class Table:
    """A dict, a record or a frame: values by name; `rest` is that of any other name.

    `unit` is the column of the unit of privacy, and how many rows a unit has at most, which is inf
    where it may have any number; `framed` says that a loop goes through the names, though each
    column has many values.
    """

    columns: dict[Any, Any]
    rest: Any = None
    unit: tuple[str, float] | None = None
    framed: bool = False
    memory: frozenset[int] = field(default_factory=new_memory)


@dataclass(slots=True, eq=False)
class Matrix(Table):
    """An array whose rows are records, and whose columns are those of a frame.

    As one number it is the same one each time, as long as its columns are: `seen`.
    """

    seen: tuple[list[Any], Any] | None = None


@dataclass(slots=True, eq=False)
class Fields(Table):
    """A named tuple: its values in the order of the names."""


@dataclass(slots=True, eq=False)
class Rows:
    """What an iterator gives each time, and how often."""

    item: Any
    count: float


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The rows of a frame by a key: the columns asked for, and how many rows a group has.

    `of_users` says that the key is the unit of privacy, of which each has any number of rows.
    """

    of: Any
    most: float
    of_users: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function whose source was read; its variables; the arguments that it finds there."""

    node: Any
    scope: Any = None
    bound: frozenset[str] = frozenset()

    def __deepcopy__(self, memo: Any) -> Function:
        return self


def point(value: float) -> Num:
    """Return a constant."""
    try:
        number = float(value)
    except OverflowError:
        number = INF if value > 0 else -INF
    if number != number:
        return Num(-INF, INF, private=False)
    unit = EXACT if isinstance(value, int) else DOUBLE
    if unit == EXACT and WHOLE <= abs(number) < INF:
        low, high = math.nextafter(number, -INF), math.nextafter(number, INF)
        return Num(low, high, unit=unit, whole=True, private=False)
    whole = math.isfinite(number) and number == math.floor(number)
    return Num(number, number, unit=unit, whole=whole, private=False)


def across(shape: Sequence[float]) -> float:
    """Return how many columns an array of a shape has, and what is computed of it and others.

    Along an axis of length 1 another array may have any number of entries.
    """
    return math.prod(shape[1:]) if 1 not in shape[1:] else INF


def truth(size: float = 1.0, scalar: bool = True) -> Num:
    """Return a truth value that is not known."""
    return Num(0.0, 1.0, whole=True, size=size, scalar=scalar)


def rounded(number: Num, *, times: float = 1.0) -> Num:
    """Return the result of an operation with its rounding error added.

    Parameters
    ----------
    number : Num
        With the errors that it inherits.
    times : float
        How many roundings of that size.
    """
    most = number.most
    if number.unit == EXACT:
        return number
    if not most <= LARGEST.get(number.unit, LARGEST[DOUBLE]):
        if number.noise is not None and number.error < INF:
            return replace(number, error=INF)
        return replace(number, low=-INF, high=INF, error=INF)
    if number.whole:
        if number.low == number.high and number.unit == DOUBLE and most <= 2.0**1000:
            own = 0.0 if most < 2.0**53 else DOUBLE * most  # 2^53 may stand for 2^53 + 1
        elif most * number.unit <= 1 and (not number.wraps or most * number.unit < 1):
            own = 0.0
        else:
            own = INF if number.wraps or most >= 2.0**63 else number.unit * most * times
    else:
        own = (number.unit * most + TINY) * times
    return number if own == 0 else replace(number, error=(number.error + own) * SLACK)


def merged(one: Num, other: Num) -> Noise | None:
    """Return what is known of the noise of either.

    Raises
    ------
    Refused
        Where one may be beyond the floats: what is computed of both may be NaN for some records.
    """
    a, b = one.noise, other.noise
    if (one.beyond and other.private) or (other.beyond and one.private):
        raise Refused(_TOO_LARGE, "")
    if a is None or b is None:
        found = a or b
        return None if found is None else shown(found)
    if a == b:
        return a
    ends = a.uniform if a.uniform == b.uniform else None
    role = (
        FRESH if a.role == b.role == FRESH else HIDING if SHOWN not in (a.role, b.role) else SHOWN
    )
    return Noise(min(a.width, b.width), a.draws | b.draws, a.discrete or b.discrete, ends, role)


def shown(noise: Noise | None, width: float | None = None) -> Noise | None:
    """Return the noise of what was computed from a value with noise."""
    if noise is None:
        return None
    width = noise.width if width is None else width
    return replace(noise, role=SHOWN, width=width, uniform=noise.uniform if width else None)


def is_related(value: Any) -> bool:
    """Return whether something is known of a number beside that of others."""
    if not isinstance(value, Num):
        return False
    return any(each is not None for each in (value.peak, value.below, value.powers))


def unrelated(number: Num, *, all_entries: bool = False) -> Num:
    """Return a number of which nothing is told but its range and its errors."""
    if any(each is not None for each in (number.below, number.powers, number.sum_of, number.span)):
        number = replace(number, below=None, powers=None, sum_of=None, span=None)
    told = number.holds > -INF or number.rising
    return replace(number, holds=-INF, rising=False) if told and not all_entries else number


def without_norms(number: Num) -> Num:
    """Return a number that tells no more of which arrays it is a norm, or what that divides."""
    if all(each is None for each in (number.square, number.norm, number.over)):
        return number
    return replace(number, square=None, norm=None, over=None)


def renewed(value: Any) -> Any:
    """Return a value whose numbers are none that was seen before: they may be other ones."""
    if isinstance(value, Num):
        return replace(value, sum_of=None)
    if isinstance(value, Many):
        return Many([renewed(item) for item in value.items], value.memory)
    if isinstance(value, Table):
        columns = {key: renewed(item) for key, item in value.columns.items()}
        return replace(value, columns=columns, rest=renewed(value.rest))
    return value


def privately(value: Any, private: bool = True) -> Any:
    """Return a value that may differ between the runs, or that is the same in both."""
    if isinstance(value, Num):
        if private and value.beyond:
            raise Refused(_TOO_LARGE, "")
        return value if value.private is private else replace(value, private=private)
    if isinstance(value, Many):
        value.items[:] = [privately(item, private) for item in value.items]
    elif isinstance(value, Table):
        value.columns = {key: privately(item, private) for key, item in value.columns.items()}
        value.rest = privately(value.rest, private)
    elif isinstance(value, Rows):
        value.item = privately(value.item, private)
    elif isinstance(value, Groups):
        return replace(value, of=privately(value.of, private))
    return value


def some_of(value: Any) -> Any:
    """Return entries of which nobody knows how many are left, or which: of a set, of a part."""
    if isinstance(value, Num) and not value.scalar:
        return replace(unrelated(value), fewest=0.0, shape=None)
    if isinstance(value, Table):
        columns = {key: some_of(item) for key, item in value.columns.items()}
        return replace(value, columns=columns, rest=some_of(value.rest))
    if not isinstance(value, Many) or not value.items:
        return value
    whole = flat(value)
    if isinstance(whole, Num):
        return some_of(whole)
    return whole or Rows(value.items[0] if len(value.items) == 1 else Thing(("some", None)),
                         float(len(value.items)))  # fmt: skip


def leaves(value: Any) -> Iterator[Num]:
    """Return the numbers in a value."""
    if isinstance(value, Num):
        yield value
    elif isinstance(value, Many):
        for item in value.items:
            yield from leaves(item)
    elif isinstance(value, Table):
        for item in (*value.columns.values(), value.rest):
            yield from leaves(item)
    elif isinstance(value, Rows | Groups):
        yield from leaves(value.item if isinstance(value, Rows) else value.of)


def is_private(*values: Any) -> bool:
    """Return whether something in one of the values may differ between the runs."""
    return any(number.private for value in values for number in leaves(value))


def beyond(number: Num, *made_of: Num) -> Num:
    """Return a noisy number, marked where it is beyond the floats and what it is made of is not.

    A quotient of noise is without bounds, and beyond the floats with a chance that does not matter.
    """
    inside = number.most <= LARGEST.get(number.unit, LARGEST[DOUBLE])
    if number.noise is None or inside or number.unit == EXACT:
        return number
    bounds = sorted(each.most for each in made_of)
    if bounds and bounds[-1] == INF and all(most <= LIKELY for most in bounds[:-1]):
        return number
    if number.private:
        raise Refused(_TOO_LARGE, "")
    return replace(number, vast=True)


def hull(a: Num, b: Num, *, size: float | None = None) -> Num:
    """Return a number that stands for both."""
    if a is b and size is None:
        return a
    for one, other in ((a, b), (b, a)):
        if one.known and one.most == INF and one.error == 0 and other.most < INF:
            size = max(a.size, b.size) if size is None else size
            private, memory = a.private or b.private, a.memory | b.memory
            other = replace(other, open=True, sum_of=None, span=None)
            return replace(other, size=size, private=private, memory=memory)
    return Num(
        min(a.low, b.low),
        max(a.high, b.high),
        max(a.error, b.error),
        a.whole and b.whole,
        max(a.unit, b.unit),
        a.wraps or b.wraps,
        max(a.size, b.size) if size is None else size,
        merged(a, b),
        a.scalar and b.scalar,
        max(a.rel, b.rel) if a.error == b.error == 0 else max(a.relative, b.relative),
        min(a.holds, b.holds),
        fewest=min(a.fewest, b.fewest),
        tilt=max(a.tilt, b.tilt),
        open=a.open or b.open,
        private=a.private or b.private,
        vast=a.vast or b.vast,
        columns=max(a.columns, b.columns),
        memory=a.memory | b.memory,
    )


def flat(value: Any) -> Num | Unknown | None:
    """Return one number for all that a value holds; None where it holds none."""
    if isinstance(value, Num | Unknown):
        return value
    if isinstance(value, Groups):
        return Unknown("groups of rows")
    inside: list[Any] = []
    if isinstance(value, Many):
        inside = value.items
    elif isinstance(value, Table):
        inside = [*value.columns.values(), *([] if value.rest is None else [value.rest])]
    if isinstance(value, Matrix):
        if value.seen is None or not _are_same(value.seen[0], inside):
            value.seen = inside, _of_columns(value, flat(Table(value.columns, value.rest)))
        return value.seen[1]
    total: Num | None = None
    columns = 1.0
    for item in inside:
        found = flat(item)
        if isinstance(found, Unknown):
            return found
        if found is not None:
            found = as_item(found)
            total = found if total is None else hull(total, found, size=total.size + found.size)
            columns = max(columns, 1.0 if found.scalar else found.size)
    if total is None:
        return None
    numbers = isinstance(value, Many) and all(isinstance(v, Num) and v.scalar for v in inside)
    fewest = float(len(inside)) if numbers else total.fewest
    return replace(total, scalar=False, columns=columns, fewest=fewest)


def as_item(number: Num) -> Num:
    """Return a number as one of a list whose items are not told apart: some may be arrays."""
    if not any(containers(number)):
        return number
    return replace(number, memory=number.memory | new_memory(axes=False))


def _of_columns(matrix: Matrix, number: Num | Unknown | None) -> Num | Unknown | None:
    """Return the numbers of a matrix: a row has as many as there are columns, and is one itself."""
    if not isinstance(number, Num):
        return number
    row = all(isinstance(v, Num) and v.scalar for v in matrix.columns.values())
    wide = INF if matrix.rest is not None else float(len(matrix.columns))
    return replace(number, columns=1.0 if row else wide)


def _are_same(one: list[Any], other: list[Any]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


def joined(a: Any, b: Any, found: dict[tuple[int, int], Any] | None = None) -> Any:
    """Return a value that stands for both; what is one object in both is one in `found` too."""
    if a is b:
        return a
    found = {} if found is None else found
    pair = id(a), id(b)
    if pair not in found:
        value, memory = _joined(a, b, found), memory_of(a) | memory_of(b)
        if isinstance(value, Many | Table):
            value.memory = memory
        found[pair] = in_memory(value, memory)
    return found[pair]


def memory_of(value: Any) -> frozenset[int]:
    """Return where an array, a list or a dict may be."""
    return value.memory if isinstance(value, Num | Many | Table) else frozenset()


def in_memory(value: Any, memory: frozenset[int]) -> Any:
    """Return a value that may be there too."""
    if not isinstance(value, Num | Many | Table) or memory <= value.memory:
        return value
    return replace(value, memory=value.memory | memory)


def _joined(a: Any, b: Any, found: dict[tuple[int, int], Any]) -> Any:
    if isinstance(a, Unknown):
        return a
    if isinstance(b, Unknown):
        return b
    if isinstance(a, Num) and isinstance(b, Num):
        return hull(a, b)
    if isinstance(a, Many) and isinstance(b, Many):
        if len(a.items) == len(b.items):
            pairs = zip(a.items, b.items, strict=True)
            return Many([joined(x, y, found) for x, y in pairs])
        if not a.items or not b.items:  # there may be no such items
            some = renewed(a if a.items else b)
            whole = flat(some)
            return replace(whole, fewest=0.0) if isinstance(whole, Num) else some
    if isinstance(a, Table) and isinstance(b, Table):
        names = dict.fromkeys([*a.columns, *b.columns])
        columns = {}
        for name in names:
            one, *other = (t.columns[name] for t in (a, b) if name in t.columns)
            columns[name] = joined(one, other[0], found) if other else renewed(one)
        if a.rest is None or b.rest is None:
            return Table(columns, a.rest if b.rest is None else b.rest)
        return Table(columns, joined(a.rest, b.rest, found))
    if isinstance(a, Thing) and isinstance(b, Thing):
        same = type(a.value) is type(b.value) and bool(a.value is b.value or a.value == b.value)
        return a if same else Thing(("some", None))
    if isinstance(a, Function) and isinstance(b, Function):
        same = a.node is b.node and a.scope is b.scope
        return a if same else Unknown("one of several functions")
    x, y = flat(a), flat(b)
    if isinstance(x, Unknown):
        return x
    if isinstance(y, Unknown):
        return y
    if x is None or y is None:
        return x or y or Thing(("some", None))
    return hull(x, y)


def containers(value: Any) -> Iterator[Num | Many | Table]:
    """Return the arrays, lists and dicts in a value."""
    if isinstance(value, Num) and (value.memory or not value.scalar):
        yield value
    elif isinstance(value, Rows):
        yield from containers(value.item)
    elif isinstance(value, Many | Table):
        yield value
        inside = value.items if isinstance(value, Many) else [*value.columns.values(), value.rest]
        for item in inside:
            yield from containers(item)
