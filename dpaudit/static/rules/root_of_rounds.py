"""Epsilon divided by a root."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.library import EPSILON
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield calls that get epsilon over a root, where no delta is in sight."""
    if facts.generous or "delta" in facts.defaults:
        return
    for call in facts.calls:
        for name, value in (call.parameters or call.keywords).items():
            if call.depth or name not in EPSILON or value.form is None:
                continue
            form = value.form
            logarithm = any("log" in n for n, _ in form.powers)
            root = any(power == -0.5 for _, power in form.powers)
            if form.power_of(EPSILON) == 1 and root and not logarithm:
                yield Hit(call.place, "√k answers of ε/√k cost √k·ε, or need a delta")


RULE = Rule(
    "DPA107",
    "root-of-rounds",
    "Epsilon is divided by the root of the number of answers, without the factor that "
    "delta requires.",
    bad="""\
def noisy_answer(data, rng, epsilon=1.0):
    return len(data) + rng.laplace(scale=1 / epsilon)

def noisy_answers(data, rng, k=20, epsilon=1.0):
    return [noisy_answer(data, rng, epsilon=epsilon / k**0.5) for _ in range(k)]
""",
    good="""\
def noisy_answer(data, rng, epsilon=1.0):
    return len(data) + rng.laplace(scale=1 / epsilon)

def noisy_answers(data, rng, k=20, epsilon=1.0):
    return [noisy_answer(data, rng, epsilon=epsilon / k) for _ in range(k)]
""",
    look=look,
)
