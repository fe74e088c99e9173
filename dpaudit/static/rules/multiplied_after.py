"""A sum that is scaled up before the noise."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts, private_and_noise
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield additions of noise that is free of a factor of the private value."""
    for add in facts.adds:
        private, noise = private_and_noise(add)
        factors = {m.removeprefix("factor:") for m in private.marks if m.startswith("factor:")}
        if not private.has("summed") or not factors:
            continue
        scales = [d.scale for d in facts.drawn(noise) if d.scale is not None]
        if (
            scales
            and all(s.form is not None and not factors & s.params for s in scales)
            and not factors & noise.params
        ):
            yield Hit(add.place, f"the value grows with `{min(factors)}`, and its noise does not")


RULE = Rule(
    "DPA105",
    "multiplied-before-noise",
    "A private value is multiplied by a parameter, and the scale of its noise is not.",
    bad="""\
def noisy_total(data, rng, weight=10.0, epsilon=1.0):
    total = weight * np.fmin(np.fmax(data, 0), 1).sum()
    return total + rng.laplace(scale=1 / epsilon)
""",
    good="""\
def noisy_total(data, rng, weight=10.0, epsilon=1.0):
    total = weight * np.fmin(np.fmax(data, 0), 1).sum()
    return total + rng.laplace(scale=weight / epsilon)
""",
    look=look,
)
