"""What leaves as it is, but seldom: behind a coin, or in a sample of the records.

Let E be an event that both runs know of, whose probability is at most d in each, and let M be
(e, d')-differentially private but for what it does after E. Then for every set S of outputs

    Pr[M(D) in S] <= Pr[M(D) in S, not E] + d <= e^e Pr[M(D') in S] + d' + d,

so that M is (e, d' + d)-differentially private, whatever it reveals after E (Dwork & Roth 2014,
section 3.5.1, on what delta permits).

* E is that some path is taken that reveals. A path is taken only where the coins that were tossed
  on it fall as they do there. Draws are independent, and each path looks at some of them: the
  probability is at most the product of their chances, and that of all such paths at most the sum
  over the different ways in which these coins fall.
* A sample takes each record with probability q by a coin of its own. E is that one of the k
  records that D' has besides is taken, of probability 1 - (1 - q)^k; else the two samples, of the
  same coins of the others, are the same records in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy

from dpaudit.claims import ApproxDP, Claim
from dpaudit.formal.dependence import is_public
from dpaudit.formal.domain import Array, DictValue, ListValue, Number, Rows, Table, Tuple, Value
from dpaudit.formal.noise import Coins, Noise, Released
from dpaudit.formal.postprocessing import plain
from dpaudit.formal.price.notions import FREE, Approximate, Expr, Price
from dpaudit.formal.program import Place
from dpaudit.formal.rounding import tosses
from dpaudit.formal.trail import Step

if TYPE_CHECKING:
    from dpaudit.formal.calls import Application
    from dpaudit.formal.releases import Ledger
    from dpaudit.formal.trail import Path

Fallen = tuple[tuple[int, bool, Expr], ...]
_BELOW = {"operator.lt": True, "operator.le": True, "operator.gt": False, "operator.ge": False}


def toss(ledger: Ledger, call: Application) -> tuple[int, bool, Expr] | None:
    """Return of ``rng.random() < rate`` the draw, whether True is below, and the rate."""
    if call.name not in _BELOW or len(call.args) != 2 or call.keywords:
        return None
    for at, (noise, other) in enumerate((call.args, call.args[::-1])):
        rate = plain(other)
        if not isinstance(noise, Noise) or not isinstance(rate, Number) or rate.expr is None:
            continue
        scalar = noise.family == "random" and noise.shape is None and noise.sign == 1
        if not scalar or noise.draw[0] in ledger.used or not rate.expr.is_Rational:
            return None
        if not (0 < rate.expr < 1 and tosses(rate.expr)):
            return None
        return noise.draw[0], _BELOW[call.name] is (at == 0), rate.expr
    return None


def note(ledger: Ledger, tossed: tuple[int, bool, Expr], outcome: Value) -> None:
    """Remember which test on released values is that of a coin."""
    value = plain(outcome)
    if isinstance(value, Number) and value.expr is not None and value.expr.is_Symbol:
        ledger.tossed[value.expr] = tossed


def fallen(path: Path, ledger: Ledger) -> Fallen:
    """Return how the coins of a path fell that it looked at: the draw, below or not, the rate."""
    found: dict[int, tuple[int, bool, Expr]] = {}
    for decision in path.decisions:
        expr = getattr(plain(decision.test), "expr", None)
        if expr in ledger.tossed:
            draw, below, rate = ledger.tossed[expr]
            found.setdefault(draw, (draw, decision.outcome is below, rate))
    return tuple(found.values())


def chance(coins: Fallen) -> Expr:
    """Return the probability that coins fall so."""
    return sympy.Mul(*(rate if below else 1 - rate for _, below, rate in coins))


@dataclass(frozen=True, slots=True)
class Seldom:
    """What one path reveals, and is paid by delta.

    Attributes
    ----------
    place : Place
    price : Price
        Of samples that leave on this path.
    coins : tuple
        How the coins of the path fell, where that alone makes it seldom.
    """

    place: Place
    price: Price = FREE
    coins: Fallen = ()


def seldom(path: Path, ledger: Ledger, value: Value | None, claim: Claim) -> Seldom | None:
    """Return what delta pays for of a path that reveals its output, None where it cannot.

    Parameters
    ----------
    path : Path
    ledger : Ledger
    value : Value or None
        The output; None where whether there is one depends on the data.
    claim : Claim
    """
    if not isinstance(claim, ApproxDP):
        return None
    coins = fallen(path, ledger)
    if coins:
        return Seldom(path.place, coins=coins)
    price = None if value is None else price_of_samples(ledger, value)
    return None if price is None else Seldom(path.place, price)


def price_of_ways(found: Sequence[Seldom]) -> Price:
    """Return the price of all paths that coins make seldom."""
    ways = dict.fromkeys(each.coins for each in found if each.coins)
    return Approximate(sympy.Integer(0), sympy.Add(*map(chance, ways))) if ways else FREE


def told(found: Seldom) -> Step:
    """Return the line of a derivation that says what delta pays for."""
    if found.coins:
        says = f"reveals where coins of probability {chance(found.coins)} fall so"
    else:
        says = "a sample of the records leaves as it is"
    return Step("what is seldom revealed is paid by delta", found.place, says)


def price_of_samples(ledger: Ledger, value: Value) -> Approximate | None:
    """Return the price of samples of the records that leave, None where more does."""
    deltas: dict[int, Expr] = {}
    for part in _private_parts(value):
        coins = _sample_of(ledger, part)
        if coins is None:
            return None
        rows, rate = coins.rows, coins.rate
        whole = rows.relation == "inserted" and rows.parent is None and rows.count.is_Integer
        if not whole or not rate.is_Rational or not (0 < rate < 1 and tosses(rate)):
            return None
        deltas[coins.draw] = 1 - (1 - rate) ** rows.count
    return Approximate(sympy.Integer(0), sympy.Add(*deltas.values()))


def _sample_of(ledger: Ledger, part: Value) -> Coins | None:
    """Return the coins of the sample that a value is a function of, with public values alone."""
    rows: Rows | None = part.rows if isinstance(part, Table | Array) else None
    if rows is None and isinstance(part, Number | Array):
        rows = part.source
    while rows is not None:
        if rows.id in ledger.samples:
            return ledger.samples[rows.id]
        rows = rows.parent
    return None


def _private_parts(value: Value) -> Iterator[Value]:
    match value:
        case Released():
            return
        case Tuple(items=items) | ListValue(items=items):
            for item in items:
                yield from _private_parts(item)
        case DictValue(items=items):
            for item in items.values():
                yield from _private_parts(item)
        case _:
            if not is_public(value):
                yield value
