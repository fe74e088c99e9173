"""What stands behind ``await``: coroutines of the user's, pauses, and tasks that are gathered.

Tasks of `asyncio.gather` start in order. One that never waits runs to its end before the next one
starts. Those that wait run in turns, which nobody can tell from one after the other if they change
nothing that has a name outside, print nothing and raise nothing. Their arguments are evaluated
before any of them runs.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

from dpaudit.formal.lifting.coroutines import Awaited, is_coroutine_function
from dpaudit.formal.lifting.dispatch import reference
from dpaudit.formal.lifting.scope import Scope, object_shape, resolve
from dpaudit.formal.lifting.source import source_of
from dpaudit.formal.lifting.unchanged import changes_nothing
from dpaudit.formal.program import EMITTED, Call, Constant, Expression, Function, Raise, walk

_TASKS = ("asyncio.create_task", "asyncio.ensure_future")
_SETTLED = (ast.Name, ast.Constant, ast.expr_context, ast.Attribute)  # but for attributes given
_LATER = (ast.Try, ast.With, ast.AsyncWith)  # what may run after an exception


def run_to_its_end(node: ast.Call, scope: Scope) -> Awaited | None:
    """Return what ``asyncio.run(f(x))`` runs, None of any other call.

    Parameters
    ----------
    node : Call
    scope : Scope
    """
    if getattr(node.func, "attr", getattr(node.func, "id", "")) != "run":
        return None
    if _name(node.func, scope) != "asyncio.run":
        return None
    inside = any(code.co_flags & inspect.CO_COROUTINE for code in scope.lifter.stack)
    (made,) = node.args if len(node.args) == 1 else (None,)
    if inside or node.keywords or type(made) is not ast.Call:
        raise scope.refuse("asyncio.run of what is no call of a coroutine function", node)
    return _as_awaited(made)


def awaited(
    node: Awaited, scope: Scope, read: Callable[[ast.Call, Scope], Expression]
) -> Expression:
    """Return what ``await f(x)`` comes to.

    Parameters
    ----------
    node : Awaited
    scope : Scope
    read : callable
        Reads a call.

    Raises
    ------
    Unsupported
        Where no coroutine of the user's is awaited, or where the order of tasks may be told.
    """
    name = _name(node.func, scope)
    if name == "asyncio.sleep" and len(node.args) == 1 and not node.keywords:
        if not isinstance(reference(node.args[0], scope), Constant):
            raise scope.refuse("asyncio.sleep for a time that is computed", node)
        scope.lifter.suspends.update(scope.lifter.stack)
        return Constant(scope.place(node), None)
    if name == "asyncio.gather":
        return _gathered(node, scope)
    found = read(node, scope)
    function: Any = found.function if isinstance(found, Call) else None
    code = scope.lifter.coroutines.get(id(function))
    if code is None and inner_coroutine(node.func, scope) is None:
        raise scope.refuse("await of what is no coroutine of a function that is read", node)
    if code is not None:
        scope.lifter.unawaited[found.place] -= 1
    if code is None or code in scope.lifter.suspends:
        scope.lifter.suspends.update(scope.lifter.stack)
    return found


def _name(function: ast.expr, scope: Scope) -> str | None:
    live = resolve(function, scope)
    return None if live is None else live.name


def _as_awaited(node: ast.Call) -> Awaited:
    return ast.copy_location(Awaited(node.func, node.args, node.keywords), node)


def inner_coroutine(function: ast.expr, scope: Scope) -> ast.FunctionDef | None:
    """Return the coroutine function, defined in the one that is read, that a name stands for."""
    if not isinstance(function, ast.Name) or function.id not in scope.local:
        return None
    tree = source_of(scope.lifter.stack[-1]).tree
    inside = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n is not tree)
    found = (n for n in inside if n.name == function.id and is_coroutine_function(n))
    return next(found, None)


def _gathered(node: Awaited, scope: Scope) -> Expression:
    """Return the list of what tasks return, as if they ran one after the other."""
    if node.keywords:
        raise scope.refuse("asyncio.gather with return_exceptions", node)
    match node.args:
        case [ast.Starred(value=ast.ListComp() | ast.GeneratorExp() as each)]:
            tasks = [_task(each.elt, scope)]
            made: ast.expr = ast.ListComp(tasks[0], each.generators)
        case [ast.Starred(value=ast.List(elts=given))] | given:
            tasks = [_task(item, scope) for item in given]
            made = ast.List([*tasks], ast.Load())
    found = reference(ast.fix_missing_locations(ast.copy_location(made, node)), scope)
    _validate_order(found, tasks, node, scope)
    scope.lifter.suspends.update(scope.lifter.stack)
    return found


def _task(node: ast.expr, scope: Scope) -> Awaited:
    """Return the call of a coroutine function that a task runs."""
    if isinstance(node, ast.Call) and _name(node.func, scope) in _TASKS and len(node.args) == 1:
        node = node.args[0]
    if type(node) is not ast.Call:
        raise scope.refuse("asyncio.gather of what is no call of a coroutine function", node)
    return _as_awaited(node)


def _validate_order(found: Expression, tasks: list[Awaited], node: ast.AST, scope: Scope) -> None:
    """Refuse tasks of which the order may be told, or what goes on after one raised."""
    lifter, parts = scope.lifter, list(walk(found))
    inner = [inner_coroutine(task.func, scope) for task in tasks]
    codes = [
        lifter.coroutines[id(part.function)]
        for part in parts
        if isinstance(part, Call) and id(part.function) in lifter.coroutines
    ]
    waits = any(code in lifter.suspends for code in codes)
    raises = any(isinstance(part, Raise) for part in parts)
    prints = any(isinstance(p, Function) and EMITTED in p.parameters for p in parts)
    inside = [part for task in tasks for each in _given(task) for part in ast.walk(each)]
    settled = all(isinstance(part, _SETTLED) for part in inside)
    later = any(
        isinstance(part, _LATER) for code in lifter.stack for part in ast.walk(source_of(code).tree)
    )
    if any(tree is not None and not _is_plain(tree, scope) for tree in inner):
        raise scope.refuse("tasks of a coroutine function that does more than return", node)
    if raises and (waits or prints or later):
        raise scope.refuse("tasks beside one that raises an exception", node)
    if not (changes_nothing(found) or any(inner)) and (waits or not settled):
        raise scope.refuse("tasks that change what others look at", node)
    if waits and prints:
        raise scope.refuse("tasks that print in an order which is not known", node)


def _given(task: Awaited) -> list[ast.expr]:
    """Return what is evaluated before a task starts."""
    return [task.func, *task.args, *(keyword.value for keyword in task.keywords)]


def _is_plain(tree: ast.FunctionDef, scope: Scope) -> bool:
    """Return whether a function inside assigns names and returns, and calls libraries alone."""
    for part in (part for each in tree.body for part in ast.walk(each)):
        if isinstance(part, ast.stmt) and not isinstance(part, ast.Assign | ast.Return):
            return False
        if isinstance(part, ast.Assign) and not isinstance(part.targets[0], ast.Name):
            return False
        if isinstance(part, ast.Call):
            of = part.func.value if isinstance(part.func, ast.Attribute) else None
            method = isinstance(of, ast.Name) and object_shape(of, scope) is None
            if isinstance(part, Awaited) or not (method or _name(part.func, scope)):
                return False
    return True
