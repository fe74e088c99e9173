"""Patches: code that changes a library's modules, classes and functions, as `np.mean = g` does.

What a library's function or method does is known by its name. A function that is replaced before
the mechanism is read shows in the live object (`dpaudit.formal.lifting.canonical`). A method, what
a library's function calls itself, and what is replaced later do not. So a program is not read where
code that may run sets an attribute of what a library owns, under whichever name the code knows it.
"""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

from dpaudit.formal.lifting.canonical import LIBRARIES

_NOT_ASKED = frozenset({"jax", "socket", "ssl", "sys", "tensorflow", "torch", "warnings"})
_SETTERS = frozenset({"setattr", "delattr", "__setattr__", "__delattr__"})
_TABLES = frozenset({"__dict__", "__globals__", "__closure__", "__kwdefaults__"})
_CHANGING = frozenset({"update", "setdefault", "pop", "popitem", "clear", "__setitem__",
                       "__delitem__", "append", "extend", "insert"})  # fmt: skip
_IMPORTING = frozenset({"__import__", "import_module", "reload"})
_GOING_THROUGH = frozenset({"zip", "enumerate", "list", "tuple", "reversed", "sorted", "iter",
                            "items", "values", "keys", "getattr"})  # fmt: skip


def patching(nodes: list[ast.AST]) -> dict[int, Patch]:
    """Return what of a module's code changes something of a library, by the id of the node."""
    held = _Held(nodes)
    found = ((node, held.changed(node)) for node in nodes)
    return {id(n): Patch(of.lineno, ast.unparse(of)) for n, of in found if of is not None}


class Patch(NamedTuple):
    """A place in a source that changes what a library owns, and what that is."""

    line: int
    of: str


class _Held:
    """The names of a module that may stand for what a library owns."""

    def __init__(self, nodes: list[ast.AST]) -> None:
        self.dotted = dict(_imported(nodes))
        self.names: set[str] = set()
        functions = dict(_callable(nodes))
        bindings = [pair for node in nodes for pair in _bindings(node, functions)]
        count = -1
        while count < len(self.names):
            count = len(self.names)
            self.names |= {name for name, value in bindings if self.is_of_library(value)}

    def changed(self, node: ast.AST) -> ast.expr | None:
        """Return what of a library a node changes, None where it changes nothing of one."""
        match node:
            case ast.Attribute(value=of, ctx=ast.Store() | ast.Del()):
                return of if self.is_of_library(of) else None
            case ast.Subscript(value=of, ctx=ast.Store() | ast.Del()):
                return of if self._is_table(of) else None
            case ast.Call(func=called):
                return self._changed_by(node, called)
        return None

    def _changed_by(self, call: ast.Call, called: ast.expr) -> ast.expr | None:
        name = getattr(called, "attr", None) or getattr(called, "id", None)
        of = getattr(called, "value", None)
        if name in _SETTERS:
            given = [*call.args[:1], *([of] if of and str(name).startswith("__") else [])]
            return next(filter(self.is_of_library, given), None)
        if name in _CHANGING and of is not None:
            return of if self._is_table(of) else None
        if not (self._name(called) or "").startswith("unittest.mock.p") or not call.args:
            return None
        of = call.args[0]
        if isinstance(of, ast.Constant):
            return of if str(of.value).partition(".")[0] in LIBRARIES - _NOT_ASKED else None
        return of if self.is_of_library(of) else None

    def is_of_library(self, node: ast.AST | None) -> bool:
        """Return whether an expression may be, or hold, a library's module, class or function."""
        match node:
            case ast.Name(id=name):
                return name in self.names or _is_owned(self._name(node))
            case ast.Attribute(value=of, attr="__class__"):
                return getattr(of, "id", "") not in ("self", "cls")
            case ast.Attribute(value=of, attr=attr):
                full = self._name(node)
                if full is None:
                    return attr in self.names or self.is_of_library(of)
                return _is_owned(full)
            case ast.Call(func=ast.Name(id="type"), args=[of]):
                return getattr(of, "id", "") not in ("self", "cls")
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _IMPORTING:
                return True
            case ast.Call(func=ast.Name(id=name), args=args) if name in _GOING_THROUGH:
                return any(map(self.is_of_library, args))
            case ast.Call(func=ast.Attribute(value=of, attr=name)) if name in _GOING_THROUGH:
                return self.is_of_library(of)
            case ast.Subscript(value=of):
                return self._name(of) == "sys.modules" or self.is_of_library(of)
            case (
                ast.Tuple() | ast.List() | ast.Set() | ast.Dict() | ast.Starred() | ast.IfExp()
                | ast.BoolOp() | ast.NamedExpr()
            ):  # fmt: skip
                return any(map(self.is_of_library, ast.iter_child_nodes(node)))
        return False

    def _is_table(self, node: ast.expr) -> bool:
        """Return whether an expression may be a dict or a list of a library's own."""
        match node:
            case ast.Call(func=ast.Name(id="vars"), args=[of]):
                return self.is_of_library(of)
            case ast.Attribute(value=of, attr=attr) if attr in _TABLES:
                return self.is_of_library(of)
        name = self._name(node) or ""
        known = name.partition(".")[0] not in _NOT_ASKED
        return name == "builtins" or (known and isinstance(_found(name), dict | list))

    def _name(self, node: ast.expr) -> str | None:
        """Return the full name of what an expression names of a library, None of all else."""
        if isinstance(node, ast.Name):
            return self.dotted.get(node.id)
        of = self._name(node.value) if isinstance(node, ast.Attribute) else None
        return None if of is None else f"{of}.{node.attr}"  # type: ignore[attr-defined]


