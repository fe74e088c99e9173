"""Random values on one path: what was drawn, and what depends on it.

An `Atom` is one independent draw. A `Lottery` is a value that depends on finitely many cells of
finitely many atoms; it is decided, by forking the path, only where control flow needs it. A
`Line` is an affine function of a uniform draw, which becomes a lottery where it meets a threshold.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from dpaudit.formal.clock import charge
from dpaudit.formal.enumeration.numbers import Exact, floor, growing, is_number, sign
from dpaudit.formal.enumeration.tailed import Tailed
from dpaudit.formal.rounding import torn, tosses

_CELLS = 1 << 13


class NotFiniteError(Exception):
    """What the enumeration does not reason about; the interpreter adds the place."""


@dataclass(frozen=True, slots=True, eq=False)
class Atom:
    """An independent draw.

    Attributes
    ----------
    masses : tuple or None
        Probabilities of the values 0, 1, … of a finite draw; None for a uniform one.
    size : int or None
        Of a uniform draw, the number of integers 0, …, size - 1 it is from; None for [0, 1).
    tailed : Tailed or None
        Distribution of an integer that has no bound.
    """

    masses: tuple[Any, ...] | None = None
    size: int | None = None
    tailed: Tailed | None = None

    @property
    def continuous(self) -> bool:
        """Whether it is the uniform draw from [0, 1)."""
        return self.masses is None and self.size is None and self.tailed is None

    def whole(self) -> tuple[Any, Any]:
        """Return the range of all values, open above."""
        if self.masses is not None:
            return 0, len(self.masses)
        if self.tailed is not None:
            low = self.tailed.start if self.tailed.low is None else -math.inf
            return low, self.tailed.stop if self.tailed.high is None else math.inf
        return 0, 1 if self.size is None else self.size

    def measure(self, low: Any, high: Any) -> Any:
        """Return the probability of a range."""
        if self.masses is not None:
            return sum(self.masses[low:high], Fraction(0))
        if self.tailed is not None:
            return self.tailed.measure(low, high)
        return (high - low) * Fraction(1, self.size or 1)


class Lottery:
    """A value that depends on cells of atoms.

    Attributes
    ----------
    cuts : dict of Atom to tuple
        Where the range of each atom is cut into cells, ends not included.
    table : dict of tuple of int to Any
        The value for each choice of cells, in the order of `cuts`.
    """

    __slots__ = ("cuts", "table")
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, cuts: dict[Atom, tuple[Any, ...]], table: dict[tuple[int, ...], Any]
    ) -> None:
        if len(table) > _CELLS:
            raise NotFiniteError(f"a value that depends on {len(table)} cells of noise")
        self.cuts = cuts
        self.table = table

    def __bool__(self) -> bool:
        return bool(decide(self))

    def __index__(self) -> int:
        return int(decide(self))

    def __iter__(self) -> Any:
        return iter(decide(self))

    def __len__(self) -> int:
        return len(decide(self))

    def __eq__(self, other: object) -> Any:
        return combine(lambda a, b: a == b, self, other)

    def __ne__(self, other: object) -> Any:
        return combine(lambda a, b: a != b, self, other)

    def __lt__(self, other: Any) -> Any:
        return combine(lambda a, b: a < b, self, other)

    def __le__(self, other: Any) -> Any:
        return combine(lambda a, b: a <= b, self, other)

    def __gt__(self, other: Any) -> Any:
        return combine(lambda a, b: a > b, self, other)

    def __ge__(self, other: Any) -> Any:
        return combine(lambda a, b: a >= b, self, other)


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """``scale · u + shift`` for a uniform draw u."""

    atom: Atom
    scale: Any
    shift: Any

    def __bool__(self) -> bool:
        negative, positive = below(self, 0, strict=True), below(_negated(self), 0, strict=True)
        return bool(decide(negative) or decide(positive))

    def __lt__(self, other: Any) -> Any:
        return below(self, other, strict=True)

    def __le__(self, other: Any) -> Any:
        return below(self, other, strict=False)

    def __gt__(self, other: Any) -> Any:
        return below(_negated(self), negative(other), strict=True)

    def __ge__(self, other: Any) -> Any:
        return below(_negated(self), negative(other), strict=False)


def decide(value: Any) -> Any:
    """Return the value of a lottery on this path; the path forks where it is not settled."""
    if isinstance(value, Lottery):
        from dpaudit.formal.enumeration.paths import current

        return current().decide(value)
    if isinstance(value, Line):
        return decide(listed(value))
    return value


def listed(line: Line) -> Lottery:
    """Return a line over integers as a lottery, one cell for each."""
    charge(120)
    if line.atom.continuous:
        raise NotFiniteError("a continuous value where a finite one is needed")
    low, high = line.atom.whole()
    if not high - low <= _CELLS:
        raise NotFiniteError("a draw from very many integers that is more than compared")
    table: dict[tuple[int, ...], Any]
    table = {(i,): line.scale * (low + i) + line.shift for i in range(high - low)}
    return Lottery({line.atom: tuple(range(low + 1, high))}, table)


def below(line: Line, bound: Any, *, strict: bool) -> Any:
    """Return whether a line is below a bound, which may be a lottery."""
    if isinstance(bound, Line):
        return _below_line(line, bound, strict=strict)
    if isinstance(bound, Lottery):
        return _below_lottery(line, bound, strict=strict)
    if not is_number(bound):
        raise NotFiniteError(f"a uniform draw compared with {bound!r:.40}")
    if isinstance(bound, float):  # infinite or NaN
        return bound == float("inf")
    if sign(line.scale) == 0:
        if all(isinstance(v, int | Fraction) for v in (line.shift, bound)) and torn(
            Fraction(line.shift), Fraction(bound)
        ):
            raise NotFiniteError(f"a comparison with {float(bound)!r} that depends on rounding")
        return line.shift < bound if strict else line.shift <= bound
    cut, rising = _cut(line, bound, strict=strict)
    return _side(line.atom, cut, rising=rising)


def _cut(line: Line, bound: Any, *, strict: bool) -> tuple[Any, bool]:
    """Return c such that the line is below the bound for u < c, or, where it falls, for u ≥ c."""
    at = (bound - line.shift) / Fraction(1) / line.scale
    rising = sign(line.scale) > 0
    if line.atom.continuous:
        return at, rising  # a single point has probability 0
    if rising:  # u < at, or u <= at
        return (-floor(-at) if strict else floor(at) + 1), True
    return (floor(at) + 1 if strict else -floor(-at)), False


def tossed(chance: Any) -> bool:
    """Return whether floats draw about as often; a chance in a parameter is the real that it is."""
    return isinstance(chance, growing().Growing) or tosses(chance)


def _side(atom: Atom, cut: Any, *, rising: bool) -> Any:
    low, high = atom.whole()
    if cut <= low or cut >= high:
        return (cut >= high) == rising
    if atom.continuous and not tossed(cut):
        raise NotFiniteError("a uniform draw that floats compare otherwise, so near to an end")
    return Lottery({atom: (cut,)}, {(0,): rising, (1,): not rising})


def _below_lottery(line: Line, bound: Lottery, *, strict: bool) -> Any:
    """Compare with each value that the bound may have."""
    values = list({id(v): v for v in bound.table.values()}.values())
    sides = [below(line, value, strict=strict) for value in values]
    found = sides[0]
    if any(isinstance(value, Lottery | Line) for value in values):
        raise NotFiniteError("a bound that is random twice over")
    for value, side in zip(values[1:], sides[1:], strict=True):
        same = apply(partial(operator.is_, value), bound)
        found = combine(lambda here, new, old: new if here else old, same, side, found)
    return found


def _below_line(line: Line, other: Line, *, strict: bool) -> Any:
    if line.atom is other.atom:
        difference = Line(line.atom, line.scale - other.scale, line.shift)
        return below(difference, other.shift, strict=strict)
    small = [x for x in (line, other) if x.atom.whole()[1] - x.atom.whole()[0] <= 4096]
    small = [x for x in small if not x.atom.continuous]
    if not small:
        raise NotFiniteError("two continuous draws compared with each other")
    if small[0] is other:
        return below(line, listed(other), strict=strict)
    return below(_negated(other), apply(lambda v: -v, listed(line)), strict=strict)


def _negated(line: Line) -> Line:
    return Line(line.atom, -line.scale, -line.shift)


def negative(value: Any) -> Any:
    """Return minus a value that may be random."""
    if isinstance(value, Line):
        return _negated(value)
    return apply(lambda v: -v, value) if isinstance(value, Lottery) else -value


def apply(function: Callable[[Any], Any], value: Any) -> Any:
    """Return a function of a value that may be a lottery."""
    return combine(function, value)


def combine(function: Callable[..., Any], *values: Any) -> Any:
    """Return a function of values, some of which may be lotteries."""
    lotteries = [v for v in values if isinstance(v, Lottery)]
    if not lotteries:
        return function(*values)
    cuts: dict[Atom, tuple[Any, ...]] = {}
    for lottery in lotteries:
        for atom, own in lottery.cuts.items():
            cuts[atom] = merged(cuts[atom], own) if atom in cuts else own
    size = 1
    for own in cuts.values():
        size *= len(own) + 1
    if size > _CELLS:
        raise NotFiniteError(f"a value that depends on {size} cells of noise")
    places = [_places(v, cuts) if isinstance(v, Lottery) else None for v in values]
    from dpaudit.formal.enumeration.paths import check_time

    if size > 256:
        check_time()
    table: dict[tuple[int, ...], Any] = {}
    for cells in itertools.product(*(range(len(own) + 1) for own in cuts.values())):
        chosen = [
            v if place is None else v.table[tuple(inner[cells[at]] for at, inner in place)]
            for v, place in zip(values, places, strict=True)
        ]
        table[cells] = function(*chosen)
    return simplified(Lottery(cuts, table))


def simplified(lottery: Lottery) -> Any:
    """Return a plain value where nothing random is left of a lottery."""
    values = iter(lottery.table.values())
    first = next(values)
    if all(v is first or (type(v) is type(first) and _plainly_equal(v, first)) for v in values):
        return first
    return lottery


def _plainly_equal(one: Any, other: Any) -> bool:
    return isinstance(one, bool | int | str | Fraction) and bool(one == other)


def merged(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the cuts of both."""
    if one == other:
        return one
    found = list(one)
    found += [cut for cut in other if not any(cut == known for known in one)]
    return tuple(sorted(found))


def _places(lottery: Lottery, cuts: Mapping[Atom, tuple[Any, ...]]) -> list[tuple[int, list[int]]]:
    """Return where each atom of a lottery stands in `cuts`, and its own cell for each there."""
    order = list(cuts)
    found = []
    for atom, own in lottery.cuts.items():
        finer = cuts[atom]
        cells = [0]
        for cut in finer:
            last = cells[-1]
            cells.append(last + 1 if last < len(own) and own[last] == cut else last)
        found.append((order.index(atom), cells))
    return found


def is_random(value: Any) -> bool:
    """Return whether a value depends on noise."""
    return isinstance(value, Lottery | Line)


def mapped_line(line: Line, *, scale: Any = 1, shift: Any = 0) -> Line:
    """Return scale · line + shift."""
    return Line(line.atom, line.scale * scale, line.shift * scale + shift)


__all__ = [
    "Atom",
    "Exact",
    "Line",
    "Lottery",
    "NotFiniteError",
    "apply",
    "below",
    "combine",
    "decide",
    "is_random",
    "listed",
    "mapped_line",
    "merged",
    "negative",
    "simplified",
]
