"""A generator that is copied."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule

_COPIES = frozenset({"copy", "deepcopy", "loads", "set_state", "setstate"})


def look(facts: Facts) -> Iterator[Hit]:
    """Yield copies of generators."""
    for call in facts.calls:
        values = (*call.arguments, *(() if call.receiver is None else (call.receiver,)))
        if call.name in _COPIES and any(v.maker is not None for v in values):
            yield Hit(call.place, "the copy of a generator draws the same noise again")


RULE = Rule(
    "DPA110",
    "copied-generator",
    "A generator is copied, so that two draws give the same noise.",
    bad="""\
def noisy_pair(data, rng, epsilon=1.0):
    twin = copy.deepcopy(rng)
    total = data.clip(0, 1).sum() + rng.laplace(scale=2 / epsilon)
    return total, len(data) + twin.laplace(scale=2 / epsilon)
""",
    good="""\
def noisy_pair(data, rng, epsilon=1.0):
    twin = rng.spawn(1)[0]
    total = data.clip(0, 1).sum() + rng.laplace(scale=2 / epsilon)
    return total, len(data) + twin.laplace(scale=2 / epsilon)
""",
    look=look,
)
