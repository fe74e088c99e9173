"""A seed with few values."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule

FEW = 2.0**32


def look(facts: Facts) -> Iterator[Hit]:
    """Yield generators whose seed is drawn from less than 32 bits."""
    for seeding in facts.seeds:
        if seeding.span is not None and seeding.span < FEW:
            yield Hit(seeding.place, f"the seed is one of {seeding.span:,.0f} values")


RULE = Rule(
    "DPA110",
    "few-seeds",
    "The seed has so few values that all outputs can be listed.",
    bad="""\
def noisy_count(data, source, epsilon=1.0):
    rng = np.random.default_rng(source.integers(256))
    return len(data) + rng.laplace(scale=1 / epsilon)

def noisy_count_of_a_process(data, epsilon=1.0):
    source = np.random.default_rng()
    rng = np.random.default_rng(source.integers(1000))
    return len(data) + rng.laplace(scale=1 / epsilon)
""",
    good="""\
def noisy_count_of_a_process(data, epsilon=1.0):
    source = np.random.default_rng()
    rng = np.random.default_rng(source.integers(2**63))
    return len(data) + rng.laplace(scale=1 / epsilon)
""",
    look=look,
)
