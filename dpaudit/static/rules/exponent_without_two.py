"""The exponential mechanism without its two."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.library import EPSILON, SENSITIVITY
from dpaudit.static.rule import Hit, Level, Rule


def look(facts: Facts) -> Iterator[Hit]:
    """Yield divisions of ε times a score by the bare sensitivity, where they are exponentiated."""
    if facts.generous:
        return
    if facts.relation.monotone or not any(
        c.name == "exp" and any(a.tells for a in c.arguments) for c in facts.calls
    ):
        return
    for operation in facts.operations:
        score, divisor = operation.left, operation.right.form
        if operation.operator != "Div" or not score.tells or divisor is None:
            continue
        stated = [name for name, _ in divisor.powers]  # none where it is 1
        named = len(stated) < 2 and all(map(SENSITIVITY.search, stated))
        factor = score.marks & {f"factor:{name}" for name in EPSILON}
        if named and divisor.coefficient == 1 and factor and _whole(facts):
            said = "the exponent is ε·score/Δ, where scores that move both ways need 2Δ"
            both = facts.relation.kind in ("queries", "replace")
            level: Level = "error" if both else "warning"
            yield Hit(operation.place, said, level)


def _whole(facts: Facts) -> bool:
    """Whether all scores are multiplied by the whole of epsilon."""
    for operation in facts.operations:
        sides = operation.left, operation.right
        forms = [
            side.form for side in sides if side.form is not None and operation.operator == "Mult"
        ]
        for form in forms:
            powers = {name: power for name, power in form.powers if name in EPSILON}
            if powers and not (form.coefficient == 1 and len(form.powers) == 1):
                return False
    return True


RULE = Rule(
    "DPA106",
    "exponent-without-two",
    "The exponent of the exponential mechanism lacks the factor 1/2, for scores that move "
    "both ways.",
    bad="""\
def choose(scores, rng, sensitivity=1.0, epsilon=1.0):
    weights = np.exp(epsilon * scores / sensitivity)
    return np.searchsorted(weights.cumsum(), rng.random() * weights.sum())
""",
    good="""\
def choose(scores, rng, sensitivity=1.0, epsilon=1.0):
    weights = np.exp(epsilon * scores / (2 * sensitivity))
    return np.searchsorted(weights.cumsum(), rng.random() * weights.sum())
""",
    look=look,
    relation="QueryAnswers(5)",
)
