"""The truth, now and then."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule
from dpaudit.static.values import Value

_CONTINUOUS = frozenset({"laplace", "normal", "gumbel", "logistic", "standard_normal"})


def look(facts: Facts) -> Iterator[Hit]:
    """Yield returns of the truth by a coin where no other return could be taken for it."""
    ways = [e for e in facts.exits if e.kind == "return"]
    for way in ways:
        coins = [c for c in way.under if c.value.noise]
        if not coins or not facts.private(way.value.tells) or way.value.hidden:
            continue
        if any(c.value.hidden for c in way.under):
            continue
        exact = way.value.has("float")
        others = [e for e in ways if e is not way and (exact or not _alike(facts, e.value))]
        rest = [e for e in ways if e is not way]
        if rest and len(others) == len(rest):
            yield Hit(way.place, "with some probability the exact value is released, recognizably")


def _alike(facts: Facts, value: Value) -> bool:
    """Return whether a value could be taken for the truth: one of the domain, or random."""
    if value.public:
        low, high = facts.relation.low or 0.0, facts.relation.high or 1.0
        known = value.number is not None and low <= value.number <= high
        return known or bool(value.text)
    return not any(d.family in _CONTINUOUS for d in facts.drawn(value))


RULE = Rule(
    "DPA102",
    "released-by-coin",
    "A coin decides whether the exact value is released, and other outputs are of another kind.",
    bad="""\
def answer_or_nothing(bit, rng):
    if rng.random() < 0.5:
        return bit
    return None
""",
    good="""\
def randomized_response(bit, rng):
    if rng.random() < 0.5:
        return bit
    return int(rng.random() < 0.5)
""",
    look=look,
)
