"""One value, many noises."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts, private_and_noise
from dpaudit.static.library import EPSILON
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield additions of a vector of Laplace noise of scale x/ε to a single number."""
    if facts.generous:
        return
    for add in facts.adds:
        private, noise = private_and_noise(add)
        single = private.marks & {"aggregate", "length", "counted", "one"}
        if not single or private.has("vector") or not noise.has("vector"):
            continue
        for draw in facts.drawn(noise):
            size = draw.arguments.get("size")
            form = None if draw.scale is None else draw.scale.form
            if draw.family != "laplace" or form is None or size is None or not size.params:
                continue
            if form.power_of(EPSILON) == -1 and not size.params & (draw.scale or size).params:
                yield Hit(add.place, "each of several noises on one number spends epsilon")


RULE = Rule(
    "DPA107",
    "repeated-answer",
    "One private number gets several noises, each of which spends the whole of epsilon.",
    bad="""\
def average_of_answers(data, rng, repeats=10, epsilon=1.0):
    return np.mean(len(data) + rng.laplace(scale=1 / epsilon, size=repeats))
""",
    good="""\
def average_of_answers(data, rng, repeats=10, epsilon=1.0):
    return np.mean(len(data) + rng.laplace(scale=repeats / epsilon, size=repeats))
""",
    look=look,
)
