"""A variance where a scale is asked."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.library import EPSILON, VARIANCES
from dpaudit.static.rule import Hit, Rule

_SCALES = frozenset({"scale", "sigma", "std", "stddev", "sd"})


def look(facts: Facts) -> Iterator[Hit]:
    """Yield scales that are squares, or are called a variance."""
    for draw in facts.draws:
        if draw.family not in ("laplace", "normal") or draw.scale is None:
            continue
        form = draw.scale.form
        if form is None or not form.powers:
            continue
        squares = all(power in (2, -2) for _, power in form.powers)
        named = any(VARIANCES.match(name) and power == 1 for name, power in form.powers)
        if squares or form.power_of(EPSILON) == -2 or (named and len(form.powers) == 1):
            yield Hit(draw.place, "a variance is passed as the scale of the noise")
    for call in facts.calls:
        for name, value in call.parameters.items():
            variance = value.form is not None and VARIANCES.match(str(value.form))
            if name in _SCALES and variance:
                yield Hit(call.place, f"a variance is passed for `{name}`")


RULE = Rule(
    "DPA106",
    "variance-as-scale",
    "A variance is passed where a scale or a standard deviation is asked.",
    bad="""\
def noisy_answer(answer, rng, sigma=1.0):
    return answer + rng.normal(scale=sigma**2)
""",
    good="""\
def noisy_answer(answer, rng, sigma=1.0):
    return answer + rng.normal(scale=sigma)
""",
    look=look,
)
