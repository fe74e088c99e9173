"""Squares with the noise of the values."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts, private_and_noise
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield additions to sums of squares of noise whose scale has no square of a bound."""
    for add in facts.adds:
        private, noise = private_and_noise(add)
        if not private.has("summed", "squared"):
            continue
        for draw in facts.drawn(noise):
            form = None if draw.scale is None else draw.scale.form
            if form is None or not any("max(" in n or "abs" in n for n, _ in form.powers):
                continue
            if not any("*" in name or power > 1 for name, power in form.powers):
                yield Hit(add.place, "a square moves the sum by the square of the bound")


RULE = Rule(
    "DPA105",
    "squared-records",
    "Clipped records are squared, and the noise is scaled to the values before that.",
    bad="""\
def noisy_squares(data, rng, low=0.0, high=100.0, epsilon=1.0):
    total = (np.fmin(np.fmax(data, low), high) ** 2).sum()
    return total + rng.laplace(scale=max(abs(low), abs(high)) / epsilon)
""",
    good="""\
def noisy_squares(data, rng, low=0.0, high=100.0, epsilon=1.0):
    total = (np.fmin(np.fmax(data, low), high) ** 2).sum()
    return total + rng.laplace(scale=max(abs(low), abs(high)) ** 2 / epsilon)
""",
    look=look,
)
