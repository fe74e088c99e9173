"""Less noise than one record moves the value."""

from __future__ import annotations

import math
from collections.abc import Iterator

from dpaudit.static.facts import Draw, Facts, Operation, private_and_noise
from dpaudit.static.library import ADDITIVE
from dpaudit.static.rule import Hit, Rule
from dpaudit.static.values import Value

_SLACK = 1.05  # for a small delta of the claim
_COMPARED = frozenset({"Lt", "LtE", "Gt", "GtE", "Eq", "NotEq"})


def look(facts: Facts) -> Iterator[Hit]:
    """Yield sums of a statistic and Laplace noise that alone cost more than the claim."""
    claimed = facts.stated_epsilon
    if not claimed or any(draw.family not in ADDITIVE for draw in facts.draws):
        return  # what is sampled may cost less
    for operation in facts.adds:
        private, noise = private_and_noise(operation)
        draws = facts.drawn(noise)
        moved = _moved(facts, private)
        if moved is None or len(draws) != 1 or not noise.has("drawn") or private.has("sampled"):
            continue
        scale = _scale(draws[0])
        rounds = 2 if private.has("moves:nested") and _is_repeated(operation, private) else 1
        if scale and rounds * moved / scale > _SLACK * claimed:
            times = " in each round" if rounds > 1 else ""
            said = (
                f"one record moves the value by {moved:.3g}{times}, and noise of scale {scale:.3g} "
                f"pays for no more than {claimed * scale / rounds:.3g} at epsilon {claimed:.3g}"
            )
            yield Hit(draws[0].place, said)


def _scale(draw: Draw) -> float | None:
    return draw.scale.number if draw.family == "laplace" and draw.scale is not None else None


def _is_repeated(operation: Operation, private: Value) -> bool:
    return bool(private.loops & set(operation.loops))


def _moved(facts: Facts, value: Value) -> float | None:
    """Return a lower bound on how far one record moves a value, None where none is known."""
    relation = facts.relation
    marks = [m.split(":")[1:] for m in value.marks if m.startswith("moves:")]
    if len(marks) != 1 or relation.kind in ("local", "queries", "pairs"):
        return None
    (kind, *ends) = marks[0]
    if not ends:
        public_size = value.has("length") and not relation.size_private
        return None if public_size else 1.0
    low, high = float(ends[0]), float(ends[1])
    if math.isinf(low) and math.isinf(high) and relation.columns:
        return None
    low = low if relation.low is None else max(low, relation.low)
    high = high if relation.high is None else min(high, relation.high)
    if low > high or math.isinf(high - low):
        return None
    if kind == "sum":
        added, replaced = max(abs(low), abs(high)), high - low
        return {"add": added, "replace": replaced}.get(relation.kind or "", min(added, replaced))
    width = high - low
    if relation.kind == "replace" and relation.length:
        return width / relation.length if kind in ("mean", "share") else None
    if not relation.size_private or (relation.least or 0) > 1 or _is_guarded(facts):
        return None
    # The first record, and a second one at the other end.
    return {"mean": width / 2, "share": width / 2, "variance": width**2 / 4}.get(kind, width)


def _is_guarded(facts: Facts) -> bool:
    """Whether the number of records is compared with more than 1: few may be turned away."""
    for operation in facts.operations:
        sides = operation.left, operation.right
        of_length = operation.operator in _COMPARED and any(s.has("length") for s in sides)
        if of_length and not any(s.number in (0.0, 1.0) for s in sides):
            return True
    return False


RULE = Rule(
    "DPA106",
    "noise-below-sensitivity",
    "Laplace noise is smaller than what one record changes, divided by epsilon.",
    bad="""\
def noisy_total(data, rng, epsilon=1.0):
    return np.clip(data, 0, 50).sum() + rng.laplace(scale=10 / epsilon)
""",
    good="""\
def noisy_total(data, rng, epsilon=1.0):
    return np.clip(data, 0, 50).sum() + rng.laplace(scale=50 / epsilon)
""",
    look=look,
    also=("DPA105", "DPA107"),
)
