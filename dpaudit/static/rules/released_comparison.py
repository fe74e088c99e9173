"""The noisy value that was compared."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield comparisons of a noisy answer, and of its gap, with noise, where it leaves itself."""
    leaving = [c.arguments[0] for c in facts.calls if c.name == "append" and c.arguments]
    leaving += [arm for c in facts.choices for arm in (c.one, c.other)]
    numbers = [v for v in leaving if v.has("blended") and v.hidden and not v.has("mask")]
    for operation in facts.operations:
        if operation.operator not in ("Gt", "GtE", "Sub"):
            continue
        answer, threshold = operation.left, operation.right
        if not (answer.hidden and answer.has("blended") and threshold.noise):
            continue
        older = bool(answer.loops - threshold.loops)
        additive = any(d.family == "laplace" for d in facts.drawn(threshold))
        if older and additive and any(v.draws == answer.draws for v in numbers):
            yield Hit(
                operation.place, "the comparison used the noise, and the answer is released too"
            )


RULE = Rule(
    "DPA107",
    "released-comparison",
    "A noisy answer is compared with a noisy threshold and released itself: it bounds the "
    "threshold.",
    bad="""\
def answers_above(answers, rng, epsilon=1.0):
    threshold = 1 + rng.laplace(scale=2 / epsilon)
    released = []
    for answer in answers:
        noisy = answer + rng.laplace(scale=4 / epsilon)
        if noisy >= threshold:
            released.append(noisy)
            break
    return released
""",
    good="""\
def answers_above(answers, rng, epsilon=1.0):
    threshold = 1 + rng.laplace(scale=3 / epsilon)
    released = []
    for answer in answers:
        if answer + rng.laplace(scale=6 / epsilon) >= threshold:
            released.append(answer + rng.laplace(scale=3 / epsilon))
            break
    return released
""",
    look=look,
)
