"""Generators that outlive the call: those that libraries share, and those that a module makes.

Their draws are as good as those of a generator that is passed in, if nobody else seeds them or
reads their state. That is assumed of whoever imports the mechanism, and looked for in the user's
modules that the mechanism's own one reaches by imports.
"""

from __future__ import annotations

import ast
import linecache
import random
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from dpaudit.formal.lifting.canonical import LIBRARIES
from dpaudit.formal.lifting.flow_syntax import absolute
from dpaudit.formal.lifting.mangled import module_tree
from dpaudit.formal.lifting.patches import NAMING
from dpaudit.formal.lifting.seeding import (
    EVERYTHING,
    PLAIN_LIBRARIES,
    Part,
    Read,
    lambda_name,
    may_run,
    parts_of,
    running,
    stars_of,
)
from dpaudit.formal.program import Place

Kind = Literal["numpy", "legacy", "python"]  # whose methods a generator has
NUMPY_SEED, PYTHON_SEED = "numpy.random.seed", "random.seed"  # of what all callers share
TORCH_SEED = "torch.seed"
_SETTING = frozenset(["setattr", "__setattr__", "patch", "object", "multiple"])
_CHANGING = frozenset(["update", "setdefault", "__setitem__"])
_COPYING = frozenset(["copy", "deepcopy", "dump", "dumps"])
_INSTALLED = {"site-packages", "dist-packages"}


def stream_kind(value: Any) -> Kind | None:
    """Return whose methods a live generator has, None where it is none or of a class of its own."""
    import numpy as np

    kinds: dict[type, Kind] = {
        np.random.Generator: "numpy",
        np.random.RandomState: "legacy",
        random.Random: "python",
        random.SystemRandom: "python",
    }
    return kinds.get(type(value))


def module_kind(value: Any) -> Kind | None:
    """Return whose methods the functions of a module are that draw from what all callers share."""
    import numpy as np

    if value is np.random:
        return "legacy"
    return "python" if value is random else None


def is_unseeded(names: dict[str, Any], name: str, value: Any) -> bool:
    """Return whether a global variable of a module is a generator that the system seeded.

    Parameters
    ----------
    names : dict
        Globals of the module, whose text must show it.
    name : str
    value : object
    """
    if type(value) is random.SystemRandom:
        return True
    module = _text(names)
    if module is None or stream_kind(value) is None:
        return False
    stored = [n for n in ast.walk(module) if _stores(n, name)]
    made = [
        node.value
        for node in module.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and _only_target(node) == name
    ]
    copied = any(_copies(node, name) for node in ast.walk(module))
    return len(stored) == len(made) == 1 and makes_unseeded(made[0], names) and not copied


def _copies(node: ast.AST, name: str) -> bool:
    """Return whether a call copies what a name holds, so that its draws may come out twice."""
    called = node.func if isinstance(node, ast.Call) else None
    if getattr(called, "attr", getattr(called, "id", "")) not in _COPYING:
        return False
    return any(getattr(part, "id", "") == name for part in ast.walk(node))


def is_set_once(names: dict[str, Any], name: str) -> bool:
    """Return whether a module binds a name in one place of its text alone."""
    module = _text(names)
    return module is not None and sum(_stores(node, name) for node in ast.walk(module)) == 1


def makes_unseeded(node: ast.expr | None, names: dict[str, Any]) -> bool:
    """Return whether an expression makes a generator that the system seeds.

    Parameters
    ----------
    node : expr or None
    names : dict
        What its names stand for.
    """
    if not isinstance(node, ast.Call):
        return False
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    made = _named(node.func, names)
    import numpy as np

    if made is np.random.Generator:
        bits = given[0] if len(given) == 1 else None
        if not isinstance(bits, ast.Call) or not _is_bits(_named(bits.func, names)):
            return False
        given = [*bits.args, *(keyword.value for keyword in bits.keywords)]
    elif made not in (np.random.default_rng, np.random.RandomState, random.Random):
        return made is random.SystemRandom
    return all(isinstance(each, ast.Constant) and each.value is None for each in given)


class Seeding(NamedTuple):
    """A function that seeds or reads a state, or a module that does so when it is imported.

    Attributes
    ----------
    file : str
    part : Part
    runs : bool
        Whether it may run before the mechanism does, or in it.
    """

    file: str
    part: Part
    runs: bool


def seedings(homes: Iterable[dict[str, Any]], roots: Iterable[types.CodeType]) -> Iterator[Seeding]:
    """Yield what seeds or reads a state in modules of the user's, and in those that they import.

    Parameters
    ----------
    homes : iterable of dict
        Globals of modules where to begin.
    roots : iterable of CodeType
        Functions that run.

    Notes
    -----
    What stands under ``if __name__ == "__main__"`` does not run in a module that is imported.
    """
    yield from _such_parts(homes, roots, lambda part: bool(part.touches))


