"""A sample whose size the data set."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield slices of shuffled records whose end tells how many records there are."""
    if not facts.relation.size_private:
        return
    for call in facts.calls:
        if call.name == "permutation" and call.result.tells:
            for way in facts.slices:
                if way.value.has("sampled") and facts.private(way.index.tells):
                    yield Hit(way.place, "the size of the sample is a share of the private number")
                    return


RULE = Rule(
    "DPA115",
    "sample-of-private-size",
    "A sample has a size computed from the private number of records.",
    bad="""\
def noisy_count(data, rng, rate=0.1, epsilon=1.0):
    sample = rng.permutation(data)[: int(rate * len(data))]
    return np.count_nonzero(sample) + rng.laplace(scale=1 / epsilon)
""",
    good="""\
def noisy_count(data, rng, rate=0.1, epsilon=1.0):
    sample = data[rng.random(len(data)) < rate]
    return np.count_nonzero(sample) + rng.laplace(scale=1 / epsilon)
""",
    look=look,
    relation="AddRemove(Integer(0, 1))",
)
