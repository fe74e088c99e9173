"""A mask that multiplies."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.static.facts import Facts
from dpaudit.static.rule import Hit, Rule
from dpaudit.static.values import SIZE


def look(facts: Facts) -> Iterator[Hit]:
    """Yield products of a private value and the constant zero."""
    for operation in facts.operations:
        for private, zero in (
            (operation.left, operation.right),
            (operation.right, operation.left),
        ):
            if operation.operator == "Mult" and private.tells - SIZE and zero.number == 0:
                yield Hit(
                    operation.place, "0 times a negative number is -0.0, which keeps its sign"
                )


RULE = Rule(
    "DPA111",
    "masked-by-product",
    "A private number is multiplied by zero, which keeps its sign.",
    bad="""\
def masked(answer, rng, epsilon=1.0):
    noisy = answer + rng.laplace(scale=1 / epsilon)
    return noisy if abs(noisy) >= 2 else 0.0 * answer
""",
    good="""\
def masked(answer, rng, epsilon=1.0):
    noisy = answer + rng.laplace(scale=1 / epsilon)
    return noisy if abs(noisy) >= 2 else 0.0
""",
    look=look,
)
