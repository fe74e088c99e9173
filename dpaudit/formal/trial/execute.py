"""Runs a lifted program on one dataset, with noise kept as symbols, along every choice of it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpaudit.formal import program as ir
from dpaudit.formal.balls import Ball
from dpaudit.formal.binding import fitted
from dpaudit.formal.clock import charge, now
from dpaudit.formal.lifting.known import is_inert, used
from dpaudit.formal.program import Place, Program
from dpaudit.formal.trial.affine import Affine, NotAffine, deciding
from dpaudit.formal.trial.calls import call, noisy
from dpaudit.formal.trial.diagnostics import Noticed, noticed
from dpaudit.formal.trial.draws import Drawn, draw
from dpaudit.formal.trial.path_choices import Oracle, following
from dpaudit.formal.unsupported import Unsupported
from dpaudit.formal.words import in_words

MOST_PATHS = 1100
MOST_STEPS = 40_000


class Argument:
    """Stands for the generator that is passed in."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What the program does along one path of choices.

    Attributes
    ----------
    oracle : Oracle
        The choices, with their probabilities.
    output : Any
        What is returned; noise in it is `Affine`. An exception's name where it raises.
    raised : bool
    place : Place
        Where it returns or raises.
    draws : tuple of Drawn
    path : tuple of (Place, bool)
        Outcomes of the tests that were made, in order.
    noticed : tuple of Noticed
        What else may explain a violation.
    """

    oracle: Oracle
    output: Any
    raised: bool
    place: Place
    draws: tuple[Drawn, ...]
    path: tuple[tuple[Place, bool], ...]
    noticed: tuple[Noticed, ...] = ()

    def mass(self) -> Ball:
        """Return the probability of the path."""
        return self.oracle.mass()


class TooManyPaths(Unsupported):
    """The noise may take more branches than are followed."""


def outcomes(
    program: Program, data: Any, *, deadline: float, oracle: Callable[..., Oracle] = Oracle
) -> list[Outcome]:
    """Return all that the program may do on a dataset.

    Parameters
    ----------
    program : Program
    data : Any
    deadline : float
        In terms of `dpaudit.formal.clock.now`.
    oracle : callable
        Makes what answers comparisons of noise, of a path of choices.

    Raises
    ------
    TooManyPaths
    Unsupported
        Where noise goes through something that is not linear.
    """
    found: list[Outcome] = []
    path: list[int] | None = []
    while path is not None:
        if len(found) >= MOST_PATHS or now() > deadline:
            raise TooManyPaths("more random paths than are followed", program.entry.place)
        choices = oracle(path)
        found.append(_Run(program, choices).run(data))
        path = following(choices)
    return found


class _Return(Exception):  # noqa: N818
    def __init__(self, value: Any, place: Place) -> None:
        self.value, self.place = value, place


class _Leave(Exception):  # noqa: N818
    def __init__(self, how: str) -> None:
        self.how = how


class _Raised(Exception):  # noqa: N818
    def __init__(self, error: str, place: Place) -> None:
        self.error, self.place = error, place


@dataclass(slots=True, eq=False)
class _Scope:
    variables: dict[str, Any]
    parent: _Scope | None = None

    def find(self, name: str) -> _Scope | None:
        scope: _Scope | None = self
        while scope is not None and name not in scope.variables:
            scope = scope.parent
        return scope


@dataclass(slots=True, eq=False)
class _Run:
    """One run along one path."""

    program: Program
    oracle: Oracle
    draws: list[Drawn] = field(default_factory=list)
    tests: list[tuple[Place, bool]] = field(default_factory=list)
    noted: list[Noticed] = field(default_factory=list)
    steps: int = 0
    returned: Place | None = None  # where the last function returned

    def run(self, data: Any) -> Outcome:
        entry = self.program.entry
        if self.program.symbolic:
            raise Unsupported(f"no value for `{self.program.symbolic[0]}`", entry.place)
        variables = {name: used(node.value) for name, node in self.program.fixed.items()}
        variables[self.program.data] = copy.deepcopy(data)
        if self.program.rng is not None:
            variables[self.program.rng] = Argument()
        token = deciding.set(self.oracle)
        raised = False
        try:
            value, place = self._body(entry, _Scope(self._bound(entry, [], variables)))
        except _Raised as error:
            value, place, raised = error.error, error.place, True
        finally:
            deciding.reset(token)
        draws, tests, noted = tuple(self.draws), tuple(self.tests), tuple(self.noted)
        return Outcome(self.oracle, value, raised, place, draws, tests, noted)

    def _bound(
        self, function: ir.Function, arguments: list[Any], keywords: dict[str, Any]
    ) -> dict[str, Any]:
        defaults = {name: used(default.value) for name, default in function.defaults.items()}
        return defaults | fitted(function, arguments, keywords, function.place)

    def _body(self, function: ir.Function, scope: _Scope) -> tuple[Any, Place]:
        self.returned = None
        try:
            self._block(function.body, scope)
        except _Return as done:
            self.returned = done.place
            return done.value, done.place
        return None, function.place

    # --- statements

    def _block(self, body: Iterable[ir.Statement], scope: _Scope) -> None:
        for statement in body:
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise Unsupported("a run that takes too many steps", statement.place)
            try:
                self._statement(statement, scope)
            except NotAffine as error:
                raise Unsupported(str(error), statement.place) from None
            except Unsupported as error:
                if error.place is not None:
                    raise
                raise Unsupported(error.what, statement.place) from None

    def _statement(self, node: ir.Statement, scope: _Scope) -> None:
        match node:
            case ir.Assign():
                self._assign(node.target, self.evaluate(node.value, scope), scope)
            case ir.Update():
                self._update(node, scope)
            case ir.Evaluate():
                self.evaluate(node.value, scope)
            case ir.Branch():
                self._block(node.yes if self._test(node.test, scope) else node.no, scope)
            case ir.For():
                self._loop(node, iter(self.evaluate(node.iterable, scope)), scope)
            case ir.While():
                self._loop(node, None, scope)
            case ir.Return():
                value = self.evaluate(node.value, scope)
                handed = isinstance(node.value, ir.Call) and isinstance(
                    node.value.function, ir.Function
                )  # what that function returns: its line is the innermost one
                raise _Return(value, (handed and self.returned) or node.place)
            case ir.Leave():
                raise _Leave(node.how)
            case ir.Raise():
                raise _Raised(self._error(node.value), node.place)
            case ir.Define():
                scope.variables[node.name] = self._closure(node.function.function, scope)

    def _error(self, value: ir.Expression | None) -> str:
        if isinstance(value, ir.Call) and isinstance(value.function, str):
            return value.function.rpartition(".")[2]
        return "an exception"

    def _loop(self, node: ir.For | ir.While, items: Any, scope: _Scope) -> None:
        done = object()
        while True:
            if isinstance(node, ir.While):
                if not self._test(node.test, scope):
                    break
            else:
                item = next(items, done)
                if item is done:
                    break
                self._assign(node.target, item, scope)
            try:
                self._block(node.body, scope)
            except _Leave as leave:
                if leave.how == "break":
                    return
        self._block(node.otherwise, scope)

    def _test(self, node: ir.Expression, scope: _Scope) -> bool:
        value = self.evaluate(node, scope)
        if noisy(value):
            raise Unsupported("a truth value of noise", node.place)
        answer = bool(value)
        self.tests.append((node.place, answer))
        return answer

    def _assign(self, target: Any, value: Any, scope: _Scope) -> None:
        match target:
            case ir.Name():
                scope.variables[target.id] = value
            case ir.Sequence():
                items = list(value)
                starred = [i for i, t in enumerate(target.items) if isinstance(t, ir.Starred)]
                if starred:
                    after = len(target.items) - starred[0] - 1
                    end = len(items) - after
                    items[starred[0] : end] = [items[starred[0] : end]]
                for part, item in zip(target.items, items, strict=True):
                    inner = part.value if isinstance(part, ir.Starred) else part
                    self._assign(inner, item, scope)
            case ir.Subscript():
                self._store(target, value, scope)
            case _:
                raise Unsupported("an assignment of this kind", target.place)

    def _store(self, target: ir.Subscript, value: Any, scope: _Scope) -> None:
        holder, index = self.evaluate(target.value, scope), self._index(target.index, scope)
        floats = isinstance(holder, np.ndarray) and holder.dtype != object
        if floats and noisy(value):
            home = scope.find(target.value.id) if isinstance(target.value, ir.Name) else None
            if home is None or holder.base is not None:
                raise Unsupported("noise stored in part of an array", target.place)
            holder = holder.astype(object)
            home.variables[target.value.id] = holder  # type: ignore[union-attr]
        holder[index] = value

    def _update(self, node: ir.Update, scope: _Scope) -> None:
        if isinstance(node.target, ir.Starred | ir.Sequence):
            raise Unsupported("an update of this kind", node.place)
        before = self.evaluate(node.target, scope)
        value = self.evaluate(node.value, scope)
        plain = isinstance(before, np.ndarray) and before.dtype != object and noisy(value)
        name = node.function.replace("operator.i", "operator.", 1) if plain else node.function
        if isinstance(before, Affine) or isinstance(value, Affine):
            name = node.function.replace("operator.i", "operator.", 1)
        after = self._apply(name, [before, value], {}, node.place)
        if after is not before or isinstance(node.target, ir.Subscript):
            self._assign(node.target, after, scope)

    # --- expressions

    def evaluate(self, node: Any, scope: _Scope) -> Any:
        """Return the value of an expression."""
        charge(25)
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise Unsupported("a run that takes too many steps", node.place)
        try:
            return self._evaluate(node, scope)
        except NotAffine as error:
            raise Unsupported(str(error), node.place) from None
        except Unsupported as error:
            if error.place is not None:
                raise
            raise Unsupported(error.what, node.place) from None

    def _evaluate(self, node: Any, scope: _Scope) -> Any:
        match node:
            case ir.Constant():
                return used(node.value)
            case ir.Name():
                home = scope.find(node.id)
                if home is None:
                    raise Unsupported(f"the name {node.id!r} has no value", node.place)
                return home.variables[node.id]
            case ir.Generator():
                return self._generator(node, scope)
            case ir.Draw():
                return self._draw(node, scope)
            case ir.Call():
                return self._call(node, scope)
            case ir.Subscript():
                holder = self.evaluate(node.value, scope)
                index = self._index(node.index, scope)
                return self._guarded(lambda: holder[index], node.place)
            case ir.Attribute():
                holder = self.evaluate(node.value, scope)
                return self._guarded(lambda: getattr(holder, node.name), node.place)
            case ir.Sequence():
                kinds: dict[str, Callable[[Any], Any]] = {"tuple": tuple, "list": list, "set": set}
                return kinds[node.kind](self._items(node.items, scope))
            case ir.Mapping():
                return {self.evaluate(k, scope): self.evaluate(v, scope) for k, v in node.items}
            case ir.Comprehension():
                return self._comprehension(node, scope)
            case ir.Choice():
                return self.evaluate(node.yes if self._test(node.test, scope) else node.no, scope)
            case ir.Logic():
                return self._logic(node, scope)
            case ir.Named():
                value = self.evaluate(node.value, scope)
                scope.variables[node.target.id] = value
                return value
            case ir.Closure():
                return self._closure(node.function, scope)
        raise Unsupported(in_words(node), node.place)

    def _guarded(self, action: Callable[[], Any], place: Place) -> Any:
        try:
            return action()
        except (NotAffine, Unsupported, _Raised, _Return):
            raise
        except Exception as error:
            raise _Raised(type(error).__name__, place) from None

    def _index(self, node: Any, scope: _Scope) -> Any:
        if isinstance(node, ir.Slice):
            parts = (node.start, node.stop, node.step)
            return slice(*(None if p is None else self.evaluate(p, scope) for p in parts))
        if isinstance(node, ir.Sequence) and node.kind == "tuple":
            return tuple(self._index(item, scope) for item in node.items)
        return self.evaluate(node, scope)

    def _items(self, nodes: Iterable[Any], scope: _Scope) -> list[Any]:
        values: list[Any] = []
        for node in nodes:
            if isinstance(node, ir.Starred):
                values.extend(self.evaluate(node.value, scope))
            else:
                values.append(self.evaluate(node, scope))
        return values

    def _logic(self, node: ir.Logic, scope: _Scope) -> Any:
        value: Any = None
        for operand in node.operands:
            value = self.evaluate(operand, scope)
            if noisy(value):
                raise Unsupported("a truth value of noise", operand.place)
            if bool(value) is (node.operator == "or"):
                return value
        return value

    def _comprehension(self, node: ir.Comprehension, scope: _Scope) -> Any:
        charge(500)
        inner, values = _Scope({}, scope), []

        def clause(depth: int) -> None:
            if depth == len(node.clauses):
                values.append(self.evaluate(node.element, inner))
                return
            target, iterable, conditions = node.clauses[depth]
            for item in self.evaluate(iterable, inner if depth else scope):
                self._assign(target, item, inner)
                if all(self._test(condition, inner) for condition in conditions):
                    clause(depth + 1)

        clause(0)
        if node.kind == "dict":
            return dict(values)
        return set(values) if node.kind == "set" else values

    def _closure(self, function: ir.Function, scope: _Scope) -> Callable[..., Any]:
        def run(*arguments: Any, **keywords: Any) -> Any:
            bound = self._bound(function, list(arguments), keywords)
            return self._body(function, _Scope(bound, scope))[0]

        run.own = True  # type: ignore[attr-defined]
        return run

    def _call(self, node: ir.Call, scope: _Scope) -> Any:
        arguments = self._items(node.arguments, scope)
        keywords = {name: self.evaluate(value, scope) for name, value in node.keywords}
        function = node.function
        if isinstance(function, ir.Function):
            return self._body(function, _Scope(self._bound(function, arguments, keywords)))[0]
        if isinstance(function, str):
            return self._apply(function, arguments, keywords, node.place)
        value = self.evaluate(function, scope)
        if noisy(arguments) or noisy(keywords) or _has_generator([*arguments, *keywords.values()]):
            raise Unsupported("a function that was not read gets noise", node.place)
        if not all(map(is_inert, (value, *arguments, *keywords.values()))):
            raise Unsupported("a call of code that is not read", node.place)
        return self._guarded(lambda: value(*arguments, **keywords), node.place)

    def _apply(
        self, name: str, arguments: list[Any], keywords: dict[str, Any], place: Place
    ) -> Any:
        own = name == "operator.call" and getattr(arguments[0], "own", False)
        if _has_generator([*arguments, *keywords.values()]) and not own:
            raise Unsupported(f"the generator in a call of {name}", place)
        result = self._guarded(lambda: call(name, arguments, keywords, self.oracle), place)
        seen = noticed(name, arguments, keywords, result, place)
        if seen is not None and seen not in self.noted:
            self.noted.append(seen)
        return result

    def _generator(self, node: ir.Generator, scope: _Scope) -> Any:
        if node.is_private:
            return Argument()
        if node.origin == "seeded" and node.seed is not None:
            seed = self.evaluate(node.seed, scope)
            if type(seed) is not int:
                raise Unsupported("a seed that is not a known integer", node.place)
            return np.random.default_rng(seed)
        raise Unsupported("a generator without a seed", node.place)

    def _draw(self, node: ir.Draw, scope: _Scope) -> Any:
        generator = self.evaluate(node.generator, scope)
        arguments = {name: self.evaluate(value, scope) for name, value in node.arguments}
        if isinstance(generator, Argument):
            drawn = draw(node.family, arguments, node.place, self.oracle)
            self.draws.append(drawn)
            return drawn.result
        if not isinstance(generator, np.random.Generator) or noisy(arguments):
            raise Unsupported("a draw from this generator", node.place)
        return self._guarded(lambda: getattr(generator, node.family)(**arguments), node.place)


def _has_generator(values: list[Any]) -> bool:
    return any(isinstance(value, Argument) for value in values)
