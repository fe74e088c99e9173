"""Gumbel noise and the smallest."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield argmin of a private value plus Gumbel noise."""
    added = [
        a.result.draws
        for a in facts.adds
        if a.operator == "Add" and any(d.family == "gumbel" for d in facts.drawn(a.result))
    ]
    for call in facts.calls:
        if (
            call.name in ("argmin", "min")
            and call.arguments
            and call.arguments[0].hidden
            and call.arguments[0].draws in added
        ):
            yield Hit(call.place, "Gumbel noise is added, and the smallest value is selected")


RULE = Rule(
    "DPA106",
    "wrong-tail",
    "The smallest value plus Gumbel noise is selected, but its long tail is on the other side.",
    bad="""\
def best(costs, rng, epsilon=1.0):
    return np.argmin(costs + rng.gumbel(scale=2 / epsilon, size=len(costs)))
""",
    good="""\
def best(costs, rng, epsilon=1.0):
    return np.argmax(rng.gumbel(scale=2 / epsilon, size=len(costs)) - costs)
""",
    look=look,
)
