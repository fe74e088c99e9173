"""One seed, many generators."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield generators that are made in a loop from a seed that does not vary with it."""
    for seeding in facts.seeds:
        seed = seeding.seed
        if seed is None or not seeding.loops:
            continue
        if seeding.loops[-1] not in seed.loops:
            yield Hit(seeding.place, "each round of the loop starts a generator at the same seed")


RULE = Rule(
    "DPA110",
    "generator-in-loop",
    "A loop makes its generator anew from one seed, so that all its noises are equal.",
    bad="""\
def noisy_counts(groups, seed, epsilon=1.0):
    seed = int(seed)
    return [len(g) + np.random.default_rng(seed).laplace(scale=1 / epsilon) for g in groups]

def noisy_answers(data, rng, epsilon=1.0):
    seed = rng.integers(2**63)
    noises = [np.random.default_rng(seed).laplace(scale=1 / epsilon) for _ in data]
    return data + np.array(noises)
""",
    good="""\
def noisy_answers(data, rng, epsilon=1.0):
    noises = [rng.laplace(scale=1 / epsilon) for _ in data]
    return data + np.array(noises)
""",
    look=look,
)
