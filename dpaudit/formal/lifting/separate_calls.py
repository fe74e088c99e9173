"""Separate calls: a call that may change an object, as a statement of its own.

``out.append(counter.push(bit))`` becomes ``new = counter.push(bit)`` and ``out.append(new)``, where
nothing is evaluated before the call but names and constants. A comprehension that makes such calls
becomes a loop that fills a list or a dict.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.copying import copied
from dpaudit.formal.lifting.trees import bound
from dpaudit.formal.program import (
    Assign,
    Branch,
    Call,
    Comprehension,
    Constant,
    Evaluate,
    Expression,
    For,
    Mapping,
    Name,
    Node,
    Sequence,
    Statement,
    Subscript,
)

_CONSUMING_WORDS = """
builtins.list builtins.max builtins.min builtins.sorted builtins.sum builtins.tuple
"""
_CONSUME_ALL = frozenset(_CONSUMING_WORDS.split())
Wanted = Callable[[Any], bool]


def first_call(value: Any, wanted: Wanted) -> Expression | None:
    """Return the first wanted call of an expression, or the comprehension that makes it.

    None where something is evaluated before it that is no name and no constant.

    Parameters
    ----------
    value : Expression
    wanted : callable
        Tells whether a node is a wanted call.
    """
    parts: tuple[Any, ...] = ()
    match value:
        case Call() if wanted(value):
            return value
        case Comprehension(kind="list" | "dict") if any(map(wanted, rewriting.inner(value))):
            return value
        case Call(function=name, arguments=(Comprehension(kind="generator") as each,), keywords=()):
            made = name in _CONSUME_ALL and any(map(wanted, rewriting.inner(each)))
            return each if made else None
        case Call(arguments=arguments, keywords=keywords):
            parts = (*arguments, *(given for _, given in keywords))
        case Sequence(items=items):
            parts = items
        case Subscript(value=of, index=at):
            parts = (of, at)
        case Mapping(items=items):
            parts = tuple(part for pair in items for part in pair)
    later = (part for part in parts if not isinstance(part, Name | Constant))
    first = next(later, None)
    return None if first is None else first_call(first, wanted)


def first_part(value: Any, wanted: Wanted) -> Expression | None:
    """Return what is evaluated first of an expression with a wanted call after it.

    Parameters
    ----------
    value : Expression
    wanted : callable
        Tells whether a node is a wanted call.
    """
    if not isinstance(value, Mapping | Sequence):
        return None
    items = [part for item in value.items for part in (item if isinstance(item, tuple) else [item])]
    parts = [part for part in items if not isinstance(part, Name | Constant)]
    later = any(wanted(node) for part in parts[1:] for node in rewriting.inner(part))
    return parts[0] if later and isinstance(parts[0], Call | Subscript) else None


def filled(made: Comprehension, fresh: Callable[[str, Node], str]) -> tuple[list[Statement], Name]:
    """Return the loop that fills what a comprehension makes, and the variable that holds it.

    Parameters
    ----------
    made : Comprehension
    fresh : callable
        Returns a new name for a variable of a node.
    """
    place = made.place
    whole = Name(place, fresh("filled", made))
    names = {name: Name(place, fresh(name, made)) for name in bound(made)}
    element: Any = copied(made.element, names)
    if made.kind == "dict":
        key, value = element.items
        body: Statement = Assign(place, Subscript(place, whole, key), value)
        empty: Expression = Mapping(place, ())
    else:
        body = Evaluate(place, Call(place, "method.append", (whole, element)))
        empty = Sequence(place, "list", ())
    for at in range(len(made.clauses) - 1, -1, -1):
        target, iterable, conditions = made.clauses[at]
        for condition in reversed(conditions):
            body = Branch(place, copied(condition, names), (body,), ())
        several = copied(iterable, names) if at else iterable
        body = For(place, copied(target, names), several, (body,))
    return [Assign(place, whole, empty), body], whole


def is_plain_dict(made: Comprehension) -> bool:
    """Return whether the keys of a comprehension may be evaluated after its values."""
    element: Any = made.element
    return made.kind != "dict" or isinstance(element.items[0], Name | Constant)
