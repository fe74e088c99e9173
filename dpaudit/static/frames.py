"""Where reading stands: the names that are bound, the loops and conditions around a line."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dpaudit.static.facts import Condition, Facts, Place
from dpaudit.static.modules import Function, Module, Project
from dpaudit.static.values import Value

if TYPE_CHECKING:
    from dpaudit.static.objects import Instance

DEEPEST = 5  # calls of functions whose source is at hand
STEPS = 20_000  # expressions read for one function
FOLLOWED = 8_000  # of them; then calls are no longer followed


class TooLargeError(Exception):
    """The function is too large to be read to its end."""


@dataclass(slots=True)
class Reading:
    """What is shared while one function is read, with the functions that it calls.

    Attributes
    ----------
    project : Project
    facts : Facts
    steps, loops : int
        Expressions and loops so far.
    guarded : int
        Handlers of exceptions around the line.
    stack : list of ast.AST
        The functions that are being read.
    stored : dict of (Path, str) to Value
        Variables of files that a function has bound.
    """

    project: Project
    facts: Facts
    steps: int = 0
    loops: int = 0
    guarded: int = 0
    stack: list[ast.AST] = field(default_factory=list)
    stored: dict[tuple[Path, str], Value] = field(default_factory=dict)

    def step(self) -> None:
        """Count an expression; stop where there were too many."""
        self.steps += 1
        if self.steps > STEPS:
            raise TooLargeError


@dataclass(slots=True)
class Frame:
    """A function that is being read.

    Attributes
    ----------
    reading : Reading
    function : Function
    names : dict of str to Value
    depth : int
        Calls around it.
    outermost : ast.AST or None
        The call in the function that is read from which this one is reached.
    loops : tuple of int
    under : list of Condition
    returns : list of Value
    settings : list of Value
        Those that settings choose.
    globals : set of str
    entered : int
        How many of the conditions stand around the call.
    path : tuple of int
        The calls that led here.
    this : Instance or None
        The object whose method is read.
    hands_on : ast.expr or None
        The call that is all of a lambda: what the called function returns leaves as it is.
    leaves : bool
        Whether it is that function.
    around : int
        How many of the conditions stand around the innermost loop.
    skipped : list of (str, Value, Value, int)
        Names that a round of the loop binds before a test on the data ends it: what to, the test,
        its line.
    rebound, mutated : set of str
        Names that are bound here, and parameters whose objects are changed.
    """

    reading: Reading
    function: Function
    names: dict[str, Value] = field(default_factory=dict)
    depth: int = 0
    at: Place | None = None
    loops: tuple[int, ...] = ()
    under: list[Condition] = field(default_factory=list)
    returns: list[Value] = field(default_factory=list)
    settings: list[Value] = field(default_factory=list)
    globals: set[str] = field(default_factory=set)
    entered: int = 0  # conditions around the call
    path: tuple[int, ...] = ()
    this: Instance | None = None
    hands_on: ast.expr | None = None
    leaves: bool = False
    around: int = 0
    skipped: list[tuple[str, Value, Value, int]] = field(default_factory=list)
    rebound: set[str] = field(default_factory=set)
    mutated: set[str] = field(default_factory=set)

    @property
    def by_chance(self) -> bool:
        """Whether noise decides whether this line is reached."""
        return any(condition.value.covered for condition in self.under)

    def mutate(self, name: str) -> None:
        """Note that the object of a name is changed, which a caller sees too."""
        if name not in self.rebound:
            self.mutated.add(name)

    @property
    def facts(self) -> Facts:
        """What happened so far."""
        return self.reading.facts

    @property
    def module(self) -> Module:
        """The file."""
        return self.function.module

    def place(self, node: ast.AST) -> Place:
        """Return the line of a node, as seen from the function that is read."""
        line = getattr(node, "lineno", 1)
        if self.at is None:
            return Place(self.module.shown, line)
        return Place(self.at.file, self.at.line, (self.module.shown, line))

    def new_loop(self) -> int:
        """Return a number for a loop."""
        self.reading.loops += 1
        return self.reading.loops
