"""A clip that comes too late."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts, private_and_noise
from dpaudit.static.rule import Hit, Rule

_OF_RECORDS = (None, "add", "replace")
_LIMITING = frozenset({"norm", "hypot", "clip", "minimum", "fmin", "min"})


def look(facts: Facts) -> Iterator[Hit]:
    """Yield additions of noise to a sum of unclipped records that was clipped itself."""
    for add in facts.adds:
        private, _ = private_and_noise(add)
        late = private.has("late-norm") and facts.relation.kind in _OF_RECORDS
        if private.has("late") or (late and not _clips_records(facts)):
            yield Hit(add.place, "the sum is clipped, and none of the records that it is made of")


def _clips_records(facts: Facts) -> bool:
    """Whether anything but an aggregate, or what is made of its norm, is limited."""
    return any(
        value.tells and not value.marks & {"aggregate", "norm"}
        for call in facts.calls
        if call.name in _LIMITING
        for value in (*call.arguments, *([] if call.receiver is None else [call.receiver]))
    )


RULE = Rule(
    "DPA105",
    "clip-after-aggregation",
    "The aggregate is clipped in place of the records, of which one can move it from end to end.",
    bad="""\
def noisy_mean(data, n, rng, low=0.0, high=100.0, epsilon=1.0):
    mean = np.clip(data.sum() / n, low, high)
    return mean + rng.laplace(scale=(high - low) / (n * epsilon))
""",
    good="""\
def noisy_mean(data, n, rng, low=0.0, high=100.0, epsilon=1.0):
    mean = np.fmin(np.fmax(data, low), high).sum() / n
    return mean + rng.laplace(scale=(high - low) / (n * epsilon))
""",
    look=look,
)
