"""Classes inside functions that hold nothing of the function: as good as classes of the module.

Such a class is made from the code of its body, which defines methods and constants and runs nothing
else. A class whose methods use variables of the function around is refused.
"""

from __future__ import annotations

import abc
import ast
import builtins
import dataclasses
import types
from typing import Any

from dpaudit.formal.lifting.scope import Scope, resolve
from dpaudit.formal.lifting.source import source_of

_OF_METHODS = (staticmethod, classmethod, property)
_MADE: dict[tuple[Any, ...], type] = {}  # one class for one definition, however often it is read


def defined(node: ast.ClassDef, scope: Scope) -> type:
    """Return the class that a statement defines.

    Raises
    ------
    Unsupported
        Where it holds variables of the function, or its body runs code.
    """
    code = scope.lifter.stack[-1]
    bodies = [
        each
        for each in code.co_consts
        if isinstance(each, types.CodeType)
        and (each.co_name, each.co_firstlineno) == (node.name, _first_line(node))
    ]
    names = [n for n in ast.walk(source_of(code).tree) if _binds(n, node.name)]
    plain = len(bodies) == 1 and names == [node] and not node.keywords
    bases, made_by = (
        [resolve(e, scope) for e in each] for each in (node.bases, node.decorator_list)
    )
    known = all(live is not None and isinstance(live.value, type) for live in bases)
    dataclass = [live.value if live else None for live in made_by]
    if not plain or not known or dataclass not in ([], [dataclasses.dataclass]):
        raise scope.refuse("a class inside a function", node)
    if not all(_runs_nothing(each, scope) for each in node.body):
        raise scope.refuse("a class inside a function whose body runs code", node)
    (body,) = bodies
    if body.co_freevars:
        what = f"a class inside a function that uses its variable {body.co_freevars[0]!r}"
        raise scope.refuse(what, node)
    kinds = tuple(live.value for live in bases if live is not None)
    if not all(map(_makes_nothing, kinds)):
        raise scope.refuse("a class inside a function that its base changes", node)
    key = (code, code.co_filename, id(scope.module), node.name, kinds)
    if key not in _MADE:
        begun: Any = types.FunctionType(body, scope.module)
        made = builtins.__build_class__(begun, node.name, *kinds)
        _MADE[key] = dataclasses.dataclass(made) if dataclass else made
    return _MADE[key]


def _makes_nothing(base: type) -> bool:
    """Return whether no code of a user's runs where a class is made from a base."""
    hooks = (kind for kind in base.__mro__[:-1] if "__init_subclass__" in vars(kind))
    return type(base) in (type, abc.ABCMeta) and not any(hooks)


def _first_line(node: ast.ClassDef) -> int:
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def _binds(node: ast.AST, name: str) -> bool:
    """Return whether a node gives a name a value, or takes it away."""
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    named = getattr(node, "name", None), getattr(node, "arg", None), getattr(node, "asname", None)
    return name in named


def _runs_nothing(node: ast.stmt, scope: Scope) -> bool:
    """Return whether a statement in the body of a class defines a method or a constant."""
    match node:
        case ast.FunctionDef(args=arguments, decorator_list=decorators):
            live = [resolve(each, scope) for each in decorators]
            known = all(each is not None and each.value in _OF_METHODS for each in live)
            given = (*arguments.defaults, *arguments.kw_defaults)
            fixed = all(each is None or isinstance(each, ast.Constant) for each in given)
            return known and fixed and not _annotated(arguments, node.returns)
        case ast.Assign(targets=[ast.Name()], value=ast.Constant()):
            return True
        case ast.AnnAssign(target=ast.Name(), value=ast.Constant() | None, annotation=said):
            return isinstance(said, ast.Name | ast.Constant)
        case ast.Expr(value=ast.Constant()) | ast.Pass():
            return True
    return False


def _annotated(arguments: ast.arguments, returned: ast.expr | None) -> bool:
    """Return whether an annotation is more than a name, so that to evaluate it runs code."""
    every = [each.annotation for each in ast.walk(arguments) if isinstance(each, ast.arg)]
    return any(
        each is not None and not isinstance(each, ast.Name | ast.Constant)
        for each in (*every, returned)
    )
