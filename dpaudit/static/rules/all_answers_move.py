"""Noise for one answer where all may move."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.library import EPSILON
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield vectors that leave with Laplace noise of scale c/ε, where all answers may move."""
    if facts.generous:
        return
    relation = facts.relation
    if relation.kind != "queries" or relation.norm != "linf" or (relation.length or 1) <= 1:
        return
    leaving = {i for e in facts.exits if e.kind == "return" and e.value.has("blended")
               for i in e.value.draws}  # fmt: skip
    for number, draw in enumerate(facts.draws):
        form = None if draw.scale is None else draw.scale.form
        if draw.family != "laplace" or form is None or number not in leaving or not draw.sized:
            continue
        if form.power_of(EPSILON) != -1 or form.coefficient * 1.001 >= (relation.length or 1):
            continue
        if len(form.powers) == 1 or all(n in ("epsilon", "largest_change") for n, _ in form.powers):
            yield Hit(draw.place, "one record may change all answers, and the noise is for one")


RULE = Rule(
    "DPA105",
    "all-answers-move",
    "One record may change all answers, and the Laplace noise is scaled to a change of one.",
    bad="""\
def noisy_answers(answers, rng, epsilon=1.0):
    return answers + rng.laplace(scale=1 / epsilon, size=len(answers))
""",
    good="""\
def noisy_answers(answers, rng, epsilon=1.0):
    return answers + rng.laplace(scale=len(answers) / epsilon, size=len(answers))
""",
    look=look,
    relation="QueryAnswers(5)",
)
