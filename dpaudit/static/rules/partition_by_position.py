"""Parts by position."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule

_SPLITS = frozenset({"array_split", "split", "hsplit", "batched"})


def look(facts: Facts) -> Iterator[Hit]:
    """Yield divisions of private records by position, where records come and go."""
    if facts.relation.size_private is False or not facts.draws:
        return
    level = "error" if facts.relation.size_private else "warning"
    for call in facts.calls:
        values = (*call.arguments[:1], *(() if call.receiver is None else (call.receiver,)))
        if call.name in _SPLITS and any(v.tells and v.has("vector") for v in values):
            said = "an added or removed record moves all later ones to another part"
            yield Hit(call.place, said, "error" if level == "error" else "warning")
    for cut in facts.slices:
        by_rounds = cut.index.loops and cut.index.public
        by_size = cut.index.tells == {"size"} and not cut.index.has("whole")
        if (by_rounds or by_size) and cut.value.has("own", "vector"):
            said = "an added or removed record moves all later ones to another slice"
            yield Hit(cut.place, said, "error" if level == "error" else "warning")
    for operation in facts.operations:
        if (
            operation.operator == "FloorDiv"
            and operation.right.tells == {"size"}
            and operation.left.has("vector")
            and not operation.left.tells
        ):
            said = "the part of a record depends on its position"
            yield Hit(operation.place, said, "error" if level == "error" else "warning")


RULE = Rule(
    "DPA112",
    "partition-by-position",
    "Records are divided by their position, so that a removed record moves all later ones.",
    bad="""\
def noisy_vote(data, rng, parts=8, epsilon=1.0):
    votes = [int(part.mean() > 0.5) for part in np.array_split(data, parts)]
    return sum(votes) + rng.laplace(scale=1 / epsilon)
""",
    good="""\
def noisy_vote(data, rng, parts=8, key=7, epsilon=1.0):
    part = (data * 2654435761 + key) % parts
    votes = [int(data[part == j].mean() > 0.5) for j in range(parts)]
    return sum(votes) + rng.laplace(scale=1 / epsilon)
""",
    look=look,
    relation="AddRemove(Integer(0, 1))",
)
