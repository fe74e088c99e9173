"""Uses of an array of a module: whether each use reads it, views of it included.

An array of numbers holds no objects, but a slice, a row or a reshaping of it is a view: who changes
the view changes the array. A use reads the array if it makes something new of it, or a view that is
only read in its turn. An entry of an array of one dimension at a place that is
no slice is a number.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dpaudit.checker.writing import READS, first_output
from dpaudit.formal.lifting.deterministic import is_deterministic, is_in_place
from dpaudit.formal.lifting.reading import applies, is_writing, yields_argument, yields_view

if TYPE_CHECKING:
    from dpaudit.formal.lifting.only_read import Uses

VECTOR, ARRAY = "vector", "array"  # of one dimension or none; of more
_NEW_WORDS = """
arange array eye full geomspace identity linspace logspace ones zeros
"""
_NEW = frozenset(f"numpy.{word}" for word in _NEW_WORDS.split())
_EDGES = frozenset({"numpy.histogram", "numpy.histogram2d", "numpy.histogramdd"})
_SHOWING_WORDS = """
asarray ascontiguousarray broadcast_to diff expand_dims flip ravel reshape squeeze swapaxes
transpose
"""
_SHOWING = frozenset(f"numpy.{word}" for word in _SHOWING_WORDS.split())  # one array, of one array
_PLAIN_WORDS = "bool float int isinstance len print repr str type"
_PLAIN = frozenset(f"builtins.{word}" for word in _PLAIN_WORDS.split())
_OF_NUMBERS_WORDS = "abs all any enumerate list range reversed round set sorted sum tuple zip"
_OF_NUMBERS = frozenset(
    {f"builtins.{word}" for word in _OF_NUMBERS_WORDS.split()}
    | {"numpy.random.choice", "random.choice", "random.choices", "random.sample", "math.fsum"}
)
_PAIRING = ("builtins.enumerate", "builtins.zip", "builtins.reversed")
_ATTRIBUTES = frozenset({"dtype", "itemsize", "nbytes", "ndim", "shape", "size"})
_VIEWS = frozenset({"T", "conj", "ravel", "reshape", "squeeze", "swapaxes", "transpose"})
_METHODS = READS.difference(_VIEWS, {"get", "items", "keys", "values"})
_TAKEN_BY = frozenset({"choice", "choices", "isin", "sample"})  # methods, with numbers alone
_PLACES = frozenset({"argmax", "argmin", "choice", "integers", "randint", "randrange"})


def is_new_array(uses: Uses, value: ast.expr) -> bool:
    """Return whether an expression, if it is an array, is one that nothing else holds."""
    if isinstance(value, ast.BinOp | ast.UnaryOp | ast.Compare):
        return True
    if not isinstance(value, ast.Call) or any(k.arg in ("copy", None) for k in value.keywords):
        return False
    starred = any(isinstance(argument, ast.Starred) for argument in value.args)
    return not starred and uses.library(value.func) in _NEW


def reads_array(uses: Uses, use: ast.AST | None, kind: str) -> bool:
    """Return whether a use of an array, or of a view of it, reads it.

    Parameters
    ----------
    uses : Uses
        Of the module that the use is in.
    use : AST
    kind : str
    """
    parent = None if use is None else uses.parent(use)
    match parent:
        case ast.Compare() | ast.BinOp() | ast.UnaryOp() | ast.FormattedValue() | ast.Expr():
            return True
        case ast.AugAssign(value=value):
            return value is use and kind == VECTOR
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) if test is use:
            return True
        case (
            ast.For(iter=iterable, target=target) | ast.comprehension(iter=iterable, target=target)
        ) if iterable is use:
            return kind == VECTOR or _targets_read(uses, target, kind)
        case ast.Starred():
            return kind == VECTOR
        case ast.Subscript(ctx=ast.Load(), value=value, slice=at):
            number = kind == VECTOR and _is_place(uses, at)
            return value is not use or number or reads_array(uses, parent, kind)
        case ast.Assign(targets=[ast.Tuple()]) if kind == VECTOR:
            return True
        case ast.Assign(targets=[target]):
            return _targets_read(uses, target, kind)
        case ast.Attribute(attr=name):
            return _reads_attribute(uses, parent, name, kind)
        case ast.Call(args=args) if use in args:
            starred = any(isinstance(a, ast.Starred) for a in args[: args.index(use)])
            return not starred and _is_taken(uses, parent, args.index(use), kind)
        case ast.keyword(arg=str() as name):
            call = uses.parent(parent)
            return isinstance(call, ast.Call) and _is_taken(uses, call, name, kind)
    return False


def _targets_read(uses: Uses, target: ast.AST, kind: str) -> bool:
    """Return whether all that is given names is read in the function that names it."""
    if isinstance(target, ast.Tuple | ast.List):
        return all(_targets_read(uses, part, kind) for part in target.elts)
    within = uses.function_of(target)
    if not isinstance(target, ast.Name) or within is None:
        return False
    changing = (ast.Global, ast.Nonlocal, ast.AugAssign)
    bound = uses.bound(target.id)
    if any(isinstance(each, changing) for n in bound for each in (n, uses.parent(n))):
        return False
    return uses.all_read(target.id, within, kind)


def _reads_attribute(uses: Uses, node: ast.Attribute, name: str, kind: str) -> bool:
    call = uses.parent(node)
    called = isinstance(call, ast.Call) and call.func is node
    if name in _ATTRIBUTES:
        return not called
    if name in _VIEWS:
        return reads_array(uses, call if called else node, kind)
    written = called and any(k.arg == "copy" for k in call.keywords)  # type: ignore[union-attr]
    return called and name in _METHODS and not written


def _is_taken(uses: Uses, call: ast.Call, at: int | str, kind: str) -> bool:
    """Return whether a call reads an argument, and what it returns is no view that is changed."""
    name = uses.library(call.func)
    if name is None:
        return _is_taken_by_own(uses, call, at, kind)
    if any(k.arg == "copy" or is_writing(k.arg) for k in call.keywords):
        return False
    if name in _PLAIN:
        return True
    if name in _OF_NUMBERS and kind == VECTOR:
        return name != "builtins.sum" or at == 0  # of nothing, the sum is what it starts with
    if name in ("builtins.max", "builtins.min", "builtins.map", "builtins.filter"):
        alone = at == 0 and len(call.args) == 1 if name.endswith(("max", "min")) else at != 0
        return kind == VECTOR and alone
    if name in _PAIRING:
        return isinstance(uses.parent(call), ast.For | ast.comprehension) and reads_array(
            uses, call, kind
        )
    if name.startswith("numpy."):
        return _is_taken_by_numpy(uses, call, name, at, kind)
    return uses.is_taken_by(name, at, kind)


def _is_taken_by_numpy(uses: Uses, call: ast.Call, name: str, at: int | str, kind: str) -> bool:
    if not is_deterministic(name) or is_in_place(name) or applies(name):
        return False
    if isinstance(at, int) and at >= first_output(name, method=False):
        return False
    if name in _EDGES:  # the edges that it returns are those that it is given
        match uses.parent(call):
            case ast.Assign(targets=[ast.Tuple(elts=[_, *edges])]):
                return all(_targets_read(uses, edge, kind) for edge in edges)
            case ast.Subscript(slice=ast.Constant(value=0)):
                return True
        return False
    if name in _SHOWING and at == 0:
        return reads_array(uses, call, ARRAY)
    return not (yields_view(name) or yields_argument(name))


def _is_taken_by_own(uses: Uses, call: ast.Call, at: int | str, kind: str) -> bool:
    match call.func:
        case ast.Name(id=function):
            return uses.reads(function, at, kind=kind)
        case ast.Attribute(attr=method):
            return kind == VECTOR and method in _TAKEN_BY and not uses.gives(method)
    return False


def _is_place(uses: Uses, at: ast.expr) -> bool:
    """Return whether an index is no slice, so that it tells a number or makes a new array."""
    match at:
        case ast.Constant(value=int()):
            return True
        case ast.UnaryOp(operand=operand):
            return _is_place(uses, operand)
        case ast.BinOp(left=left, right=right):
            return _is_place(uses, left) and _is_place(uses, right)
        case ast.Compare():
            return True
        case ast.Call(func=ast.Attribute(attr=method)) if method in _PLACES:
            return not uses.gives(method)
        case ast.Call(func=called):
            return uses.library(called) in ("builtins.int", "builtins.len")
        case ast.Name(id=name):
            return _holds_places(uses, name, at)
    return False


def _holds_places(uses: Uses, name: str, at: ast.AST) -> bool:
    """Return whether a variable of the function that a node is in holds places alone."""
    within = uses.function_of(at)
    if within is None:
        return False
    inside = set(ast.walk(within))
    bound = [node for node in uses.bound(name) if node in inside]
    return bool(bound) and all(_is_bound_to_place(uses, node, name) for node in bound)


def _is_bound_to_place(uses: Uses, node: ast.AST, name: str) -> bool:
    parent = uses.parent(node)
    match parent:
        case ast.Assign(targets=[ast.Name()], value=value):
            itself = any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(value))
            return not itself and _is_place(uses, value)
        case ast.AugAssign():
            return True
        case (
            ast.For(target=ast.Name(), iter=ast.Call(func=called))
            | ast.comprehension(target=ast.Name(), iter=ast.Call(func=called))
        ):
            return uses.library(called) == "builtins.range"
        case ast.Tuple(elts=[first, _]) if first is node:
            match uses.parent(parent):
                case (
                    ast.For(target=target, iter=ast.Call(func=called))
                    | ast.comprehension(target=target, iter=ast.Call(func=called))
                ):
                    return target is parent and uses.library(called) == "builtins.enumerate"
    return False
