"""Noise that grows with epsilon."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.library import EPSILON
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield draws with a positive power of epsilon in their scale."""
    for draw in facts.draws:
        if (
            draw.scale is not None
            and draw.scale.form is not None
            and draw.scale.form.power_of(EPSILON) > 0
        ):
            yield Hit(draw.place, "the scale of the noise grows with epsilon")


RULE = Rule(
    "DPA106",
    "inverted-scale",
    "The scale of the noise grows with epsilon, where it has to shrink.",
    bad="""\
def noisy_count(data, rng, epsilon=1.0):
    return len(data) + rng.laplace(scale=epsilon)
""",
    good="""\
def noisy_count(data, rng, epsilon=1.0):
    return len(data) + rng.laplace(scale=1 / epsilon)
""",
    look=look,
)
