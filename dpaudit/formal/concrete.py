"""The concrete evaluator: runs a lifted program on one dataset, with the libraries' own functions.

What a lifted program means is what Python makes of it: names are looked up in the libraries that
they name, and operators are Python's. So a program and the code that it was read from can be run
side by side; see `dpaudit.formal.agreement`.
"""

from __future__ import annotations

import importlib
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.formal.lifting.tallies import LISTED, SERIES_LISTED
from dpaudit.formal.program import (
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Closure,
    Comprehension,
    Constant,
    Define,
    Draw,
    Evaluate,
    For,
    Function,
    Generator,
    Leave,
    Logic,
    Mapping,
    Name,
    Named,
    Place,
    Program,
    Raise,
    Return,
    Sequence,
    Slice,
    Starred,
    Statement,
    Subscript,
    Update,
    While,
)

STEPS = 200_000  # nodes of one run
_DISPLAYS: dict[str, Callable[[Any], Any]] = {"tuple": tuple, "list": list, "set": set}
_LEGACY = {"random": "random_sample"}
_OWN: dict[str, Callable[..., Any]] = {LISTED: list, SERIES_LISTED: list}  # made by the lowering


class NotRunError(BaseException):
    """A program that is not run: a name that no library has, or very many steps.

    It is no exception that a program raises, so that nothing takes it for an output.
    """


@dataclass(slots=True)
class _Frame:
    """The variables of one call, and those of the function around it."""

    values: dict[str, Any]
    outer: _Frame | None = None

    def holder(self, name: str) -> _Frame:
        frame: _Frame | None = self
        while frame is not None:
            if name in frame.values:
                return frame
            frame = frame.outer
        raise NameError(f"name {name!r} is not defined")


class _LeaveError(Exception):
    """A ``break`` or ``continue`` on its way to its loop."""


