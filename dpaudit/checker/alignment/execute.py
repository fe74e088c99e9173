"""Follows every path of one run through the lifted program, with its data and noise unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from dpaudit.checker.alignment import blocks, folds, library, vectors
from dpaudit.checker.alignment.constants import Node, constant, ends_of
from dpaudit.checker.alignment.kinds import LOST, Head
from dpaudit.checker.alignment.numbers import binary, decided, truth
from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.checker.alignment.state import START, State, Stretch
from dpaudit.checker.alignment.terms import Terms
from dpaudit.checker.alignment.values import (
    Filled,
    Random,
    Ref,
    Value,
    empty,
    listings,
)
from dpaudit.checker.file import PRIVATE, NotCheckedError, RejectedError, Work
from dpaudit.checker.program import begun, bound, error_name, identifier, refused
from dpaudit.checker.wording import construct

_MOST_STRETCHES = 512
_MOST_STEPS = 50_000
_DEEPEST_CALL = 8

Outcome = tuple[State, str, Value]  # "next", "break", "continue", "return" or "raise"


class _AgainError(Exception):
    """The head of a loop holds more than was thought: follow all paths again."""


@dataclass(slots=True, eq=False)
class Execution:
    """All paths of one run, cut at the heads of loops.

    Attributes
    ----------
    terms : Terms
    work : Work
    heads : dict of str to Head
    stretches : list of Stretch
    """

    terms: Terms
    work: Work
    heads: dict[str, Head]
    stretches: list[Stretch]
    parameters: tuple[str, ...]
    data: str
    lengths: dict[int, Any]
    _names: dict[str, str]
    _gone_on: set[str]
    _steps: int = 0

    @staticmethod
    def of(program: Node, data: Value, terms: Terms, work: Work) -> Execution:
        """Follow all paths of a program on some data."""
        named = tuple(program["symbolic"]), program["data"]
        run = Execution(terms, work, {}, [], *named, {}, {}, set())
        for _ in range(40):
            run.stretches, run._gone_on = [], set()
            terms.renew()
            try:
                run._all(program, data)
            except _AgainError:
                continue
            return run
        raise NotCheckedError(
            "not checked: the variables of a loop change their kind again and again"
        )

    def _all(self, program: Node, data: Value) -> None:
        entry = program["entry"]
        frame: dict[str, Value] = begun(program, data, Random(), constant, Ratio.name)
        for state, how, value in self.block(entry["body"], State(START, (), [frame])):
            if how == "raise":
                self._end(state, None, ("raise", value))
            elif how in ("next", "return"):
                for last, output in folds.written_out(self, value, state, entry["place"]):
                    self._end(last, None, ("return", output))
            else:
                raise RejectedError("the program leaves a loop where there is none")

    def _end(self, state: State, to: str | None, output: Value) -> None:
        if len(self.stretches) >= _MOST_STRETCHES:
            raise NotCheckedError(f"not checked: more than {_MOST_STRETCHES} paths")
        after: dict[str, Value] = {}
        if to is not None:
            kinds = self.heads[to].kinds
            after = {
                name: listings(value, state.heap)
                for name, value in state.variables().items()
                if name in kinds and kinds[name] is not LOST
            }
        self.stretches.append(
            Stretch(
                state.origin,
                tuple(state.tests),
                tuple(state.truths),
                tuple(state.draws),
                tuple(state.reads.values()),
                to,
                after,
                listings(output, state.heap),
            )
        )

    # --- statements

    def block(self, statements: list[Node], state: State) -> Iterator[Outcome]:
        """Execute statements in order."""
        if not statements:
            yield state, "next", None
            return
        first, rest = statements[0], statements[1:]
        for after, how, value in self._statement(first, state):
            if how == "next":
                yield from self.block(rest, after)
            else:
                yield after, how, value

    def _statement(self, node: Node, state: State) -> Iterator[Outcome]:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise NotCheckedError(f"not checked: more than {_MOST_STEPS:,} steps")
        self.work.left()
        match node["kind"]:
            case "Assign":
                for s, value in self.value(node["value"], state):
                    yield from self._assigned(node["target"], value, s)
            case "Update":
                yield from self._update(node, state)
            case "Evaluate":
                for s, _ in self.value(node["value"], state):
                    yield s, "next", None
            case "Branch":
                for s, yes in self.truth(node["test"], state):
                    yield from self.block(node["yes"] if yes else node["no"], s)
            case "For":
                for s, iterable in self.value(node["iterable"], state):
                    yield from self._for(node, iterable, s)
            case "While":
                yield from self._while(node, state)
            case "Return":
                for s, value in self.value(node["value"], state):
                    yield s, "return", value
            case "Leave" if node["how"] in ("break", "continue"):
                yield state, node["how"], None
            case "Raise":
                yield state, "raise", error_name(node)
            case kind:
                raise refused(construct(kind), node)

    def _update(self, node: Node, state: State) -> Iterator[Outcome]:
        function = node["function"]
        if node["target"]["kind"] != "Name" or not function.startswith("operator.i"):
            raise refused("this update", node)
        name = "operator." + function.removeprefix("operator.i")
        for s, old in self.value(node["target"], state):
            for t, new in self.value(node["value"], s):
                if isinstance(old, Ref):
                    if name != "operator.add" or not isinstance(new, Ref):
                        raise refused("this update of a list", node)
                    more = t.contents(new)
                    if more.earlier is not None:
                        raise refused("a list extended by one of unknown length", node)
                    t.heap[old.at] = t.contents(old).added(*more.items)
                    yield t, "next", None
                    continue
                if vectors.is_vector(old):
                    raise refused("an array that is changed in place", node)
                for u, value in binary(self, name, old, new, t, node["place"]):
                    self.assign(node["target"], value, u)
                    yield u, "next", None

    def _assigned(self, target: Node, value: Value, state: State) -> Iterator[Outcome]:
        if target["kind"] != "Subscript":
            self.assign(target, value, state)
            yield state, "next", None
            return
        for s, (of, *where) in self.values([target["value"], *ends_of(target["index"])], state):
            if not isinstance(of, Filled):
                raise refused("an assignment to an entry", target)
            blocks.write(self, of, tuple(where), value, s, target["place"])
            yield s, "next", None

    def assign(self, target: Node, value: Value, state: State) -> None:
        """Bind a target."""
        if target["kind"] == "Name":
            state.frame[identifier(target["id"])] = value
            return
        several = target["kind"] in ("tuple", "list") and isinstance(value, tuple)
        if several and len(value) == len(target["items"]):
            for part, item in zip(target["items"], value, strict=True):
                self.assign(part, item, state)
            return
        raise refused("this target of an assignment", target)

    # --- loops

    def _for(self, node: Node, iterable: Value, state: State) -> Iterator[Outcome]:
        items = vectors.listed(iterable, state)
        if items is not None:
            for s, how, value in self._unrolled(node, items, 0, state):
                vectors.validate_unchanged(iterable, items, s, node["place"])
                yield s, how, value
            return

        def body(s: State, entry: Value) -> Iterator[Outcome]:
            self.assign(node["target"], entry, s)
            yield from self.block(node["body"], s)

        for s, how, value in vectors.walked(self, iterable, state, self.key(node), body, node):
            yield from self._left(node, s, how, value)

    def _left(self, node: Node, state: State, how: str, value: Value) -> Iterator[Outcome]:
        """Go on after a loop, which ended by ``next``, was broken, or left."""
        if how == "next":
            yield from self.block(node["otherwise"], state)
        else:
            yield state, "next" if how == "break" else how, value

    def _unrolled(self, node: Node, items: list[Value], at: int, state: State) -> Iterator[Outcome]:
        if at == len(items):
            yield from self.block(node["otherwise"], state)
            return
        self.assign(node["target"], items[at], state)
        outside = state.turns
        state.turns = (*outside, f"{self.key(node)}.{at}")
        for s, how, value in self.block(node["body"], state):
            s.turns = outside
            if how in ("next", "continue"):
                yield from self._unrolled(node, items, at + 1, s)
            else:
                yield s, "next" if how == "break" else how, value

    def _while(self, node: Node, state: State) -> Iterator[Outcome]:
        def test(s: State) -> Iterator[tuple[State, bool]]:
            return self.truth(node["test"], s)

        def body(s: State) -> Iterator[Outcome]:
            return self.block(node["body"], s)

        for s, how, value in self.loop(self.key(node), node["place"], state, test, body):
            yield from self._left(node, s, how, value)

    def loop(
        self,
        key: str,
        place: str,
        state: State,
        test: Callable[[State], Iterator[tuple[State, bool]]],
        body: Callable[[State], Iterator[Outcome]],
        walk: Any = None,
    ) -> Iterator[Outcome]:
        """Go through a loop from an arbitrary iteration; yield ``next`` where its test fails."""
        name = self._names.setdefault("/".join([*state.turns, key]), f"L{len(self._names)}")
        outside = state.loops
        head = self.heads.setdefault(name, Head(name, place, len(outside)))
        head.walk = walk
        self._reached(head, state)
        if name in self._gone_on:
            # What an unfinished expression or call holds is no part of the head.
            if state.turns or not key.startswith("statement"):
                raise NotCheckedError(
                    f"not checked: several ways to a loop inside an expression, {place}"
                )
            return
        self._gone_on.add(name)
        for s, goes_on in test(head.fresh(state, self.terms)):
            if not goes_on:
                s.loops = outside
                yield s, "next", None
                continue
            for t, how, value in body(s):
                if how in ("next", "continue"):
                    self._reached(head, t)
                else:
                    t.loops = outside
                    yield t, how, value

    def _reached(self, head: Head, state: State) -> None:
        if head.learn(state, self.terms):
            raise _AgainError
        self._end(state, head.name, None)

    def key(self, node: Node) -> str:
        """Return what tells a loop of the program from every other."""
        return f"statement {node['place']} {id(node)}"

    # --- expressions

    def truth(self, node: Node, state: State) -> Iterator[tuple[State, bool]]:
        """Yield the truth of an expression, on each path."""
        for s, value in self.value(node, state):
            yield from truth(self, value, s, node["place"])

    def decide(self, test: Any, state: State, place: str) -> Iterator[tuple[State, bool]]:
        """Yield both ways that a test can come out."""
        return decided(self, test, state, place)

    def value(self, node: Node, state: State) -> Iterator[tuple[State, Value]]:
        """Yield the value of an expression, on each path."""
        match node["kind"]:
            case "Constant":
                yield state, constant(node)
            case "Name":
                yield state, self.load(identifier(node["id"]), state, node)
            case "Generator" if node["origin"] in PRIVATE and node["seed"] is None:
                yield state, Random()
            case "Draw":
                yield from library.draw(self, node, state)
            case "Call":
                yield from self._call(node, state)
            case "Subscript" if node["index"]["kind"] == "Slice":
                ends = ends_of(node["index"])
                for s, (of, start, stop) in self.values([node["value"], *ends], state):
                    yield s, blocks.taken(self, of, start, stop, s, node["place"])
            case "Subscript":
                for s, (of, at) in self.values([node["value"], node["index"]], state):
                    yield s, vectors.entry(self, of, at, s, node["place"])
            case "tuple" | "list" as what if "items" in node:
                for s, parts in self.values(node["items"], state):
                    yield s, (parts if what == "tuple" else s.listed(empty().added(*parts)))
            case "Choice":
                for s, yes in self.truth(node["test"], state):
                    yield from self.value(node["yes"] if yes else node["no"], s)
            case "Logic" if node["operator"] in ("and", "or") and node["operands"]:
                yield from self._logic(node["operator"], node["operands"], state)
            case "Named":
                for s, value in self.value(node["value"], state):
                    self.assign(node["target"], value, s)
                    yield s, value
            case "list" | "generator" if "clauses" in node:
                yield from folds.comprehension(self, node, state)
            case "Attribute" if node["name"] == "size":
                for s, value in self.value(node["value"], state):
                    yield s, vectors.length(self, value, s, node["place"])
            case kind:
                raise refused(construct(kind), node)

    def values(self, nodes: list[Node], state: State) -> Iterator[tuple[State, tuple[Value, ...]]]:
        """Yield the values of expressions, in their order, on each path."""
        if not nodes:
            yield state, ()
            return
        for s, first in self.value(nodes[0], state):
            for t, rest in self.values(nodes[1:], s):
                yield t, (first, *rest)

    def _logic(
        self, operator: str, operands: list[Node], state: State
    ) -> Iterator[tuple[State, Value]]:
        first, rest = operands[0], operands[1:]
        for s, value in self.value(first, state):
            if not rest:
                yield s, value
                continue
            for t, yes in truth(self, value, s, first["place"]):
                if yes is (operator == "or"):
                    yield t, value
                else:
                    yield from self._logic(operator, rest, t)

    def load(self, name: str, state: State, node: Node) -> Value:
        """Return a variable."""
        if name not in state.frame:
            raise refused(f"{name}, which may be unassigned or of several kinds,", node)
        return state.frame[name]

    # --- calls

    def _call(self, node: Node, state: State) -> Iterator[tuple[State, Value]]:
        function = node["function"]
        names = [name for name, _ in node["keywords"]]
        nodes = [*node["arguments"], *(value for _, value in node["keywords"])]
        for s, values in self.values(nodes, state):
            arguments = values[: len(node["arguments"])]
            keywords = dict(zip(names, values[len(arguments) :], strict=True))
            if isinstance(function, str):
                if keywords:
                    raise refused(f"keyword arguments of {function}", node)
                yield from library.call(self, function, arguments, s, node["place"])
            else:
                yield from self._inlined(node, arguments, keywords, s)

    def _inlined(
        self, node: Node, arguments: tuple[Value, ...], keywords: dict[str, Value], state: State
    ) -> Iterator[tuple[State, Value]]:
        function = self._function(node)
        if len(state.frames) > _DEEPEST_CALL:
            raise refused(f"calls nested deeper than {_DEEPEST_CALL}", node)
        frame = bound(function, arguments, keywords, constant, lambda what: refused(what, node))
        loops, turns = state.loops, state.turns
        state.frames.append(frame)
        state.turns = (*turns, f"{node['place']} {id(node)}")
        for s, how, value in self.block(function["body"], state):
            if how not in ("next", "return"):
                raise refused("an error raised in a function that is called", node)
            s.frames.pop()
            s.loops, s.turns = loops, turns
            yield s, value

    def _function(self, node: Node) -> Node:
        function = node["function"]
        if isinstance(function, dict) and function.get("kind") == "Function":
            return function
        raise refused("a call of a function whose source was not read", node)
