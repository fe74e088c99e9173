"""Noise of one sign."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts, private_and_noise
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield values that leave with exponential noise, whose index alone may leave."""
    values = [e.value for e in facts.exits if e.kind == "return"]
    parts = [part for value in values for part in (value.items or ())]
    if not any(v.has("one-sided") for v in (*values, *parts)):
        return
    for add in facts.adds:
        _, noise = private_and_noise(add)
        if noise.has("one-sided"):
            yield Hit(add.place, "the noise has one sign, and the noisy value is released")


RULE = Rule(
    "DPA106",
    "one-sided-noise",
    "Noise that is never negative is added to a released value. Outputs below the value are "
    "impossible.",
    bad="""\
def noisy_count(data, rng, epsilon=1.0):
    return len(data) + rng.exponential(scale=1 / epsilon)
""",
    good="""\
def noisy_count(data, rng, epsilon=1.0):
    return len(data) + rng.laplace(scale=1 / epsilon)
""",
    look=look,
)
