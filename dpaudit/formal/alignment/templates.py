"""What may hold at the head of a loop in every iteration: candidates for the invariant."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.formal.alignment.poly import Poly, Symbol
from dpaudit.formal.alignment.price_templates import prices_paid
from dpaudit.formal.alignment.relation import Relation
from dpaudit.formal.alignment.segments import System
from dpaudit.formal.alignment.shifts import MULTIPLES, Alignment
from dpaudit.formal.alignment.tworuns import evaluated
from dpaudit.formal.alignment.units import Prices
from dpaudit.formal.alignment.views import (
    Build,
    Predicate,
    change_is,
    first_values,
    size,
    state_of,
)
from dpaudit.formal.alignment.winner_templates import of_winner


def predicates(
    system: System, loop: str, relation: Relation, prices: Prices, alignment: Alignment
) -> list[Predicate]:
    """Return all candidates for a loop."""
    numbers, lists = state_of(system, loop)
    found = list(_between(numbers, lists, relation))
    found += _bounds(system, loop, numbers)
    found += prices_paid(system, loop, numbers, relation, prices, alignment)
    if alignment.winner is not None:
        found += of_winner(system, loop, numbers, relation, prices, alignment)
    return found


def _between(numbers: list[Symbol], lists: list[str], relation: Relation) -> Iterator[Predicate]:
    """Yield how variables differ between the runs: not, by a constant, within bounds."""
    for name in lists:
        yield Predicate(f"same {name}", _same(name), True)
    for s in numbers:
        if s.kind == "shared":
            continue
        if s.integer:
            yield Predicate(f"Δ{s} = 0", change_is(s, "=", relation.distance * 0), True)
            continue
        for multiple in MULTIPLES:
            bound = multiple * relation.distance
            for sign in ("=", "<=", ">="):
                yield Predicate(f"Δ{s} {sign} {bound}", change_is(s, sign, bound), True)
        if relation.total:
            yield Predicate(f"|Δ{s}| <= changes", _within_changes(s), True)
    if relation.total:
        yield Predicate("changes >= 0", lambda view: view.moved >= 0)


def _same(name: str) -> Build:
    return lambda view: view.same(name)


def _within_changes(symbol: Symbol) -> Build:
    return lambda view: size(view.change(symbol)) <= view.moved


def _bounds(system: System, loop: str, numbers: list[Symbol]) -> Iterator[Predicate]:
    """Yield bounds on counters: by their first values, and by what they are compared with."""
    for s in numbers:
        if s.integer:
            for first in first_values(system, loop, s):
                difference = Poly.of(s) - first
                yield Predicate(f"{s} >= {first}", _bounded(difference, ">=", 0))
                yield Predicate(f"{s} <= {first}", _bounded(difference, "<=", 0))
    for poly in _compared(system, loop, numbers):
        for k in (-2, -1, 0, 1, 2):
            yield Predicate(f"{poly} <= {k}", _bounded(poly, "<=", k))
            yield Predicate(f"{poly} >= {k}", _bounded(poly, ">=", k))


def _compared(system: System, loop: str, numbers: list[Symbol]) -> list[Poly]:
    """Return whole numbers that tests compare, of parameters and variables of the head alone.

    Anything else has another value in the next iteration, and says nothing of the state.
    """
    known = {s for s in numbers if s.integer}
    found = set()
    for segment in system.segments:
        if segment.start != loop:
            continue
        for decision in segment.decisions:
            symbols = decision.atom.number.symbols()
            own = all(s in known or (s.kind == "parameter" and s.integer) for s in symbols)
            if own and any(s.kind == "state" for s in symbols):
                found.add(decision.atom.number)
    return sorted(found, key=str)


def _bounded(poly: Poly, sign: str, bound: int) -> Build:
    if sign == "<=":
        return lambda view: evaluated(poly, view.number) <= bound
    return lambda view: evaluated(poly, view.number) >= bound
