"""Exceptions of the user's classes, as Python's that name the class and show what is given.

A class may have an ``__init__`` that keeps what it is given, and texts and differences made of it.
Such an exception shows no more than its arguments do.
"""

from __future__ import annotations

import ast
import inspect
import types

from dpaudit.formal.lifting.canonical import canonical_name
from dpaudit.formal.lifting.scope import Scope
from dpaudit.formal.lifting.source import source_of
from dpaudit.formal.program import Call, ClassName, Constant, Expression, Place
from dpaudit.formal.unsupported import Unsupported

_OF_EXCEPTIONS = {"__module__", "__doc__", "__weakref__", "__dict__", "__qualname__"}
_OF_EXCEPTIONS |= {"__annotations__", "__firstlineno__", "__static_attributes__"}
_VARIADIC = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_SAFE = (ast.Constant, ast.expr_context, ast.JoinedStr, ast.Name, ast.Tuple)
_OPEN = (ast.Add, ast.BinOp, ast.FormattedValue, ast.Mod, ast.Sub)  # may raise for other types


def raised(
    cls: type[BaseException],
    positional: tuple[Expression, ...],
    keywords: tuple[tuple[str, Expression], ...],
    place: Place,
    scope: Scope,
) -> Call:
    """Return an exception of a class of the user's: one of Python's, which names the class first.

    Raises
    ------
    Unsupported
        Where the class is more than a name and an ``__init__`` that keeps what it is given.
    """
    keeps = False
    for kind in cls.__mro__:
        name = canonical_name(kind)
        if name is not None:
            break
        written = set(vars(kind)) - _OF_EXCEPTIONS
        init = vars(kind).get("__init__")
        if isinstance(init, types.FunctionType) and _keeps(init, kind):
            written -= {"__init__"}
            keeps = True
            of = f"{init.__code__.co_filename}:{init.__code__.co_qualname}"
            scope.lifter.sources[of] = source_of(init.__code__).digest
        if type(kind) is not type or written or (keywords and not keeps):
            has = min(written) if written else "no __init__"
            raise Unsupported(f"a call of {cls.__name__}, which has {has}", place)
    if keeps:
        scope.lifter.formatted.add(place)
    shown = (*positional, *(value for _, value in keywords))
    return Call(place, str(name), (Constant(place, ClassName(cls.__qualname__)), *shown))


def _keeps(init: types.FunctionType, cls: type) -> bool:
    """Return whether an ``__init__`` keeps what it is given, and what is made of it alone."""
    if init.__code__.co_flags & _VARIADIC:
        return False
    tree = source_of(init.__code__).tree
    if not isinstance(tree, ast.FunctionDef) or tree.decorator_list:
        return False
    own = {argument.arg for argument in (*tree.args.args, *tree.args.kwonlyargs)}
    itself = tree.args.args[0].arg if tree.args.args else ""
    return all(_is_kept(each, itself, own, cls) for each in tree.body)


def _is_kept(statement: ast.stmt, itself: str, own: set[str], cls: type) -> bool:
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=of, attr="__init__")) as call):
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            match of:
                case ast.Call(func=ast.Name(id="super"), args=[], keywords=[]):
                    pass
                case ast.Name(id=base) if base in {kind.__name__ for kind in cls.__mro__[1:]}:
                    if not given or getattr(given.pop(0), "id", "") != itself:
                        return False
                case _:
                    return False
            return all(_is_shown(value, itself, own) for value in given)
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name))], value=value):
            return name == itself and _is_shown(value, itself, own)
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name != itself:
            own.add(name)
            return _is_shown(value, itself, own)
    return False


def _is_shown(value: ast.expr, itself: str, own: set[str]) -> bool:
    """Return whether a value is made of what is given alone, as text or by plus and minus."""
    for part in ast.walk(value):
        if not isinstance(part, _SAFE + _OPEN):
            return False
        if isinstance(part, ast.Name) and (part.id == itself or part.id not in own):
            return False
    return True
