"""SMT context: two neighboring datasets for a solver, n records, and the same with one more.

Sums of the larger one have one summand more. For sorted values x and y of both, y(j) <= x(i) where
j <= i, and y(j) >= x(i) where j > i: of the values of x at most i are less than x(i), and at least
i + 1 are not greater.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction

from dpaudit.checker.ask import ask_cvc5, ask_z3
from dpaudit.checker.file import NotCheckedError, RejectedError, Work
from dpaudit.checker.lemma.values import Column, InOrder, Num, Steps, numeral
from dpaudit.checker.solver import Z3_TRUSTED

PLACE = "k"  # of an entry of a vector
_EACH, _Z3 = 3.0, 10.0  # seconds of a question


@dataclass(frozen=True, slots=True)
class Order:
    """Sorted values: the public numbers at their ends, where they are known to stand there."""

    first: Fraction | None
    last: Fraction | None


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation that was proved, in SMT-LIB, of all n and k for which others hold."""

    what: str
    goal: str
    given: tuple[str, ...]


@dataclass(slots=True)
class Scene:
    """What is known of both datasets.

    Attributes
    ----------
    work : Work
    replaced : bool
        Whether both have n records, of which one differs: sorted values and sums are then not
        followed.
    orders : dict of str to Order
    sums : dict of str to Column
    read : dict of (order, side) to dict of place to length
        Which entries of sorted values the formulas hold.
    divisors : dict of str to None
        What the formulas divide by.
    trusted : set of str
    facts : list of Fact
        What was proved.
    place : str
        Where noise was drawn last.
    """

    work: Work
    replaced: bool = False
    orders: dict[str, Order] = field(default_factory=dict)
    sums: dict[str, Column] = field(default_factory=dict)
    read: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    divisors: dict[str, None] = field(default_factory=dict)
    trusted: set[str] = field(default_factory=set)
    facts: list[Fact] = field(default_factory=list)
    place: str = ""
    _exists: set[tuple[str, tuple[str, ...]]] = field(default_factory=set)
    _names: dict[object, str] = field(default_factory=dict)

    def entry(self, order: InOrder, side: str, place: Num) -> str:
        """Return an entry of sorted values."""
        self.added()
        self.read.setdefault((order.name, side), {})[place.text] = order.length.text
        return f"({order.name}{side} {place.text})"

    def added(self) -> None:
        """Refuse to go on where neighbors have one number of records."""
        if self.replaced:
            raise NotCheckedError("not checked: lemmas under these neighbors")

    def quotient(self, above: str, below: str) -> str:
        """Return a quotient, whose divisor must not be zero."""
        self.divisors[below] = None
        return f"(/ {above} {below})"

    def prove(self, goal: str, given: tuple[str, ...], what: str) -> None:
        """Keep a goal as a fact.

        Raises
        ------
        RejectedError
            Where it does not follow.
        """
        self.exist(given)
        fact = Fact(what, goal, given)
        if fact in self.facts:
            return
        if not self._follows(goal, given, tuple(self._facts())):
            raise RejectedError(f"it does not follow that {what}")
        self.facts.append(fact)

    def exist(self, given: tuple[str, ...] = ()) -> None:
        """Prove that every entry that a formula holds is there, and no divisor is zero."""
        parts = [f"(and (<= 0 {at}) (< {at} {length}))" for at, length in self._places()]
        parts += [f"(distinct {divisor} 0.0)" for divisor in self.divisors]
        new = [part for part in parts if not {(part, given), (part, ())} & self._exists]
        if new and not self._follows(f"(and true {' '.join(new)})", given, ()):
            raise RejectedError("an entry may not be there, or a divisor may be zero")
        self._exists.update((part, given) for part in new)

    def exist_in(self, steps: Steps) -> Steps:
        """Return a vector, all of whose entries are there."""
        with self.aside():
            steps.entry(PLACE)
            self.exist((f"(< {PLACE} {steps.length.text})",))
        return steps

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Forget afterwards what is read and divided by meanwhile, and proved in vain."""
        read = {key: dict(places) for key, places in self.read.items()}
        divisors, proved = dict(self.divisors), len(self.facts)
        try:
            yield
        except RejectedError:
            del self.facts[proved:]
            raise
        finally:
            self.read, self.divisors = read, divisors

    def order(self, key: object, ends: Order) -> str:
        """Return the name of sorted values; equal ones have one name."""
        name = self._names.setdefault(key, f"o{len(self._names)}")
        self.orders[name] = ends
        return name

    def _places(self) -> list[tuple[str, str]]:
        return [pair for places in self.read.values() for pair in places.items()]

    def _facts(self) -> list[str]:
        found = []
        for name, order in self.orders.items():
            small, large = self.read.get((name, "x"), {}), self.read.get((name, "y"), {})
            for side, places in (("x", small), ("y", large)):
                x = f"{name}{side}"
                for i, length in places.items():
                    found += [f"(=> (<= {i} {j}) (<= ({x} {i}) ({x} {j})))" for j in places]
                    found += _ends(order, x, i, length)
            for i in small:
                for j in large:
                    x, y = f"({name}x {i})", f"({name}y {j})"
                    found += [f"(=> (<= {j} {i}) (<= {y} {x}))", f"(=> (> {j} {i}) (>= {y} {x}))"]
        return found

    def _follows(self, goal: str, given: tuple[str, ...], facts: tuple[str, ...]) -> bool:
        lines = ["(set-logic ALL)", "(declare-const n Int)", f"(declare-const {PLACE} Int)"]
        lines += [f"(declare-fun {name}{side} (Int) Real)" for name in self.orders for side in "xy"]
        for name, column in self.sums.items():
            lines += [f"(declare-const {name} Real)", f"(declare-const {name}r Real)"]
            low, high = (numeral(Fraction(e), whole=False) for e in (column.low, column.high))
            lines += [f"(assert (<= {low} {name}r {high}))"]
            lines += [f"(assert (<= (* {low} (to_real n)) {name} (* {high} (to_real n))))"]
        asserted = ("(>= n 0)", f"(>= {PLACE} 0)", *given, *facts, f"(not {goal})")
        lines += [f"(assert {fact})" for fact in asserted]
        text = "\n".join([*lines, "(check-sat)", ""])
        said = ask_cvc5(text, min(_EACH, self.work.left()))
        if said == "unknown":
            said = ask_z3(text, min(_Z3, self.work.left()))
            if said == "unsat":
                self.trusted.add(Z3_TRUSTED)
        return said == "unsat"


def _ends(order: Order, x: str, place: str, length: str) -> list[str]:
    found = []
    if order.first is not None:
        first = numeral(order.first, whole=False)
        found += [f"(<= {first} ({x} {place}))", f"(=> (= {place} 0) (= ({x} {place}) {first}))"]
    if order.last is not None:
        last = numeral(order.last, whole=False)
        at_end = f"(= (+ {place} 1) {length})"
        found += [f"(<= ({x} {place}) {last})", f"(=> {at_end} (= ({x} {place}) {last}))"]
    return found
