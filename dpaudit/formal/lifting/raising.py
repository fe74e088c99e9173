"""``try`` around one operation of which it is known when it raises: a test in place of the handler.

``try: i = WORDS.index(w)`` with ``except ValueError`` is ``if w not in WORDS`` before it. The body
is one statement, whose value is the operation on names and constants, so that the test draws
nothing and changes nothing, and nothing else in the body can raise what is caught.
"""

from __future__ import annotations

import ast

from dpaudit.formal.lifting.flow_syntax import is_stored
from dpaudit.formal.lifting.scope import Scope, resolve
from dpaudit.formal.lifting.source import source_of

_NUMBERS = ("builtins.len", "builtins.int", "builtins.float")
_OF_STATISTICS = ("statistics.mean", "statistics.fmean", "statistics.median")


def tested(node: ast.Try, scope: Scope) -> ast.If | None:
    """Return a ``try`` as a test whether its body raises, None where that is not known."""
    if len(node.body) != 1 or len(node.handlers) != 1 or node.finalbody:
        return None
    (statement,), (handler,) = node.body, node.handlers
    match statement:
        case ast.Assign(targets=[ast.Name()], value=value) | ast.Return(value=ast.expr() as value):
            pass
        case _:
            return None
    if handler.name is not None or handler.type is None:
        return None
    written = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    caught = [getattr(resolve(each, scope), "value", None) for each in written]
    test = _test(value, caught, scope)
    if test is None:
        return None
    made = ast.If(test, handler.body, [statement, *node.orelse])
    return ast.fix_missing_locations(ast.copy_location(made, statement))


def _test(value: ast.expr, caught: list[object], scope: Scope) -> ast.expr | None:
    """Return the test whether an operation raises something of one class, all that is caught."""
    match value:
        case ast.Call(func=ast.Attribute(value=of, attr="index"), args=[sought], keywords=[]):
            if caught == [ValueError] and _is_known(of, (list, tuple), scope) and _is_pure(sought):
                return ast.Compare(sought, [ast.NotIn()], [of])
        case ast.Subscript(value=of, slice=key):
            known = caught in ([KeyError], [LookupError])
            if known and _is_known(of, (dict,), scope) and _is_pure(key):
                return ast.Compare(key, [ast.NotIn()], [of])
        case ast.BinOp(left=over, op=ast.Div() | ast.FloorDiv() | ast.Mod(), right=under):
            mean = _argument("builtins.sum", over, scope)
            counted = _argument("builtins.len", under, scope)
            if caught != [ZeroDivisionError]:
                return None
            if counted is not None and (mean == counted or _is_number(over, scope)):
                return ast.Compare(under, [ast.Eq()], [ast.Constant(0)])
        case ast.Call():
            from statistics import StatisticsError

            for name in _OF_STATISTICS:
                of_all = _argument(name, value, scope)
                if of_all and caught == [StatisticsError] and _is_list(of_all, scope):
                    count = ast.Call(ast.Name("len", ast.Load()), value.args, [])
                    named = resolve(count.func, scope)
                    zero = ast.Compare(count, [ast.Eq()], [ast.Constant(0)])
                    return zero if named is not None and named.value is len else None
    return None


def _is_known(node: ast.expr, kinds: tuple[type, ...], scope: Scope) -> bool:
    """Return whether a name or an attribute stands for a container that exists before the run."""
    live = resolve(node, scope) if _is_pure(node) else None
    return live is not None and type(live.value) in kinds


def _is_list(name: str, scope: Scope) -> bool:
    """Return whether a variable of the function that is read holds nothing but new lists."""
    tree = source_of(scope.lifter.stack[-1]).tree
    nodes = list(ast.walk(tree))
    made = {
        id(node.targets[0])
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.ListComp | ast.List)
    }
    bound = [n for n in nodes if isinstance(n, ast.Name) and n.id == name and is_stored(n)]
    given = any(isinstance(n, ast.arg) and n.arg == name for n in nodes)
    return bool(bound) and not given and all(id(node) in made for node in bound)


def _is_pure(node: ast.expr) -> bool:
    """Return whether an expression is a variable or a constant, which may be written twice."""
    return isinstance(node, ast.Name | ast.Constant)


def _is_number(node: ast.expr, scope: Scope) -> bool:
    """Return whether an expression surely is a number of Python's, which no zero divides.

    Numbers of NumPy warn where these raise.
    """
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float)
    return any(_argument(name, node, scope) is not None for name in _NUMBERS)


def _argument(name: str, node: ast.expr, scope: Scope) -> str | None:
    """Return the variable that a function is given alone, None of all other expressions."""
    match node:
        case ast.Call(func=function, args=[ast.Name(id=given)], keywords=[]):
            live = resolve(function, scope)
            return given if live is not None and live.name == name else None
    return None
