"""Textbook noise on floats."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts, private_and_noise
from dpaudit.static.rule import Hit, Rule

_CONTINUOUS = frozenset({"laplace", "normal", "standard_normal", "logistic", "standard_cauchy",
                         "multivariate_normal"})  # fmt: skip


def look(facts: Facts) -> Iterator[Hit]:
    """Yield the first value that leaves with continuous noise as it was added."""
    leaving = {i for e in facts.exits if e.kind == "return" for i in e.value.draws}
    inverted = [c for c in facts.calls if c.name in ("log", "log1p") and c.arguments[0].noise]
    for add in facts.adds:
        _private, noise = private_and_noise(add)
        drawn = noise.draws & leaving
        continuous = any(facts.draws[i].family in _CONTINUOUS for i in drawn)
        by_log = any(c.arguments[0].draws & drawn for c in inverted)
        if continuous or by_log:
            said = "the low-order bits of a noisy float can reveal the value without noise"
            yield Hit(add.place, said, "warning")
            return


RULE = Rule(
    "DPA111",
    "textbook-floats",
    "Continuous noise is added in floating point, so low-order bits can reveal the value "
    "without noise (advice).",
    bad="""\
def noisy_sum(data, rng, epsilon=1.0):
    return np.fmin(np.fmax(data, 0), 1).sum() + rng.laplace(scale=1 / epsilon)
""",
    good="""\
def noisy_count(data, rng, epsilon=1.0):
    p = 1 - math.exp(-epsilon)
    return len(data) + int(rng.geometric(p)) - int(rng.geometric(p))
""",
    look=look,
)
