"""A scale that is passed where NumPy takes the location."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.library import DEVIATIONS, EPSILON, SENSITIVITY
from dpaudit.static.rule import Hit, Rule
from dpaudit.static.values import Value

_LOCATED = frozenset({"laplace", "normal", "gumbel", "logistic"})
_SCALES = re.compile(r"^(self\._?)?(noise_?)?(scale|lambda_?|lambd|lam|lmbda|beta|b)$", re.I)


def look(facts: Facts) -> Iterator[Hit]:
    """Yield draws that name no scale, and whose location is made like one."""
    for draw in facts.draws:
        center = draw.arguments.get("loc")
        if draw.family not in _LOCATED or center is None or "scale" in draw.arguments:
            continue
        if _is_scale(center):
            yield Hit(draw.place, "a scale is passed as the location: the scale of the noise is 1")


def _is_scale(value: Value) -> bool:
    """Whether a public number is made of epsilon or a sensitivity, or is named as a scale."""
    if not value.public or value.number == 0:
        return False
    named = {name for name, _ in value.form.powers} if value.form is not None else set()
    return any(
        name in EPSILON or SENSITIVITY.search(name) or DEVIATIONS.match(name) or _SCALES.match(name)
        for name in named | value.params
    )


RULE = Rule(
    "DPA106",
    "scale-as-location",
    "The scale of the noise is passed as its location, so that the scale is 1.",
    bad="""\
def noisy_count(data, rng, epsilon=1.0):
    return len(data) + rng.laplace(1 / epsilon)
""",
    good="""\
def noisy_count(data, rng, epsilon=1.0):
    return len(data) + rng.laplace(0, 1 / epsilon)
""",
    look=look,
)
