"""Several hits for the price of one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.library import EPSILON
from dpaudit.static.rule import Hit, Rule

_HITS = re.compile(r"^(hits|c|count|cutoff|(max|n|num)_(hits|positive|above)|limit|k)$")


def look(facts: Facts) -> Iterator[Hit]:
    """Yield draws inside a loop that ends after `hits`, with a scale of c/ε free of it."""
    if facts.generous:
        return
    for condition in facts.breaks:
        hits = {p for p in condition.value.params if _HITS.match(p)}
        if not condition.value.hidden or not hits:
            continue
        for draw in facts.drawn(condition.value):
            form = None if draw.scale is None else draw.scale.form
            if form is None or not draw.loops or draw.family != "laplace":
                continue
            if form.power_of(EPSILON) == -1 and len(form.powers) == 1:
                yield Hit(draw.place, f"the noise is for one hit, and there are `{min(hits)}`")


RULE = Rule(
    "DPA107",
    "pays-for-one-hit",
    "A loop ends after several hits, and the noise scale does not grow with their number.",
    bad="""\
def flags(answers, rng, hits=5, epsilon=1.0):
    threshold = 1 + rng.laplace(scale=2 / epsilon)
    found = []
    for answer in answers:
        found.append(answer + rng.laplace(scale=4 / epsilon) >= threshold)
        if sum(found) == hits:
            break
    return found
""",
    good="""\
def flags(answers, rng, hits=5, epsilon=1.0):
    threshold = 1 + rng.laplace(scale=2 / epsilon)
    found = []
    for answer in answers:
        found.append(answer + rng.laplace(scale=4 * hits / epsilon) >= threshold)
        if sum(found) == hits:
            break
    return found
""",
    look=look,
)
