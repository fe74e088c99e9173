"""A sample instead of noise."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield returns of sampled records, or of counts of them, and of draws from raw weights."""
    for way in facts.exits:
        value = way.value
        if way.kind != "return" or not facts.private(value.tells):
            continue
        if value.has("weighed"):
            yield Hit(way.place, "what is returned was drawn from a histogram without noise")
        elif value.has("sampled"):
            yield Hit(way.place, "who is in the sample is released without noise")


RULE = Rule(
    "DPA102",
    "sampled-release",
    "A random sample of the records, or an answer about it, is released without noise.",
    bad="""\
def sampled_count(data, rng, rate=0.1):
    return np.count_nonzero(rng.random(len(data)) < rate)
""",
    good="""\
def sampled_count(data, rng, rate=0.1, epsilon=1.0):
    return np.count_nonzero(rng.random(len(data)) < rate) + rng.laplace(scale=1 / epsilon)
""",
    look=look,
    also=("DPA101",),
    relation="AddRemove(Real(0, 1))",
)
