"""The handlers of a ``try``: which exceptions they catch, and what they do with one."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dpaudit.formal.lifting.emits import shows
from dpaudit.formal.lifting.scope import Scope, resolve
from dpaudit.formal.program import Place
from dpaudit.session import is_own, session_of


@dataclass(frozen=True, slots=True)
class Handlers:
    """Handlers in the order of the source.

    Attributes
    ----------
    number : callable
        Given a class of exceptions, the number of the handler that catches it, from 1, or 0.
    bodies : sequence of (ast.Name or None, list of ast.stmt)
        The variable that each handler gives the exception, and its statements.
    implicit : sequence of int
        The numbers of those that catch what Python itself may raise.
    """

    number: Callable[[type[BaseException]], int]
    bodies: Sequence[tuple[ast.Name | None, list[ast.stmt]]]
    implicit: Sequence[int] = ()


def note_raised(place: Place, cls: Any, scope: Scope) -> None:
    """Remember of which class an exception of a line is, None where that is open."""
    scope.lifter.raised.setdefault((place.file, place.line), set()).add(cls)


def own_handlers(node: ast.Try, scope: Scope) -> Handlers:
    """Return the handlers of a ``try``.

    Raises
    ------
    Unsupported
        Where it is not known what is caught, or a handler computes with it.
    """
    classes = [_classes(handler, scope) for handler in node.handlers]

    def number(cls: type[BaseException]) -> int:
        return next((i for i, every in enumerate(classes, 1) if issubclass(cls, every)), 0)

    bodies: list[tuple[ast.Name | None, list[ast.stmt]]] = []
    for handler in node.handlers:
        name = None
        if handler.name is not None:
            _validate_shown(handler, handler.name, scope)
            name = ast.copy_location(ast.Name(handler.name, ast.Store()), handler)
        bodies.append((name, handler.body))
    implicit = [i for i, every in enumerate(classes, 1) if not all(map(_is_explicit, every))]
    return Handlers(number, bodies, implicit)


def _is_explicit(cls: type[BaseException]) -> bool:
    """Return whether an exception is raised by ``raise`` alone, as the process is set.

    Errors of floats raise none in a program that is read (`dpaudit.formal.lift`).
    """
    if issubclass(cls, Warning):
        return not any(action == "error" for action, *_ in warnings.filters)
    return is_own(cls) or cls is FloatingPointError


def _classes(handler: ast.ExceptHandler, scope: Scope) -> tuple[type[BaseException], ...]:
    written = handler.type
    if written is None:
        return (BaseException,)
    nodes = written.elts if isinstance(written, ast.Tuple) else [written]
    found = []
    for node in nodes:
        live = resolve(node, scope)
        value = None if live is None else live.value
        if not isinstance(value, type) or not issubclass(value, BaseException):
            raise scope.refuse("except with a class that is not known", handler)
        found.append(value)
    return tuple(found)


def _validate_shown(handler: ast.ExceptHandler, name: str, scope: Scope) -> None:
    """Refuse a handler that does more with an exception than print it, log it or ask its text."""
    calls = [part for part in ast.walk(handler) if isinstance(part, ast.Call)]
    shown = {id(each) for part in calls for each in shows(part, scope)}
    for part in ast.walk(handler):
        if isinstance(part, ast.FormattedValue) and id(part.value) not in shown:
            _write_out(part, name)
    for part in ast.walk(handler):
        if isinstance(part, ast.Call) and _is_text(part, name, scope):
            scope.lifter.note_text(part)
            shown.add(id(part.args[0]))
    for part in ast.walk(handler):
        if isinstance(part, ast.Raise):
            shown |= {id(n) for n in (part.exc, part.cause) if n is not None and _is_name(n, name)}
    every = [n for n in ast.walk(handler) if isinstance(n, ast.Name) and n.id == name]
    if any(not isinstance(n.ctx, ast.Load) or id(n) not in shown for n in every):
        raise scope.refuse(f"the exception {name!r} as a value", handler)


def _write_out(part: ast.FormattedValue, name: str) -> None:
    """Write ``{error}`` of an f-string as ``{str(error)}``."""
    if _is_name(part.value, name) and part.conversion == -1 and part.format_spec is None:
        text = ast.Call(ast.Name("str", ast.Load()), [part.value], [])
        part.value = ast.fix_missing_locations(ast.copy_location(text, part.value))


def _is_text(part: ast.Call, name: str, scope: Scope) -> bool:
    """Return whether a call is ``str(error)``."""
    one = len(part.args) == 1 and not part.keywords and _is_name(part.args[0], name)
    live = resolve(part.func, scope) if one and _is_name(part.func, "str") else None
    return live is not None and live.value is str


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def session_handlers(node: ast.Try, scope: Scope) -> Handlers | None:
    """Return what a session does with exceptions: it takes a refusal for an answer, or ends.

    Returns
    -------
    Handlers or None
        None where the ``try`` is not that of a session.
    """
    session = session_of(scope.file)
    if session is None:
        return None
    for cls in session.refusals or ():
        if not is_own(cls):
            what = f"a session that continues after {cls.__name__}, which Python itself may raise"
            raise scope.refuse(what, node)
    (handler,) = node.handlers
    appended, test = handler.body
    assert isinstance(test, ast.If)
    name = ast.copy_location(ast.Name(str(handler.name), ast.Store()), handler)
    bodies = [(name, [appended]), (name, [appended, *test.body])]
    return Handlers(lambda cls: 1 if session.goes_on(cls) else 2, bodies)
