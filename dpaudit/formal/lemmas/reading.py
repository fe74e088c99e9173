"""Reads a program on one dataset: every variable as an expression in what the records are."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy

from dpaudit.formal import program as ir
from dpaudit.formal.binding import fitted
from dpaudit.formal.bounds import exact
from dpaudit.formal.lemmas.facts import Facts
from dpaudit.formal.lemmas.values import (
    Above,
    Known,
    Listed,
    Number,
    Ordered,
    Records,
    Test,
    Value,
    Vector,
)
from dpaudit.formal.program import Place, Program
from dpaudit.formal.unsupported import Unsupported

MOST_CALLS = 20


@dataclass(slots=True, eq=False)
class Names:
    """What the symbols of expressions stand for; equal things have one symbol.

    Attributes
    ----------
    totals : dict of symbol to Records
        Sums.
    largest : dict of symbol to Vector
        Their largest entries, decay included.
    first : dict of symbol to Above
        The first place where they are true.
    orders : dict of function to Ordered
    """

    totals: dict[Any, Records] = field(default_factory=dict)
    largest: dict[Any, Vector] = field(default_factory=dict)
    first: dict[Any, Above] = field(default_factory=dict)
    orders: dict[Any, Ordered] = field(default_factory=dict)
    _known: dict[Any, Any] = field(default_factory=dict)

    def symbol(self, key: Any, make: Callable[[str], Any]) -> Any:
        """Return the symbol of a key, made of a new name where there is none yet."""
        if key not in self._known:
            self._known[key] = make(f"{key[0]}_{len(self._known)}")
        return self._known[key]


@dataclass(slots=True, eq=False)
class Reading:
    """The state of one reading.

    Attributes
    ----------
    program : Program
    facts : Facts
    names : Names
    outcome : bool
        How the noisy test comes out, if there is one.
    test : Test or None
        The noisy test that was met.
    """

    program: Program
    facts: Facts
    names: Names
    outcome: bool
    test: Test | None = None
    draws: int = 0
    frames: list[dict[str, Value]] = field(default_factory=list)

    def start(self, data: Value) -> tuple[Value, Place]:
        """Return what the program returns, and where."""
        program = self.program
        if program.symbolic:
            raise Unsupported("a parameter without a value", program.entry.place)
        given: dict[str, Value] = {program.data: data}
        if program.rng is not None:
            given[program.rng] = Known(ir.Generator(program.entry.place, "argument"))
        for name, constant in program.fixed.items():
            given[name] = value_of(constant.value, constant.place)
        return self.call(program.entry, [], given, program.entry.place)

    def call(
        self, function: ir.Function, args: list[Value], named: dict[str, Value], place: Place
    ) -> tuple[Value, Place]:
        """Return what a function returns."""
        if len(self.frames) >= MOST_CALLS:
            raise Unsupported("calls nested too deeply", place)
        if function.starred is not None:
            raise Unsupported(f"*args of `{function.name}`", place)
        variables: dict[str, Value] = fitted(function, args, named, place)
        for name, default in function.defaults.items():
            if name not in variables:
                variables[name] = value_of(default.value, place)
        self.frames.append(variables)
        try:
            found = self.block(function.body)
        finally:
            self.frames.pop()
        return (Known(None), place) if found is None else found

    # --- statements

    def block(self, body: tuple[ir.Statement, ...]) -> tuple[Value, Place] | None:
        """Return what a block returns, None where it goes on."""
        for statement in body:
            match statement:
                case ir.Return(value=value):
                    return self.evaluate(value), statement.place
                case ir.Assign(target=target, value=value):
                    self.assign(target, self.evaluate(value))
                case ir.Evaluate(value=ir.Call(function="method.sort") as call):
                    self.sort(call)
                case ir.Branch(test=test, yes=yes, no=no):
                    found = self.block(yes if self.truth(test) else no)
                    if found is not None:
                        return found
                case _:
                    kind = type(statement).__name__.lower()
                    raise Unsupported(f"a statement that no lemma is about ({kind})",
                                      statement.place)  # fmt: skip
        return None

    def assign(self, target: ir.Target, value: Value) -> None:
        """Give a value its name."""
        match target:
            case ir.Name(id=name):
                self.frames[-1][name] = value
            case ir.Sequence(items=items) if isinstance(value, Listed):
                if len(items) != len(value.items) or any(isinstance(i, ir.Starred) for i in items):
                    raise Unsupported("names for another number of values", target.place)
                for each, part in zip(items, value.items, strict=True):
                    self.assign(each, part)  # type: ignore[arg-type]
            case _:
                raise Unsupported("a change of a value in place", target.place)

    def sort(self, call: ir.Call) -> None:
        """Sort an array in place, of which nothing else holds a part."""
        from dpaudit.formal.lemmas.library import called

        first = call.arguments[0] if call.arguments else None
        if not isinstance(first, ir.Name) or len(call.arguments) > 1 or call.keywords:
            raise Unsupported("sorting in place with these arguments", call.place)
        value = self.evaluate(first)
        if isinstance(value, Records) or self.holders(value) != 1:
            raise Unsupported("sorting what has another name too", call.place)
        self.frames[-1][first.id] = called(self, "numpy.sort", [value], {}, call.place)

    def holders(self, value: Value) -> int:
        """Return how many variables, or entries of theirs, are a value."""
        return sum(_holds(each, value) for frame in self.frames for each in frame.values())

    # --- expressions

    def truth(self, node: ir.Expression) -> bool:
        """Return the outcome of a test: known, or that of the one noisy test."""
        value = self.evaluate(node)
        if isinstance(value, Known) and isinstance(value.value, bool):
            return value.value
        if not isinstance(value, Test):
            raise Unsupported("a test on what the records are", node.place)
        if self.test is not None:
            raise Unsupported("a second test on noise", node.place)
        self.test = value
        return self.outcome

    def evaluate(self, node: ir.Expression) -> Value:
        """Return the value of an expression."""
        match node:
            case ir.Constant(value=value):
                return value_of(value, node.place)
            case ir.Name(id=name):
                if name not in self.frames[-1]:
                    raise Unsupported(f"the variable `{name}`, which is not set here", node.place)
                return self.frames[-1][name]
            case ir.Generator():
                return Known(node)
            case ir.Sequence(kind="tuple" | "list", items=items):
                return Listed(tuple(self.evaluate(item) for item in items))
            case ir.Choice(test=test, yes=yes, no=no):
                return self.evaluate(yes if self.truth(test) else no)
            case ir.Draw():
                return self.drawn(node)
            case ir.Subscript(value=value, index=index):
                if isinstance(index, ir.Slice):
                    raise Unsupported("a slice", node.place)
                return self.item(self.evaluate(value), self.evaluate(index), node.place)
            case ir.Call():
                return self._called(node)
        kind = type(node).__name__.lower()
        raise Unsupported(f"an expression that no lemma is about ({kind})", node.place)

    def drawn(self, node: ir.Draw) -> Value:
        """Return a draw."""
        from dpaudit.formal.lemmas.noise import drawn

        return drawn(self, node)

    def item(self, value: Value, index: Value, place: Place) -> Value:
        """Return an entry."""
        from dpaudit.formal.lemmas.indexing import item

        return item(self, value, index, place)

    def called(
        self, name: str, args: list[Value], keywords: dict[str, Value], place: Place
    ) -> Value:
        """Return what a library's function returns."""
        from dpaudit.formal.lemmas.library import called

        return called(self, name, args, keywords, place)

    def _called(self, node: ir.Call) -> Value:
        function: Any = node.function
        args = [self.evaluate(argument) for argument in node.arguments]
        keywords = {name: self.evaluate(value) for name, value in node.keywords}
        if function == "operator.call":
            function, args = args[0], args[1:]
            function = function.value if isinstance(function, Known) else None
            function = _lifted(function)
        if isinstance(function, str):
            return self.called(function, args, keywords, node.place)
        if isinstance(function, ir.Function):
            return self.call(function, args, keywords, node.place)[0]
        raise Unsupported("a call of a function whose source was not read", node.place)


def value_of(value: Any, place: Place) -> Value:
    """Return a constant: a float is the rational that it is."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, int) and not isinstance(value, bool):
        return Number(sympy.Integer(value), True)
    if isinstance(value, float) and math.isfinite(value):
        return Number(exact(value))
    if isinstance(value, tuple):
        return Listed(tuple(value_of(item, place) for item in value))
    return Known(value)


def _lifted(function: Any) -> Any:
    from dpaudit.formal.lift import lift_callable
    from dpaudit.formal.lifting.canonical import canonical_name

    if isinstance(function, ir.Function) or not callable(function):
        return function
    name = canonical_name(function)
    return name if name is not None else lift_callable(function)


def _holds(value: Value, part: Value) -> int:
    """Return how often a value holds another one."""
    if isinstance(value, Listed):
        return sum(_holds(item, part) for item in value.items)
    return int(value is part)
