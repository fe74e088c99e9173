"""A private value that leaves as it is."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule

_OTHERS = ("rescaled", "keyed", "picked", "sampled", "weighed", "domain", "key")


def look(facts: Facts) -> Iterator[Hit]:
    """Yield what returns and tells of the data, for no reason that another rule names."""
    if not facts.released:
        return
    for way in facts.exits:
        value = way.value
        if way.kind != "return" or value.branch:
            continue
        answer = value.has("picked") and (value.has("answer") or facts.relation.kind == "queries")
        if any(value.has(m) for m in _OTHERS) and not answer:
            continue
        if not facts.private(value.tells):
            continue
        by_chance = any(c.value.covered for c in way.under)
        if by_chance and not value.hidden:
            continue  # a test with noise, or a coin, decides: other rules look at those
        # A setting that turns the noise off is none that a claim is made for.
        switched = [c for c in way.under if c.value.public]
        off = bool(switched) and any(e.kind == "return" and e.value.covered for e in facts.exits)
        said = "a private value is returned without noise"
        yield Hit(way.place, said, "warning" if off else "error")


RULE = Rule(
    "DPA101",
    "raw-release",
    "A private value is returned without noise.",
    bad="""\
def noisy_mean(data, rng, epsilon=1.0):
    total = np.fmin(np.fmax(data, 0), 1).sum()
    return total + rng.laplace(scale=1 / epsilon), data.max()
""",
    good="""\
def noisy_sum(data, rng, epsilon=1.0):
    return np.fmin(np.fmax(data, 0), 1).sum() + rng.laplace(scale=1 / epsilon)
""",
    look=look,
)
