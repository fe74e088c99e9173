"""Gaussian noise that its own defaults contradict."""

from __future__ import annotations

from collections.abc import Iterator
from math import erfc, exp, sqrt

from dpaudit.static.facts import Facts
from dpaudit.static.library import SENSITIVITY
from dpaudit.static.rule import Hit, Rule

_SLACK = 1.000001  # for the rounding of floats


def look(facts: Facts) -> Iterator[Hit]:
    """Yield normal draws whose exact delta exceeds the declared one at the defaults.

    References: Balle & Wang (2018), Theorem 8.
    """
    epsilon, delta = facts.defaults.get("epsilon"), facts.defaults.get("delta")
    if epsilon is None or delta is None or epsilon.number is None or delta.number is None:
        return
    for draw in facts.draws:
        scale = draw.scale
        if draw.family != "normal" or scale is None or scale.number is None:
            continue
        if not {"epsilon", "delta"} <= scale.params or scale.number <= 0:
            continue
        named = [v.number for k, v in facts.defaults.items() if SENSITIVITY.search(k)]
        if None in named or scale.params - {"epsilon", "delta"} - {
            k for k in facts.defaults if SENSITIVITY.search(k)
        }:
            continue
        sensitivity = next((n for n in named if n is not None), 1.0)
        spent = _delta(scale.number / sensitivity, epsilon.number)
        if spent > delta.number * _SLACK:
            said = (
                f"at ε = {epsilon.number:g} this noise costs δ = {spent:.2g}, not {delta.number:g}"
            )
            yield Hit(draw.place, said)


def _delta(sigma: float, epsilon: float) -> float:
    """Return the exact delta of Gaussian noise for a sensitivity of 1."""
    if sigma <= 0 or epsilon > 500:
        return 0.0
    high, low = 1 / (2 * sigma) - epsilon * sigma, -1 / (2 * sigma) - epsilon * sigma
    return erfc(-high / sqrt(2)) / 2 - exp(epsilon) * erfc(-low / sqrt(2)) / 2


RULE = Rule(
    "DPA106",
    "gaussian-too-small",
    "At the default parameters the standard deviation is less than (epsilon, delta) needs.",
    bad="""\
def noisy_answer(answer, rng, epsilon=6.0, delta=0.2):
    sigma = math.sqrt(2 * math.log(1 / delta)) / epsilon
    return answer + rng.normal(scale=sigma)
""",
    good="""\
def noisy_answer(answer, rng, epsilon=1.0, delta=1e-5):
    sigma = math.sqrt(2 * math.log(1.25 / delta)) / epsilon
    return answer + rng.normal(scale=sigma)
""",
    look=look,
)
