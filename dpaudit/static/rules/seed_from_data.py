"""A seed that the data choose."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield generators whose seed tells of the data."""
    for seeding in facts.seeds:
        if seeding.seed is not None and facts.private(seeding.seed.tells):
            yield Hit(seeding.place, "the seed of the generator is computed from the data")


RULE = Rule(
    "DPA110",
    "seed-from-data",
    "The seed of the noise is computed from the data, so that a guess of the data can be checked.",
    bad="""\
def noisy_count(data, epsilon=1.0):
    rng = np.random.default_rng(abs(hash(tuple(data))))
    return len(data) + rng.laplace(scale=1 / epsilon)
""",
    good="""\
def noisy_count(data, epsilon=1.0):
    rng = np.random.default_rng()
    return len(data) + rng.laplace(scale=1 / epsilon)
""",
    look=look,
)
