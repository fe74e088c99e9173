"""Keys that the data choose."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield returns whose keys, or whose length, tell of the data."""
    if not facts.released:
        return
    for way in facts.exits:
        value = way.value
        if way.kind != "return" or any(c.value.covered for c in way.under):
            continue
        if (value.has("keyed") or value.has("key")) and facts.private(value.tells):
            yield Hit(way.place, "the keys of what is returned come from the data")
        elif value.has("few"):
            yield Hit(
                way.place, "the values that occur are kept by a threshold that noise alone passes"
            )
        elif facts.private(value.shape) and not value.tells and not value.has("kept"):
            yield Hit(way.place, "the length or the order of what is returned comes from the data")


RULE = Rule(
    "DPA109",
    "keys-from-data",
    "The keys, the number or the order of what is returned are those of the values that occur.",
    bad="""\
def noisy_counts(data, rng, epsilon=1.0):
    counts = Counter(data.tolist())
    return {key: counts[key] + rng.laplace(scale=1 / epsilon) for key in counts}
""",
    good="""\
KEYS = ("a", "b", "c")

def noisy_counts(data, rng, epsilon=1.0):
    counts = Counter(data.tolist())
    return {key: counts[key] + rng.laplace(scale=1 / epsilon) for key in KEYS}
""",
    look=look,
)
