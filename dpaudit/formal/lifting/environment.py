"""The environment of a mechanism: what its names stand for only here and now.

A variable of the environment, a command line, a clock or a global variable that the module changes
is no constant: the mechanism may find another value when it runs elsewhere, or later. Nothing is
proved or refuted with such a value.
"""

from __future__ import annotations

import ast
import linecache
import sys
import types
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeGuard

_MODULES_WORDS = """
asyncio builtins datetime gc getpass glob importlib inspect io locale logging multiprocessing os
pathlib platform pwd resource secrets shutil signal site socket subprocess sys sysconfig tempfile
threading time traceback uuid warnings weakref zoneinfo
"""
_MODULES = frozenset(_MODULES_WORDS.split())
_FIXED = frozenset({"sys.float_info", "sys.maxsize", "sys.hash_info", "sys.int_info"})
_CHANGES_WORDS = """
append appendleft extend extendleft insert pop popleft popitem remove discard clear update
setdefault sort reverse add fill put resize itemset subtract rotate
"""
_CHANGES = frozenset(_CHANGES_WORDS.split())


def is_environment(value: Any) -> bool:
    """Return whether an object is one that the interpreter or the system keeps: `sys.argv`."""
    if value is None or isinstance(value, int | float | str | bytes | tuple) or callable(value):
        return False
    modules = (sys.modules.get(name) for name in ("os", "sys", "platform", "locale", "time"))
    return not isinstance(value, types.ModuleType) and any(
        value is held for module in modules if module for held in list(vars(module).values())
    )


def module_value(module: types.ModuleType, name: str, value: Any) -> bool:
    """Return whether an attribute of a module is a value of the environment."""
    if isinstance(value, types.ModuleType) or f"{module.__name__}.{name}" in _FIXED:
        return False
    if module.__name__ == "builtins":
        return False
    return module.__name__.partition(".")[0] in _MODULES and not callable(value)


def is_outside(names: dict[str, Any], name: str) -> bool:
    """Return whether a global of a module was made from the environment, or names it."""
    if _is_special(name):
        return True
    module = _module(names)
    return module is not None and name in module.outside and not callable(names.get(name))


def _is_special(name: str) -> bool:
    """Return whether a name is one that Python sets: ``__file__``, ``__debug__``."""
    return name.startswith("__") and name.endswith("__")


def is_changed(names: dict[str, Any], name: str) -> bool:
    """Return whether a global may change between the calls of a mechanism, or is of outside."""
    value = names.get(name)
    if isinstance(value, types.ModuleType | types.FunctionType | type):
        return False
    module = _module(names)
    changed = module is not None and (name in module.rebound or name in module.changed)
    return changed or is_outside(names, name) or is_environment(value)


def is_computed_outside(names: dict[str, Any], node: ast.AST) -> bool:
    """Return whether an expression, such as a default, is made from the environment."""
    module = _module(names)
    outside = module.outside if module is not None else frozenset()
    return _reads_outside(node, outside)


class _Module:
    """What the source of a module tells of its globals."""

    def __init__(self, tree: ast.Module) -> None:
        self.rebound = frozenset(_rebound(tree))
        self.changed = frozenset(_changed_in_functions(tree))
        self.outside = _outside(tree)


def _module(names: dict[str, Any]) -> _Module | None:
    file = names.get("__file__")
    lines = linecache.getlines(file) if isinstance(file, str) else []
    return _read("".join(lines)) if lines else None


@lru_cache(maxsize=64)
def _read(text: str) -> _Module | None:
    try:
        return _Module(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError):
        return None


def _rebound(tree: ast.Module) -> Iterator[str]:
    """Yield names that a function declares global, or that the module assigns twice."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield from node.names
    loops = [node for node in _at_top(tree) if isinstance(node, ast.For | ast.While)]
    times = Counter(
        node.id for part in (tree, *loops) for node in _at_top(part) if _is_stored(node)
    )
    yield from (name for name, many in times.items() if many > 1)


def _is_stored(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del)


def _at_top(tree: ast.AST) -> Iterator[Any]:
    """Yield the nodes of a module that are in no function, class or comprehension."""
    inner = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda | ast.ListComp
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, inner | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            continue
        yield node
        yield from _at_top(node)


def _changed_in_functions(tree: ast.Module) -> Iterator[str]:
    """Yield names whose items or attributes a function sets, or calls a method on that does."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        every = ast.walk(function)
        own = {n.id for n in ast.walk(function) if _is_stored(n)}
        own |= {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}
        for node in every:
            holder: Any = None
            if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(
                node.ctx, ast.Load
            ):
                holder = node.value
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                holder = node.func.value if node.func.attr in _CHANGES else None
            while isinstance(holder, ast.Subscript | ast.Attribute):
                holder = holder.value
            if isinstance(holder, ast.Name) and holder.id not in own:
                yield holder.id


def _outside(tree: ast.Module) -> frozenset[str]:
    """Return the globals that are made from the environment, directly or from one another."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in _MODULES:
            found |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] in _MODULES:
                    found.add(alias.asname or alias.name.split(".")[0])
    while True:
        more = {name for name, value in _assigned(tree) if _reads_outside(value, found)}
        if more <= found:
            return frozenset(found)
        found |= more


def _assigned(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    for node in _at_top(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                yield from ((n.id, node.value) for n in ast.walk(target) if isinstance(n, ast.Name))
        elif isinstance(node, ast.If | ast.While):
            inside = (n.id for part in (*node.body, *node.orelse) for n in _names(part))
            yield from ((name, node.test) for name in inside)


def _names(node: ast.AST) -> Iterator[ast.Name]:
    return (n for n in (node, *_at_top(node)) if isinstance(n, ast.Name) and _is_stored(n))


def _reads_outside(node: ast.AST, outside: set[str] | frozenset[str]) -> bool:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and (part.id in outside or _is_special(part.id)):
            return True
    return False
