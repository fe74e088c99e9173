"""One noise for several values."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts, private_and_noise
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield additions of one noise to a vector, or in a loop of a noise from before it."""
    shared = any(e.value.has("shared") for e in facts.exits if e.kind == "return")
    if not shared:
        return
    for add in facts.adds:
        if add.result.has("shared"):
            _, noise = private_and_noise(add)
            drawn = tuple((d.place, "the noise is drawn once") for d in facts.drawn(noise)[:1])
            yield Hit(add.place, "one noise is added to several different values", related=drawn)


RULE = Rule(
    "DPA110",
    "shared-noise",
    "One noise is added to several different values, whose differences it leaves as they are.",
    bad="""\
def noisy_histogram(data, rng, epsilon=1.0):
    counts = np.bincount(data, minlength=10)
    return counts + rng.laplace(scale=1 / epsilon)
""",
    good="""\
def noisy_histogram(data, rng, epsilon=1.0):
    counts = np.bincount(data, minlength=10)
    return counts + rng.laplace(scale=1 / epsilon, size=len(counts))
""",
    look=look,
)
