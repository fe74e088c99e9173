"""What may hold at the head of a loop in every iteration: candidates for the invariant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dpaudit.checker.alignment.content import Form, Relation
from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.formal.alignment.forms import CHANGES, number, of_polynomial, size
from dpaudit.formal.alignment.price_templates import Prices, prices_paid
from dpaudit.formal.alignment.shifts import MULTIPLES, Alignment
from dpaudit.formal.alignment.system import System


@dataclass(frozen=True, slots=True, eq=False)
class Predicate:
    """One statement; `between` says that it compares the runs and nothing else."""

    form: Form
    between: bool = False


def predicates(
    system: System, loop: str, relation: Relation, prices: Prices, alignment: Alignment
) -> list[Predicate]:
    """Return all candidates for a loop."""
    found = [Predicate(form, True) for form in _between(system, loop, relation)]
    found += [Predicate([">=", CHANGES, number(0)])] if relation.total else []
    others = [*_bounds(system, loop), *prices_paid(system, loop, relation, prices, alignment)]
    return found + [Predicate(form) for form in others]


def _between(system: System, loop: str, relation: Relation) -> Iterator[Form]:
    """Yield how variables differ between the runs: not, by a constant, within bounds."""
    for name in system.lists(loop):
        yield ["same", name]
    for name, whole, public in system.states(loop):
        if public:
            continue
        for multiple in (0,) if whole else MULTIPLES:
            for sign in ("=",) if whole else ("=", "<=", ">="):
                yield [sign, ["change", name], number(multiple * relation.distance)]
        if relation.total and not whole:
            yield ["<=", size(["change", name]), CHANGES]


def _bounds(system: System, loop: str) -> Iterator[Form]:
    """Yield bounds on counters: by their first values, and by what they are compared with."""
    for name, whole, _ in system.states(loop):
        for first in system.first_values(loop, name) if whole else ():
            for sign in (">=", "<="):
                yield [sign, ["state", name], of_polynomial(first)]
    for compared in _compared(system, loop):
        for k in (-2, -1, 0, 1, 2):
            for sign in ("<=", ">="):
                yield [sign, compared, number(k)]


def _compared(system: System, loop: str) -> list[Form]:
    """Return whole numbers that tests compare, of parameters and variables of the head alone.

    Anything else has another value in the next iteration, and says nothing of the state.
    """
    states = system.states(loop)
    whole = {f"{name}@{loop}": ["state", name] for name, is_whole, _ in states if is_whole}
    known = {*whole, *(p for p in system.parameters if p in system.terms.whole)}
    found: dict[str, Ratio] = {}
    for path in system.paths:
        for test in path.tests if path.stretch.start == loop else ():
            names = test.number.names()
            if names <= known and names & set(whole):
                found[str(test.number)] = test.number
    return [of_polynomial(found[text], whole) for text in sorted(found)]
