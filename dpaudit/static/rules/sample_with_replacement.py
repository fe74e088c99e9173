"""A sample that may hold a record many times."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield additions of noise to what was added up over a sample with replacement."""
    again = [
        d
        for d in facts.draws
        if d.family == "integers" and d.sized and d.arguments.get("low") is not None
    ]
    for draw in again:
        low, size = draw.arguments["low"], draw.arguments.get("size")
        if low.tells and size is not None and size.tells and facts.adds:
            yield Hit(draw.place, "a record may be in this sample several times")
    if facts.adds and any(c.result.has("again") for c in facts.calls):
        place = next(c.place for c in facts.calls if c.result.has("again"))
        yield Hit(place, "a record may be in this sample several times")


RULE = Rule(
    "DPA115",
    "sample-with-replacement",
    "Records are sampled with replacement: one that is drawn k times moves a sum k times as far.",
    bad="""\
def noisy_count(data, rng, epsilon=1.0):
    sample = data[rng.integers(len(data), size=len(data))]
    return np.count_nonzero(sample) + rng.laplace(scale=1 / epsilon)
""",
    good="""\
def noisy_count(data, rng, rate=0.1, epsilon=1.0):
    sample = data[rng.random(len(data)) < rate]
    return np.count_nonzero(sample) + rng.laplace(scale=1 / epsilon)
""",
    look=look,
)
