"""Coins of randomized response that say the truth more often than epsilon allows."""

from __future__ import annotations

import math
from collections.abc import Iterator

from dpaudit.static.facts import Facts, Place
from dpaudit.static.noise import width_of
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
    tossed = {w.place: w.under[0].place for w in facts.exits if len(w.under) == 1}
    if not any(c.value.noise for way in facts.exits for c in way.under):
        found += [(choice.place, choice.condition, choice.one) for choice in facts.choices]
    for place, coin, value in found:
        odds = [float(m[5:]) for m in coin.marks if m.startswith("odds:")]
        if len(odds) == 1 and value.has("raw", "own") and value.tells and not value.hidden:
            against = odds[0] * _others(facts, place, tossed.get(place))
            cost = math.log(against) if against > 0 else -math.inf
            if cost > _SLACK * claimed:
                said = f"the odds of the truth are {against:.3g}, and epsilon {claimed:.3g} allows "
                yield Hit(place, f"{said}{math.exp(claimed):.3g}")


def _others(facts: Facts, truth: Place, coin: Place | None) -> float:
    """Return among how many values another exit of the coin draws, at least; 1 if unknown.

    A draw that a loop repeats until it is another value has one value fewer.
    """
    relation = facts.relation
    if coin is None or relation.low is None or relation.high is None:
        return 1.0
    for way in facts.exits:
        value = way.value
        same = any(c.place == coin for c in way.under) and way.place != truth
        drawn = [d for d in facts.drawn(value) if d.family == "integers"]
        if way.kind != "return" or not same or len(drawn) != 1 or value.has("mask"):
            continue
        width = width_of(drawn[0])
        if width is not None and width <= relation.high - relation.low + 1:
            return max(1.0, width - bool(drawn[0].loops))
    return 1.0


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
