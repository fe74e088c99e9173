"""Unary encoding whose coins pay for one entry, while two change."""

from __future__ import annotations

import math
from collections.abc import Iterator

from dpaudit.static.facts import Facts, Place
from dpaudit.static.rule import Hit, Rule
from dpaudit.static.values import Value

_SLACK = 1.01


def look(facts: Facts) -> Iterator[Hit]:
    """Yield coins on the entries of a one-hot vector that together cost more than the claim.

    With odds a of a one where the entry is one, and b where it is not, another value costs ln(a/b).
    """
    epsilon = facts.stated_epsilon
    if not epsilon or facts.relation.kind in ("add", "queries"):
        return
    for place, cost in _costs(facts):
        if cost > _SLACK * epsilon:
            said = f"another value changes two entries, which cost {cost:.3g} together"
            yield Hit(place, said)


def _costs(facts: Facts) -> Iterator[tuple[Place, float]]:
    for choice in facts.choices:
        one, other = odds_of(choice.one), odds_of(choice.other)
        if choice.condition.has("unary") and one and other:
            yield choice.place, abs(math.log(one / other))
        coin = odds_of(choice.condition)
        if coin and (choice.one.has("unary") or choice.other.has("unary")):
            yield choice.place, 2 * abs(math.log(coin))
    for operation in facts.operations:
        for bit, coin_ in ((operation.left, operation.right), (operation.right, operation.left)):
            odds = odds_of(coin_)
            if operation.operator == "BitXor" and bit.has("unary") and odds:
                yield operation.place, 2 * abs(math.log(odds))


def odds_of(value: Value) -> float | None:
    """Return the odds of a coin, where they are known."""
    found = [mark.partition(":")[2] for mark in value.marks if mark.startswith("odds:")]
    return float(found[0]) if len(found) == 1 else None


RULE = Rule(
    "DPA106",
    "unary-full-budget",
    "The coin of each entry of a one-hot vector spends all of epsilon, and two entries change.",
    bad="""\
def reported(value: int, rng, epsilon=1.0):
    vector = np.zeros(4)
    vector[value] = 1
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    coins = rng.random(4)
    return np.where(vector == 1, coins < p, coins < 1 - p)
""",
    good="""\
def reported(value: int, rng, epsilon=1.0):
    vector = np.zeros(4)
    vector[value] = 1
    p = math.exp(epsilon / 2) / (1 + math.exp(epsilon / 2))
    coins = rng.random(4)
    return np.where(vector == 1, coins < p, coins < 1 - p)
""",
    look=look,
    also=("DPA105", "DPA107"),
)
