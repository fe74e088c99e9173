"""A probability that a record can push out of [0, 1]."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield comparisons of a uniform number with a record that has no bounds."""
    if facts.relation.bounded and facts.relation.high is not None and facts.relation.high <= 1:
        return
    for operation in facts.operations:
        for chance, record in (
            (operation.left, operation.right),
            (operation.right, operation.left),
        ):
            uniform = chance.noise and {d.family for d in facts.drawn(chance)} == {"random"}
            if (
                operation.operator in ("Lt", "LtE", "Gt", "GtE")
                and uniform
                and record.tells
                and record.has("own", "float")
                and not record.has("low", "high")
            ):
                yield Hit(operation.place, "nothing keeps this probability within [0, 1]")


RULE = Rule(
    "DPA104",
    "probability-unclipped",
    "A probability is computed from a number that nothing clips, so that it can leave [0, 1].",
    bad="""\
def noisy_bit(value: float, rng, epsilon=1.0):
    b = (math.exp(epsilon) + 1) / (math.exp(epsilon) - 1)
    return b if rng.random() < 0.5 + value / (2 * b) else -b
""",
    good="""\
def noisy_bit(value: float, rng, epsilon=1.0):
    b = (math.exp(epsilon) + 1) / (math.exp(epsilon) - 1)
    x = min(1.0, max(-1.0, value))
    return b if rng.random() < 0.5 + x / (2 * b) else -b
""",
    look=look,
)
