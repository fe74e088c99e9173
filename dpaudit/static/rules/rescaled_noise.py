"""A noisy value that a private one scales."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield ways out for a noisy value times a private one."""
    for way in facts.exits:
        value = way.value
        if way.kind == "return" and value.has("rescaled") and facts.private(value.tells):
            yield Hit(way.place, "a private value multiplies or divides the noise that left")


RULE = Rule(
    "DPA103",
    "rescaled-noise",
    "A noisy value is multiplied or divided by a private one, which the spread of the "
    "result reveals.",
    bad="""\
def noisy_share(data, rng, epsilon=1.0):
    ill = np.count_nonzero(data) + rng.laplace(scale=1 / epsilon)
    return ill / len(data)
""",
    good="""\
def noisy_share(data, rng, epsilon=1.0):
    ill = np.count_nonzero(data) + rng.laplace(scale=2 / epsilon)
    return ill / max(1.0, len(data) + rng.laplace(scale=2 / epsilon))
""",
    look=look,
    also=("DPA101",),
    relation="AddRemove(Integer(0, 1))",
)
