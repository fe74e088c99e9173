"""What may have been paid at the head of a loop: constants, a price a count, a price a change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dpaudit.checker.alignment.content import Form, Relation
from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.checker.alignment.state import Draw
from dpaudit.formal.alignment.forms import CHANGES, COST, of_polynomial, size
from dpaudit.formal.alignment.shifts import Alignment, price_guess, still
from dpaudit.formal.alignment.system import Path, System

ZERO = Ratio.of(0)


@dataclass(frozen=True, slots=True)
class Prices:
    """What shifts cost, in a unit of which all prices are polynomials.

    Attributes
    ----------
    unit : Ratio
        In nats.
    claim : Ratio
        The budget, in nats.
    """

    unit: Ratio
    claim: Ratio

    def rate(self, draw: Draw) -> Ratio:
        """Return the price of moving a draw by 1, in units."""
        return Ratio.of(1) / draw.scale / self.unit


def prices_paid(
    system: System, loop: str, relation: Relation, prices: Prices, alignment: Alignment
) -> Iterator[Form]:
    """Yield bounds on the cost so far."""
    paths = [p for p in system.paths if p.stretch.to == loop]
    costs = [(p, _most(p, relation, prices, alignment)) for p in paths]
    bases = {"0": ZERO} | {str(cost): cost for p, cost in costs if p.stretch.start != loop}
    iterations = [(p, cost) for p, cost in costs if p.stretch.start == loop and cost.top]
    states = system.states(loop)
    for _, base in sorted(bases.items()):
        yield ["<=", COST, of_polynomial(base)]
        for counter in [name for name, whole, public in states if whole and not public]:
            for first in system.first_values(loop, counter):
                steps = ["-", ["state", counter], of_polynomial(first)]
                for rate in _rates(f"{counter}@{loop}", iterations):
                    grown = ["*", of_polynomial(rate), steps]
                    yield ["<=", COST, ["+", of_polynomial(base), grown]]
        if relation.total:
            reals = [name for name, whole, public in states if not whole and not public]
            yield from _paid_by_changes(system, base, reals, prices)


def _most(path: Path, relation: Relation, prices: Prices, alignment: Alignment) -> Ratio:
    """Return what a path costs at most if every change is at most the distance."""
    total = ZERO
    shifts = alignment.shifts.get(path, still(path))
    for draw, shift in zip(path.stretch.draws, shifts, strict=True):
        total = total + prices.rate(draw) * Ratio.of(price_guess(shift, relation))
    return total


def _paid_by_changes(
    system: System, base: Ratio, reals: list[str], prices: Prices
) -> Iterator[Form]:
    draws = [draw for path in system.paths for draw in path.stretch.draws]
    for _, weight in sorted({str(rate): rate for rate in map(prices.rate, draws)}.items()):
        for k in (1, 2, 3):
            paid = ["*", of_polynomial(weight * Ratio.of(k)), CHANGES]
            limit = ["+", of_polynomial(base), paid]
            yield ["<=", COST, limit]
            for name in reals:
                owed = ["*", of_polynomial(weight), size(["change", name])]
                yield ["<=", ["+", COST, owed], limit]


def _rates(counter: str, iterations: list[tuple[Path, Ratio]]) -> list[Ratio]:
    """Return what one step of a counter may pay for."""
    found: dict[str, Ratio] = {}
    for path, cost in iterations:
        step = (path.numbers[counter] - Ratio.name(counter)).constant
        if step:
            rate = cost * Ratio.of(1 / step)
            found[str(rate)] = rate
    return [rate for _, rate in sorted(found.items())]
