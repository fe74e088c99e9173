"""What may have been paid at the head of a loop: constants, a price a count, a price a change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpaudit.formal.alignment.poly import ZERO, Poly, Symbol
from dpaudit.formal.alignment.relation import Relation
from dpaudit.formal.alignment.segments import Segment, System
from dpaudit.formal.alignment.shifts import Alignment, price_guess
from dpaudit.formal.alignment.units import Prices
from dpaudit.formal.alignment.views import Build, Predicate, View, first_values, size


def prices_paid(
    system: System,
    loop: str,
    numbers: list[Symbol],
    relation: Relation,
    prices: Prices,
    alignment: Alignment,
) -> Iterator[Predicate]:
    """Yield bounds on the cost so far."""
    iterations = [
        (segment, cost)
        for segment in system.segments
        if segment.start == segment.to == loop
        and (cost := most(segment, relation, prices, alignment)) != ZERO
    ]
    for base in _entry_costs(system, loop, relation, prices, alignment):
        yield Predicate(f"cost <= {base}", _paid(base, ZERO, ZERO))
        for counter in (s for s in numbers if s.integer and s.kind == "state"):
            for first in first_values(system, loop, counter):
                steps = Poly.of(counter) - first
                for rate in _rates(counter, iterations):
                    text = f"cost <= {base} + ({rate})*({steps})"
                    yield Predicate(text, _counted(base, rate, counter, first))
        if relation.total:
            yield from _paid_by_changes(base, numbers, prices)


def most(segment: Segment, relation: Relation, prices: Prices, alignment: Alignment) -> Poly:
    """Return what a segment costs at most if every change is at most the distance."""
    shifts = alignment.shifts.get(segment, {})
    total = ZERO
    for drawn in segment.draws:
        shift = shifts.get(drawn.symbol, ZERO)
        total = total + prices.rates[drawn.scale] * price_guess(shift, relation)
    return total


def _paid(base: Poly, rate: Poly, weight: Poly, symbol: Symbol | None = None) -> Build:
    """State cost + weight·|Δsymbol| <= base + rate·changes."""

    def build(view: View) -> Any:
        spent = view.cost
        limit = view.poly(base)
        if symbol is not None:
            spent = spent + view.poly(weight) * size(view.change(symbol))
        if rate != ZERO:
            limit = limit + view.poly(rate) * view.moved
        return spent <= limit

    return build


def _counted(base: Poly, rate: Poly, counter: Symbol, first: Poly) -> Build:
    return lambda view: (
        view.cost <= view.poly(base) + view.poly(rate) * (view.number(counter) - view.poly(first))
    )


def _paid_by_changes(base: Poly, numbers: list[Symbol], prices: Prices) -> Iterator[Predicate]:
    for weight in sorted(set(prices.rates.values()), key=str):
        for k in (1, 2, 3):
            rate = weight * k
            yield Predicate(f"cost <= {base} + ({rate})*changes", _paid(base, rate, ZERO))
            for s in (s for s in numbers if s.kind == "state" and not s.integer):
                text = f"cost + ({weight})*|Δ{s}| <= {base} + ({rate})*changes"
                yield Predicate(text, _paid(base, rate, weight, s))


def _entry_costs(
    system: System, loop: str, relation: Relation, prices: Prices, alignment: Alignment
) -> list[Poly]:
    found = {ZERO}
    for segment in system.segments:
        if segment.to == loop and segment.start != loop:
            found.add(most(segment, relation, prices, alignment))
    return sorted(found, key=str)


def _rates(counter: Symbol, iterations: list[tuple[Segment, Poly]]) -> list[Poly]:
    """Return what one step of a counter may pay for."""
    found = set()
    for segment, cost in iterations:
        step = (segment.numbers[counter] - Poly.of(counter)).constant
        if step:
            found.add(cost * (1 / step))
    return sorted(found, key=str)
