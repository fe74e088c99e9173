"""A histogram for records that are replaced."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts, private_and_noise
from dpaudit.static.library import EPSILON
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield additions of Laplace noise of scale 1/ε to counts in bins, under replacement."""
    if facts.generous:
        return
    if facts.relation.kind != "replace":
        return
    for add in facts.adds:
        private, noise = private_and_noise(add)
        if not private.has("counts"):
            continue
        for draw in facts.drawn(noise):
            form = None if draw.scale is None else draw.scale.form
            if (
                draw.family == "laplace"
                and form is not None
                and draw.sized
                and form.power_of(EPSILON) == -1
                and len(form.powers) == 1
                and form.coefficient <= 1
            ):
                yield Hit(
                    add.place, "a replaced record changes two counts, and the noise is for one"
                )


RULE = Rule(
    "DPA105",
    "histogram-replaced",
    "A replaced record changes two counts, and the noise is scaled to a change of one.",
    bad="""\
def noisy_histogram(data, rng, epsilon=1.0):
    counts = np.bincount(data, minlength=10)
    return counts + rng.laplace(scale=1 / epsilon, size=10)
""",
    good="""\
def noisy_histogram(data, rng, epsilon=1.0):
    counts = np.bincount(data, minlength=10)
    return counts + rng.laplace(scale=2 / epsilon, size=10)
""",
    look=look,
    relation="ReplaceOne(Integer(0, 9), size=5)",
)
