"""More than epsilon is handed on."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.library import EPSILON
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield calls whose epsilon is the own one times another parameter."""
    if facts.generous:
        return
    for call in facts.calls:
        if call.depth:
            continue
        for name, value in (call.parameters or call.keywords).items():
            if name not in EPSILON or value.form is None:
                continue
            form = value.form
            factors = [n for n, power in form.powers if n not in EPSILON and power > 0]
            if form.power_of(EPSILON) == 1 and factors:
                yield Hit(call.place, f"`{name}` is handed on {' times '.join(factors)} times over")


RULE = Rule(
    "DPA107",
    "epsilon-multiplied",
    "A mechanism that is called gets epsilon times a number of rounds.",
    bad="""\
def noisy_round(data, rng, epsilon=1.0):
    return len(data) + rng.laplace(scale=1 / epsilon)

def noisy_rounds(data, rng, rounds=3, epsilon=1.0):
    return [noisy_round(data, rng, epsilon=epsilon * rounds) for _ in range(rounds)]
""",
    good="""\
def noisy_round(data, rng, epsilon=1.0):
    return len(data) + rng.laplace(scale=1 / epsilon)

def noisy_rounds(data, rng, rounds=3, epsilon=1.0):
    return [noisy_round(data, rng, epsilon=epsilon / rounds) for _ in range(rounds)]
""",
    look=look,
)
