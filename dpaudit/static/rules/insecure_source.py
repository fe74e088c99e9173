"""A generator that is not made for secrets."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule

_MADE = {
    "global": "the generator that all of the process shares is made for simulation, not "
    "for secrets",
    "module-fresh": "the generator is made for simulation, not for secrets",
    "fresh": "the generator is made for simulation, not for secrets",
}


def look(facts: Facts) -> Iterator[Hit]:
    """Yield the first draw from a generator that was not handed in and is not the system's."""
    for draw in facts.draws:
        if draw.maker.kind in _MADE:
            yield Hit(draw.place, _MADE[draw.maker.kind], "warning")
            return


RULE = Rule(
    "DPA110",
    "insecure-source",
    "Noise comes from a generator of the process that is made for simulation, not for "
    "secrets (advice).",
    bad="""\
def noisy_count(data, epsilon=1.0):
    return len(data) + np.random.laplace(scale=1 / epsilon)
""",
    good="""\
def noisy_count(data, rng, epsilon=1.0):
    return len(data) + rng.laplace(scale=1 / epsilon)
""",
    look=look,
)
