"""Noise that is cut or rounded before it is added."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts, private_and_noise
from dpaudit.static.rule import Hit, Level, Rule

_CONTINUOUS = frozenset({"laplace", "normal", "gumbel", "logistic", "standard_normal"})


def look(facts: Facts) -> Iterator[Hit]:
    """Yield additions of continuous noise that is no longer as it was drawn."""
    for add in facts.adds:
        private, noise = private_and_noise(add)
        if not any(d.family in _CONTINUOUS for d in facts.drawn(noise)):
            continue
        if noise.has("cut"):
            yield Hit(add.place, "the noise is cut before it is added")
        elif noise.has("rounded"):
            level: Level = "error" if private.has("float") else "warning"
            yield Hit(add.place, "the noise is rounded before it is added", level)


RULE = Rule(
    "DPA106",
    "cut-noise",
    "Noise is clipped, cut to an integer, or rounded before it is added.",
    bad="""\
def noisy_count(data, rng, epsilon=1.0):
    return len(data) + int(rng.laplace(scale=1 / epsilon))
""",
    good="""\
def noisy_count(data, rng, epsilon=1.0):
    return round(len(data) + rng.laplace(scale=1 / epsilon))
""",
    look=look,
)
