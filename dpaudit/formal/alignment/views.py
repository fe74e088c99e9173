"""The joint state of both runs at the head of a loop, and statements about it."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import z3

from dpaudit.formal.alignment.poly import Poly, Symbol
from dpaudit.formal.alignment.segments import System, numbers_in
from dpaudit.formal.alignment.tworuns import Terms, change_of, exact, same_list


def winner() -> Any:
    """Return the term of the index that is returned."""
    return z3.Int("returned")


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The joint state at a head: its own variables, or what they become."""

    number: Callable[[Symbol], Any]
    change: Callable[[Symbol], Any]
    same: Callable[[str], Any]
    cost: Any
    moved: Any
    poly: Callable[[Poly], Any]


Build = Callable[[View], Any]


@dataclass(frozen=True, slots=True, eq=False)
class Predicate:
    """One statement; `between` says that it compares the runs and nothing else."""

    text: str
    build: Build
    between: bool = False


_RELATIONS = {"<=": operator.le, ">=": operator.ge, "=": operator.eq}


def change_is(symbol: Symbol, relation: str, bound: Fraction) -> Build:
    """State how a variable differs between the runs."""
    compare, value = _RELATIONS[relation], exact(bound)
    return lambda view: compare(view.change(symbol), value)


def size(term: Any) -> Any:
    """Return an absolute value."""
    return z3.If(term >= 0, term, -term)


def head_view(terms: Terms) -> View:
    """Return the state at a head in its own variables."""

    def change(symbol: Symbol) -> Any:
        moved = change_of(symbol)
        return exact(Fraction(0)) if moved is None else terms.symbol(moved)

    return View(terms.symbol, change, same_list, z3.Real("cost"), z3.Real("changes"), terms.poly)


def state_of(system: System, loop: str) -> tuple[list[Symbol], list[str]]:
    """Return the numbers at the head of a loop that matter, and the lists."""
    matter = relevant(system)
    for segment in system.segments:
        if segment.to == loop:
            return [s for s in segment.numbers if s in matter], list(segment.lists)
    return [], []


@lru_cache(maxsize=32)
def relevant(system: System) -> frozenset[Symbol]:
    """Return the variables that a test, an output or another such variable depends on."""
    seeds = [d.atom.number for g in system.segments for d in g.decisions]
    seeds += [same.number for g in system.segments for same in g.agreed]
    seeds += [p for g in system.segments for p in numbers_in(g.output)]
    seeds += [p for g in system.segments for x in g.lists.values() for p in numbers_in(x)]
    found = {s for p in seeds for s in p.symbols()}
    while True:
        more = {
            s
            for g in system.segments
            for target, value in g.numbers.items()
            if target in found
            for s in value.symbols()
        }
        if more <= found:
            return frozenset(found)
        found |= more


def first_values(system: System, loop: str, symbol: Symbol) -> list[Poly]:
    """Return what a variable may be when the loop is reached, where that is public."""
    values = {
        g.numbers[symbol]
        for g in system.segments
        if g.to == loop and g.start != loop and symbol in g.numbers
    }
    return sorted((v for v in values if all(s.kind == "parameter" for s in v.symbols())), key=str)
