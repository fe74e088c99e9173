"""A private value that outlives the call."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield private values that are stored in the module or in a public attribute."""
    if not facts.released:
        return
    for way in facts.exits:
        if way.kind == "store" and facts.perhaps(way.value.tells):
            yield Hit(way.place, "a private value is stored beside the noisy one")


RULE = Rule(
    "DPA116",
    "raw-store",
    "A private value is stored where a later call or another reader finds it.",
    bad="""\
_seen = {}

def noisy_sum(data, rng, epsilon=1.0):
    total = np.fmin(np.fmax(data, 0), 1).sum()
    _seen["total"] = total
    return total + rng.laplace(scale=1 / epsilon)
""",
    good="""\
_seen = {}

def noisy_sum(data, rng, epsilon=1.0):
    total = np.fmin(np.fmax(data, 0), 1).sum() + rng.laplace(scale=1 / epsilon)
    _seen["total"] = total
    return total
""",
    look=look,
    also=("DPA101",),
)
