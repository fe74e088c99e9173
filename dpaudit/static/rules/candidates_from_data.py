"""Candidates that are records."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield returns of an entry of the data that noise picked."""
    for way in facts.exits:
        value = way.value
        answer = value.has("answer") or facts.relation.kind == "queries"  # no record, but raw
        if answer or way.kind != "return":
            continue
        if value.has("picked") and facts.private(value.tells):
            yield Hit(way.place, "what is returned is one of the values that occur in the data")


RULE = Rule(
    "DPA109",
    "candidates-from-data",
    "The released value is one of the values that occur, even if it is chosen at random.",
    bad="""\
def noisy_mode(data, rng, epsilon=1.0):
    values, counts = np.unique(data, return_counts=True)
    return values[np.argmax(counts + rng.laplace(scale=1 / epsilon, size=len(counts)))]
""",
    good="""\
VALUES = np.arange(10)

def noisy_mode(data, rng, epsilon=1.0):
    counts = np.bincount(data, minlength=10)
    return VALUES[np.argmax(counts + rng.laplace(scale=1 / epsilon, size=len(counts)))]
""",
    look=look,
)
