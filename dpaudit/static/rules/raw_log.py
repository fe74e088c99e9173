"""A private value that is logged or printed."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule

_WORDS = {"log": "is logged or printed", "raise": "is quoted by an exception"}


def look(facts: Facts) -> Iterator[Hit]:
    """Yield logs and exceptions that quote private values."""
    if not facts.released:
        return
    for way in facts.exits:
        if way.kind in _WORDS and facts.private(way.value.tells):
            local = way.kind == "raise" and facts.relation.kind == "local"
            said = f"a private value {_WORDS[way.kind]}"
            yield Hit(way.place, said, "warning" if local else "error")
        elif way.kind == "log" and facts.perhaps(way.value.tells):
            said = f"the number of records {_WORDS[way.kind]}, which is private under AddRemove"
            yield Hit(way.place, said, "warning")


RULE = Rule(
    "DPA101",
    "raw-log",
    "A private value is logged, printed, or quoted by an exception.",
    bad="""\
def noisy_mean(data, rng, epsilon=1.0):
    total = np.fmin(np.fmax(data, 0), 1).sum()
    logger.info("sum before noise: %s", total)
    return total + rng.laplace(scale=1 / epsilon)
""",
    good="""\
def noisy_mean(data, rng, epsilon=1.0):
    total = np.fmin(np.fmax(data, 0), 1).sum() + rng.laplace(scale=1 / epsilon)
    logger.info("noisy sum: %s", total)
    return total
""",
    look=look,
)
