"""Delta events: what is revealed with a small probability, which delta pays for.

A path is taken only where the coins that were tossed on it fall as they do there. The k-th draw of
a program is the k-th of independent draws whatever the path, so that paths on which the same draws
fall alike are taken, all together, with at most the product of the chances of these. If all paths
that reveal are taken with probability d at most, in either run, and all others are (e, d')-private,
the whole is (e, d' + d)-private: Pr[M in S] <= Pr[M in S, nothing revealed] + d.

A sample that leaves as it is differs only where it holds the record that one run has besides. That
happens with the chance of a record's coin; else both samples are the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dpaudit.checker.cost.ends import ONE, ZERO
from dpaudit.checker.cost.ledger import REVEALED, Draw, Item
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import NONE, Taken, Unknown, is_number
from dpaudit.checker.exact.numbers import Number, number

Way = frozenset[tuple[int, bool, Fraction]]
_TOLD = Fraction(1, 2**33)  # a draw of floats has steps of 2^-53
_BELOW = {"lt": True, "le": True, "gt": False, "ge": False}


@dataclass(frozen=True, slots=True, eq=False)
class Coin:
    """A test of a draw from [0, 1): whether it is below a known chance, or is not."""

    draw: Draw
    below: bool
    chance: Fraction


def tossed(run: Run, name: str, draw: Draw | None, first: bool, other: Any) -> Coin | None:
    """Return the coin that a comparison of a fresh draw with a number is, None where it is none.

    Parameters
    ----------
    run : Run
    name : str
    draw : Draw or None
        None where a sum with noise is compared.
    first : bool
        Whether the draw is what is compared, the number what it is compared with.
    other : scalar
    """
    if draw is None or name not in _BELOW or not is_number(other) or run.ledger.used(draw):
        return None
    chance = number(other).fraction
    if draw.law != "random" or draw.call not in run.ledger.single or chance is None:
        return None
    if not _TOLD <= chance <= 1 - _TOLD:
        return None
    return Coin(draw, _BELOW[name] is first, chance)


def marked(test: Any, coin: Coin) -> Any:
    """Return a test with the coin that it is."""
    return replace(test, sum_of=(coin, ONE)) if isinstance(test, Unknown) else test


def note(run: Run, test: Unknown, outcome: bool) -> None:
    """Note how a coin fell on this path."""
    coin = test.sum_of[0] if test.sum_of is not None else None
    if isinstance(coin, Coin):
        run.fallen.setdefault(coin.draw.call, (outcome is coin.below, coin.chance))


def way(run: Run) -> Way:
    """Return how the coins of a path fell."""
    return frozenset((call, below, chance) for call, (below, chance) in run.fallen.items())


def chance_of(ways: Iterable[Way]) -> Number:
    """Return the most with which one of several ways is taken."""
    total = ZERO
    for each in set(ways):
        product = ONE
        for _, below, chance in each:
            product = product * (chance if below else 1 - chance)
        total = total + product
    return total


def show(run: Run, taken: Taken, place: str) -> None:
    """Note that a sample leaves."""
    if all(item.sample is not taken for item in run.ledger.items):
        run.ledger.items.append(Item(REVEALED, taken.rate, NONE, place, 0, sample=taken))


def delta_of(items: Iterable[Item]) -> Number:
    """Return the chance with which one of the samples of a path holds a record that changed."""
    return sum((item.rate for item in items if item.law == REVEALED), ZERO)
