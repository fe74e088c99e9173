"""Which line asks for noise: that of a call, where the helper that is called draws it."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from dpaudit.formal import program as ir
from dpaudit.formal.program import Place, Program
from dpaudit.formal.trial.dependence import nodes_of, own
from dpaudit.formal.trial.draws import Drawn
from dpaudit.formal.trial.places import hidden_in

_BETWEEN = "\n"  # in no name of a file
_DEEPEST = 16
_STATEMENTS = ("Assign", "Update", "Evaluate", "Return", "For", "If", "While", "Raise", "Define")


def note_asking(written: Any) -> None:
    """Have the places of draws, and of calls, tell which line of the caller asks for them.

    Parameters
    ----------
    written : dict
        A program as `to_dict` returns it, which is changed.

    Notes
    -----
    A helper that is one expression stands in the statement that calls it. The innermost line of
    that statement itself asks for the noise.
    """
    for node, place in _asked(written, ""):
        node["place"] = f"{node['place']}{_BETWEEN}{place}"


def asking_place(program: Program, drawn: Drawn) -> Place:
    """Return the line that asks for noise, and hands over what it is added to.

    A helper has that as a parameter, or as a variable that the call sets, or the expression of the
    call stands in it.
    """
    place, *callers = drawn.asked or (drawn.place,)
    found = [
        (home, value)
        for home, value, added, _ in hidden_in(program, drawn.place)
        if added == place and any(s.place == place for s in own(home) if _is_statement(s))
    ]
    function: Any
    value: Any
    function, value = found[0] if found else (None, None)
    for _ in range(_DEEPEST):
        if value is None:
            break
        if not _within(value.place, place):
            place = value.place
        if isinstance(value, ir.Name) and callers and value.id in function.parameters:
            place = callers.pop(0)
            function, value = _handed(program, function, value.id, place)
        else:
            function, value, place = _bound(program, value) or (None, None, place)
    return place


def _is_statement(node: Any) -> bool:
    return type(node).__name__ in _STATEMENTS


def _handed(program: Program, function: Any, name: str, place: Place) -> tuple[Any, Any]:
    """Return what a call on a line gives a function by a name, with the function that calls."""
    for home, node in nodes_of(program.entry):
        called = node.function if isinstance(node, ir.Call) else None
        if isinstance(called, ir.Function) and called is function and node.place == place:
            given = dict(zip(called.parameters, node.arguments, strict=False))
            return home, (given | dict(node.keywords)).get(name)
    return None, None


def _bound(program: Program, value: Any) -> tuple[Any, Any, Place] | None:
    """Return what a call gives a helper that was written out, as the variable of its parameter."""
    for function, node in nodes_of(program.entry) if isinstance(value, ir.Name) else ():
        set_here = isinstance(node, ir.Assign) and getattr(node.target, "id", None) == value.id
        if set_here and re.search(rf"_of_line_{node.place.line}(_|$)", value.id):
            return function, node.value, node.place
    return None


def told(text: str) -> tuple[Place, Place]:
    """Return the place of a node, and that of what asks for it."""
    both = [_place(each) for each in text.split(_BETWEEN)]
    return both[0], both[-1]


def _place(text: str) -> Place:
    file, _, number = text.rpartition(":")
    return Place(file, int(number))


def _asked(node: Any, asking: str, statement: str = "") -> Iterator[tuple[dict[str, Any], str]]:
    """Yield draws and calls of functions, with the line of a statement that asks for each."""
    if isinstance(node, dict):
        place = node.get("place")
        if node.get("kind") in _STATEMENTS and isinstance(place, str):
            asking = statement = place
        elif isinstance(place, str) and statement:
            if _within(_place(place), _place(statement)):
                asking = place
            elif asking == statement:  # a helper: what it was given is of the statement
                asking = min(
                    _given(node, statement), key=lambda at: _place(at).line, default=asking
                )
        called = isinstance(node.get("function"), dict)
        if asking and (called or node.get("kind") == "Draw"):
            yield node, asking
        node = list(node.values()) if node.get("kind") != "Constant" else ()
    for each in node if isinstance(node, list | tuple) else ():
        yield from _asked(each, asking, statement)


def _given(node: Any, statement: str) -> Iterator[str]:
    """Yield the lines of a statement in an expression."""
    if isinstance(node, dict):
        place = node.get("place")
        if isinstance(place, str) and _within(_place(place), _place(statement)):
            yield place
        node = list(node.values()) if node.get("kind") not in ("Constant", "Function") else ()
    for each in node if isinstance(node, list | tuple) else ():
        yield from _given(each, statement)


def _within(here: Place, statement: Place) -> bool:
    """Whether a line is one of those of a statement."""
    end = _end(statement.file, statement.line)
    return here.file == statement.file and statement.line <= here.line <= end


@lru_cache(maxsize=1024)
def _end(file: str, line: int) -> int:
    """Return the last line of the simple statement that begins on a line."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return line
    ends = [
        node.end_lineno or line
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno == line and not hasattr(node, "body")
    ]
    return max(ends, default=line)
