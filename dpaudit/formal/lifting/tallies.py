"""Tallies, lists and sets that are made empty and filled once are made of what fills them.

``c = Counter()`` and then ``c.update(items)`` is ``c = Counter(items)``, whatever the items are,
where nothing in between names c. ``x = []`` and then ``x.extend(items)`` is ``x = list(items)``.
"""

from __future__ import annotations

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.rewriting import call
from dpaudit.formal.program import Assign, Call, Evaluate, Expression, Name, Sequence, Statement

Block = tuple[Statement, ...]
_FILLING = {
    "builtins.list": "method.extend",
    "builtins.set": "method.update",
    "collections.Counter": "method.update",
}


def filled_at_once(body: Block) -> Block:
    """Return a body in which such a container is made where it is first filled.

    Parameters
    ----------
    body : tuple of Statement
    """
    found = list(body)
    for at, statement in enumerate(body):
        name, made = _made_empty(statement) or ("", "")
        after = _first_use(body, at, name) if name else None
        if after is None:
            continue
        items = _items(body[after], name, _FILLING[made])
        if items is not None and not rewriting.reads(items)[name]:
            place = body[after].place
            found[after] = Assign(place, Name(place, name), call(place, made, items))
    return tuple(found)


def _made_empty(statement: Statement) -> tuple[str, str] | None:
    """Return which variable a statement makes an empty container, and of which type."""
    match statement:
        case Assign(target=Name(id=name), value=Call(function=made, arguments=(), keywords=())):
            return (name, made) if isinstance(made, str) and made in _FILLING else None
        case Assign(target=Name(id=name), value=Sequence(kind="list", items=())):
            return name, "builtins.list"
    return None


def _first_use(body: Block, at: int, name: str) -> int | None:
    """Return which statement after one is the first that names a variable."""
    for after in range(at + 1, len(body)):
        if rewriting.reads(body[after])[name] or rewriting.stores(body[after])[name]:
            return after
    return None


def _items(statement: Statement, name: str, filling: str) -> Expression | None:
    """Return what a statement fills a container with."""
    match statement:
        case Evaluate(value=Call(function=method, arguments=(Name(id=of), items), keywords=())) if (
            of == name and method == filling
        ):
            return items
    return None
