"""Loops that count: ``i = 0``, ``while i < len(x): …; i += 1`` is ``for i in range(len(x)): …``.

The number of turns is asked once, so nothing in the body may change it. When the loop is over, the
variable is that number: no turn leaves the loop, and none goes on before the variable has grown.
"""

from __future__ import annotations

from typing import Any

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.unchanged import changes_nothing
from dpaudit.formal.program import (
    Assign,
    Branch,
    Call,
    Closure,
    Constant,
    Define,
    Evaluate,
    For,
    Function,
    Leave,
    Name,
    Named,
    Raise,
    Return,
    Sequence,
    Update,
    While,
    walk,
)


def counted(body: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a body in which loops that count go through a range.

    Parameters
    ----------
    body : tuple of Statement
    """
    found: list[Any] = []
    for statement in body:
        whole = rewriting.with_blocks(statement, counted)
        found += _through_range(whole, found) if isinstance(whole, While) else _apart(whole)
    return tuple(found)


def _apart(statement: Any) -> tuple[Any, ...]:
    """Return ``total, i = 0.0, 0`` as one assignment after the other."""
    match statement:
        case Assign(target=Sequence(items=names), value=Sequence(items=values)) if (
            len(names) == len(values)
            and all(isinstance(each, Name) for each in names)
            and all(isinstance(each, Constant) for each in values)
        ):
            pairs: Any = zip(names, values, strict=True)
            return tuple(Assign(statement.place, name, value) for name, value in pairs)
    return (statement,)


def _through_range(loop: While, before: list[Any]) -> tuple[Any, ...]:
    """Return a loop over a range, and what its variable is then; else the loop as it is."""
    match loop.test, loop.body, loop.otherwise:
        case (
            Call(function="operator.lt", arguments=(Name(id=name), limit)),
            (*most, last),
            (),
        ) if _adds_one(last, name) and rewriting.stores(*loop.body)[name] == 1:
            values = {n: _last_value(n, before) for n in (name, getattr(limit, "id", name))}
        case _:
            return (loop,)
    if not _is_whole(values[name], 0) or any(map(_leads_away, walk(loop))):
        return (loop,)
    if not _stays(limit, values, tuple(most), before):
        return (loop,)
    place = loop.place
    through = Call(place, "builtins.range", (limit,))
    return (
        For(place, Name(place, name), through, tuple(most)),
        Assign(place, Name(place, name), limit),
    )


def _leads_away(part: Any) -> bool:
    """Return whether a part may leave a turn early, or run code that sets these variables."""
    if isinstance(part, Call):
        return part.function == "operator.call" or not isinstance(part.function, str | Function)
    return isinstance(part, Leave | Closure | Define | Named)


def _adds_one(statement: Any, name: str) -> bool:
    """Return whether a statement is ``i += 1`` or ``i = i + 1``."""
    match statement:
        case Update(target=Name(id=to), function="operator.iadd", value=one):
            return to == name and _is_whole(one, 1)
        case Assign(
            target=Name(id=to), value=Call(function="operator.add", arguments=(Name(id=of), one))
        ):
            return to == of == name and _is_whole(one, 1)
    return False


def _is_whole(value: Any, number: int) -> bool:
    return isinstance(value, Constant) and type(value.value) is int and value.value == number


def _last_value(name: str, before: list[Any]) -> Any:
    """Return what a variable was assigned last, None where that is not told."""
    for statement in reversed(before):
        if rewriting.stores(statement)[name]:
            plain = isinstance(statement, Assign) and isinstance(statement.target, Name)
            return statement.value if plain else None
    return None


def _stays(limit: Any, values: dict[str, Any], body: tuple[Any, ...], before: list[Any]) -> bool:
    """Return whether a limit is a length, and the same in each turn."""
    match limit:
        case Name(id=name):
            asked = values[name]
            is_length = isinstance(asked, Call) and asked.function == "builtins.len"
            return is_length and not rewriting.stores(*body)[name]
        case Call(function="builtins.len", arguments=(Name(id=name),), keywords=()):
            stored = rewriting.stores(*body)[name]
            own = {n for each in before if (n := _made_here(each, before))}
            own -= {name for each in body for n in walk(each) for name in _named_anew(n)}
            return not stored and all(_leaves(each, own) for each in body)
    return False


def _made_here(statement: Any, before: list[Any]) -> str | None:
    """Return the variable that a statement makes a number or a list, and no other one reads."""
    match statement:
        case Assign(target=Name(id=name), value=Constant() | Sequence(kind="list", items=())):
            once = rewriting.reads(*before)[name] == 1
            return name if once else None
    return None


def _named_anew(part: Any) -> tuple[str, ...]:
    whole = isinstance(part, Assign) and isinstance(part.target, Name)
    return (part.target.id,) if whole else ()


def _leaves(statement: Any, own: set[str]) -> bool:
    """Return whether a statement changes no object but numbers and lists that were made here."""
    match statement:
        case Assign(target=Name(), value=value) | Return(value=value):
            return changes_nothing(value)
        case Update(target=Name(id=to), value=value):
            return to in own and changes_nothing(value)
        case Evaluate(value=Call(function="method.append", arguments=(Name(id=to), value))):
            return to in own and changes_nothing(value)
        case Branch(test=test, yes=yes, no=no):
            return changes_nothing(test) and all(_leaves(each, own) for each in (*yes, *no))
        case Raise():
            return True
    return False
