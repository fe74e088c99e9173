"""Which variables of a module get their values from which others, read off its source.

A variable is a pair of the scope that owns it and its name. Attributes have no scope: all of one
name are one variable, whichever object holds them. What a function reads when it is called is a
variable too, so that ``MODE = read()`` depends on what the body of ``read`` names. The graph says
more than what can happen, never less, for code that does not rewrite itself.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from dpaudit.formal.lifting.only_read import Uses

Variable = tuple[int, str]
MODULE = 0
ATTRIBUTE = -1
CALLED = -2  # what a method of this name reads when it is called
RETURNED = "<return>"


class Target(NamedTuple):
    """A function of the module: its scope and its parameters."""

    scope: int
    arguments: ast.arguments


@dataclass(eq=False)
class Flow:
    """The graph of one module.

    Attributes
    ----------
    sources : dict of Variable to set of Variable
        What a variable's value is made from.
    same : dict of Variable to set of Variable
        Variables that may hold the same object.
    memory : dict of Variable to set of Variable
        Variables that may share memory, if they hold arrays or frames.
    mutated : set of Variable
        Those whose object a function changes.
    called : set of Variable
        Those on whose object a function calls a method that a class of the module may define.
    rebound : set of Variable
        Those of outer scopes that a function assigns.
    attributes : set of str
        Names of attributes that are set after an object was made.
    imported : dict of Variable to tuple of str
        Module and name; the name is empty for the module itself.
    functions : dict of Variable to list of Target
        What a name may stand for that is called.
    scopes : dict of tuple to list of int
        By the line and name of a function's definition.
    around : dict of int to tuple
        The scopes around one, outermost first, with the names that each owns.
    stars : list of str
        Modules of which all names are imported.
    times : Counter of str
        How often the module assigns a global; twice in a loop.
    wild : bool
        Whether code may set globals that it does not name.
    any_attribute : bool
        Whether code may set attributes that it does not name. This, `wild` and `mutated` are right
        of a `whole` graph.
    """

    sources: dict[Variable, set[Variable]] = field(default_factory=lambda: defaultdict(set))
    same: dict[Variable, set[Variable]] = field(default_factory=lambda: defaultdict(set))
    memory: dict[Variable, set[Variable]] = field(default_factory=lambda: defaultdict(set))
    mutated: set[Variable] = field(default_factory=set)
    called: set[Variable] = field(default_factory=set)
    rebound: set[Variable] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    imported: dict[Variable, tuple[str, str]] = field(default_factory=dict)
    functions: dict[Variable, list[Target]] = field(default_factory=lambda: defaultdict(list))
    scopes: dict[tuple[int, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    around: dict[int, tuple[tuple[int, frozenset[str]], ...]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    times: Counter[str] = field(default_factory=Counter)
    wild: bool = False
    any_attribute: bool = False
    uses: Uses | None = None  # of names, as they are written
    rest: Callable[[], None] | None = None  # reads what only changes are asked of
    in_progress: bool = False

    def whole(self) -> Flow:
        """Return the graph with all that may be asked of it, which takes a second look."""
        if self.rest is not None:
            rest, self.rest = self.rest, None
            self.in_progress = True
            rest()
            self.in_progress = False
        return self

    @cached_property
    def changed(self) -> frozenset[Variable]:
        """What a function may change, by this name or another."""
        return _closed(self.whole().mutated, self._shared)

    @cached_property
    def changed_by_methods(self) -> frozenset[Variable]:
        """The same, and what a method of the module's own classes may change."""
        return _closed(self.whole().mutated | self.called, self._shared)

    @cached_property
    def changed_themselves(self) -> frozenset[Variable]:
        """Of these a list or a dict may be changed; an array that was made from it is another."""
        return _closed(self.whole().mutated | self.called, self.same)

    def joined(self, variables: Iterable[Variable | None]) -> frozenset[Variable]:
        """Return what may be, hold or share memory with one of these variables, or a part of it.

        What a function returns is a part of the function.
        """
        edges = dict(self.whole()._shared)
        for variable, targets in self.functions.items():
            returned = {
                v for t in targets for v in ((t.scope, RETURNED), inner((t.scope, RETURNED)))
            }
            edges[variable] = edges.get(variable, set()) | returned
        return _closed((v for v in variables if v is not None), edges)

    @cached_property
    def _shared(self) -> dict[Variable, set[Variable]]:
        every = {*self.same, *self.memory}
        return {v: self.same.get(v, set()) | self.memory.get(v, set()) for v in every}

    def enclosing(self, line: int, function: str, name: str) -> Iterator[Variable]:
        """Yield the variables of enclosing functions that a name of a function may stand for."""
        for scope in self.scopes.get((line, function), []):
            for outer, owned in reversed(self.around[scope]):
                if name in owned:
                    yield outer, name
                    break

    def defaults(self, line: int, function: str, name: str) -> Iterator[Variable]:
        """Yield the variables that stand for the default of a function's parameter."""
        return ((scope, f"{name}=") for scope in self.scopes.get((line, function), []))


def inner(variable: Variable) -> Variable:
    """Return the node of what is inside of the object that a variable holds."""
    return variable[0], f"{variable[1]}[]"


def result_of(variable: Variable) -> Variable:
    """Return the node of what calls of a variable's function return."""
    return variable[0], f"{variable[1]}()"


def _closed(seeds: Iterable[Variable], edges: dict[Variable, set[Variable]]) -> frozenset[Variable]:
    found = set(seeds)
    rest = list(found)
    while rest:
        more = edges.get(rest.pop(), set()) - found
        found |= more
        rest += more
    return frozenset(found)