def patches(
    homes: Iterable[dict[str, Any]], roots: Iterable[types.CodeType]
) -> Iterator[tuple[str, Place]]:
    """Yield where modules of the user's, and those that they import, change what libraries do.

    Parameters
    ----------
    homes : iterable of dict
        Globals of modules where to begin.
    roots : iterable of CodeType
        Functions that run.
    """
    for file, part, runs in _such_parts(homes, roots, lambda part: part.patch is not None):
        if part.patch is not None and runs:
            yield part.patch.what, Place(file, part.patch.line)


def _such_parts(
    homes: Iterable[dict[str, Any]],
    roots: Iterable[types.CodeType],
    such: Callable[[Part], bool],
) -> Iterator[Seeding]:
    """Yield the parts of a kind in modules that are reached, and whether they may run."""
    every = {file: seen for home in homes for file, seen in _reached(home)}
    imported = {name: sys.modules.get(name) for seen in every.values() for name in seen.imports}
    files = {(getattr(m, "__file__", None), n.rpartition(".")[2]) for n, m in imported.items()}
    found = {
        file: Read(file, frozenset(n for of, n in files if of == file), seen.parts, seen.stars)
        for file, seen in every.items()
    }
    those = [(file, part) for file, read in found.items() for part in read.parts if such(part)]
    if not those:
        return
    named = (root for code in roots for root in _named_by(code, found))
    roots_of = {name.partition(".")[0] for seen in every.values() for name in seen.imports}
    users = {n.partition(".")[0] for n, m in imported.items() if _is_users(m)}
    by_text = not roots_of - users <= PLAIN_LIBRARIES
    run = may_run(list(found.values()), named, by_text)
    yield from (Seeding(file, part, (file, part) in run) for file, part in those)


def _named_by(code: types.CodeType, modules: dict[str, Read]) -> Iterator[tuple[str, str]]:
    """Yield the names that a function goes by, with the file where it stands.

    A function of a file that was not read may call all that is in the others.
    """
    if code.co_filename not in modules:
        yield from ((file, EVERYTHING) for file in modules)
    yield from ((code.co_filename, name) for name in code.co_qualname.split("."))
    if code.co_name == "<lambda>":
        yield code.co_filename, lambda_name(code.co_firstlineno)


def setting_file(homes: Iterable[dict[str, Any]], name: str) -> str | None:
    """Return the file of a user's module, reached by imports, that sets an attribute of a name."""
    every = (pair for home in homes for pair in _reached(home))
    return next((f for f, seen in every if name in (*seen.set, *seen.set_on_self)), None)


def sets_attribute(names: dict[str, Any], name: str) -> bool:
    """Return whether a module, or one that it imports, may set an attribute of one of its classes.

    Parameters
    ----------
    names : dict
        Globals of the module.
    name : str

    Notes
    -----
    What a method sets on its first parameter is kept in the object.
    """
    return any(
        name in found.set or found.wild or (i and name in found.set_on_self)
        for i, (_, found) in enumerate(_reached(names))
    )


def sets_of_others(names: dict[str, Any], name: str) -> bool:
    """Return whether a module, or one that it imports, may set an attribute of others' objects.

    Parameters
    ----------
    names : dict
        Globals of the module.
    name : str
    """
    return any(name in found.set or found.wild for _, found in _reached(names))


def _reached(names: dict[str, Any]) -> Iterator[tuple[str, _Seen]]:
    """Yield the user's modules that one reaches by imports, itself first."""
    seen: set[str] = set()
    rest = [names]
    while rest:
        each = rest.pop(0)
        file = str(each.get("__file__"))
        if file in seen:
            continue
        seen.add(file)
        text = "".join(linecache.getlines(file)) if each.get("__file__") else ""
        is_main = each.get("__name__") == "__main__"
        found = _seen_in(text, str(each.get("__package__") or ""), is_main)
        if found is not None:
            yield file, found
            modules = (sys.modules.get(name) for name in found.imports)
            rest += [vars(module) for module in modules if _is_users(module)]


class _Seen(NamedTuple):
    parts: tuple[Part, ...]
    set: frozenset[str]  # attributes
    set_on_self: frozenset[str]  # by methods, on their first parameter
    wild: bool  # whether it may set attributes that it does not name
    imports: tuple[str, ...]
    stars: frozenset[str]


@lru_cache(maxsize=512)
def _seen_in(text: str, package: str, is_main: bool) -> _Seen | None:
    """Return what a text may do to generators, None where it cannot be read."""
    try:
        tree = module_tree(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    nodes = [node for statement in running(tree, is_main) for node in ast.walk(statement)]
    of_self = {id(node) for method in _methods(nodes) for node in _on_first(method)}
    stored = [n for n in nodes if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)]
    return _Seen(
        parts_of(text, is_main),
        frozenset((*(n.attr for n in stored if id(n) not in of_self), *_set_by_text(nodes))),
        frozenset(node.attr for node in stored if id(node) in of_self),
        _wild(nodes),
        tuple(dict.fromkeys((*_packages(package), *_imported(nodes, package)))),
        stars_of(nodes),
    )


