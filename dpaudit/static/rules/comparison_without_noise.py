"""A comparison whose noise is used for all."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule

_ORDER = ("Gt", "GtE", "Lt", "LtE")


def look(facts: Facts) -> Iterator[Hit]:
    """Yield comparisons of a private entry with noise that was drawn before the loop."""
    for operation in facts.operations:
        if operation.operator not in _ORDER:
            continue
        for private, noise in (
            (operation.left, operation.right),
            (operation.right, operation.left),
        ):
            if not (private.tells and noise.noise):
                continue
            draws = facts.drawn(noise)
            loops = private.loops & set(operation.loops)
            before = all(loop not in d.loops for d in draws for loop in loops)
            additive = any(
                d.family in ("laplace", "normal", "exponential", "gumbel") for d in draws
            )
            if loops and before and additive:
                said = "the private value has no noise, and the threshold has one for all"
                yield Hit(operation.place, said)


RULE = Rule(
    "DPA108",
    "comparison-without-noise",
    "Private answers are compared in a loop with one noisy threshold, and have no noise of "
    "their own.",
    bad="""\
def flags(answers, rng, epsilon=1.0):
    threshold = 1 + rng.laplace(scale=2 / epsilon)
    return [bool(answer >= threshold) for answer in answers]
""",
    good="""\
def flags(answers, rng, epsilon=1.0):
    threshold = 1 + rng.laplace(scale=2 / epsilon)
    for i, answer in enumerate(answers):
        if answer + rng.laplace(scale=4 / epsilon) >= threshold:
            return i
""",
    look=look,
    also=("DPA110",),
)
