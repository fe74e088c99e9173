"""Rules of sensitivity: one family a module, each rule one function with its statement and proof.

A rule takes an `Application` and returns a value, or None where it does not apply; the first one
that applies is used. What it says must hold for *all* pairs of inputs that its arguments stand for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpaudit.formal.calls import Application
    from dpaudit.formal.domain import Value

_Function = Callable[["Application"], "Value | None"]


@dataclass(frozen=True, slots=True)
class Rule:
    """How one function, or several alike, changes what is known.

    Attributes
    ----------
    name : str
    functions : tuple of str
        Canonical names.
    statement : str
    proof : str
        Where the statement is proved, or why it holds.
    apply : callable
    """

    name: str
    functions: tuple[str, ...]
    statement: str
    proof: str
    apply: _Function

    def step(self, call: Application, value: Value) -> Any:
        """Return the line of a derivation that this application makes."""
        from dpaudit.formal.explain import explained
        from dpaudit.formal.trail import Step

        says = "; ".join([explained(call.name, value), *call.notes])
        return Step(self.name, call.place, says, value)


RULES: dict[str, list[Rule]] = {}
# Of numbers, these are computed exactly instead of run in floating point.
EXACT: set[str] = set()


def rule(
    *functions: str, statement: str, proof: str, exact: bool = False, first: bool = False
) -> Callable[[_Function], _Function]:
    """Register a rule for functions of these canonical names; `first` tries it before others."""

    def register(function: _Function) -> _Function:
        made = Rule(function.__name__, functions, statement, proof, function)
        for name in functions:
            known = RULES.setdefault(name, [])
            known.insert(0 if first else len(known), made)
            if exact:
                EXACT.add(name)
        return function

    return register


def every() -> tuple[Rule, ...]:
    """Return all rules."""
    return tuple(dict.fromkeys(rule for rules in RULES.values() for rule in rules))


for _family in (
    "numbers",
    "moments",
    "comparisons",
    "extremes",
    "entries",
    "choices",
    "functions",
    "casts",
    "shapes",
    "matrices",
    "python",
    "sums",
    "means",
    "counting",
    "frames",
    "order",
):
    import_module(f"dpaudit.formal.rules.{_family}")
