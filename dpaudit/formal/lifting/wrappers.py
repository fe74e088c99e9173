"""Functions that pass on what they are given: those that a decorator makes.

``wrapper(*args, **kwargs)`` that returns ``function(*args, **kwargs)``, and nothing else, is that
function.
"""

from __future__ import annotations

import ast
import inspect
import types
from typing import Any

from dpaudit.formal.lifting.environment import is_cell_changed
from dpaudit.formal.lifting.source import source_of

_VARIADIC = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_OTHER = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def passed_on(function: types.FunctionType, sources: dict[str, str]) -> Any:
    """Return the function that another one passes all of its arguments on to, None of others.

    Parameters
    ----------
    function : function
        `functools.wraps` says of it which one that is.
    sources : dict of str to str
        Where the source that was read is noted.
    """
    code = function.__code__
    variadic = code.co_flags & _VARIADIC == _VARIADIC and not code.co_flags & _OTHER
    inner = getattr(function, "__wrapped__", None)
    if not variadic or code.co_argcount or code.co_kwonlyargcount or inner is None:
        return None
    source = source_of(code)
    name = _called(source.tree)
    if name not in code.co_freevars:
        return None
    cell = (function.__closure__ or ())[code.co_freevars.index(name)]
    try:
        held = cell.cell_contents
    except ValueError:
        return None
    if held is not inner or is_cell_changed(function, name, held):
        return None
    sources[f"{source.file}:{code.co_qualname}"] = source.digest
    return held


def _called(tree: Any) -> str:
    """Return the name of what is called with all arguments, an empty text of other functions."""
    arguments = tree.args
    body = tree.body if isinstance(tree.body, list) else [ast.Return(tree.body)]
    if ast.get_docstring(tree) is not None if isinstance(tree, ast.FunctionDef) else False:
        body = body[1:]
    call: Any = None
    match body:
        case [ast.Return(value=ast.Call() as call)]:
            pass
        case [
            ast.Assign(targets=[ast.Name(id=kept)], value=ast.Call() as call),
            ast.Return(value=ast.Name(id=returned)),
        ] if kept == returned:
            pass
    match call:
        case ast.Call(
            func=ast.Name(id=name),
            args=[ast.Starred(value=ast.Name(id=first))],
            keywords=[ast.keyword(arg=None, value=ast.Name(id=second))],
        ) if first == arguments.vararg.arg and second == arguments.kwarg.arg:
            return name
    return ""
