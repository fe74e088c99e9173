"""Gaussian noise with the scale of Laplace noise."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.library import EPSILON
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield normal draws whose scale has 1/ε and nothing of delta."""
    for draw in facts.draws:
        scale = draw.scale
        if draw.family != "normal" or scale is None:
            continue
        if scale.form is not None:
            powers = scale.form.powers
            divided = scale.form.power_of(EPSILON) == -1
            if not divided or any("log" in n or "delta" in n or "(" in n for n, _ in powers):
                continue
        elif not scale.has("smooth") or not scale.params & EPSILON or _mentions_log(facts):
            continue
        if scale.tells and not scale.has("smooth"):
            continue
        said = "the deviation of the Gaussian noise is Δ/ε, without the factor that delta requires"
        yield Hit(draw.place, said)


def _mentions_log(facts: Facts) -> bool:
    """Return whether a smooth bound is multiplied by anything with a logarithm or a delta."""
    forms = [
        other.form
        for o in facts.operations
        for private, other in ((o.left, o.right), (o.right, o.left))
        if private.has("smooth")
    ]
    words = [name for form in forms if form is not None for name, _ in form.powers]
    return any("log" in word or "delta" in word for word in words)


RULE = Rule(
    "DPA106",
    "gaussian-without-delta",
    "The standard deviation of Gaussian noise is sensitivity/epsilon, without the factor "
    "that delta requires.",
    bad="""\
def noisy_answer(answer, rng, sensitivity=1.0, epsilon=1.0):
    return answer + rng.normal(scale=sensitivity / epsilon)
""",
    good="""\
def noisy_answer(answer, rng, sensitivity=1.0, epsilon=1.0, delta=1e-6):
    sigma = sensitivity * math.sqrt(2 * math.log(1.25 / delta)) / epsilon
    return answer + rng.normal(scale=sigma)
""",
    look=look,
)
