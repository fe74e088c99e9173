"""Stretches of the data that a loop takes one after the other, each as a whole.

A stretch stands in the proof for one number whose change is the sum of the absolute changes of its
entries. Noise on every entry, each moved by minus the entry's change, then costs what noise on
that number costs, and the noisy entries are the same in both runs exactly if the noisy number is.
What is computed from noisy entries is known only to be the same where they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.formal.alignment.poly import Poly, Symbol
from dpaudit.formal.alignment.values import Items, Range
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.alignment.interpret import Interpreter

_MARK = ":+]"
_SUM = "sum of "


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of the data."""

    symbol: Symbol

    @property
    def length(self) -> Poly:
        """How many entries it has, which is public."""
        return Poly.of(Symbol(f"len({self.symbol.name})", "shared", True))

    @property
    def total(self) -> Poly:
        """The sum of its entries, which changes by at most what they change by."""
        return Poly.of(Symbol(f"{_SUM}{self.symbol.name}", "input"))


@dataclass(frozen=True, slots=True)
class BlockNoise:
    """One draw of noise for each entry of a stretch."""

    number: Poly
    length: Poly


@dataclass(frozen=True, slots=True)
class Derived:
    """A vector that is the same in both runs if all of these numbers are."""

    parts: tuple[Poly, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """An array that is filled: what was written where."""

    log: Items


def block_of(symbol: Symbol) -> Symbol | None:
    """Return the stretch that an input belongs to, None where it is a single entry."""
    if not symbol.name.endswith(_MARK):
        return None
    return Symbol(symbol.name.removeprefix(_SUM), "input")


def taken(run: Interpreter, data: str, start: Any, stop: Any, place: Place) -> Block:
    """Return ``data[start:stop]`` where the loop's next stretch begins at stop."""
    depth = len(run.loops) - 1
    walk = run.frames[-1].get(f"%walk{depth}")
    index = run.frames[-1].get(f"%i{depth}")
    known = isinstance(start, Poly) and isinstance(stop, Poly) and isinstance(walk, Range)
    if not known or start != index or stop - start != getattr(walk, "step", None):
        raise Unsupported("a slice of the data that is no stretch of a loop over it", place)
    return Block(Symbol(f"{data}[{start}{_MARK}", "input"))


def combined(function: str, left: Any, right: Any, place: Place) -> Derived:
    """Apply an operator where one side is a stretch, its noise, or a vector made from them."""
    if function == "operator.add":
        if isinstance(left, BlockNoise):
            left, right = right, left
        # Not the difference too: sum and difference with one noise tell the data.
        noisy = isinstance(left, Block) and isinstance(right, BlockNoise)
        if noisy and left.length == right.length:
            return Derived((Poly.of(left.symbol) + right.number,))
    parts: list[Poly] = []
    for side in (left, right):
        if isinstance(side, Derived):
            parts += side.parts
        elif isinstance(side, Poly):
            parts.append(side)
        else:
            raise Unsupported("arithmetic on a stretch of the data without its noise", place)
    return Derived(tuple(parts))


def write(target: Written, index: Any, value: Any, place: Place) -> None:
    """Note an assignment into an array."""
    where = index[1:3] if isinstance(index, tuple) else (index,)
    if not all(isinstance(part, Poly) for part in where) or not isinstance(value, Poly | Derived):
        raise Unsupported("this assignment into an array", place)
    public = all(s.kind in ("shared", "parameter") for part in where for s in part.symbols())
    if not public or (isinstance(index, tuple) and index[3] is not None):
        raise Unsupported("an assignment at a place that may depend on the data", place)
    parts = value.parts if isinstance(value, Derived) else (value,)
    target.log.items.append((Poly.of(len(where)), *where, *parts))
