"""What happened in a function as it was read: draws, operations, calls, branches, and ways out."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Literal

from dpaudit.static.library import ADDITIVE
from dpaudit.static.modules import Function
from dpaudit.static.relations import Relation
from dpaudit.static.values import NOTHING, Maker, Value


@dataclass(frozen=True, slots=True)
class Place:
    """A line of source.

    Attributes
    ----------
    file : str
    line : int
    inner : tuple of (str, int) or None
        Where it really happens, for what happens in a function that this line calls.
    """

    file: str
    line: int
    inner: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Draw:
    """A call that draws random numbers.

    Attributes
    ----------
    place : Place
    family : str
        Name of the distribution, as NumPy calls it.
    scale : Value or None
        What sets its width; None where the family has none.
    arguments : mapping of str to Value
        All arguments by name, where the family's signature is known.
    sized : bool
        Whether it draws more than one number.
    maker : Maker
    loops : tuple of int
        Loops around it.
    path : tuple of int
        Which call it is, through all functions that were called on the way.
    """

    place: Place
    family: str
    scale: Value | None
    arguments: dict[str, Value]
    sized: bool
    maker: Maker
    loops: tuple[int, ...]
    path: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition under which something is done."""

    value: Value
    place: Place


@dataclass(frozen=True, slots=True)
class Exit:
    """A way out of the function: what returns, is raised, logged, printed or stored."""

    kind: Literal["return", "raise", "log", "store"]
    place: Place
    value: Value
    under: tuple[Condition, ...]
    node: ast.AST


@dataclass(frozen=True, slots=True)
class Operation:
    """A binary operation or a comparison on values of which one is not public."""

    place: Place
    operator: str
    left: Value
    right: Value
    result: Value
    loops: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A call, by the last name of what is called.

    Attributes
    ----------
    place : Place
    name : str
        ``"clip"`` of ``np.clip`` and of ``data.clip``.
    dotted : str
        The whole name, imports resolved: ``"numpy.clip"``; empty for a method of a value.
    receiver : Value or None
        What a method is called on.
    arguments : tuple of Value
    keywords : mapping of str to Value
    result : Value
    loops : tuple of int
    under : tuple of Condition
    depth : int
        Calls between the function that is read and this one.
    parameters : mapping of str to Value
        By the names of the callee, where its definition was found.
    function : Function or None
        That definition.
    node : ast.Call or None
        Where it is written.
    """

    place: Place
    name: str
    dotted: str
    receiver: Value | None
    arguments: tuple[Value, ...]
    keywords: dict[str, Value]
    result: Value
    loops: tuple[int, ...]
    under: tuple[Condition, ...]
    depth: int
    parameters: dict[str, Value] = field(default_factory=dict)
    function: Function | None = None
    node: ast.Call | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice between two values by a condition: ``a if c else b``, ``where(c, a, b)``."""

    place: Place
    condition: Value
    one: Value
    other: Value


@dataclass(frozen=True, slots=True)
class Cut:
    """A slice of a private value."""

    place: Place
    value: Value
    index: Value


@dataclass(frozen=True, slots=True)
class Repeat:
    """A value that a ``while`` loop draws until it suits: the condition is about it."""

    place: Place
    name: str
    value: Value


@dataclass(frozen=True, slots=True)
class Rounds:
    """A ``for`` loop over a range.

    Attributes
    ----------
    place : Place
    loop : int
        Its number.
    count : Value
        The range, whose shape tells what its length does.
    """

    place: Place
    loop: int
    count: Value


@dataclass(frozen=True, slots=True)
class Seeding:
    """A generator that is made, or seeded.

    Attributes
    ----------
    place : Place
    seed : Value or None
        None where the system seeds it.
    loops : tuple of int
    span : float or None
        How many seeds there are, for one that is drawn.
    seeder : str
        The function that seeds the state that a module shares; empty for a new generator.
    """

    place: Place
    seed: Value | None
    loops: tuple[int, ...]
    span: float | None = None
    seeder: str = ""


@dataclass(slots=True)
class Facts:
    """All that happened in one function.

    Attributes
    ----------
    name : str
    place : Place
        Of its ``def``.
    relation : Relation
        Which datasets are neighbors, as far as it is known.
    defaults : mapping of str to Value
        Its parameters.
    draws, exits, operations, calls, choices, repeats, rounds, seeds, slices : list
    breaks : list of Condition
        Conditions under which a loop ends early.
    loops : list of (Place, ast.While)
    endless : set of int
        Loops over data without a way out.
    limited : set of int
        Loops in which a test of a counter decides what is done.
    claimed : bool
        Whether an audit names it.
    epsilon : float or None
        What the audit claims.
    complete : bool
        Whether it was read to its end.
    function : Function or None
        Its definition.
    """

    name: str
    place: Place
    relation: Relation
    defaults: dict[str, Value] = field(default_factory=dict)
    draws: list[Draw] = field(default_factory=list)
    exits: list[Exit] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    repeats: list[Repeat] = field(default_factory=list)
    rounds: list[Rounds] = field(default_factory=list)
    seeds: list[Seeding] = field(default_factory=list)
    slices: list[Cut] = field(default_factory=list)
    breaks: list[Condition] = field(default_factory=list)
    loops: list[tuple[Place, ast.While]] = field(default_factory=list)
    endless: set[int] = field(default_factory=set)
    limited: set[int] = field(default_factory=set)
    claimed: bool = False
    epsilon: float | None = None
    complete: bool = True
    function: Function | None = None

    @property
    def released(self) -> bool:
        """Whether it is a mechanism: one that an audit names, or that draws noise."""
        return self.claimed or bool(self.draws)

    @property
    def generous(self) -> bool:
        """Whether the claim allows more than the parameter epsilon, so that shares are unknown."""
        own = self.defaults.get("epsilon")
        if self.epsilon is None or own is None or own.number is None:
            return False
        return self.epsilon > own.number * 1.001

    @property
    def stated_epsilon(self) -> float | None:
        """What is claimed, or else the default of a parameter of that name."""
        own = self.defaults.get("epsilon")
        return self.epsilon if self.epsilon is not None or own is None else own.number

    def private(self, told: frozenset[str]) -> frozenset[str]:
        """Return what of this is private for certain."""
        return told if self.relation.size_private else told - {"size"}

    def perhaps(self, told: frozenset[str]) -> frozenset[str]:
        """Return what of this may be private, for all that is known of the neighbors."""
        return told - {"size"} if self.relation.size_private is False else told

    def drawn(self, value: Value) -> list[Draw]:
        """Return the draws that are in a value."""
        return [self.draws[i] for i in sorted(value.draws)]

    def is_additive(self, value: Value) -> bool:
        """Whether noise is in a value that is added to numbers."""
        return any(draw.family in ADDITIVE for draw in self.drawn(value))

    @property
    def adds(self) -> list[Operation]:
        """Where noise joins a private value that had none."""
        return [
            o
            for o in self.operations
            if o.operator in ("Add", "Sub")
            and any(p.tells and n.noise for p, n in ((o.left, o.right), (o.right, o.left)))
        ]


def private_and_noise(operation: Operation) -> tuple[Value, Value]:
    """Return the private and the random side of an addition."""
    if operation.left.tells:
        return operation.left, operation.right
    return operation.right, operation.left


def tells(value: Value) -> frozenset[str]:
    """Return what a value tells, by itself and by its shape."""
    return value.tells | (value.shape or NOTHING)