def _is_owned(name: str | None) -> bool:
    """Return whether a name of a library is that of a module, a class or a function."""
    if name is None or name.partition(".")[0] in _NOT_ASKED:
        return False
    found = _found(name)
    several = found if isinstance(found, tuple) else (found,)  # the bases of a class
    kinds = (types.ModuleType, type(None))  # None of what is not imported yet
    return any(isinstance(each, kinds) or callable(each) for each in several)


def _found(name: str) -> Any:
    found: Any = None
    parts = name.split(".")
    for at, part in enumerate(parts):
        module = sys.modules.get(".".join(parts[: at + 1]))
        found = module if module is not None else getattr(found, part, None)
    return found


def _imported(nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    """Yield the names that are imported from libraries, with what they stand for there."""
    yield "__builtins__", "builtins"
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                if root in LIBRARIES:
                    yield (alias.asname, alias.name) if alias.asname else (root, root)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            module = str(node.module)
            whole = vars(sys.modules[module]) if module in sys.modules else ()
            for alias in node.names if module.partition(".")[0] in LIBRARIES else ():
                for name in whole if alias.name == "*" else (alias.name,):
                    yield alias.asname or name, f"{module}.{name}"


def _callable(nodes: list[ast.AST]) -> Iterator[tuple[str, list[ast.arg]]]:
    """Yield the parameters of functions, and of classes, which objects are made with."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            yield node.name, [*node.args.posonlyargs, *node.args.args]
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name == "__init__":
                    yield node.name, method.args.args[1:]


def _bindings(
    node: ast.AST, functions: dict[str, list[ast.arg]]
) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield variables that a node gives a value to, with that value or what it is a part of."""
    match node:
        case ast.Assign(targets=targets, value=value):
            pass
        case ast.AnnAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
            targets = [target]
        case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
            targets = [target]
        case ast.arguments():
            names = [a.arg for a in (*node.posonlyargs, *node.args)]
            yield from zip(reversed(names), reversed(node.defaults), strict=False)
            yield from zip((a.arg for a in node.kwonlyargs), node.kw_defaults, strict=True)
            return
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in functions:
            yield from zip((a.arg for a in functions[name]), args, strict=False)
            yield from ((k.arg, k.value) for k in keywords if k.arg)
            return
        case _:
            return
    for target in targets:
        for each in ast.walk(target):
            if isinstance(each, ast.Name | ast.Attribute) and isinstance(each.ctx, ast.Store):
                yield getattr(each, "id", getattr(each, "attr", "")), value
