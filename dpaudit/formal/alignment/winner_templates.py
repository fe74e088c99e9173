"""What may hold before, and after, the index that will be returned was met."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import z3

from dpaudit.formal.alignment.poly import ZERO, Symbol
from dpaudit.formal.alignment.relation import Relation
from dpaudit.formal.alignment.segments import System
from dpaudit.formal.alignment.shifts import MULTIPLES, Alignment
from dpaudit.formal.alignment.trace import Drawn
from dpaudit.formal.alignment.units import Prices
from dpaudit.formal.alignment.views import Build, Predicate, View, change_is, winner
from dpaudit.formal.clock import charge


def of_winner(
    system: System,
    loop: str,
    numbers: list[Symbol],
    relation: Relation,
    prices: Prices,
    alignment: Alignment,
) -> Iterator[Predicate]:
    """Yield candidates for loops that look for an index, the best so far in a variable z.

    The index that the first run returns is a constant of the proof: `returned`.
    """
    index = next((s for s in numbers if s.kind == "shared" and s.name.startswith("%i")), None)
    if index is None or alignment.winner is None:
        return
    integers = [s for s in numbers if s.integer and s.kind == "state"]
    reals = [s for s in numbers if not s.integer and s.kind == "state"]
    price = ZERO
    for drawn in _draws_of(system, loop):
        own = alignment.winner[drawn.symbol][0].constant or Fraction(0)
        price = price + prices.rates[drawn.scale] * abs(own)
    yield Predicate(f"{index} <= returned: cost <= 0", _ahead(index, lambda v: v.cost <= 0))
    yield Predicate(f"cost <= {price}", lambda view: view.cost <= view.poly(price))
    for z in integers:
        yield Predicate(f"{z} < {index} or {index} = 0", _met(z, index))
        yield Predicate(f"{index} = 0: Δ{z} = 0", _at_first(index, z))
        same = change_is(z, "=", Fraction(0))
        yield Predicate(f"{z} = returned < {index}: Δ{z} = 0", _found(index, z, same))
    for s in reals:
        for multiple in MULTIPLES:
            bound = multiple * relation.distance
            for sign in ("<=", ">="):
                change = change_is(s, sign, bound)
                text = f"Δ{s} {sign} {bound}"
                yield Predicate(f"0 < {index} <= returned: {text}", _ahead(index, change, 1))
                for z in integers:
                    text_found = f"{z} = returned < {index}: {text}"
                    yield Predicate(text_found, _found(index, z, change))


def _ahead(index: Symbol, then: Build, least: int = 0) -> Build:
    def build(view: View) -> Any:
        charge(800)
        here = view.number(index)
        return z3.Implies(z3.And(here >= least, here <= winner()), then(view))

    return build


def _found(index: Symbol, best: Symbol, then: Build) -> Build:
    def build(view: View) -> Any:
        charge(800)
        found = z3.And(view.number(index) > winner(), view.number(best) == winner())
        return z3.Implies(found, then(view))

    return build


def _met(best: Symbol, index: Symbol) -> Build:
    return lambda view: z3.Or(view.number(best) < view.number(index), view.number(index) == 0)


def _at_first(index: Symbol, best: Symbol) -> Build:
    return lambda view: z3.Implies(view.number(index) == 0, view.change(best) == 0)


def _draws_of(system: System, loop: str) -> list[Drawn]:
    found = {d.symbol: d for g in system.segments if g.start == loop for d in g.draws}
    return [found[s] for s in sorted(found)]
