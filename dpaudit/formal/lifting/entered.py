"""Context managers of the user's: what they do before the body of a ``with``, and behind it.

What `contextlib.contextmanager` makes of a generator function runs the body of the ``with`` where
the function yields. So does a loop over what the function yields, if it yields once on every way,
and catches nothing there. An object's ``__enter__`` runs before the body. Its ``__exit__`` must do
nothing and return nothing true, so that the body leaves, and raises, as it would alone.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import types
from typing import Any

from dpaudit.formal.lifting.dispatch import expression, reference
from dpaudit.formal.lifting.expressions import target
from dpaudit.formal.lifting.flow_syntax import leaves_loop
from dpaudit.formal.lifting.methods import called
from dpaudit.formal.lifting.objects import is_fixed
from dpaudit.formal.lifting.scope import Scope, object_shape, resolve
from dpaudit.formal.lifting.shapes import Shape, in_class
from dpaudit.formal.lifting.source import source_of
from dpaudit.formal.program import Assign, Evaluate, Expression, For, Name, Statement

_MADE = contextlib.contextmanager(lambda: iter(())).__code__
_YIELDS = ast.Yield | ast.YieldFrom | ast.Await


def entered(node: ast.With, body: Any, scope: Scope) -> list[Statement] | None:
    """Return the statements that stand for a ``with`` of a context manager of the user's.

    Parameters
    ----------
    node : With
        With one manager.
    body : callable
        Reads the statements inside.
    scope : Scope

    Returns
    -------
    list of Statement or None
        None of any other manager.

    Raises
    ------
    Unsupported
        Where what runs behind the body may run otherwise than there, or change how it ends.
    """
    (item,) = node.items
    place, made = scope.place(node), item.context_expr
    function, itself = _generator_function(made, scope)
    if function is not None:
        assert isinstance(made, ast.Call)
        if not _yields_once(function, node):
            raise scope.refuse("with of a function that yields in another way", node)
        keywords = [(k.arg, expression(k.value, scope)) for k in made.keywords if k.arg is not None]
        if len(keywords) < len(made.keywords) or any(isinstance(a, ast.Starred) for a in made.args):
            raise scope.refuse("* in a call of a context manager", node)
        given = (*itself, *(reference(argument, scope) for argument in made.args))
        values = called(function, given, tuple(keywords), place, scope)
        to = item.optional_vars or _named(f"entered·{node.lineno}·{node.col_offset}", node)
        goes: Any = target(to, scope)
        return [For(place, goes, values, body(node.body, scope), ())]
    kind = _class_of(made, scope)
    return None if kind is None else _by_methods(kind, node, body, scope)


def _named(name: str, node: ast.AST) -> ast.Name:
    return ast.copy_location(ast.Name(name, ast.Store()), node)


def _generator_function(made: ast.expr, scope: Scope) -> tuple[Any, tuple[Expression, ...]]:
    """Return the generator function that a context manager is made of, and whose method it is."""
    if not isinstance(made, ast.Call):
        return None, ()
    live, found = resolve(made.func, scope), None
    itself: tuple[Expression, ...] = ()
    if live is not None:
        found = live.value
    elif isinstance(made.func, ast.Attribute):
        shape = object_shape(made.func.value, scope)
        found = None if shape is None else in_class(shape.cls, made.func.attr)
        if shape is not None and _is_made(found):
            if not is_fixed(shape.cls, made.func.attr, found, scope.lifter):
                raise scope.refuse(f"{made.func.attr!r}, which may change", made)
            itself = (reference(made.func.value, scope),)
    if not isinstance(found, types.FunctionType) or not _is_made(found):
        return None, ()
    (cell,) = found.__closure__ or ()
    inner = cell.cell_contents
    return (inner, itself) if isinstance(inner, types.FunctionType) else (None, ())


def _is_made(value: Any) -> bool:
    """Return whether `contextlib.contextmanager` made a function."""
    return isinstance(value, types.FunctionType) and value.__code__ is _MADE


def _yields_once(function: types.FunctionType, node: ast.With) -> bool:
    """Return whether a function yields once, on every way to its end, and the body comes back."""
    tree = source_of(function.__code__).tree
    if not isinstance(tree, ast.FunctionDef):
        return False
    parts = [p for s in tree.body for p in ast.walk(s)]
    at = [i for i, s in enumerate(tree.body) if _is_yield(s)]
    yields = [part for part in parts if isinstance(part, _YIELDS)]
    if len(at) != 1 or len(yields) != 1 or any(isinstance(p, ast.Return) for p in parts):
        return False
    ends = any(isinstance(p, ast.Return) for s in node.body for p in ast.walk(s))
    if any(isinstance(p, _YIELDS) for s in node.body for p in ast.walk(s)):
        return False
    last = at[0] == len(tree.body) - 1
    return not any(map(leaves_loop, node.body)) and (last or not ends)


def _is_yield(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield)


def _class_of(made: ast.expr, scope: Scope) -> type | None:
    """Return the class of the object that a manager is, as far as its source tells."""
    shape = object_shape(made, scope)
    if shape is not None:
        return shape.cls
    live = resolve(made.func, scope) if isinstance(made, ast.Call) else None
    value = None if live is None or live.name is not None else live.value
    users = isinstance(value, type) and isinstance(in_class(value, "__enter__"), types.FunctionType)
    return value if users else None


def _by_methods(cls: type, node: ast.With, body: Any, scope: Scope) -> list[Statement]:
    (item,) = node.items
    place = scope.place(node)
    made = reference(item.context_expr, scope)
    shape = scope.lifter.shape_of(made)
    begins, ends = in_class(cls, "__enter__"), in_class(cls, "__exit__")
    plain = isinstance(begins, types.FunctionType) and isinstance(ends, types.FunctionType)
    if not isinstance(shape, Shape) or shape.cls is not cls or not plain:
        raise scope.refuse("with", node)
    for name, method in (("__enter__", begins), ("__exit__", ends)):
        if not is_fixed(cls, name, method, scope.lifter):
            raise scope.refuse(f"{name} of {cls.__name__}, which may change", node)
    if not _does_nothing(ends):
        raise scope.refuse(f"__exit__ of {cls.__name__}, which does something", node)
    held = f"manager·{node.lineno}·{node.col_offset}"
    manager = scope.lifter.with_shape(Name(place, held), shape)
    found: list[Statement] = [Assign(place, Name(place, held), made)]
    value = called(begins, (manager,), (), place, scope)
    to, of = item.optional_vars, scope.lifter.shape_of(value)
    if to is None:
        found.append(Evaluate(place, value))
    elif isinstance(to, ast.Name):
        scope.holders.hold(to.id, of, place)
        found.append(Assign(place, Name(place, to.id), value))
    elif of is None:
        found.append(Assign(place, target(to, scope), value))
    else:
        raise scope.refuse("with", node)
    return [*found, *body(node.body, scope)]


def _does_nothing(function: types.FunctionType) -> bool:
    """Return whether a function is `pass`, or returns a constant that is not true."""
    tree = source_of(function.__code__).tree
    simple = isinstance(tree, ast.FunctionDef) and len(tree.args.defaults) == 0
    count = function.__code__.co_argcount
    fits = count == 4 or (function.__code__.co_flags & inspect.CO_VARARGS and 1 <= count < 4)
    for each in tree.body if isinstance(tree, ast.FunctionDef) else []:
        match each:
            case ast.Pass() | ast.Expr(ast.Constant()) | ast.Return(None):
                continue
            case ast.Return(ast.Constant(value)) if not value:
                continue
        return False
    return simple and bool(fits) and not function.__code__.co_kwonlyargcount
