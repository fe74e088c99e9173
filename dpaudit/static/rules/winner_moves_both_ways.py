"""Noisy max with the noise of counts."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.library import EPSILON
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield argmax of answers that move both ways with noise of scale below 2/ε."""
    if facts.generous:
        return
    relation = facts.relation
    if relation.kind != "queries" or relation.norm != "linf" or relation.monotone:
        return
    for call in facts.calls:
        if call.name not in ("argmax", "argmin") or not call.arguments or call.depth:
            continue
        for draw in facts.drawn(call.arguments[0]):
            form = None if draw.scale is None else draw.scale.form
            if (
                draw.family in ("laplace", "exponential", "gumbel")
                and form is not None
                and form.power_of(EPSILON) == -1
                and len(form.powers) == 1
                and form.coefficient < 2
            ):
                yield Hit(draw.place, "answers that move both ways need noise of scale 2/ε")


RULE = Rule(
    "DPA106",
    "winner-moves-both-ways",
    "The index of the largest noisy answer is released, with noise of scale 1/epsilon, where "
    "answers move both ways.",
    bad="""\
def best(answers, rng, epsilon=1.0):
    return np.argmax(answers + rng.laplace(scale=1 / epsilon, size=len(answers)))
""",
    good="""\
def best(answers, rng, epsilon=1.0):
    return np.argmax(answers + rng.laplace(scale=2 / epsilon, size=len(answers)))
""",
    look=look,
    relation="QueryAnswers(5)",
)
