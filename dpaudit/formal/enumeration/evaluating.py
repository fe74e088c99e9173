"""How expressions are evaluated."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Iterator
from types import BuiltinFunctionType
from typing import Any

import numpy as np

from dpaudit.formal.enumeration import library
from dpaudit.formal.enumeration.drawing import draw
from dpaudit.formal.enumeration.machine import (
    Made,
    Randomness,
    Run,
    Variables,
    evaluates,
    index_of,
    store,
)
from dpaudit.formal.enumeration.noise import NotFiniteError, combine, decide, is_random
from dpaudit.formal.enumeration.operators import BINARY, binary, tidy, unary
from dpaudit.formal.program import (
    Attribute,
    Call,
    Choice,
    Closure,
    Comprehension,
    Constant,
    Draw,
    Expression,
    Function,
    Generator,
    Logic,
    Mapping,
    Name,
    Named,
    Sequence,
    Slice,
    Starred,
    Subscript,
)


@evaluates(Constant)
def _constant(run: Run, node: Constant, _scope: Variables) -> Any:
    """Return a value known before the run."""
    return run.constant(node)


@evaluates(Name)
def _name(_run: Run, node: Name, scope: Variables) -> Any:
    """Return what a variable holds."""
    return scope.find(node.id)


@evaluates(Generator)
def _generator(_run: Run, node: Generator, _scope: Variables) -> Any:
    """Return a source of randomness."""
    if node.origin == "seeded":
        raise NotFiniteError("a generator that is seeded")
    return Randomness()


@evaluates(Draw)
def _draw(run: Run, node: Draw, scope: Variables) -> Any:
    """Draw."""
    if not isinstance(run.value(node.generator, scope), Randomness):
        raise NotFiniteError("noise of an unknown generator")
    arguments = {name: run.value(value, scope) for name, value in node.arguments}
    return draw(node.family, arguments)


@evaluates(Attribute)
def _attribute(run: Run, node: Attribute, scope: Variables) -> Any:
    """``value.name``."""
    held = run.value(node.value, scope)
    if isinstance(held, np.ndarray) and node.name in ("shape", "size", "ndim", "T"):
        return getattr(held, node.name)
    raise NotFiniteError(f"the attribute {node.name!r}")


@evaluates(Subscript)
def _subscript(run: Run, node: Subscript, scope: Variables) -> Any:
    """``value[index]``."""
    held = decide(run.value(node.value, scope))
    index = index_of(run, node.index, scope)
    if isinstance(held, np.ndarray | list | tuple | str | dict | range):
        return tidy(held[index]) if isinstance(held, np.ndarray) else held[index]
    raise NotFiniteError(f"an item of {type(held).__name__}")


@evaluates(Slice)
def _slice(run: Run, node: Slice, scope: Variables) -> Any:
    """``start:stop:step``."""
    ends = (node.start, node.stop, node.step)
    return slice(*(None if end is None else decide(run.value(end, scope)) for end in ends))


@evaluates(Sequence)
def _sequence(run: Run, node: Sequence, scope: Variables) -> Any:
    """Return the value of a display."""
    items = _arguments(run, node.items, scope)
    if node.kind == "set":
        return frozenset(decide(item) for item in items)
    return tuple(items) if node.kind == "tuple" else list(items)


@evaluates(Mapping)
def _mapping(run: Run, node: Mapping, scope: Variables) -> Any:
    """Return the value of a dict display."""
    return {decide(run.value(k, scope)): run.value(v, scope) for k, v in node.items}


@evaluates(Comprehension)
def _comprehension(run: Run, node: Comprehension, scope: Variables) -> Any:
    """Return a comprehension; one of kind "generator" stays lazy."""
    found = _elements(run, node, 0, Variables(scope))
    if node.kind == "generator":
        return found
    if node.kind == "list":
        return list(found)
    if node.kind == "set":
        return frozenset(decide(item) for item in found)
    return {decide(k): v for k, v in found}


def _elements(run: Run, node: Comprehension, depth: int, scope: Variables) -> Iterator[Any]:
    if depth == len(node.clauses):
        yield run.value(node.element, scope)
        return
    target, iterable, conditions = node.clauses[depth]
    for item in library.items_of(run.value(iterable, scope)):
        run.step(node)
        store(run, target, item, scope)
        if all(run.truth(condition, scope) for condition in conditions):
            yield from _elements(run, node, depth + 1, scope)


@evaluates(Choice)
def _choice(run: Run, node: Choice, scope: Variables) -> Any:
    """``yes if test else no``; not forked where both sides are constants."""
    test = run.value(node.test, scope)
    if is_random(test) and isinstance(node.yes, Constant) and isinstance(node.no, Constant):
        yes, no = run.value(node.yes, scope), run.value(node.no, scope)
        return combine(lambda t: yes if t else no, test)
    return run.value(node.yes if bool(decide(test)) else node.no, scope)


@evaluates(Logic)
def _logic(run: Run, node: Logic, scope: Variables) -> Any:
    """``and`` or ``or``."""
    value: Any = None
    for operand in node.operands:
        value = run.value(operand, scope)
        if bool(decide(value)) == (node.operator == "or"):
            return value
    return value


@evaluates(Named)
def _named(run: Run, node: Named, scope: Variables) -> Any:
    """``(target := value)``."""
    value = run.value(node.value, scope)
    store(run, node.target, value, scope)
    return value


@evaluates(Closure)
def _closure(run: Run, node: Closure, scope: Variables) -> Any:
    """Return a function made in the run."""
    return Made(node.function, scope, run)


def _arguments(run: Run, nodes: tuple[Expression, ...], scope: Variables) -> list[Any]:
    found: list[Any] = []
    for node in nodes:
        if isinstance(node, Starred):
            found += library.items_of(run.value(node.value, scope))
        else:
            found.append(run.value(node, scope))
    return found


@evaluates(Call)
def _called(run: Run, node: Call, scope: Variables) -> Any:
    """Return the result of a call."""
    positional = tuple(_arguments(run, node.arguments, scope))
    named = {name: run.value(value, scope) for name, value in node.keywords}
    function = node.function
    if isinstance(function, Function):
        return run.call_read(function, positional, named)
    if isinstance(function, Constant):
        return run.run_live(function.value, positional, named)
    root, _, word = function.rpartition(".")
    if root == "operator":
        return _operator(word, positional, named)
    if function in library.LIBRARY:
        return library.LIBRARY[function](*positional, **named)
    if root == "method":
        return library.own_method(word, positional[0], positional[1:], named)
    raise NotFiniteError(f"a call of {function}")


def _operator(word: str, positional: tuple[Any, ...], named: dict[str, Any]) -> Any:
    if word in BINARY:
        return _of_containers(word, *positional)
    if word in ("neg", "pos", "invert", "not_"):
        return unary(word, positional[0])
    if word == "call" and isinstance(positional[0], Made):
        return positional[0](*positional[1:], **named)
    if word == "call" and (known := _of_python(positional[0])) is not None:
        return known(*positional[1:], **named)
    if word in ("is_", "is_not"):
        return _identical(*positional) == (word == "is_")
    if word == "contains":
        return _contains(*positional)
    raise NotFiniteError(f"operator.{word}")


def _of_python(function: Any) -> library.Function | None:
    """Return what is known of a function or class of Python's own that a variable holds."""
    name = getattr(function, "__name__", "")
    own = (
        isinstance(function, type | BuiltinFunctionType) and getattr(builtins, name, 0) is function
    )
    return library.LIBRARY.get(f"builtins.{name}") if own else None


