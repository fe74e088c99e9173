"""A count of pairs."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts, private_and_noise
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield additions of noise to a count of equal pairs of records."""
    for add in facts.adds:
        private, noise = private_and_noise(add)
        scales = [d.scale for d in facts.drawn(noise) if d.scale is not None]
        if private.has("pairs") and scales and all(s.public for s in scales):
            yield Hit(add.place, "a record matches as many others as are equal to it")


RULE = Rule(
    "DPA105",
    "self-join",
    "Matches between records are counted, and the noise is scaled to one match a record.",
    bad="""\
def noisy_matches(data, rng, epsilon=1.0):
    matches = (data[:, None] == data).sum()
    return matches + rng.laplace(scale=1 / epsilon)
""",
    good="""\
def noisy_count(data, rng, value=7, epsilon=1.0):
    return (data == value).sum() + rng.laplace(scale=1 / epsilon)
""",
    look=look,
)
