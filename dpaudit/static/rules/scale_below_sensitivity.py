"""Less noise than the sensitivity over epsilon."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.library import DEVIATIONS, EPSILON, SENSITIVITY
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield Laplace draws of scale c·Δ/ε, or c/ε, with c below 1."""
    if facts.generous:
        return
    for draw in facts.draws:
        form = None if draw.scale is None else draw.scale.form
        if draw.family == "normal" and form is not None and len(form.powers) == 1:
            name, power = form.powers[0]
            if DEVIATIONS.match(name) and power == 1 and 0 < form.coefficient < 1:
                said = f"the deviation of the noise is {form.coefficient:.3g} times `{name}`"
                yield Hit(draw.place, said)
        if draw.family != "laplace" or draw.scale is None or draw.scale.form is None:
            continue
        form = draw.scale.form
        others = [name for name, _ in form.powers if name not in EPSILON]
        named = bool(others) and all(SENSITIVITY.search(name) for name in others)
        if form.power_of(EPSILON) != -1 or not 0 < form.coefficient < 1:
            continue
        if named:
            yield Hit(draw.place, f"the scale of the noise is {form.coefficient:.3g} times Δ/ε")
        elif not others:
            said = f"the scale of the noise is {form.coefficient:.3g}/ε, for a sensitivity below 1"
            yield Hit(draw.place, said, "warning")


RULE = Rule(
    "DPA106",
    "scale-below-sensitivity",
    "The scale of Laplace noise is a fraction of sensitivity/epsilon.",
    bad="""\
def noisy_answer(answer, rng, sensitivity=1.0, epsilon=1.0):
    return answer + rng.laplace(scale=sensitivity / (2 * epsilon))
""",
    good="""\
def noisy_answer(answer, rng, sensitivity=1.0, epsilon=1.0):
    return answer + rng.laplace(scale=sensitivity / epsilon)
""",
    look=look,
)
