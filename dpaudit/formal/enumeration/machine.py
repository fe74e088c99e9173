"""What runs a lifted program on one dataset, along one path: functions, variables, places."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar

import numpy as np

from dpaudit.formal.binding import fitted
from dpaudit.formal.clock import charge
from dpaudit.formal.enumeration import library
from dpaudit.formal.enumeration.noise import NotFiniteError, decide
from dpaudit.formal.enumeration.operators import as_array, is_native, tidy
from dpaudit.formal.enumeration.paths import check_time
from dpaudit.formal.lifting.known import is_plain, live_function, run, used
from dpaudit.formal.program import (
    Constant,
    Expression,
    Function,
    Name,
    Node,
    Program,
    Sequence,
    Starred,
    Statement,
    Subscript,
)
from dpaudit.formal.unsupported import Unsupported

_F = TypeVar("_F", bound=Callable[..., Any])
_STEPS = 200_000
EXPRESSIONS: dict[type, Callable[[Run, Any, Variables], Any]] = {}
STATEMENTS: dict[type, Callable[[Run, Any, Variables], None]] = {}


def evaluates(kind: type) -> Callable[[_F], _F]:
    """Register the function that evaluates expressions of a kind."""

    def registered(function: _F) -> _F:
        EXPRESSIONS[kind] = function
        return function

    return registered


def executes(kind: type) -> Callable[[_F], _F]:
    """Register the function that executes statements of a kind."""

    def registered(function: _F) -> _F:
        STATEMENTS[kind] = function
        return function

    return registered


@dataclass(frozen=True, slots=True)
class Raised:
    """The output of a run that ends in an exception."""

    kind: str


class Returned(Exception):  # noqa: N818 - control flow
    """``return``, with its value."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Broken(Exception):  # noqa: N818
    """``break``."""


class Continued(Exception):  # noqa: N818
    """``continue``."""


class Stopped(Exception):  # noqa: N818
    """The end of the run in an exception of the program."""

    def __init__(self, raised: Raised) -> None:
        self.raised = raised


class Randomness:
    """The generator, of which every draw is independent."""


class Variables(dict[str, Any]):
    """Variables of a function; those of functions around it are read through."""

    def __init__(self, outer: Variables | None = None) -> None:
        super().__init__()
        self.outer = outer

    def find(self, name: str) -> Any:
        """Return a variable.

        Raises
        ------
        NotFiniteError
            Where it has no value.
        """
        scope: Variables | None = self
        while scope is not None:
            if name in scope:
                return scope[name]
            scope = scope.outer
        raise NotFiniteError(f"the variable {name!r} has no value")


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """A function made in the run, with the variables around it."""

    function: Function
    scope: Variables
    run: Run

    def __call__(self, *positional: Any, **named: Any) -> Any:
        """Return the result of the function."""
        return self.run.call(self.function, positional, named, self.scope)