def _set_by_text(nodes: list[ast.AST]) -> Iterator[str]:
    """Yield attributes of what is no ``self`` that are set by a text, or by a keyword."""
    for node in nodes:
        given: list[ast.expr] = []
        if isinstance(node, ast.Call):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            of_table = called in _CHANGING and _is_table(getattr(node.func, "value", None))
            first = node.args[0] if node.args else None
            if of_table or (called in _SETTING and getattr(first, "id", "") != "self"):
                given = node.args
                yield from (word.arg for word in node.keywords if word.arg)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            given = [node.slice] if _is_table(node.value) else []
        for text in (t for each in given for t in ast.walk(each)):
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                yield text.value.rpartition(".")[2]


def _is_table(node: ast.AST | None) -> bool:
    """Return whether an expression is the dict of what a module or an object has."""
    if isinstance(node, ast.Call):
        return getattr(node.func, "id", "") == "vars"
    of = getattr(node, "value", None)
    return getattr(node, "attr", "") == "__dict__" and getattr(of, "id", "") != "self"


def _methods(nodes: list[ast.AST]) -> Iterator[ast.FunctionDef]:
    """Yield the functions of classes that are given an object."""
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            for statement in node.body:
                if isinstance(statement, ast.FunctionDef) and not any(
                    getattr(d, "id", "") in ("classmethod", "staticmethod")
                    for d in statement.decorator_list
                ):
                    yield statement


def _on_first(method: ast.FunctionDef) -> Iterator[ast.Attribute]:
    """Yield what a method sets on its first parameter, which is not assigned to."""
    arguments = [*method.args.posonlyargs, *method.args.args]
    if not arguments or method.name in ("__new__", "__init_subclass__", "__class_getitem__"):
        return
    name = arguments[0].arg
    inside = list(ast.walk(method))
    if any(isinstance(n, ast.Name) and n.id == name and _is_stored(n) for n in inside):
        return
    for node in inside:
        of = node.value if isinstance(node, ast.Attribute) and _is_stored(node) else None
        if isinstance(of, ast.Name) and of.id == name:
            yield node  # type: ignore[misc]


def _is_stored(node: ast.Name | ast.Attribute) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _wild(nodes: list[ast.AST]) -> bool:
    """Return whether attributes of classes may be set by a name that is not written down."""
    of_self = {
        id(node.func)
        for node in nodes
        if isinstance(node, ast.Call) and node.args and getattr(node.args[0], "id", "") == "self"
    }
    for node in nodes:
        is_setter = isinstance(node, ast.Name) and node.id in ("setattr", "delattr")
        if is_setter and id(node) not in of_self:
            return True
    named = (node for node in nodes if isinstance(node, ast.Attribute))
    setters = (node for node in named if node.attr in ("__setattr__", "__delattr__"))
    return any(getattr(node.value, "id", "") != "object" for node in setters)  # for no class


def _imported(nodes: list[ast.AST], package: str) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _packages(alias.name)
        elif isinstance(node, ast.ImportFrom):
            module = absolute(package, node.level, node.module)
            yield from _packages(module)
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            texts = [each.value for each in given if isinstance(each, ast.Constant)]
            if name in NAMING:
                yield from (each for text in texts for each in _packages(str(text)))


def _packages(name: str) -> Iterator[str]:
    """Yield the name of a module, after those of the packages that its import runs."""
    parts = name.split(".") if name else []
    yield from (".".join(parts[: i + 1]) for i in range(len(parts)))


def _is_users(module: types.ModuleType | None) -> bool:
    file = getattr(module, "__file__", None)
    if module is None or not isinstance(file, str):
        return False
    root = module.__name__.partition(".")[0]
    return root not in LIBRARIES and root != "dpaudit" and not _INSTALLED & set(Path(file).parts)


def _text(names: dict[str, Any]) -> ast.Module | None:
    file = names.get("__file__")
    try:
        return module_tree("".join(linecache.getlines(file))) if isinstance(file, str) else None
    except (SyntaxError, ValueError, RecursionError):
        return None


def _stores(node: ast.AST, name: str) -> bool:
    """Return whether a node binds a name, as a variable of whatever scope."""
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name == name
    if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
        return hasattr(sys.modules.get(node.module or ""), name) or node.level > 0
    if isinstance(node, ast.alias):
        return (node.asname or node.name.partition(".")[0]) == name
    if isinstance(node, ast.Constant):  # setattr, globals()["…"]
        return node.value == name
    return isinstance(node, ast.ExceptHandler) and node.name == name


def _only_target(node: ast.Assign | ast.AnnAssign) -> str | None:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    (target,) = targets if len(targets) == 1 else (None,)
    return target.id if isinstance(target, ast.Name) else None


def _named(node: ast.expr, names: dict[str, Any]) -> Any:
    """Return what a dotted name stands for."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        base = _named(node.value, names)
        return getattr(base, node.attr, None) if isinstance(base, types.ModuleType) else None
    return None


def _is_bits(value: Any) -> bool:
    import numpy as np

    return isinstance(value, type) and issubclass(value, np.random.BitGenerator)
