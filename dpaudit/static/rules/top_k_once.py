"""The best k for the price of one."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.library import EPSILON
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield sorts of noisy scores of which a slice leaves whose length is not in the scale."""
    if facts.generous:
        return
    leaving = [e.value for e in facts.exits if e.kind == "return"]
    for call in facts.calls:
        if call.name not in ("argsort", "argpartition") or not call.result.hidden:
            continue
        for draw in facts.drawn(call.result):
            form = None if draw.scale is None else draw.scale.form
            if draw.family not in ("gumbel", "laplace", "exponential") or form is None:
                continue
            if form.power_of(EPSILON) != -1 or len(form.powers) != 1:
                continue
            cut = {p for v in leaving if v.draws & call.result.draws for p in v.params}
            if cut & _LENGTHS:
                yield Hit(call.place, "each of the places costs epsilon, and only one is charged")


_LENGTHS = frozenset({"k", "top_k", "n_top", "top", "count", "limit", "n"})


RULE = Rule(
    "DPA107",
    "top-k-once",
    "The k largest of noisy scores are released, and the scale of the noise does not grow with k.",
    bad="""\
def best(scores, rng, k=3, epsilon=1.0):
    noisy = scores + rng.gumbel(scale=2 / epsilon, size=len(scores))
    return np.argsort(-noisy)[:k]
""",
    good="""\
def best(scores, rng, k=3, epsilon=1.0):
    noisy = scores + rng.gumbel(scale=2 * k / epsilon, size=len(scores))
    return np.argsort(-noisy)[:k]
""",
    look=look,
)
