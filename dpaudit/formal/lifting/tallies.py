"""Tallies that are made empty and filled once are made of what fills them.

``c = Counter()`` and then ``c.update(items)`` is ``c = Counter(items)``, whatever the items are,
where nothing in between names c.
"""

from __future__ import annotations

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.rewriting import call
from dpaudit.formal.program import Assign, Call, Evaluate, Expression, Name, Statement

Block = tuple[Statement, ...]
_TALLY = "collections.Counter"


def filled_at_once(body: Block) -> Block:
    """Return a body in which a tally is made where it is first filled.

    Parameters
    ----------
    body : tuple of Statement
    """
    found = list(body)
    for at, statement in enumerate(body):
        name = _made_empty(statement)
        after = None if name is None else _first_use(body, at, name)
        if name is None or after is None:
            continue
        items = _items(body[after], name)
        if items is not None and not rewriting.reads(items)[name]:
            place = body[after].place
            found[after] = Assign(place, Name(place, name), call(place, _TALLY, items))
    return tuple(found)


def _made_empty(statement: Statement) -> str | None:
    """Return which variable a statement makes an empty tally."""
    match statement:
        case Assign(target=Name(id=name), value=Call(function=made, arguments=(), keywords=())):
            return name if made == _TALLY else None
    return None


def _first_use(body: Block, at: int, name: str) -> int | None:
    """Return which statement after one is the first that names a variable."""
    for after in range(at + 1, len(body)):
        if rewriting.reads(body[after])[name] or rewriting.stores(body[after])[name]:
            return after
    return None


def _items(statement: Statement, name: str) -> Expression | None:
    """Return what a statement fills a tally with."""
    match statement:
        case Evaluate(
            value=Call(function="method.update", arguments=(Name(id=of), items), keywords=())
        ) if of == name:
            return items
    return None
