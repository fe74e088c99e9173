"""A clip with one end."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts, private_and_noise
from dpaudit.static.rule import Hit, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield additions of noise to records, or their sum, that one bound alone was put on."""
    for add in facts.adds:
        private, _ = private_and_noise(add)
        ends = private.marks & {"low", "high"}
        unclipped = private.has("summed") or private.has("own", "scalar")
        if facts.relation.bounded is False and not ends and unclipped:
            if not private.has("counted"):
                yield Hit(add.place, "nothing bounds a record")
            continue
        if not private.marks & {"own", "summed"} or private.has("counted") or len(ends) != 1:
            continue
        relation = facts.relation
        if relation.bounded and relation.low is not None and relation.low >= 0 and ends == {"high"}:
            continue  # the domain has the other end
        missing = "below" if ends == {"high"} else "above"
        yield Hit(add.place, f"nothing bounds a record from {missing}")


RULE = Rule(
    "DPA104",
    "one-sided-clip",
    "Records are clipped on one side only, and what they add up to gets noise.",
    bad="""\
def noisy_sum(data, rng, high=100.0, epsilon=1.0):
    return data.clip(max=high).sum() + rng.laplace(scale=high / epsilon)
""",
    good="""\
def noisy_sum(data, rng, high=100.0, epsilon=1.0):
    return np.fmin(np.fmax(data, 0), high).sum() + rng.laplace(scale=high / epsilon)
""",
    look=look,
)
