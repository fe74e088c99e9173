"""Loops over known lists that hold functions of the user's, written out item by item.

``for name, test in QUESTIONS: …`` calls another function in each round. What is lifted has a name
for every function that it calls, so that each round is written with its own.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.trees import bound, rewritten
from dpaudit.formal.program import (
    Assign,
    Call,
    Comprehension,
    Constant,
    For,
    Function,
    Leave,
    Name,
    Node,
    Sequence,
    Statement,
)

Block = tuple[Statement, ...]
_MOST = 32
_Read = Callable[[types.FunctionType], Function]


def unrolled(entry: Function, fixed: Mapping[str, Constant], read: _Read) -> Function:
    """Return a function whose loops over known lists of functions are written out.

    Parameters
    ----------
    entry : Function
    fixed : mapping of str to Constant
        Parameters whose values are known.
    read : callable
        Lifts a function of the user's.
    """
    stored = rewriting.stores(*entry.body)
    known = {name: constant for name, constant in fixed.items() if not stored[name]}
    return replace(entry, body=_block(entry.body, known, read))


def _block(body: Block, known: Mapping[str, Constant], read: _Read) -> Block:
    found: list[Statement] = []
    for statement in body:
        rounds = _rounds(statement, known, read) if isinstance(statement, For) else None
        if rounds is not None:
            found += _block(rounds, known, read)
            continue
        inside = {
            name: _block(inner, known, read)
            for name in ("body", "yes", "no", "otherwise")
            if isinstance(inner := getattr(statement, name, None), tuple) and inner
        }
        whole = replace(statement, **inside) if inside else statement  # type: ignore[arg-type]
        found.append(rewritten(whole, lambda node: _items(node, known, read)))
    return tuple(found)


def _rounds(loop: For, known: Mapping[str, Constant], read: _Read) -> Block | None:
    """Return the rounds of a loop over a list of functions, None of any other."""
    if loop.otherwise or any(_leaves(statement) for statement in loop.body):
        return None
    given = _given(loop.target, loop.iterable, known, read)
    names = rewriting.stores(*loop.body)
    if given is None:
        return None
    functions, rounds = given
    if any(names[name] for name in functions):
        return None
    found: list[Any] = []
    for values in rounds:
        for name, value in values.items():
            if name not in functions:
                found.append(Assign(loop.place, Name(loop.place, name), value))
        called = {name: values[name] for name in functions}
        body = [_with(statement, called) for statement in loop.body]
        if None in body:
            return None
        found += body
    return tuple(found)


def _items(node: Any, known: Mapping[str, Constant], read: _Read) -> Any:
    """Return a comprehension over a list of functions as its items, None of any other node."""
    if not isinstance(node, Comprehension) or node.kind != "list":
        return None
    if len(node.clauses) != 1 or node.clauses[0][2]:
        return None
    target, iterable, _ = node.clauses[0]
    given = _given(target, iterable, known, read)
    if given is None:
        return None
    functions, rounds = given
    items = []
    for values in rounds:
        called = {name: values[name] for name in functions}
        rest = {name: value for name, value in values.items() if name not in functions}
        item = _with(node.element, called)
        if item is None or _hides(item, set(rest)):
            return None
        items.append(rewriting.filled(item, rest))
    return Sequence(node.place, "list", tuple(items))


def _given(
    target: Any, iterable: Any, known: Mapping[str, Constant], read: _Read
) -> tuple[set[str], list[dict[str, Any]]] | None:
    """Return which variables hold functions, and what each round gives them all."""
    items = _known_items(iterable, known)
    names = [target] if isinstance(target, Name) else getattr(target, "items", ())
    if not items or not names or not all(isinstance(name, Name) for name in names):
        return None
    rounds: list[dict[str, Any]] = []
    for item in items:
        values = [item] if isinstance(target, Name) else item
        if not isinstance(values, tuple | list) or len(values) != len(names):
            return None
        rounds.append({n.id: v for n, v in zip(names, values, strict=True)})
    of_functions = {n.id for n in names if all(_is_function(r[n.id]) for r in rounds)}
    if not of_functions or len(rounds[0]) != len(names) or any(
        not isinstance(v, str | int | float) for r in rounds for n, v in r.items()
        if n not in of_functions
    ):  # fmt: skip
        return None
    place = target.place
    return of_functions, [
        {n: read(v) if n in of_functions else Constant(place, v) for n, v in r.items()}
        for r in rounds
    ]


def _known_items(iterable: Any, known: Mapping[str, Constant]) -> list[Any] | None:
    pairs = isinstance(iterable, Call) and iterable.function == "method.items"
    of: Any = iterable.arguments[0] if pairs else iterable
    of = known.get(of.id) if isinstance(of, Name) else of
    value: Any = of.value if isinstance(of, Constant) else None
    if pairs and type(value) is dict:
        value = list(value.items())
    return list(value) if type(value) in (list, tuple) and len(value) <= _MOST else None


def _is_function(value: Any) -> bool:
    return isinstance(value, types.FunctionType)


def _with(node: Any, functions: Mapping[str, Any]) -> Any:
    """Return a new copy in which variables that are called are functions; None if others use them.

    All nodes are new, so that noise of one round is not that of another.
    """

    def copied(old: Any) -> Any:
        if isinstance(old, tuple):
            return tuple(map(copied, old))
        if not isinstance(old, Node) or isinstance(old, Function):
            return old
        if isinstance(old, Call) and old.function == "operator.call":
            first = old.arguments[0]
            if isinstance(first, Name) and first.id in functions:
                keywords = tuple((key, copied(value)) for key, value in old.keywords)
                own = functions[first.id]
                return Call(old.place, own, copied(old.arguments[1:]), keywords)
        return replace(old, **{f.name: copied(getattr(old, f.name)) for f in fields(old)})

    if _hides(node, set(functions)):
        return None
    found = copied(node)
    return None if set(rewriting.reads(found)) & set(functions) else found


def _hides(node: Node, names: set[str]) -> bool:
    """Whether a part of a node has variables of its own by one of these names."""
    return any(names & set(bound(part)) for part in rewriting.inner(node))


def _leaves(statement: Statement) -> bool:
    """Whether a statement may leave the loop that it stands in, or go on with the next round."""
    return any(isinstance(node, Leave) for node in _own(statement))


def _own(node: Node) -> Iterator[Node]:
    yield node
    for name in ("yes", "no", "otherwise"):
        for inner in getattr(node, name, ()):
            yield from _own(inner)
