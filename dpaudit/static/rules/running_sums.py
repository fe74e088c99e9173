"""Running sums with fresh noise."""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose

from dpaudit.static.facts import Facts, private_and_noise
from dpaudit.static.library import EPSILON
from dpaudit.static.rule import Hit, Rule
from dpaudit.static.values import Value


def look(facts: Facts) -> Iterator[Hit]:
    """Yield additions of Laplace noise of scale x/ε, or of 1/ε in numbers, to a raw running sum."""
    if facts.generous:
        return
    for add in facts.adds:
        private, noise = private_and_noise(add)
        if not private.has("running"):
            continue
        for draw in facts.drawn(noise):
            if (
                draw.family == "laplace"
                and draw.scale is not None
                and (draw.sized or set(draw.loops) & private.loops)
                and _is_for_one(facts, draw.scale)
            ):
                yield Hit(add.place, "a record changes every later sum, and the noise is for one")


def _is_for_one(facts: Facts, scale: Value) -> bool:
    form, epsilon = scale.form, facts.stated_epsilon
    if form is not None and form.power_of(EPSILON) == -1:
        ends = facts.relation.low or 0.0, facts.relation.high or 0.0
        widest = max(1.0, ends[1] - ends[0], *map(abs, ends))
        return len(form.powers) == 1 and form.coefficient <= widest
    if scale.number is None:
        return False
    return scale.number == 1.0 or (epsilon is not None and isclose(scale.number * epsilon, 1.0))


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
