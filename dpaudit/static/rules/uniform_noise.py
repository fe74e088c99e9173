"""Noise within limits."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts, private_and_noise
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield additions of uniform noise alone, of which no coin decides where it lies."""
    tossed = any(
        o.operator in ("Lt", "LtE", "Gt", "GtE") and (o.left.noise or o.right.noise)
        for o in facts.operations
    )
    if tossed:
        return
    for add in facts.adds:
        _, noise = private_and_noise(add)
        if noise.has("flat") and all(d.family == "uniform" for d in facts.drawn(noise)):
            yield Hit(add.place, "uniform noise excludes every answer beyond its limits")


RULE = Rule(
    "DPA106",
    "uniform-noise",
    "Uniform noise is added to a value. Outputs beyond its range are impossible.",
    bad="""\
def noisy_count(data, rng, width=10.0):
    return len(data) + rng.uniform(-width, width)
""",
    good="""\
def noisy_count(data, rng, epsilon=1.0):
    return len(data) + rng.laplace(scale=1 / epsilon)
""",
    look=look,
)
