"""Counts of parts that overlap."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts, private_and_noise
from dpaudit.static.library import EPSILON
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield additions of Laplace noise of scale c/ε to counts of overlapping parts."""
    if facts.generous:
        return
    for add in facts.adds:
        private, noise = private_and_noise(add)
        if not private.has("counted", "overlapping"):
            continue
        for draw in facts.drawn(noise):
            form = None if draw.scale is None else draw.scale.form
            if (
                draw.family == "laplace"
                and form is not None
                and form.power_of(EPSILON) == -1
                and len(form.powers) == 1
                and form.coefficient <= 1
            ):
                yield Hit(add.place, "a record changes several counts, and the noise is for one")


RULE = Rule(
    "DPA107",
    "overlapping-counts",
    "Counts above several thresholds, all of which one record may exceed, get noise for "
    "one of them.",
    bad="""\
def counts_above(data, rng, thresholds=(1, 2, 3), epsilon=1.0):
    counts = (data[:, None] >= np.array(thresholds)).sum(axis=0)
    return counts + rng.laplace(scale=1 / epsilon, size=len(thresholds))
""",
    good="""\
def counts_above(data, rng, thresholds=(1, 2, 3), epsilon=1.0):
    counts = (data[:, None] >= np.array(thresholds)).sum(axis=0)
    return counts + rng.laplace(scale=len(thresholds) / epsilon, size=len(thresholds))
""",
    look=look,
)
