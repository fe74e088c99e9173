"""A sparse vector technique that never stops."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield comparisons with a threshold whose noise is older, in loops without a way out."""
    if facts.generous:
        return
    for operation in facts.operations:
        if operation.operator not in ("Gt", "GtE", "Lt", "LtE"):
            continue
        for answer, threshold in (
            (operation.left, operation.right),
            (operation.right, operation.left),
        ):
            if not (answer.hidden and answer.has("blended") and threshold.noise):
                continue
            if not any(d.family in ("laplace", "normal") for d in facts.drawn(threshold)):
                continue
            loops = answer.loops - threshold.loops
            endless = loops & (facts.endless - facts.limited) & set(operation.loops)
            at_once = answer.has("vector") and not threshold.has("vector")
            if endless or at_once:
                yield Hit(operation.place, "every hit costs epsilon anew, and none ends the loop")


RULE = Rule(
    "DPA107",
    "never-stops",
    "Each answer is compared with one noisy threshold, and no hit ends the loop: each "
    "costs epsilon anew.",
    bad="""\
def flags(answers, rng, epsilon=1.0):
    threshold = 1 + rng.laplace(scale=2 / epsilon)
    return [answer + rng.laplace(scale=4 / epsilon) >= threshold for answer in answers]
""",
    good="""\
def flags(answers, rng, epsilon=1.0):
    threshold = 1 + rng.laplace(scale=2 / epsilon)
    found = []
    for answer in answers:
        found.append(answer + rng.laplace(scale=4 / epsilon) >= threshold)
        if found[-1]:
            break
    return found
""",
    look=look,
)
