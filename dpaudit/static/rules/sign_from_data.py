"""Noise whose sign the data choose."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield copies of a private sign onto noise."""
    for call in facts.calls:
        if call.name == "copysign" and len(call.arguments) > 1:
            size, sign = call.arguments[:2]
            if size.noise and facts.private(sign.tells):
                yield Hit(call.place, "the noise takes its sign from the data")


RULE = Rule(
    "DPA106",
    "sign-from-data",
    "The sign of the noise is taken from the data.",
    bad="""\
def noisy_answer(answer, rng, epsilon=1.0):
    noise = rng.laplace(scale=1 / epsilon)
    return answer + math.copysign(noise, answer)
""",
    good="""\
def noisy_answer(answer, rng, epsilon=1.0):
    return answer + rng.laplace(scale=1 / epsilon)
""",
    look=look,
)
