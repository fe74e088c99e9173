"""Obligations: what the steps of a derivation need, each proved or refuted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

from dpaudit.checker.ask import ask_cvc5
from dpaudit.checker.bounds import ends_of
from dpaudit.checker.enclose import holds_on_box, names_of
from dpaudit.checker.file import Work
from dpaudit.checker.formula import Relation, Term, compared, constant, replaced, walk
from dpaudit.checker.points import Point, breaking_point, holds_at
from dpaudit.checker.proofs import emitted_for
from dpaudit.checker.solver import BeyondError, Writer, follows
from dpaudit.checker.stated import Stated, Step

NEVER = Relation(Term("number"), "!=", Term("number"))
_SMOOTH = frozenset({"exp", "log", "erf", "erfc", "sinh", "cosh", "tanh", "pi"})
_FEW = 2_000
_FIRST_POINTS, _MORE_POINTS = 100, 4_000


@dataclass(frozen=True, slots=True)
class Obligation:
    """What a step needs: a relation, or (a term) that a side has a value.

    Attributes
    ----------
    step : Step
    kind : {"defined", "joins", "change", "holds"}
        Its sides have values; it begins where the step before ended; its left side is no less than
        the change of the query; its relation.
    needs : Relation or Term
    """

    step: Step
    kind: str
    needs: Relation | Term


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of an obligation.

    Attributes
    ----------
    truth : bool or None
        None says nothing: a proof may exist, and so may a counterexample.
    method : str
        ``"numbers"``, ``"boxes"``, ``"solver"`` or ``"point"``.
    point : dict of str to Fraction, or None
        Where it is false.
    denied : bool
        Whether a solver says that it is false, where no numbers were found.
    """

    truth: bool | None
    method: str = "none"
    point: Point | None = None
    denied: bool = False


def obligations(stated: Stated) -> Iterator[Obligation]:
    """Yield what each step needs, in the order of the steps."""
    before: Term | None = None
    for step in stated.steps:
        yield Obligation(step, "defined", step.left)
        yield Obligation(step, "defined", step.right)
        if step.first:
            yield from _of_change(stated, step)
        elif before is not None and before != step.left:
            yield Obligation(step, "joins", Relation(before, "==", step.left))
        yield Obligation(step, "holds", Relation(step.left, step.sign, step.right))
        before = step.right


def _of_change(stated: Stated, step: Step) -> Iterator[Obligation]:
    found = stated.change(step.case)
    if found is None:
        return
    query, moved = found
    after = replaced(query, moved)
    for term in (query, *moved.values(), after):
        yield Obligation(step, "defined", term)
    gap = Term("abs", (Term("sub", (after, query)),))
    yield Obligation(step, "change", Relation(gap, "<=", step.left))


class Prover:
    """Decides relations under the conditions of a derivation.

    Parameters
    ----------
    stated : Stated
    work : Work
    """

    def __init__(self, stated: Stated, work: Work) -> None:
        self.work = work
        self.given, self.whole = stated.conditions, stated.whole
        ends = ends_of(self.given, tuple(self.whole))
        self.box = {
            name: (low, high)
            for name, (low, high) in ends.items()
            if low is not None and high is not None and low <= high
        }
        self.used_z3 = False
        self.denied = False

    def meets(self, point: Point | None) -> bool | None:
        """Return whether some numbers satisfy all conditions, None where it is not known."""
        if point is not None and all(holds_at(condition, point) for condition in self.given):
            return True
        said = "unknown"
        with suppress(BeyondError):
            problem = self._writer().problem("false", native=True)
            said = ask_cvc5(problem, min(self.work.left(), 10.0))
        return {"sat": True, "unsat": False}.get(said)

    def example(self) -> Point | None:
        """Return numbers that satisfy all conditions, if some are found."""
        return breaking_point(NEVER, self.given, self.whole, self.work, _MORE_POINTS)

    def decide(self, needs: Relation | Term, seconds: float) -> Decision:
        """Decide whether a relation holds, or a term has a value, wherever the conditions hold.

        Parameters
        ----------
        needs : Relation or Term
        seconds : float
            Of a quiet machine.
        """
        if _by_numbers(needs):
            return Decision(True, "numbers")
        point = breaking_point(needs, self.given, self.whole, self.work, _FIRST_POINTS)
        if point is not None:
            return Decision(False, "point", point)
        smooth = any(part.op in _SMOOTH for term in _sides(needs) for part in walk(term))
        self.denied = False
        tries = [("solver", self._by_solver), ("boxes", self._by_boxes)]
        for method, attempt in tries[::-1] if smooth else tries:
            if attempt(needs, seconds):
                return Decision(True, method)
        point = breaking_point(needs, self.given, self.whole, self.work, _MORE_POINTS)
        if point is not None:
            return Decision(False, "point", point)
        return Decision(None, denied=self.denied)

    def _writer(self) -> Writer:
        """Return a writer that knows the conditions."""
        writer = Writer(self.whole)
        for condition in self.given:
            writer.fact(writer.condition(condition))
        for need in writer.needs:
            writer.fact(need)  # where a condition holds, its sides have values
        writer.needs.clear()
        return writer

    def _by_boxes(self, needs: Relation | Term, seconds: float) -> bool:
        names = {
            part.name for term in _sides(needs) for part in walk(term) if part.op == "variable"
        }
        if not names <= self.box.keys():
            return False
        box = {name: bound for name, bound in self.box.items() if name in names}
        about = [c for c in self.given if names_of(c) <= names]
        whole = frozenset(name for name, integer in self.whole.items() if integer)
        return holds_on_box(needs, box, whole, about, self.work, int(_FEW * (1 + seconds)))

    def _by_solver(self, needs: Relation | Term, seconds: float) -> bool:
        try:
            writer = self._writer()
            if isinstance(needs, Term):
                writer.term(needs)
                wanted = list(dict.fromkeys(writer.needs))
            else:
                wanted = [writer.relation(needs)]
        except BeyondError:
            return False
        for goal in wanted:
            holds, solver = follows(writer, goal, min(seconds, self.work.left()))
            if not holds:
                self.denied |= holds is False
                return False
            self.used_z3 |= solver == "z3"
            if self.work.proofs is not None and solver == "cvc5":
                problem = writer.problem(goal, native=True)
                with suppress(LookupError):
                    proof = emitted_for(goal, problem, min(seconds, self.work.left()))
                    self.work.proofs.append(proof)
        return True


def _by_numbers(needs: Relation | Term) -> bool:
    """Return whether a relation holds of rational numbers, or a term is one."""
    known: list[Fraction | None] = [constant(side) for side in _sides(needs)]
    if isinstance(needs, Term):
        return known[0] is not None
    left, right = known
    return left is not None and right is not None and compared(left, needs.sign, right)


def _sides(needs: Relation | Term) -> list[Term]:
    return [needs] if isinstance(needs, Term) else [needs.left, needs.right]
