"""Noise that is drawn until it suits."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield loops that draw a noisy private value until a test on it holds."""
    for repeat in facts.repeats:
        yield Hit(repeat.place, f"`{repeat.name}` is drawn again until a condition holds")


RULE = Rule(
    "DPA106",
    "redrawn",
    "Noise is drawn again until a condition holds, whose probability depends on the data.",
    bad="""\
def noisy_count(data, rng, high=100, epsilon=1.0):
    while True:
        noisy = len(data) + rng.laplace(scale=1 / epsilon)
        if 0 <= noisy <= high:
            return noisy
""",
    good="""\
def noisy_count(data, rng, high=100, epsilon=1.0):
    noisy = len(data) + rng.laplace(scale=1 / epsilon)
    return min(max(noisy, 0), high)
""",
    look=look,
)
