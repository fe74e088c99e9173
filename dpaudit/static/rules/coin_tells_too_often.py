"""Coins of randomized response that say the truth more often than epsilon allows."""

from __future__ import annotations

import math
from collections.abc import Iterator

from dpaudit.static.facts import Facts, Place
from dpaudit.static.rule import Hit, Rule
from dpaudit.static.values import Value

_SLACK = 1.001


def look(facts: Facts) -> Iterator[Hit]:
    """Yield the truth by a coin whose odds are above e^epsilon."""
    claimed = facts.stated_epsilon
    if not claimed or facts.relation.kind != "local":
        return
    found: list[tuple[Place, Value, Value]] = [
        (way.place, way.under[0].value, way.value)
        for way in facts.exits
        if way.kind == "return" and len(way.under) == 1
    ]
    if not any(c.value.noise for way in facts.exits for c in way.under):
        found += [(choice.place, choice.condition, choice.one) for choice in facts.choices]
    for place, coin, value in found:
        odds = [float(m[5:]) for m in coin.marks if m.startswith("odds:")]
        if len(odds) == 1 and value.has("raw", "own") and value.tells and not value.hidden:
            cost = math.log(odds[0]) if odds[0] > 0 else -math.inf
            if cost > _SLACK * claimed:
                said = f"the odds of the truth are {odds[0]:.3g}, and epsilon {claimed:.3g} allows "
                yield Hit(place, f"{said}{math.exp(claimed):.3g}")


RULE = Rule(
    "DPA106",
    "coin-tells-too-often",
    "A coin decides for the truth with odds above exp(epsilon).",
    bad="""\
def answer_by_coin(bit, rng, epsilon=1.0):
    return bit if rng.random() < 0.9 else 1 - bit
""",
    good="""\
def answer_by_coin(bit, rng, epsilon=1.0):
    return bit if rng.random() < 0.7 else 1 - bit
""",
    look=look,
    relation="AnyPair(Integer(0, 1))",
)
