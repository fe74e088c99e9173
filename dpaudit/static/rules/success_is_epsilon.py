"""Epsilon as a probability."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.library import EPSILON
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield geometric draws whose probability is epsilon itself."""
    for draw in facts.draws:
        p = draw.arguments.get("p")
        if (
            draw.family == "geometric"
            and p is not None
            and p.form is not None
            and p.form.power_of(EPSILON) == 1
            and len(p.form.powers) == 1
        ):
            yield Hit(draw.place, "the success probability is epsilon, not 1 - exp(-ε)")


RULE = Rule(
    "DPA106",
    "success-is-epsilon",
    "Epsilon is passed as the success probability of geometric noise, which is 1 - exp(-epsilon).",
    bad="""\
def noisy_count(data, rng, epsilon=0.5):
    return len(data) + rng.geometric(epsilon) - rng.geometric(epsilon)
""",
    good="""\
def noisy_count(data, rng, epsilon=0.5):
    p = 1 - math.exp(-epsilon)
    return len(data) + rng.geometric(p) - rng.geometric(p)
""",
    look=look,
)