class Run:
    """One run of a program."""

    def __init__(self, program: Program, ran: dict[str, None] | None = None) -> None:
        self._program = program
        self._ran = {} if ran is None else ran
        self._constants: dict[int, Any] = {}
        self._steps = 0

    def output(self, data: Any) -> Any:
        """Return the output on a dataset, or how the run ends otherwise."""
        program = self._program
        if program.symbolic:
            raise Unsupported(
                f"the parameter {program.symbolic[0]!r} has no value", program.entry.place
            )
        given = {name: self.constant(constant) for name, constant in program.fixed.items()}
        given[program.data] = tidy(copy.deepcopy(data))
        if program.rng is not None:
            given[program.rng] = Randomness()
        try:
            return self.call(program.entry, (), given, None)
        except Stopped as stop:
            return stop.raised

    def call(
        self,
        function: Function,
        positional: tuple[Any, ...],
        named: dict[str, Any],
        outer: Variables | None,
    ) -> Any:
        """Return the result of a function of the program."""
        scope = Variables(outer)
        for name, constant in function.defaults.items():
            scope[name] = self.constant(constant)
        scope.update(fitted(function, positional, named, function.place))
        try:
            self.block(function.body, scope)
        except Returned as result:
            return result.value
        return None

    def step(self, node: Node) -> None:
        """Count a step."""
        charge(15)
        self._steps += 1
        if self._steps % 256 == 0:
            check_time()
        if self._steps > _STEPS:
            raise Unsupported(f"a run of more than {_STEPS} steps", node.place)

    def block(self, statements: tuple[Statement, ...], scope: Variables) -> None:
        """Execute the statements of a block."""
        for statement in statements:
            self.step(statement)
            self.guarded(statement, partial(STATEMENTS[type(statement)], self, statement, scope))

    def guarded(self, node: Node, action: Callable[[], Any]) -> Any:
        """Run an action; say where it is that something is not supported."""
        try:
            return action()
        except NotFiniteError as error:
            raise Unsupported(str(error), node.place) from None
        except (
            ArithmeticError,
            AttributeError,
            LookupError,
            RuntimeError,
            StopIteration,
            TypeError,
            ValueError,
            Warning,
        ) as error:
            what = f"a run that ends in {type(error).__name__} ({error})"
            raise Unsupported(what, node.place) from error

    def value(self, node: Any, scope: Variables) -> Any:
        """Return the value of an expression."""
        return self.guarded(node, lambda: EXPRESSIONS[type(node)](self, node, scope))

    def truth(self, node: Expression, scope: Variables) -> bool:
        """Return whether a test holds; the path forks where that is random."""
        return self.guarded(node, lambda: bool(decide(self.value(node, scope))))  # type: ignore[no-any-return]

    def constant(self, node: Constant) -> Any:
        """Return a constant, a copy of it for this run."""
        key = id(node.value)
        if key not in self._constants:
            plain = is_plain(node.value)
            self._constants[key] = tidy(copy.deepcopy(node.value)) if plain else used(node.value)
        return self._constants[key]

    def call_read(
        self, function: Function, positional: tuple[Any, ...], named: dict[str, Any]
    ) -> Any:
        """Call a function that was read; run it for real where only that gives its value."""
        try:
            return self.call(function, positional, named, None)
        except Unsupported:
            live = live_function(function)
            values = (*positional, *named.values())
            if live is None or not all(isinstance(v, int | str | Fraction) for v in values):
                raise
            try:
                return self.run_live(live, positional, named)
            except (NotFiniteError, ValueError):
                pass
            raise

    def run_live(self, function: Any, positional: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Run a function of the user's, with the floats that it would get."""

        def as_given(value: Any) -> Any:
            if isinstance(value, Fraction):
                back = float(value)
                if Fraction(back) != value:
                    raise NotFiniteError("a number that no float is, in a function that is run")
                return back
            return value

        given = [as_given(v) for v in positional]
        self._ran[str(getattr(function, "__qualname__", function))] = None
        return tidy(run(function, given, {k: as_given(v) for k, v in named.items()}))


def store(run: Run, target: Any, value: Any, scope: Variables) -> None:
    """Assign a value to a target."""
    if isinstance(target, Name):
        scope[target.id] = value
    elif isinstance(target, Subscript):
        _store_item(run, target, value, scope)
    elif isinstance(target, Sequence):
        _unpack(run, target, list(library.items_of(value)), scope)
    else:
        raise NotFiniteError(f"an assignment to {type(target).__name__}")


def _store_item(run: Run, target: Subscript, value: Any, scope: Variables) -> None:
    held = run.value(target.value, scope)
    index = index_of(run, target.index, scope)
    if isinstance(held, np.ndarray):
        if is_native(held) and not is_native(value):
            raise NotFiniteError("numbers written into an array of integers")
        held[index] = as_array(value) if isinstance(value, list | tuple) else value
    elif isinstance(held, list | dict):
        held[index] = value
    else:
        raise NotFiniteError(f"an item set in {type(held).__name__}")


def _unpack(run: Run, target: Sequence, values: list[Any], scope: Variables) -> None:
    starred = [i for i, item in enumerate(target.items) if isinstance(item, Starred)]
    if starred:
        (at,) = starred
        after = len(target.items) - at - 1
        middle = values[at : len(values) - after]
        values = [*values[:at], middle, *values[len(values) - after :]]
    for item, value in zip(target.items, values, strict=True):
        store(run, item.value if isinstance(item, Starred) else item, value, scope)


def index_of(run: Run, node: Expression, scope: Variables) -> Any:
    """Return an index, which must be known on this path."""
    if isinstance(node, Sequence) and node.kind == "tuple":
        return tuple(index_of(run, item, scope) for item in node.items)
    value = run.value(node, scope)
    if isinstance(value, np.ndarray) and value.dtype.hasobject:
        return as_array([decide(item) for item in value])
    if isinstance(value, list):
        return as_array([decide(item) for item in value])
    return decide(value)