def _of_containers(word: str, left: Any, right: Any) -> Any:
    """Return the result of an operator, which lists and texts have too."""
    own = (list, tuple, str, bytes)
    if word == "add" and isinstance(left, own) and type(left) is type(right):
        return operator.add(left, right)
    if word == "mul" and isinstance(left, list | tuple | str) and isinstance(right, int):
        return left * right
    if isinstance(left, str | bytes | None) or isinstance(right, str | bytes | None):
        if (
            word not in ("eq", "ne")
            or isinstance(left, np.ndarray)
            or isinstance(right, np.ndarray)
        ):
            if isinstance(left, np.ndarray) and word in ("eq", "ne"):
                return binary(word, left, right)
            raise NotFiniteError(f"operator {word} of these values")
        return (left == right) == (word == "eq")
    containers = (list, tuple, dict, frozenset)
    if isinstance(left, containers) and isinstance(right, containers):
        raise NotFiniteError(f"operator {word} of containers")
    return binary(word, left, right)


def _identical(one: Any, other: Any) -> bool:
    if one is None or other is None or isinstance(one, bool) or isinstance(other, bool):
        return one is other
    raise NotFiniteError("'is' of anything but None")


def _contains(held: Any, item: Any) -> bool:
    if isinstance(held, str):
        return decide(item) in held
    if isinstance(held, np.ndarray):
        held = held.reshape(-1)
    keys = held.keys() if isinstance(held, dict) else library.items_of(held)
    return any(bool(_of_containers("eq", key, item)) for key in keys)