class _ReturnError(Exception):
    """A value on its way out of its function."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


@dataclass(slots=True)
class _Run:
    """One run of a program."""

    rng: Any
    steps: int = 0

    # --- statements

    def body(self, statements: tuple[Statement, ...], frame: _Frame) -> None:
        for statement in statements:
            self.count()
            getattr(self, f"_{type(statement).__name__.lower()}")(statement, frame)

    def count(self) -> None:
        self.steps += 1
        if self.steps > STEPS:
            raise NotRunError(f"more than {STEPS} steps in one run")

    def _assign(self, node: Assign, frame: _Frame) -> None:
        self.store(node.target, self.value(node.value, frame), frame)

    def _update(self, node: Update, frame: _Frame) -> None:
        old = self.value(node.target, frame)
        new = self.value(node.value, frame)
        self.store(node.target, _named(node.function, node.place)(old, new), frame)

    def _evaluate(self, node: Evaluate, frame: _Frame) -> None:
        self.value(node.value, frame)

    def _branch(self, node: Branch, frame: _Frame) -> None:
        self.body(node.yes if self.value(node.test, frame) else node.no, frame)

    def _for(self, node: For, frame: _Frame) -> None:
        for item in self.value(node.iterable, frame):
            self.store(node.target, item, frame)
            if self._round(node.body, frame):
                return
        self.body(node.otherwise, frame)

    def _while(self, node: While, frame: _Frame) -> None:
        while self.value(node.test, frame):
            if self._round(node.body, frame):
                return
        self.body(node.otherwise, frame)

    def _round(self, body: tuple[Statement, ...], frame: _Frame) -> bool:
        """Run the body of a loop once; return whether it ended the loop."""
        self.count()
        try:
            self.body(body, frame)
        except _LeaveError as left:
            return left.args == ("break",)
        return False

    def _return(self, node: Return, frame: _Frame) -> None:
        raise _ReturnError(self.value(node.value, frame))

    def _leave(self, node: Leave, frame: _Frame) -> None:
        raise _LeaveError(node.how)

    def _raise(self, node: Raise, frame: _Frame) -> None:
        raised = None if node.value is None else self.value(node.value, frame)
        raise raised if isinstance(raised, BaseException | type) else RuntimeError(raised)

    def _define(self, node: Define, frame: _Frame) -> None:
        frame.values[node.name] = self.value(node.function, frame)

    def store(self, target: Any, value: Any, frame: _Frame) -> None:
        match target:
            case Name(id=name):
                frame.values[name] = value
            case Subscript():
                self.value(target.value, frame)[self.value(target.index, frame)] = value
            case Attribute():
                setattr(self.value(target.value, frame), target.name, value)
            case Sequence(items=items):
                self._unpack(items, list(value), frame)
            case _:
                raise NotRunError(f"{target.place}: a target of another kind")

    def _unpack(self, targets: tuple[Any, ...], values: list[Any], frame: _Frame) -> None:
        starred = [at for at, each in enumerate(targets) if isinstance(each, Starred)]
        if starred:
            (at,) = starred
            after = len(targets) - at - 1
            end = len(values) - after
            values = [*values[:at], values[at:end], *values[end:]]
        for target, value in zip(targets, values, strict=True):
            self.store(target.value if isinstance(target, Starred) else target, value, frame)

    # --- expressions

    def value(self, node: Any, frame: _Frame) -> Any:
        self.count()
        match node:
            case Constant(value=value):
                return value
            case Name(id=name):
                return frame.holder(name).values[name]
            case Call():
                return self.call(node, frame)
            case Draw():
                return self.draw(node, frame)
            case Subscript():
                return self.value(node.value, frame)[self.value(node.index, frame)]
            case Attribute():
                return getattr(self.value(node.value, frame), node.name)
            case Sequence(kind=kind):
                return _DISPLAYS[kind](self.items(node.items, frame))
            case Mapping(items=items):
                return {self.value(k, frame): self.value(v, frame) for k, v in items}
            case Choice():
                return self.value(node.yes if self.value(node.test, frame) else node.no, frame)
            case Logic():
                return self.logic(node, frame)
            case Comprehension():
                return self.comprehension(node, frame)
            case Closure(function=function):
                return lambda *args, **named: self.apply(function, args, named, frame)
            case Named():
                frame.values[node.target.id] = found = self.value(node.value, frame)
                return found
            case Slice():
                parts = (node.start, node.stop, node.step)
                return slice(*(None if part is None else self.value(part, frame) for part in parts))
            case Generator():
                return self.generator(node, frame)
        raise NotRunError(f"{node.place}: {type(node).__name__}")

    def items(self, nodes: tuple[Any, ...], frame: _Frame) -> Iterator[Any]:
        for node in nodes:
            if isinstance(node, Starred):
                yield from self.value(node.value, frame)
            else:
                yield self.value(node, frame)

    def logic(self, node: Logic, frame: _Frame) -> Any:
        found: Any = None
        for operand in node.operands:
            found = self.value(operand, frame)
            if bool(found) is (node.operator == "or"):
                break
        return found

    def comprehension(self, node: Comprehension, frame: _Frame) -> Any:
        made = self._elements(node, 0, _Frame({}, frame))
        if node.kind == "generator":
            return made
        return dict(made) if node.kind == "dict" else _DISPLAYS[node.kind](made)

    def _elements(self, node: Comprehension, depth: int, frame: _Frame) -> Iterator[Any]:
        if depth == len(node.clauses):
            yield self.value(node.element, frame)
            return
        target, iterable, tests = node.clauses[depth]
        for item in self.value(iterable, frame):
            self.store(target, item, frame)
            if all(self.value(test, frame) for test in tests):
                yield from self._elements(node, depth + 1, frame)

    # --- calls

    def call(self, node: Call, frame: _Frame) -> Any:
        arguments = list(self.items(node.arguments, frame))
        named = {name: self.value(value, frame) for name, value in node.keywords}
        match node.function:
            case Function() as function:
                return self.apply(function, arguments, named, None)
            case Constant(value=value):
                return value(*arguments, **named)
            case str() as name:
                return _named(name, node.place)(*arguments, **named)

    def apply(
        self, function: Function, arguments: Any, named: dict[str, Any], outer: _Frame | None
    ) -> Any:
        """Return what a function of the program returns."""
        values = {name: constant.value for name, constant in function.defaults.items()}
        rest = list(arguments)
        for name in function.parameters:
            if rest and name not in named:
                values[name] = rest.pop(0)
        if function.starred is not None:
            values[function.starred] = tuple(rest)
        values |= named
        frame = _Frame(values, outer)
        try:
            self.body(function.body, frame)
        except _ReturnError as returned:
            return returned.value
        return None

    def generator(self, node: Generator, frame: _Frame) -> Any:
        if node.origin == "seeded":
            return np.random.default_rng(self.value(node.seed, frame))
        return _Legacy() if node.origin == "global" else self.rng

    def draw(self, node: Draw, frame: _Frame) -> Any:
        source = self.value(node.generator, frame)
        named = {name: self.value(value, frame) for name, value in node.arguments}
        function = getattr(source, node.family, None)
        if function is None:
            raise NotRunError(f"{node.place}: noise of the family {node.family}")
        return function(**named)


class _Legacy:
    """The functions of `numpy.random`, by the names of the methods of its generators."""

    def integers(
        self, low: Any, high: Any = None, size: Any = None, *, endpoint: bool = False
    ) -> Any:
        """Draw integers, the last one included where `endpoint` says so."""
        low, high = (0, low) if high is None else (low, high)
        return self.randint(low, high + int(endpoint), size)

    def __getattr__(self, family: str) -> Any:
        return getattr(np.random, _LEGACY.get(family, family))


def _named(name: str, place: Place) -> Callable[..., Any]:
    """Return the library's function of a canonical name."""
    library, _, word = name.partition(".")
    if library == "method":
        return lambda holder, *args, **named: getattr(holder, word)(*args, **named)
    if library == "attribute":
        return operator.attrgetter(word)
    if name in _OWN:
        return _OWN[name]
    if name == "operator.call":
        return lambda function, *args, **named: function(*args, **named)
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:length]))
            for part in parts[length:]:
                found = getattr(found, part)
        except (ImportError, AttributeError):
            continue
        return found if callable(found) else _constantly(found)
    raise NotRunError(f"{place}: no library has {name}")


def _constantly(value: Any) -> Callable[..., Any]:
    return lambda *args, **named: value


def run(program: Program, data: Any, rng: Any) -> Any:
    """Return what a program returns on a dataset.

    Parameters
    ----------
    program : Program
        Without symbolic parameters.
    data : object
        It may be changed.
    rng : numpy.random.Generator
        Every generator of the program draws from it, but for those of `numpy.random` and those
        with a seed.

    Raises
    ------
    NotRunError
        Where the program is not run.
    Exception
        What the program raises.
    """
    fixed = {name: constant.value for name, constant in program.fixed.items()}
    named = {**fixed, program.data: data}
    if program.rng is not None:
        named[program.rng] = rng
    return _Run(rng).apply(program.entry, (), named, None)
