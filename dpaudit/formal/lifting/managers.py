"""``with`` and ``finally`` that change no value, as the statements inside of them.

``with np.errstate(all="ignore")``, of a lock, or of warnings that are caught, is its body, and
``contextlib.suppress`` is a ``try`` with a handler that does nothing. A ``finally`` that sets other
variables and prints fixed texts stands before each ``return`` of the body, and at its end. Where
the body raises, nothing that it sets is looked at, and a fixed text, which is printed on all ways,
tells nothing.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

from dpaudit.formal.lifting.containers import CLOCKS
from dpaudit.formal.lifting.emits import is_attribute_sink, leaves
from dpaudit.formal.lifting.flow_syntax import leaves_loop
from dpaudit.formal.lifting.scope import Scope, is_lock, resolve
from dpaudit.formal.lifting.source import Defined, source_of

_QUIET = {"ignore", "warn", "default", "once"}
_FILTERS = ("warnings.simplefilter", "warnings.filterwarnings")
_HARMLESS = ("warnings.catch_warnings", "contextlib.nullcontext", "contextlib.suppress")


def managed(node: ast.With, scope: Scope) -> list[ast.stmt]:
    """Return the statements that stand for a ``with``.

    Raises
    ------
    Unsupported
        Where a context manager does more.
    """
    body: list[ast.stmt] = node.body
    for item in reversed(node.items):
        made = item.context_expr
        call = made if isinstance(made, ast.Call) else None
        live = None if call is None else resolve(call.func, scope)
        name = None if live is None else live.name
        if item.optional_vars is not None or not (name or _is_lock(made, scope)):
            raise scope.refuse("with", node)
        given = [] if call is None else [*call.args, *(k.value for k in call.keywords)]
        if name == "numpy.errstate":
            if not all(isinstance(v, ast.Constant) and v.value in _QUIET for v in given):
                raise scope.refuse("with numpy.errstate that raises or calls", node)
        elif name == "contextlib.suppress" and given:
            kinds = ast.Tuple(given, ast.Load())
            tried = ast.Try(body, [ast.ExceptHandler(kinds, None, [ast.Pass()])], [], [])
            body = [ast.fix_missing_locations(ast.copy_location(tried, node))]
        elif name is not None and (name not in _HARMLESS or given):
            raise scope.refuse("with", node)
    return body


def changes_no_value(node: ast.expr, scope: Scope) -> bool:
    """Return whether a call filters warnings, or asks for a lock or gives it back."""
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    if isinstance(function, ast.Attribute) and function.attr in ("acquire", "release"):
        return not node.args and not node.keywords and _is_lock(function.value, scope)
    live = resolve(function, scope)
    first = node.args[0] if node.args else None
    fixed = isinstance(first, ast.Constant) and first.value in _QUIET
    rest = (*node.args[1:], *(k.value for k in node.keywords))
    plain = all(isinstance(a, ast.Constant | ast.Name | ast.Attribute) for a in rest)
    return live is not None and live.name in _FILTERS and fixed and plain


def _is_lock(node: ast.expr, scope: Scope) -> bool:
    if is_attribute_sink(node, scope):
        return True
    live = resolve(node, scope)
    return live is not None and is_lock(live.value)


def finished(node: ast.Try, scope: Scope) -> list[ast.stmt]:
    """Return the statements that stand for a ``try`` with a ``finally``.

    Raises
    ------
    Unsupported
        Where what is done last looks at the body, or may be looked at where the body raised.
    """
    tree = source_of(scope.lifter.stack[-1]).tree
    _validate_last(node, tree, scope)
    bare = ast.copy_location(ast.Try(node.body, node.handlers, node.orelse, []), node)
    tried: list[ast.stmt] = [bare] if node.handlers else node.body
    whole = _before_returns(ast.Module(tried, []), node.finalbody)
    return [*whole.body, *node.finalbody]


def _before_returns(node: Any, last: list[ast.stmt]) -> Any:
    """Return a copy with statements before each ``return``, which reads nothing that they set."""
    if not isinstance(node, ast.AST) or isinstance(node, ast.expr | Defined | ast.ClassDef):
        return node
    changed = copy.copy(node)
    for name, value in ast.iter_fields(node):
        if isinstance(value, list):
            made: list[Any] = []
            for each in value:
                made += [*last, each] if isinstance(each, ast.Return) else [each]
            setattr(changed, name, [_before_returns(each, last) for each in made])
    return changed


def _validate_last(node: ast.Try, tree: ast.AST, scope: Scope) -> None:
    inside = [part for each in _tried(node) for part in ast.walk(each)]
    named = {part.id for part in inside if isinstance(part, ast.Name)}
    own: set[str] = set()
    for each in node.finalbody:
        match each:
            case ast.Pass():
                continue
            case ast.Expr(value=value) if changes_no_value(value, scope):
                continue
            case ast.Expr(value=ast.Call() as call) if leaves(call, scope):
                if all(map(_is_fixed, (*call.args, *(k.value for k in call.keywords)))):
                    continue
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AugAssign(target=ast.Name(id=name), op=ast.Add() | ast.Sub(), value=value)
            ) if name in scope.local and name not in named:
                read = _names(value, scope)
                if read is not None and not read & named:
                    own.add(name)
                    continue
        raise scope.refuse("finally", each)
    around = [n for n in ast.walk(tree) if isinstance(n, ast.Try) and n is not node]
    seen = own and any(part is node for each in around for part in ast.walk(each))
    shared = {n for p in ast.walk(tree) if isinstance(p, ast.Nonlocal) for n in p.names}
    yields = any(isinstance(part, ast.Yield | ast.YieldFrom | ast.Await) for part in inside)
    if seen or shared & own or yields or any(map(leaves_loop, _tried(node))):
        raise scope.refuse("finally", node)


def _tried(node: ast.Try) -> list[ast.stmt]:
    handled = [each for handler in node.handlers for each in handler.body]
    return [*node.body, *node.orelse, *handled]


def _is_fixed(node: ast.expr) -> bool:
    if isinstance(node, ast.JoinedStr):
        return all(map(_is_fixed, node.values))
    return isinstance(node, ast.Constant)


def _names(value: ast.expr, scope: Scope) -> set[str] | None:
    """Return the variables of a value that raises nothing, None of another value."""
    match value:
        case ast.Constant():
            return set()
        case ast.Name(id=name):
            return {name} if name in scope.local else None
        case ast.Call(args=[], keywords=[]):
            live = resolve(value.func, scope)
            return set() if live is not None and live.name in CLOCKS else None
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            one, two = _names(left, scope), _names(right, scope)
            return None if one is None or two is None else one | two
    return None
