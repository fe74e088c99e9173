"""A number of rounds, each with noise, that the data give."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.library import ADDITIVE
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield loops over a range of private length whose noise is returned."""
    returned = {number for e in facts.exits if e.kind == "return" for number in e.value.draws}
    noise = [facts.draws[n] for n in sorted(returned) if facts.draws[n].family in ADDITIVE]
    for rounds in facts.rounds:
        inside = any(rounds.loop in draw.loops for draw in noise)
        if inside and facts.private(rounds.count.shape):
            yield Hit(rounds.place, "the number of rounds, each with noise, comes from the data")


RULE = Rule(
    "DPA108",
    "rounds-from-data",
    "How many rounds there are, each with noise of its own, is computed from the data.",
    bad="""\
def noisy_largest(data, rng, epsilon=1.0):
    best = 0.0
    for _ in range(int(data.max())):
        best = max(best, rng.gumbel(scale=1 / epsilon))
    return best
""",
    good="""\
def noisy_largest(data, rng, rounds=100, epsilon=1.0):
    best = 0.0
    for _ in range(rounds):
        best = max(best, rng.gumbel(scale=1 / epsilon))
    return best
""",
    look=look,
    also=("DPA109",),
)
