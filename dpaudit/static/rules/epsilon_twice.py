"""Epsilon spent whole, twice."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Draw, Facts, Operation, private_and_noise
from dpaudit.static.library import EPSILON
from dpaudit.static.rule import Hit, Rule
from dpaudit.static.values import Value


def look(facts: Facts) -> Iterator[Hit]:
    """Yield the second of two additions of Laplace noise whose scale is x/ε, x not multiplied."""
    if facts.generous:
        return
    spent: list[tuple[Operation, Draw]] = []
    for add in facts.adds:
        private, noise = private_and_noise(add)
        if not facts.private(private.tells) or _apart(facts, private, spent):
            continue
        whole = [d for d in facts.drawn(noise) if _whole(d)]
        new = [d for d in whole if all(d.path != other.path for _, other in spent)]
        if len(whole) == len(noise.draws) == 1 and new:
            spent.append((add, new[0]))
            if facts.relation.kind == "replace" and _moves(add, private):
                said = "a replaced record changes two parts, and the noise is for one"
                yield Hit(add.place, said)
    released = {i for e in facts.exits if e.kind == "return" for i in e.value.draws}
    tested = any(c.value.covered for e in facts.exits for c in e.under)
    again = {i for repeat in facts.repeats for i in repeat.value.draws}
    known = [(a, d, facts.draws.index(d)) for a, d in spent]
    numbers = [(a, d) for a, d, i in known if i not in again and (i in released or tested)]
    if len(numbers) > 1:
        (first, _), (second, _) = numbers[0], numbers[-1]
        yield Hit(
            second.place,
            "two releases spend the whole of epsilon each",
            related=((first.place, "the first"),),
        )


def _apart(facts: Facts, private: Value, spent: list[tuple[Operation, Draw]]) -> bool:
    """Return whether this and an earlier value may be about disjoint parts of the records."""
    if not private.has("part") or facts.relation.kind == "replace":
        return False
    others = [private_and_noise(add)[0] for add, _ in spent]
    sides = {m for m in private.marks if m.startswith("part-")}
    return any(other.has("part") and not sides & other.marks for other in others)


def _moves(add: Operation, private: Value) -> bool:
    """Return whether a value is about one part of the records a round."""
    return private.has("part") and bool(private.loops & set(add.loops))


def _whole(draw: Draw) -> bool:
    if draw.family != "laplace" or draw.scale is None or draw.scale.form is None:
        return False
    form = draw.scale.form
    return form.power_of(EPSILON) == -1 and _unmultiplied(form.coefficient, form.powers)


def _unmultiplied(coefficient: float, powers: tuple[tuple[str, float], ...]) -> bool:
    """Return whether nothing but one sensitivity, by whatever name, is divided by epsilon."""
    others = [name for name, power in powers if name not in EPSILON and power > 0]
    return len(others) == len(powers) - 1 and (
        (len(others) == 1 and coefficient <= 1) or (not others and coefficient <= 1)
    )


RULE = Rule(
    "DPA107",
    "epsilon-twice",
    "Two releases of the same records spend the whole of epsilon each.",
    bad="""\
def noisy_mean(data, rng, high=100.0, epsilon=1.0):
    total = np.fmin(np.fmax(data, 0), high).sum() + rng.laplace(scale=high / epsilon)
    return total / (len(data) + rng.laplace(scale=1 / epsilon))
""",
    good="""\
def noisy_mean(data, rng, high=100.0, epsilon=1.0):
    total = np.fmin(np.fmax(data, 0), high).sum() + rng.laplace(scale=2 * high / epsilon)
    return total / (len(data) + rng.laplace(scale=2 / epsilon))
""",
    look=look,
    relation="AddRemove(Real(0, 100))",
)
