"""Rewriting of lifted code: copies with parts replaced, what it reads and stores, its parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np

from dpaudit.checker.operators import ARITHMETIC, INEQUALITIES
from dpaudit.checker.pure import is_ufunc
from dpaudit.formal.program import (
    Assign,
    Call,
    Choice,
    Comprehension,
    Constant,
    Draw,
    Evaluate,
    Expression,
    For,
    Function,
    Generator,
    Name,
    Named,
    Node,
    Place,
    Return,
    Sequence,
    Slice,
    Starred,
    Statement,
    Subscript,
    Update,
    nodes_in,
    parts_of,
)

_N = TypeVar("_N", bound=Node)
BLOCKS = ("body", "yes", "no", "otherwise")  # fields of statements that hold statements


def inner(node: Node) -> Iterator[Node]:
    """Yield a node and what is below it, without the bodies of functions that it calls."""
    yield node
    for name in parts_of(node):
        if isinstance(node, Call) and name == "function":
            continue
        for child in nodes_in(getattr(node, name)):
            yield from inner(child)


def reads(*nodes: Node) -> Counter[str]:
    """Return how often each variable is read or stored in the nodes, functions inside included."""
    return Counter(n.id for node in nodes for n in inner(node) if isinstance(n, Name))


def stores(*nodes: Node) -> Counter[str]:
    """Return how often each variable is stored."""
    found: Counter[str] = Counter()
    for node in nodes:
        for part in inner(node):
            if isinstance(part, Assign | Update | For | Named):
                found += _targets(part.target)
            elif isinstance(part, Comprehension):
                for target, _, _ in part.clauses:
                    found += _targets(target)
            elif isinstance(part, Function):
                found += Counter((*part.parameters, *([part.starred] if part.starred else [])))
    return found


def loads(*nodes: Node) -> Counter[str]:
    """Return how often each variable is read: its names but those that are given a value."""
    found = reads(*nodes)
    for node in nodes:
        for part in inner(node):
            if isinstance(part, Assign | For | Named):
                found.subtract(_given(part.target))
            elif isinstance(part, Comprehension):
                for target, _, _ in part.clauses:
                    found.subtract(_given(target))
    return +found


def _given(target: Node) -> Counter[str]:
    if isinstance(target, Sequence):
        return sum((_given(item) for item in target.items), Counter())
    if isinstance(target, Starred):
        return _given(target.value)
    return Counter([target.id] if isinstance(target, Name) else ())


def _targets(target: Node) -> Counter[str]:
    if isinstance(target, Sequence):
        return sum((_targets(item) for item in target.items), Counter())
    if isinstance(target, Subscript | Starred):
        return _targets(target.value)
    return Counter([target.id]) if isinstance(target, Name) else Counter(reads(target))


def exchanged(node: _N, new: dict[int, Node]) -> _N:
    """Return a copy in which nodes are exchanged, by the identity of the old ones.

    A draw that stands in several places is one draw: its copy is one too.
    """
    copies: dict[int, Node] = {}

    def copy(old: Any) -> Any:
        if not isinstance(old, Node):
            return old
        if id(old) not in copies:
            copies[id(old)] = new[id(old)] if id(old) in new else with_parts(old, copy)
        return copies[id(old)]

    return copy(node)  # type: ignore[no-any-return]


def with_parts(node: _N, change: Callable[[Any], Any]) -> _N:
    """Return a node with each of its parts changed, the node itself where none is another.

    A function that it calls is left as it is.
    """

    def over(value: Any) -> Any:
        if not isinstance(value, tuple):
            return change(value)
        items = tuple(map(over, value))
        return items if any(a is not b for a, b in zip(items, value, strict=True)) else value

    names = [n for n in parts_of(node) if not (isinstance(node, Call) and n == "function")]
    changed = {n: new for n in names if (new := over(old := getattr(node, n))) is not old}
    return replace(node, **changed) if changed else node


def filled(node: _N, values: dict[str, Expression]) -> _N:
    """Return a copy in which variables are replaced by expressions."""
    if not values:
        return node
    found = {
        id(part): values[part.id]
        for part in inner(node)
        if isinstance(part, Name) and part.id in values
    }
    return exchanged(node, dict(found))


def same(a: Any, b: Any) -> bool:
    """Return whether two expressions are written alike."""
    return bool(text(a) == text(b))


def text(value: Any) -> Any:
    """Return what an expression is, its places left out."""
    if isinstance(value, Constant):
        return ("Constant", type(value.value).__name__, repr(value.value), _identity(value.value))
    if isinstance(value, Function):
        return ("Function", id(value))
    if isinstance(value, Node):
        parts = (text(getattr(value, f.name)) for f in fields(value) if f.name != "place")
        return (type(value).__name__, *parts)
    if isinstance(value, tuple):
        return tuple(map(text, value))
    return value if isinstance(value, str | None) else ("object", id(value))


def _identity(value: Any) -> int:
    return 0 if isinstance(value, int | float | str | bool | None) else id(value)


def draws(node: Node) -> bool:
    """Return whether anything is drawn in an expression, or in what it calls."""
    from dpaudit.formal.program import walk

    return any(isinstance(part, Draw | Generator) for part in walk(node))


def draws_nothing(body: tuple[Statement, ...]) -> bool:
    """Return whether nothing is drawn in a block."""
    return not any(map(draws, body))


_QUIET_WORDS = """
builtins.len builtins.abs builtins.float builtins.int builtins.max builtins.min builtins.sum
method.max method.min method.sum numpy.array numpy.asarray numpy.max numpy.min numpy.sum numpy.where
"""
_QUIET = frozenset(_QUIET_WORDS.split())
_QUIET |= {f"operator.{word}" for word in (*ARITHMETIC, *INEQUALITIES, "neg", "pos")}


def is_quiet(node: Node) -> bool:
    """Return whether to evaluate an expression, once more or elsewhere, changes nothing."""
    plain = Name | Constant | Choice | Sequence | Subscript | Slice
    for part in inner(node):
        if isinstance(part, Call):
            named = isinstance(part.function, str) and not part.keywords
            if not named or not _is_quiet_name(str(part.function)) or writes_to(part):
                return False
        elif not isinstance(part, plain):
            return False
    return True


def writes_to(call: Call) -> bool:
    """Return whether NumPy may store the result of a call in its last argument."""
    library, _, word = str(call.function).partition(".")
    usual = getattr(np, word, None) if library == "numpy" else None
    if isinstance(usual, np.ufunc):
        return len(call.arguments) > usual.nin
    most = 2 + (word in ("clip", "where", "linspace", "arange", "full", "get", "replace"))
    return library in ("numpy", "method") and len(call.arguments) > most


def _is_quiet_name(name: str) -> bool:
    return name in _QUIET or name.startswith("math.") or is_ufunc(name, methods=False)


def call(place: Place, name: str, *arguments: Expression) -> Call:
    """Return the call of a library's function."""
    return Call(place, name, arguments)


def with_blocks(statement: _N, change: Callable[[tuple[Statement, ...]], Any]) -> _N:
    """Return a statement in which each block inside of it is changed."""
    inside = {
        name: change(block)
        for name in BLOCKS
        if isinstance(block := getattr(statement, name, None), tuple)
    }
    return replace(statement, **inside) if inside else statement


def value_of(statement: Statement) -> Expression | None:
    """Return the expression that a simple statement evaluates."""
    if isinstance(statement, Assign | Return | Evaluate | Update):
        return statement.value
    return None
