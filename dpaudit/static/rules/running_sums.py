"""Running sums with fresh noise."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts, private_and_noise
from dpaudit.static.library import EPSILON
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield additions of Laplace noise of scale x/ε to a raw running sum."""
    if facts.generous:
        return
    for add in facts.adds:
        private, noise = private_and_noise(add)
        if not private.has("running"):
            continue
        for draw in facts.drawn(noise):
            form = None if draw.scale is None else draw.scale.form
            if (
                draw.family == "laplace"
                and form is not None
                and (draw.sized or set(draw.loops) & private.loops)
                and form.power_of(EPSILON) == -1
                and len(form.powers) == 1
            ):
                yield Hit(add.place, "a record changes every later sum, and the noise is for one")


RULE = Rule(
    "DPA107",
    "running-sums",
    "A record changes every later running sum, and the noise is scaled to a change of one.",
    bad="""\
def running_counts(flags, rng, epsilon=1.0):
    return np.cumsum(flags) + rng.laplace(scale=1 / epsilon, size=len(flags))
""",
    good="""\
def running_counts(flags, rng, epsilon=1.0):
    return np.cumsum(flags + rng.laplace(scale=1 / epsilon, size=len(flags)))
""",
    look=look,
)
