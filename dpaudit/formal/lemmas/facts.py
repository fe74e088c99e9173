"""What a lemma needs, proved for all datasets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy

from dpaudit.formal.clock import charge, now
from dpaudit.formal.decide import Truth, decide
from dpaudit.formal.lemmas.integers import refuting, unsatisfiable
from dpaudit.formal.lemmas.values import SIZE
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation that was proved.

    Attributes
    ----------
    what : str
        In words.
    goal : str
    given : tuple of str
    method : str
    obligation : str or None
        SMT-LIB text whose unsatisfiability proves it.
    place : Place
    """

    what: str
    goal: str
    given: tuple[str, ...]
    method: str
    obligation: str | None
    place: Place

    def to_dict(self) -> dict[str, Any]:
        """Return the fact as JSON-able values."""
        return {
            "what": self.what, "goal": self.goal, "given": list(self.given),
            "method": self.method, "obligation": self.obligation, "place": str(self.place),
        }  # fmt: skip


@dataclass(slots=True, eq=False)
class Facts:
    """Proves relations, and keeps those that were.

    Attributes
    ----------
    deadline : float
        Of `dpaudit.formal.clock.now`.
    proved : dict of (goal, given) to Fact
    """

    deadline: float = float("inf")
    proved: dict[Any, Fact] = field(default_factory=dict)

    def holds(self, goal: Any, given: Sequence[Any], what: str, place: Place) -> bool:
        """Whether a relation is proved wherever the conditions hold."""
        charge(500)
        key = (goal, tuple(given))
        if key in self.proved:
            return True
        method, obligation = self._shown(goal, given, place)
        if method is not None:
            self.proved[key] = Fact(
                what, str(goal), tuple(map(str, given)), method, obligation, place
            )
        return method is not None

    def _shown(
        self, goal: Any, given: Sequence[Any], place: Place
    ) -> tuple[str | None, str | None]:
        """Return how a relation was shown, None where it was not."""
        if goal == sympy.true or _by_coefficients(goal):
            return "algebra", None
        from dpaudit.formal.solver import own_context

        # Conditions that contradict each other are told soonest among whole numbers.
        for about, seconds in ((goal, 5.0), (sympy.false, 1.0)):
            with own_context():
                solver = refuting(about, given)
                if solver is not None and unsatisfiable(solver, min(seconds, self._left(place))):
                    return "smt", solver.to_smt2()
            if solver is not None and about is goal:
                return None, None
        found = decide(goal, given, timeout=min(10.0, self._left(place)))
        proved = found.truth is Truth.PROVED
        return (found.method, found.obligation) if proved else (None, None)

    def _left(self, place: Place) -> float:
        left = self.deadline - now()
        if left <= 0:
            raise Unsupported("the steps ran out", place)
        return left

    def need(self, goal: Any, given: Sequence[Any], what: str, place: Place) -> None:
        """Prove a relation.

        Raises
        ------
        Unsupported
            Where it is not proved; it says what would follow from it.
        """
        if not self.holds(goal, given, what, place):
            raise Unsupported(f"not proved that {what}", place)


def _by_coefficients(goal: Any) -> bool:
    """Whether ``a <= b`` holds as b − a is a fraction in n whose coefficients are not negative."""
    if not isinstance(goal, sympy.Le) or goal.free_symbols != {SIZE}:
        return False
    above, below = sympy.fraction(sympy.cancel(goal.rhs - goal.lhs))
    parts = []
    for part in (above, below):
        if not part.is_polynomial(SIZE):
            return False
        parts.append(sympy.Poly(part, SIZE).all_coeffs())
    if not all(c.is_Rational and c >= 0 for part in parts for c in part):
        return False
    return bool(parts[1][-1] > 0)
