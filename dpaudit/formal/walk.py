"""Walks through a lifted program with values that stand for pairs of runs.

For the authors of provers: subclass `Hooks`, and call `explore(program, value, hooks)`. It runs
the program once for every sequence of outcomes of its *public* tests (both runs take the same
branch there), each time with hooks of its own, and yields a `Path`. Tests on private values are
no paths: both branches are run and their values joined, after `Hooks.private_test`. Draws go to
`Hooks.draw`, and every call with a `Foreign` value among its arguments to `Hooks.call`; what they
return (a released answer as `unknown_public()`, noise as your own subclass of `Foreign`) is where
the walk goes on. `Walk.private` is not empty while a branch on a private value is run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import sympy

from dpaudit.formal import program as ir
from dpaudit.formal.binding import fitted
from dpaudit.formal.domain import ClosureValue, Known, Tuple, Value
from dpaudit.formal.error_text import error_name
from dpaudit.formal.hooks import Hooks
from dpaudit.formal.program import Place, Program
from dpaudit.formal.states import joined_states, restore, snapshot, snapshot_with
from dpaudit.formal.trail import Decision, Hazard, Step
from dpaudit.formal.unsupported import PrivateUse, Unsupported
from dpaudit.formal.words import in_words

MOST_STEPS = 200_000
MOST_CALLS = 40


@dataclass(slots=True, eq=False)
class Frame:
    """The variables of one call."""

    variables: dict[str, Any]
    parent: Frame | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Flow:
    """How a block of statements ends."""

    how: str = "next"  # "next", "return", "break", "continue", "raise"
    value: Any = None
    place: Place | None = None


NEXT = Flow()


@dataclass(slots=True, eq=False)
class Walk:
    """The state of one walk.

    Attributes
    ----------
    conditions : list of (relational, Place)
        What must hold of symbolic parameters for the bounds to be right, such as ``c != 0`` where
        the code divides by c.
    hazards : list of Hazard
    steps : list of Step
    private : list of (Value, Place)
        The private tests whose branches are being run, outermost first.
    values : dict
        The value of every term.
    facts : dict
        By term of a number, the range that the tests passed so far leave it; `refine.apart` of a
        public expression, where a test says that it is not zero.
    boxed : bool
        Whether some number may be an array without axes, which ``+=`` changes in place.
    """

    program: Program
    hooks: Hooks
    script: list[bool] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    conditions: list[tuple[Any, Place]] = field(default_factory=list)
    hazards: list[Hazard] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    private: list[tuple[Value, Place]] = field(default_factory=list)
    values: dict[Any, Value] = field(default_factory=dict)
    facts: dict[Any, tuple[Any, Any]] = field(default_factory=dict)
    frames: list[Frame] = field(default_factory=list)
    count: int = 0
    boxed: bool = False

    # --- what rules and hooks call

    def assume(self, condition: Any, place: Place) -> None:
        """Note a condition on symbolic parameters, unless a test has settled it on this path."""
        from dpaudit.formal.refine import apart

        settled = isinstance(condition, sympy.Ne) and condition.rhs == 0 and (
            apart(condition.lhs) in self.facts or apart(-condition.lhs) in self.facts
        )  # fmt: skip
        if condition is not True and not settled and (condition, place) not in self.conditions:
            self.conditions.append((condition, place))

    def is_symbolic(self, expression: Any) -> bool:
        """Return whether a parameter without a value is in an expression."""
        return bool({s.name for s in expression.free_symbols} & set(self.program.symbolic))

    def hazard(self, what: str, place: Place) -> None:
        """Note that the code may raise for one dataset alone."""
        if Hazard(what, place) not in self.hazards:
            self.hazards.append(Hazard(what, place))

    def decide(self, test: Any, place: Place) -> bool:
        """Return the outcome of a public test on this path; the other one is another path."""
        index = len(self.decisions)
        if index == len(self.script):
            self.script.append(True)
        if index > 200:
            raise Unsupported("a loop that public tests may prolong without end", place)
        outcome = self.script[index]
        self.decisions.append(Decision(test, outcome, place))
        return outcome

    def truth(self, value: Value, place: Place) -> bool | None:
        """Return the outcome of a test, None where it is private."""
        from dpaudit.formal.truth import truth

        return truth(self, value, place)

    def evaluate(self, node: ir.Expression) -> Value:
        """Return the value of an expression."""
        from dpaudit.formal.evaluate import evaluate

        return evaluate(self, node)

    def call(self, function: ir.Function, args: list[Value], keywords: dict[str, Value],
             place: Place, parent: Frame | None = None) -> Value:  # fmt: skip
        """Return what a lifted function returns."""
        if len(self.frames) > MOST_CALLS:
            raise Unsupported(f"recursion in `{function.name}`", place)
        frame = Frame(bound_arguments(function, args, keywords, place), parent, function.name)
        self.frames.append(frame)
        try:
            flow = self.block(function.body, ())
        finally:
            self.frames.pop()
        if flow.how == "raise":
            raise Raised(flow.place or place)
        if flow.how in ("break", "continue"):
            raise Unsupported("`break` outside a loop", place)
        return Known(None, ("known", "NoneType", None)) if flow.value is None else flow.value

    # --- statements

    def block(self, body: tuple[ir.Statement, ...], tail: tuple[ir.Statement, ...] | None) -> Flow:
        """Run statements; `tail` is what follows in the function, None inside loops."""
        for index, statement in enumerate(body):
            self.count += 1
            if self.count > MOST_STEPS:
                raise Unsupported("more steps than the walk may take", statement.place)
            rest = None if tail is None else (*body[index + 1 :], *tail)
            if isinstance(statement, ir.Branch):
                flow, done = self._branch(statement, rest)
                if done:
                    return flow
            else:
                flow = self._statement(statement, rest)
            if flow.how != "next":
                return flow
        return NEXT

    def _statement(self, node: ir.Statement, rest: tuple[ir.Statement, ...] | None) -> Flow:
        from dpaudit.formal import assign, loops
        from dpaudit.formal.evaluate import check_eager

        match node:
            case ir.Assign(target=target, value=value):
                if isinstance(target, ir.Name):
                    check_eager(value)
                assign.assign(self, target, self.evaluate(value))
            case ir.Update():
                assign.update(self, node)
            case ir.Evaluate(value=value):
                if not assign.sorted_in_place(self, value):
                    self.evaluate(value)
            case ir.Return(value=value):
                check_eager(value)
                return Flow("return", self.evaluate(value), node.place)
            case ir.Leave(how=how):
                return Flow(how, place=node.place)
            case ir.Raise(value=value):
                error_name(value, node.place)
                return Flow("raise", place=node.place)
            case ir.Define(name=name, function=closure):
                self.frames[-1].variables[name] = ClosureValue(closure.function, self.frames[-1])
            case ir.For():
                return loops.run_for(self, node, rest)
            case ir.While():
                return loops.run_while(self, node)
            case _:
                raise Unsupported(in_words(node), node.place)
        return NEXT

    def _branch(self, node: ir.Branch, rest: tuple[ir.Statement, ...] | None) -> tuple[Flow, bool]:
        """Run a branch; the flag says whether what follows in the function was run as well."""
        from dpaudit.formal.refine import refined

        test = self.evaluate(node.test)
        outcome = self.truth(test, node.place)
        if outcome is not None:
            if outcome is not self._forced(test):
                refined(self, test, outcome)
            return self.block(node.yes if outcome else node.no, rest), False
        self.hooks.private_test(test, node, self)
        leaves = any(
            isinstance(below, ir.Return | ir.Leave | ir.Raise)
            for side in (node.yes, node.no) for statement in side for below in _own(statement)
        )  # fmt: skip
        if leaves and rest is None:
            raise PrivateUse("loop", "a loop that a private value may end", node.place, test)
        more = rest if leaves and rest is not None else ()
        before, flows, states, facts = snapshot(self.frames), [], [], self.facts
        known = dict(self.values)  # what is computed on one side has the range of that side
        for side, value in ((node.yes, True), (node.no, False)):
            restore(self.frames, before)
            self.facts = dict(facts)
            self.private.append((test, node.place))
            try:
                refined(self, test, value)
                flow = self._completed((*side, *more))
            finally:
                self.private.pop()
                self.facts, self.values = facts, dict(known)
            state, left = snapshot_with(self.frames, flow.value)
            states.append(state)
            flows.append(replace(flow, value=left))
        return self._merged(node, test, flows, before, states, leaves), leaves

    def _forced(self, test: Value) -> bool | None:
        return bool(test.value) if isinstance(test, Known) else None

    def _completed(self, body: tuple[ir.Statement, ...]) -> Flow:
        try:
            return self.block(body, ())
        except Raised as error:
            return Flow("raise", place=error.place)

    def _merged(
        self, node: ir.Branch, test: Value, flows: list[Flow], before: Any, states: list[Any],
        leaves: bool,
    ) -> Flow:  # fmt: skip
        yes, no = flows
        raising = [flow for flow in flows if flow.how == "raise"]
        if raising:
            place = raising[0].place or node.place
            self.hazard("an exception that depends on the data", place)
            if len(raising) == 2:
                return yes
            kept = 1 - flows.index(raising[0])
            restore(self.frames, states[kept])
            flow = flows[kept]
            return flow if not leaves or flow.how != "next" else Flow("return", None, flow.place)
        if leaves:
            none = Known(None, ("known", "NoneType", None))
            values = [none if flow.value is None else flow.value for flow in flows]
            value = joined_states(
                self.frames, before, states[0], states[1], test, node.place, self.hooks,
                (values[0], values[1]),
            )  # fmt: skip
            if isinstance(value, ClosureValue):
                raise Unsupported("a function returned within a test on private data", node.place)
            return Flow("return", value, yes.place or no.place)
        joined_states(self.frames, before, states[0], states[1], test, node.place, self.hooks)
        return NEXT


class Raised(Exception):  # noqa: N818 - the program raises, not the walk
    """The program raises in both runs."""

    def __init__(self, place: Place) -> None:
        super().__init__(str(place))
        self.place = place


def bound_arguments(
    function: ir.Function, args: list[Value], keywords: dict[str, Value], place: Place
) -> dict[str, Any]:
    """Return the variables that a call starts with."""
    from dpaudit.formal.constants import lasting

    variables = fitted(function, args, keywords, place)
    if function.starred is not None:
        variables[function.starred] = Tuple(variables[function.starred])
    for name, default in function.defaults.items():
        if name not in variables:
            variables[name] = lasting(default.value)
    return variables


def _own(node: ir.Node) -> Iterator[ir.Node]:
    """Yield the nodes of a statement, without those of the functions in it."""
    yield node
    for child in ir.children(node):
        if not isinstance(child, ir.Function):
            yield from _own(child)
