"""A mean with the sensitivity of one more record."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield draws whose scale is divided by the number of records plus something."""
    plus = [
        o
        for o in facts.operations
        if o.operator == "Add" and "size" in o.left.tells and (o.right.number or 0) > 0
    ]
    for draw in facts.draws:
        if draw.scale is None or "size" not in draw.scale.tells or "records" in draw.scale.tells:
            continue
        if draw.scale.has("over-more") and plus:
            yield Hit(draw.place, "a removed record changes the mean by up to 1/n, not 1/(n + 1)")


RULE = Rule(
    "DPA105",
    "forgets-removal",
    "The noise on a mean of n records is divided by n + 1, which ignores removed records.",
    bad="""\
def noisy_mean(data, rng, epsilon=1.0):
    n = len(data)
    mean = np.fmin(np.fmax(data, 0), 1).sum() / n
    return mean + rng.laplace(scale=1 / ((n + 1) * epsilon))
""",
    good="""\
def noisy_mean(data, rng, epsilon=1.0):
    n = len(data)
    mean = np.fmin(np.fmax(data, 0), 1).sum() / n
    return mean + rng.laplace(scale=1 / (n * epsilon))
""",
    look=look,
    relation="ReplaceOne(Real(0, 1), size=5)",
)
