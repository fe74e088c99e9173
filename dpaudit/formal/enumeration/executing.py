"""How statements are executed."""

from __future__ import annotations

import numpy as np

from dpaudit.formal.enumeration import library
from dpaudit.formal.enumeration.machine import (
    Broken,
    Continued,
    Made,
    Raised,
    Returned,
    Run,
    Stopped,
    Variables,
    executes,
    store,
)
from dpaudit.formal.enumeration.noise import NotFiniteError
from dpaudit.formal.enumeration.operators import binary, is_native
from dpaudit.formal.program import (
    Assign,
    Branch,
    Call,
    Comprehension,
    Define,
    Evaluate,
    For,
    Leave,
    Name,
    Node,
    Raise,
    Return,
    Update,
    While,
)
from dpaudit.formal.unsupported import Unsupported

_LAZY = frozenset({"map", "filter", "zip", "enumerate", "reversed", "iter"})


def _validate_eager(node: Node) -> None:
    """Refuse to keep what is computed when it is asked for, and only once."""
    if isinstance(node, Comprehension) and node.kind == "generator":
        raise Unsupported("a generator that is kept", node.place)
    if isinstance(node, Call) and isinstance(node.function, str):
        module, _, name = node.function.partition(".")
        if module == "itertools" or (module == "builtins" and name in _LAZY):
            raise Unsupported(f"a {name} that is kept", node.place)


@executes(Assign)
def _assign(run: Run, node: Assign, scope: Variables) -> None:
    """``target = value``."""
    if isinstance(node.target, Name):
        _validate_eager(node.value)
    store(run, node.target, run.value(node.value, scope), scope)


@executes(Update)
def _update(run: Run, node: Update, scope: Variables) -> None:
    """``target op= value``, in place for arrays and lists."""
    old = run.value(node.target, scope)
    value = run.value(node.value, scope)
    word = node.function.removeprefix("operator.i")
    word = f"{word}_" if word in ("and", "or") else word
    if isinstance(old, list) and word == "add":
        old.extend(library.items_of(value))
        return
    if isinstance(old, list | dict | set):
        raise NotFiniteError(f"{node.function} of a {type(old).__name__}, which changes in place")
    new = binary(word, old, value) if not isinstance(old, str | tuple) else old + value
    if isinstance(old, np.ndarray):
        if is_native(old) and not is_native(new):
            raise NotFiniteError("numbers written into an array of integers")
        old[...] = new
        return
    store(run, node.target, new, scope)


@executes(Evaluate)
def _evaluate(run: Run, node: Evaluate, scope: Variables) -> None:
    """Evaluate an expression for its effect."""
    run.value(node.value, scope)


@executes(Branch)
def _branch(run: Run, node: Branch, scope: Variables) -> None:
    """``if``: the path forks where the test is random."""
    run.block(node.yes if run.truth(node.test, scope) else node.no, scope)


@executes(For)
def _loop(run: Run, node: For, scope: Variables) -> None:
    """``for``."""
    for item in library.items_of(run.value(node.iterable, scope)):
        run.step(node)
        store(run, node.target, item, scope)
        try:
            run.block(node.body, scope)
        except Broken:
            return
        except Continued:
            continue
    run.block(node.otherwise, scope)


@executes(While)
def _repeat(run: Run, node: While, scope: Variables) -> None:
    """``while``."""
    while run.truth(node.test, scope):
        run.step(node)
        try:
            run.block(node.body, scope)
        except Broken:
            return
        except Continued:
            continue
    run.block(node.otherwise, scope)


@executes(Return)
def _finish(run: Run, node: Return, scope: Variables) -> None:
    """``return``."""
    raise Returned(run.value(node.value, scope))


@executes(Leave)
def _leave(_run: Run, node: Leave, _scope: Variables) -> None:
    """``break`` or ``continue``."""
    raise Broken if node.how == "break" else Continued


@executes(Raise)
def _fail(run: Run, node: Raise, scope: Variables) -> None:
    """``raise``: an exception is an output; what it says is not looked at."""
    if not (isinstance(node.value, Call) and isinstance(node.value.function, str)):
        raise NotFiniteError("an exception that is not a new one of Python's own")
    said = [run.value(argument, scope) for argument in node.value.arguments]
    if not all(isinstance(item, str) for item in said):
        raise NotFiniteError("an exception with more than a text")
    raise Stopped(Raised(f"{node.value.function}{tuple(said)}"))


@executes(Define)
def _define(run: Run, node: Define, scope: Variables) -> None:
    """``def`` inside a function."""
    scope[node.name] = Made(node.function.function, scope, run)
