"""What may hold before, and after, the index that will be returned was met."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.checker.alignment.content import Form, Relation, Winner
from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.formal.alignment.forms import COST, RETURNED, number, of_polynomial
from dpaudit.formal.alignment.price_templates import ZERO, Prices
from dpaudit.formal.alignment.shifts import MULTIPLES
from dpaudit.formal.alignment.system import System


def of_winner(
    system: System, loop: str, relation: Relation, prices: Prices, winner: Winner
) -> Iterator[Form]:
    """Yield candidates for loops that look for an index, the best so far in a variable z.

    The index that the first run returns is a constant of the proof: `returned`.
    """
    states = system.states(loop)
    index = next((["state", name] for name, _, public in states if public), None)
    if index is None:
        return
    integers = [name for name, whole, public in states if whole and not public]
    reals = [name for name, whole, public in states if not whole and not public]
    zero = number(0)
    yield ["implies", ["<=", index, RETURNED], ["<=", COST, zero]]
    yield ["<=", COST, of_polynomial(_price(system, loop, prices, winner))]
    for z in integers:
        state, change = ["state", z], ["change", z]
        yield ["or", ["<", state, index], ["=", index, zero]]
        yield ["implies", ["=", index, zero], ["=", change, zero]]
        yield ["implies", _found(index, z), ["=", change, zero]]
    for name in reals:
        for multiple in MULTIPLES:
            for sign in ("<=", ">="):
                bound = [sign, ["change", name], number(multiple * relation.distance)]
                ahead = ["and", [">", index, zero], ["<=", index, RETURNED]]
                yield ["implies", ahead, bound]
                for z in integers:
                    yield ["implies", _found(index, z), bound]


def _found(index: Form, best: str) -> Form:
    return ["and", [">", index, RETURNED], ["=", ["state", best], RETURNED]]


def _price(system: System, loop: str, prices: Prices, winner: Winner) -> Ratio:
    """Return what moving the draws of one index costs."""
    longest = max(
        (p.stretch.draws for p in system.paths if p.stretch.start == loop), key=len, default=()
    )
    total = ZERO
    for at, draw in enumerate(longest):
        line = [(d.place, d.family) for d in longest[:at]]
        own, _ = winner[draw.place, draw.family][line.count((draw.place, draw.family))]
        total = total + prices.rate(draw) * Ratio.of(abs(own))
    return total
