"""Dependence: which values of a program are computed from private data, or from noise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

from dpaudit.formal import program as ir
from dpaudit.formal.program import Place, Program

_FILLING = ("method.append", "method.extend", "method.add", "method.update", "method.insert")


class Dependence:
    """The values that are computed from some nodes, whichever names and calls they pass through.

    Parameters
    ----------
    entry : Function
    starts : callable
        Whether a value is computed from a node by itself.
    names : sequence of str
        Parameters of the entry that are.

    Notes
    -----
    A value that is set under a test depends on that test. An entry of an object is known by its
    name alone, whichever object has it. Noise is not computed from what sets its scale.
    """

    def __init__(
        self, entry: ir.Function, starts: Callable[[Any], bool], names: Sequence[str] = ()
    ) -> None:
        self._starts = starts
        self._names = {(id(entry), name) for name in names}
        self._returning: set[int] = set()
        self._keys: set[str] = set()
        functions = list(functions_of(entry))
        known = -1
        while known != (known := len(self._names) + len(self._returning) + len(self._keys)):
            for function in functions:
                self._follow(function, function.body, under=False)
                self._enter(function)

    def holds(self, function: ir.Function, value: Any) -> bool:
        """Return whether a value that is computed in a function is one of these."""
        if self._starts(value):
            return True
        match value:
            case ir.Name(id=name):
                return (id(function), name) in self._names
            case ir.Subscript(index=ir.Constant(value=str(key))) if key in self._keys:
                return True
            case ir.Call(function=ir.Function() as called):
                return id(called) in self._returning
            case ir.Draw(arguments=arguments):
                return any(self.holds(function, v) for name, v in arguments if name != "scale")
        return any(self.holds(function, each) for each in ir.children(value))

    def _follow(self, function: ir.Function, body: Sequence[Any], *, under: bool) -> None:
        for step in body:
            match step:
                case ir.Assign() | ir.Update():
                    if under or self.holds(function, step.value):
                        self._mark(function, step.target)
                case ir.For():
                    inside = under or self.holds(function, step.iterable)
                    if inside:
                        self._mark(function, step.target)
                    self._follow(function, (*step.body, *step.otherwise), under=inside)
                case ir.While():
                    inside = under or self.holds(function, step.test)
                    self._follow(function, (*step.body, *step.otherwise), under=inside)
                case ir.Branch():
                    inside = under or self.holds(function, step.test)
                    self._follow(function, (*step.yes, *step.no), under=inside)
                case ir.Return() if under or self.holds(function, step.value):
                    self._returning.add(id(function))
                case ir.Evaluate(value=ir.Call(function=str(name), arguments=(into, *items))):
                    if name in _FILLING and (
                        under or any(self.holds(function, item) for item in items)
                    ):
                        self._mark(function, into)

    def _enter(self, function: ir.Function) -> None:
        """Follow values into comprehensions, and into functions whose arguments they are."""
        for node in own(function):
            match node:
                case ir.Comprehension():
                    for target, iterable, _ in node.clauses:
                        if self.holds(function, iterable):
                            self._mark(function, target)
                case ir.Call(function=ir.Function() as called):
                    given = [*zip(called.parameters, node.arguments, strict=False), *node.keywords]
                    for name, value in given:
                        if self.holds(function, value):
                            self._names.add((id(called), name))

    def _mark(self, function: ir.Function, target: Any) -> None:
        match target:
            case ir.Name(id=name):
                self._names.add((id(function), name))
            case ir.Subscript(index=ir.Constant(value=str(key))):
                self._keys.add(key)
            case ir.Subscript(value=value) | ir.Attribute(value=value) | ir.Starred(value=value):
                self._mark(function, value)
            case ir.Sequence(items=items):
                for item in items:
                    self._mark(function, item)


def executed(program: Program, tests: Iterable[tuple[Place, bool]]) -> Program:
    """Return a program without the branches that no run took: they are the cause of nothing.

    Parameters
    ----------
    program : Program
    tests : iterable of (Place, bool)
        Those that runs made, with how they came out. Two on one line are not told apart.
    """
    ways: dict[Place, set[bool]] = {}
    for at, way in tests:
        ways.setdefault(at, set()).add(way)
    known: dict[int, Any] = {}

    def taken(node: Any) -> Any:
        if isinstance(node, tuple):
            return tuple(each for item in node for each in flat(item))
        if not isinstance(node, ir.Node) or isinstance(node, ir.Constant):
            return node
        if id(node) not in known:
            new = {f.name: taken(getattr(node, f.name)) for f in fields(node) if f.name != "place"}
            known[id(node)] = replace(node, **new)
        return known[id(node)]

    def flat(item: Any) -> tuple[Any, ...]:
        if isinstance(item, ir.Branch) and len(ways.get(item.place, ())) == 1:
            return tuple(taken(item.yes if True in ways[item.place] else item.no))
        return (taken(item),)

    return replace(program, entry=taken(program.entry))


def of_data(program: Program) -> Dependence:
    """Return what depends on the private data."""
    return Dependence(program.entry, lambda node: False, (program.data,))


def of_noise(program: Program) -> Dependence:
    """Return what depends on noise."""
    return Dependence(program.entry, lambda node: isinstance(node, ir.Draw))


def functions_of(entry: ir.Function) -> Iterator[ir.Function]:
    """Yield a function and all that are called or defined in it, each once."""
    seen: set[int] = set()
    for node in ir.walk(entry):
        if isinstance(node, ir.Function) and id(node) not in seen:
            seen.add(id(node))
            yield node


def own(function: ir.Function) -> Iterator[Any]:
    """Yield the nodes of a function, without those of functions that it calls or defines."""
    rest: list[Any] = list(function.body)
    while rest:
        node = rest.pop(0)
        yield node
        rest += [child for child in ir.children(node) if not isinstance(child, ir.Function)]


def nodes_of(entry: ir.Function) -> Iterator[tuple[ir.Function, Any]]:
    """Yield the nodes of a function and of all that are called or defined in it, with theirs."""
    for function in functions_of(entry):
        for node in own(function):
            yield function, node
