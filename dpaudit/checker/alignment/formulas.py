"""Invariants and shifts of the certificate as terms of the solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from dpaudit.checker.alignment.content import Form, rational
from dpaudit.checker.alignment.terms import Term, Terms
from dpaudit.checker.file import RejectedError

_DEEPEST = 60


@dataclass(frozen=True, slots=True)
class View:
    """What the variables of a loop's head are, in both runs.

    Attributes
    ----------
    first, second : callable
        A variable's number in the first run, the second run; None where there is none.
    same : callable
        Whether a list is one in both runs, as a truth; None where there is none.
    cost, changes : Term
        Paid so far; by how much the entries met so far changed together.
    """

    first: Callable[[str], Term | None]
    second: Callable[[str], Term | None]
    same: Callable[[str], Term | None]
    cost: Term | None = None
    changes: Term | None = None


@dataclass(slots=True)
class Reader:
    """Reads the certificate's formulas under a view.

    Attributes
    ----------
    terms : Terms
    view : View
    parameters : frozenset of str
    others : dict
        Numbers that a shift may hold besides: entries of the data and earlier draws.
    """

    terms: Terms
    view: View
    parameters: frozenset[str]
    others: dict[tuple[str, Any], Term] = field(default_factory=dict)

    def truth(self, form: Any, depth: int = 0) -> Term:
        """Return a truth."""
        name, parts = _split(form, depth)
        terms = self.terms
        match name, len(parts):
            case "same", 1:
                return _present(self.view.same(_text(parts[0])), form)
            case (("<=" | "<" | ">=" | ">" | "="), 2):
                a, b = (self.number(part, depth + 1) for part in parts)
                return {
                    "<=": lambda: terms.at_least(b, a),
                    "<": lambda: terms.above(b, a),
                    ">=": lambda: terms.at_least(a, b),
                    ">": lambda: terms.above(a, b),
                    "=": lambda: terms.equal(a, b),
                }[name]()
        raise RejectedError(f"{form!r:.80} is no statement of an invariant")

    def number(self, form: Any, depth: int = 0) -> Term:
        """Return a number."""
        name, parts = _split(form, depth)
        terms = self.terms
        match name, len(parts):
            case "number", 1:
                return terms.exact(rational(parts[0]))
            case "parameter", 1 if isinstance(parts[0], str) and parts[0] in self.parameters:
                return terms.parameter(parts[0])
            case (("length" | "cost" | "changes"), 0):
                return _present(self._special(name), form)
            case "state", 1:
                return _present(self.view.first(_text(parts[0])), form)
            case "change", 1:
                second = _present(self.view.second(_text(parts[0])), form)
                return terms.subtract(second, _present(self.view.first(parts[0]), form))
            case (("input" | "input change" | "draw" | "shift"), 1):
                key = parts[0] if isinstance(parts[0], str | int) else None
                return _present(self.others.get((name, key)), form)
            case (("+" | "*"), count) if count:
                made = terms.add if name == "+" else terms.multiply
                return reduce(made, [self.number(part, depth + 1) for part in parts])
            case "-", 2:
                return terms.subtract(*(self.number(part, depth + 1) for part in parts))
            case "if", 3:
                test = self.truth(parts[0], depth + 1)
                return terms.choose(test, *(self.number(p, depth + 1) for p in parts[1:]))
        raise RejectedError(f"{form!r:.80} is no number of an invariant or a shift")

    def _special(self, name: str) -> Term | None:
        from dpaudit.checker.alignment.terms import LENGTH

        return {
            "length": self.terms.parameter(LENGTH),
            "cost": self.view.cost,
            "changes": self.view.changes,
        }[name]


def _split(form: Any, depth: int) -> tuple[str, Form]:
    if not isinstance(form, list) or not form or not isinstance(form[0], str):
        raise RejectedError(f"{form!r:.80} is no formula")
    if depth > _DEEPEST:
        raise RejectedError("a formula is nested too deeply")
    return form[0], form[1:]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise RejectedError(f"{value!r:.40} is no name of a variable")
    return value


def _present(term: Term | None, form: Any) -> Term:
    if term is None:
        raise RejectedError(f"{form!r:.80} has no meaning here")
    return term
