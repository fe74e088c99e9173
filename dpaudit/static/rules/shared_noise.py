"""One noise for several values."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts, Place, private_and_noise
from dpaudit.static.rule import Hit, Rule
from dpaudit.static.values import Value


def look(facts: Facts) -> Iterator[Hit]:
    """Yield additions of one noise to a vector, or in a loop of a noise from before it."""
    yield from _twice(facts)
    shared = any(e.value.has("shared") for e in facts.exits if e.kind == "return")
    if not shared:
        return
    for add in facts.adds:
        if add.result.has("shared"):
            _, noise = private_and_noise(add)
            drawn = tuple((d.place, "the noise is drawn once") for d in facts.drawn(noise)[:1])
            yield Hit(add.place, "one noise is added to several different values", related=drawn)


def _twice(facts: Facts) -> Iterator[Hit]:
    """Yield the second of two values that one noise is added to, where both are returned."""
    returned = [e.value.items for e in facts.exits if e.kind == "return" and e.value.items]
    first: dict[frozenset[int], tuple[Value, Place]] = {}
    for add in facts.adds:
        private, noise = private_and_noise(add)
        if add.loops or len(noise.draws) != 1 or not facts.private(private.tells):
            continue
        if any(d.sized for d in facts.drawn(noise)):
            continue
        value, place = first.setdefault(noise.draws, (private, add.place))
        several = any(sum(item.draws == noise.draws for item in items) > 1 for items in returned)
        if value != private and several:
            said = "the noise of another value is added"
            yield Hit(add.place, said, related=((place, "the other value"),))


RULE = Rule(
    "DPA110",
    "shared-noise",
    "The same noise is added to several different values, so their differences have no noise.",
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
