"""What must hold for a derivation to hold, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import sympy

from dpaudit.formal.decide import Decision
from dpaudit.formal.derivation import Derivation
from dpaudit.formal.deriving.translate import Translated, relation, translate
from dpaudit.formal.deriving.validation import Link


@dataclass(frozen=True, slots=True)
class Obligation:
    """Something that a step needs.

    Attributes
    ----------
    link : Link
    kind : {"defined", "joins", "change", "holds"}
        Its sides have values; it begins where the step before ended; its left side is no less than
        the change of the query; its relation.
    goal : sympy Boolean
    """

    link: Link
    kind: str
    goal: Any


@dataclass(frozen=True, slots=True)
class Checked:
    """An obligation and what became of it."""

    obligation: Obligation
    decision: Decision

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able values."""
        link = self.obligation.link
        return {
            "step": link.index,
            "case": link.case,
            "kind": self.obligation.kind,
            "statement": str(link),
            "goal": str(self.obligation.goal),
            **self.decision.to_dict(),
        }


def obligations(
    derivation: Derivation, symbols: Mapping[str, sympy.Symbol]
) -> Iterator[Obligation]:
    """Yield what each step needs, in the order of the steps.

    Parameters
    ----------
    derivation : Derivation
    symbols : mapping of str to symbol

    Yields
    ------
    Obligation
    """
    before: Translated | None = None
    for link in derivation.links:
        left, right = translate(link.left, symbols), translate(link.right, symbols)
        for need in dict.fromkeys((*left.needs, *right.needs)):
            yield Obligation(link, "defined", need)
        if link.first:
            yield from _of_the_change(derivation, link, left, symbols)
        elif before is not None and before.value != left.value:
            yield Obligation(link, "joins", relation(before.value, "==", left.value))
        goal = sympy.true
        if link.relation not in ("==", "<=", ">=") or left.value != right.value:
            goal = relation(left.value, link.relation, right.value)
        yield Obligation(link, "holds", goal)
        before = right


def _of_the_change(
    derivation: Derivation, link: Link, left: Translated, symbols: Mapping[str, sympy.Symbol]
) -> Iterator[Obligation]:
    """Yield that the first side is no less than what the change does to the query."""
    if derivation.expression is None or link.case is None or link.case not in derivation.changed:
        return
    query = translate(derivation.expression, symbols)
    moved = {
        symbols[name]: translate(formula, symbols)
        for name, formula in derivation.changed[link.case].items()
    }
    values = {symbol: new.value for symbol, new in moved.items()}
    needs = [*query.needs, *(need for new in moved.values() for need in new.needs)]
    needs += [need.xreplace(values) for need in query.needs]
    for need in dict.fromkeys(needs):
        yield Obligation(link, "defined", need)
    gap = sympy.Abs(query.value.xreplace(values) - query.value)
    yield Obligation(link, "change", relation(gap, "<=", left.value))
