"""Patches: code that changes a library's modules, classes and functions, as `np.mean = g` does.

What a library's function or method does is known by its name. A function that is replaced before
the mechanism is read shows in the live object (`dpaudit.formal.lifting.canonical`). A method, what
a library's function calls itself, and what is replaced later do not. So a program is not read where
code that may run sets an attribute of what a library owns, under whichever name the code knows it.

Nor is it where such code runs what cannot be read (a module by a computed name, a text), looks into
the frames of other code, or changes what a library does by a call: whether errors of floats raise
an exception, or how objects are copied and texts are encoded. A function that is registered with a
library may run, so that what it does itself is seen.
"""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Iterator
from contextlib import suppress
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

_OF_SYS = frozenset({"argv", "displayhook", "dont_write_bytecode", "excepthook", "path", "ps1",
                     "ps2", "stderr", "stdin", "stdout", "tracebacklimit",
                     "unraisablehook"})  # fmt: skip
_REPLACED = {"sys": _OF_SYS, "warnings": frozenset({"formatwarning", "showwarning"})}
NAMING = frozenset({"import_module", "__import__", "find_spec", "importorskip"})  # what they import
_RUNNING_WORDS = """
exec_module load_module load_source run_path run_module run_code locate walk_packages resolve_name
loadTestsFromName loadTestsFromNames run_docstring_examples testmod runsource entry_points
"""
_FRAMES_WORDS = """
_getframe _current_frames currentframe f_locals f_back f_globals tb_frame gi_frame cr_frame
getinnerframes getouterframes get_objects get_referrers get_referents walk_stack settrace setprofile
settrace_all_threads setprofile_all_threads addaudithook
"""
UNREAD = frozenset((*_RUNNING_WORDS.split(), *_FRAMES_WORDS.split()))  # no program may run these
_TEXTS = frozenset({"exec", "eval"})
_HOOKS_WORDS = """
sys.meta_path sys.path_hooks sys.monitoring inspect.stack inspect.trace timeit.timeit timeit.repeat
pickle.load pickle.loads pickle.Unpickler marshal.load marshal.loads shelve.open
numpy.seterrcall numpy.set_string_function numpy.setbufsize codecs.register codecs.register_error
copyreg.pickle copyreg.constructor locale.setlocale sys.set_int_max_str_digits
importlib.metadata.EntryPoint
"""
_HOOKS = frozenset(_HOOKS_WORDS.split())
_WITH_HOOKS = frozenset({"builtins", "codecs", "copyreg", "gc", "importlib", "inspect", "pickle",
                         "runpy", "sys"})  # fmt: skip
_ERRORS = frozenset({"numpy.seterr", "numpy.errstate"})
_WARNINGS = frozenset({"warnings.simplefilter", "warnings.filterwarnings"})


def patching(nodes: list[ast.AST]) -> dict[int, Patch]:
    """Return what of a module's code changes what a library does, by the id of the node."""
    held = _Held(nodes)
    found: dict[int, Patch] = {}
    for node in nodes:
        of = held.changed(node)
        if of is not None:
            found[id(node)] = Patch(of.lineno, f"a change to {ast.unparse(of)!r}, which belongs to "
                                    "a library")  # fmt: skip
        elif held.is_hook(node):
            what = f"import {node.name}" if isinstance(node, ast.alias) else ast.unparse(node)
            line: int = node.lineno  # type: ignore[attr-defined]
            found[id(node)] = Patch(line, f"code that may run what is not read, or change what "
                                    f"other code does ({what:.60})")  # fmt: skip
    return found


class Patch(NamedTuple):
    """A place in a source that changes what a library does, and how."""

    line: int
    what: str


class _Held:
    """The names of a module that may stand for what a library owns."""

    def __init__(self, nodes: list[ast.AST]) -> None:
        self.dotted = dict(_imported(nodes))
        self.called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
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
            case ast.Attribute(value=of, attr=attr, ctx=ast.Store() | ast.Del()):
                kept = _REPLACED.get(self._name(of) or "")
                replaced = kept is not None and attr not in kept
                return of if replaced or self.is_of_library(of) else None
            case ast.Subscript(value=of, ctx=ast.Store() | ast.Del()):
                return of if self._is_table(of) else None
            case ast.Call(func=called):
                return self._changed_by(node, called)
        return None

    def is_hook(self, node: ast.AST) -> bool:
        """Return whether a node may run what is not read, or change what other code does."""
        if isinstance(node, ast.alias):
            return node.name in UNREAD or (node.name in NAMING and node.asname is not None)
        called = node.func if isinstance(node, ast.Call) else node
        if not isinstance(called, ast.Name | ast.Attribute) or (
            node is called and id(node) in self.called
        ):
            return False  # what is called is looked at with its arguments
        word = called.id if isinstance(called, ast.Name) else called.attr
        full = self._name(called) or word
        if word in UNREAD or full in _HOOKS:
            return True
        if isinstance(node, ast.Call) and word in ("getattr", "vars") and node.args:
            looked_up = len(node.args) == 1 or not isinstance(node.args[1], ast.Constant)
            return looked_up and self._name(node.args[0]) in _WITH_HOOKS
        if word in NAMING or full in (*_ERRORS, *_WARNINGS):
            return not isinstance(node, ast.Call) or not _is_plain(node, word, full)
        by_name = isinstance(called, ast.Name) or full == f"builtins.{word}"
        return word in _TEXTS and by_name and not _calls_nothing(node)

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
            return (
                of
                if str(of.value).partition(".")[0] in LIBRARIES - _NOT_ASKED | {"torch"}
                else None
            )
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


def _is_plain(call: ast.Call, word: str, full: str) -> bool:
    """Return whether a call names the module that it imports, or makes no errors of warnings."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    texts = [each.value for each in given if isinstance(each, ast.Constant)]
    if word in NAMING:
        return len(given) == len(texts) == 1 and not str(texts[0]).startswith(".")
    if full in _WARNINGS:
        return bool(given) and isinstance(given[0], ast.Constant) and "error" not in texts
    return len(given) == len(texts) and {*texts} <= {"ignore", "warn"}


def _calls_nothing(node: ast.AST) -> bool:
    """Return whether a node evaluates a text that is written down and calls nothing."""
    match node:
        case ast.Call(func=ast.Name(id="eval"), args=[ast.Constant(value=str(text))]):
            with suppress(SyntaxError):
                return not any(isinstance(n, ast.Call) for n in ast.walk(ast.parse(text)))
    return False


def _is_owned(name: str | None) -> bool:
    """Return whether a name of a library is that of a module, a class or a function."""
    if name is not None and name.startswith("torch."):  # its attributes may import more of it
        return not name.startswith("torch.backends")
    if name is None or name.partition(".")[0] in _NOT_ASKED:
        return name == "torch"
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
