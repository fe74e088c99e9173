"""A random sign on a size that can be zero."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield choices by a coin between geometric noise and its negative."""
    for choice in facts.choices:
        same = choice.one.draws and choice.one.draws == choice.other.draws
        if not (same and choice.one.noise and choice.condition.noise):
            continue
        geometric = all(d.family == "geometric" for d in facts.drawn(choice.one))
        negated = choice.one.has("negative") != choice.other.has("negative")
        if geometric and negated and not choice.condition.draws & choice.one.draws:
            yield Hit(choice.place, "zero occurs with both signs, so it is twice as likely")


RULE = Rule(
    "DPA106",
    "random-sign-of-size",
    "A discrete size gets a random sign, so that zero is twice as likely as it should be.",
    bad="""\
def noisy_count(data, rng, epsilon=1.0):
    size = rng.geometric(1 - math.exp(-epsilon)) - 1
    return len(data) + (size if rng.random() < 0.5 else -size)
""",
    good="""\
def noisy_count(data, rng, epsilon=1.0):
    p = 1 - math.exp(-epsilon)
    return len(data) + rng.geometric(p) - rng.geometric(p)
""",
    look=look,
)
