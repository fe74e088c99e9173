"""The mechanism's own functions, compiled anew so that numbers stay exact."""

from __future__ import annotations

import ast
import copy
import dis
import functools
import hashlib
import inspect
import math
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dpaudit.checker.exact.allowed import (
    MODULES,
    Refused,
    allowed_builtins,
    digests,
    is_digest,
    is_plain,
    is_pure,
    named_module,
    of_a_library,
)
from dpaudit.checker.exact.numbers import Number, number
from dpaudit.checker.exact.rejected import drawn_again, without_rejection
from dpaudit.checker.exact.shared import Shared
from dpaudit.checker.exact.shims import Math, NumPy, divided, exact, math_function, raised
from dpaudit.checker.file import NotCheckedError, RejectedError

_INSIDE = ("gi_frame", "f_globals", "f_locals", "f_builtins", "f_back", "tb_frame", "ag_frame")
_RAN = "the value of {} was computed by running the code"
_HANDLED = "not checked: exceptions that are handled"
_MARKS = frozenset({"__dpaudit_vectorized__"})  # which a twin has too
_OWN = {"_dpaudit_number": number, "_dpaudit_divided": divided, "_dpaudit_raised": raised}


class Twins:
    """Makes a twin of each function that the mechanism calls.

    Attributes
    ----------
    ran : dict of str to None
        Functions that were run as they are, on numbers that are known.
    read : dict of str to str
        SHA-256 of the definition of each function that has a twin, by ``file:name``.
    """

    def __init__(self) -> None:
        self.ran: dict[str, None] = {}
        self.read: dict[str, str] = {}
        self.shared = Shared()
        self._made: dict[types.CodeType, Callable[..., Any]] = {}
        self._shared: list[tuple[Any, str]] = []

    def of(self, function: types.FunctionType) -> Callable[..., Any]:
        """Return the twin of a function of a module.

        Raises
        ------
        NotCheckedError
            Where the source is not there, or not what runs.
        """
        code = function.__code__
        if code in self._made:
            return self._made[code]
        tree = self._definition(function)
        marks = dict(vars(function))
        if any(name not in _MARKS or value is not True for name, value in marks.items()):
            raise NotCheckedError(f"not checked: {function.__name__!r} carries something with it")
        again = functools.partial(drawn_again, self.shared)
        space: dict[str, Any] = {
            "__builtins__": allowed_builtins(), **_OWN, "_dpaudit_again": again,
        }  # fmt: skip
        module = ast.Module([_Exact().visit(tree)], [])
        exec(compile(ast.fix_missing_locations(module), code.co_filename, "exec"), space)
        twin = space[function.__name__]
        vars(twin).update(marks)
        self._kept(vars(twin))
        self._made[code] = twin
        defaults, named = function.__defaults__, function.__kwdefaults__
        twin.__defaults__ = None if defaults is None else tuple(map(self.value, defaults))
        twin.__kwdefaults__ = named and {key: self.value(value) for key, value in named.items()}
        for name in _global_names(twin.__code__):
            if name in function.__globals__:
                space[name] = self.value(function.__globals__[name])
        return twin  # type: ignore[no-any-return]

    def value(self, value: Any) -> Any:
        """Return what stands in for a global value or a default."""
        drawing = self.shared.of(value)
        if drawing is not None:
            return drawing
        if isinstance(value, types.ModuleType):
            return self._module(value)
        if isinstance(value, functools._lru_cache_wrapper):
            return self._remembering(value)
        if isinstance(value, types.FunctionType) and not of_a_library(value):
            return self.of(value)
        if isinstance(value, types.BuiltinFunctionType) and value.__module__ == "math":
            return math_function(value)
        if isinstance(value, type | types.BuiltinFunctionType | types.FunctionType):
            known = named_module(value) in MODULES or is_digest(value)
            return value if known else self._refused(value)
        if is_plain(value):
            return exact(value)
        if isinstance(value, np.ndarray) and not value.dtype.hasobject:
            return self._kept(exact(value.copy()))
        if type(value) in (list, dict, set) or isinstance(value, np.generic):
            return self._kept(exact(copy.deepcopy(value)))
        return self._refused(value)

    def validate_unchanged(self) -> None:
        """Refuse code that keeps something from one run to the next."""
        changed = any(_content(value) != before for value, before in self._shared)
        if changed:
            raise NotCheckedError("not checked: the code keeps something from call to call")

    def _kept(self, value: Any) -> Any:
        self._shared.append((value, _content(value)))
        return value

    def _module(self, module: types.ModuleType) -> Any:
        if module is np:
            return NumPy(self.shared.of(np.random))
        if module is math:
            return Math()
        if module is hashlib:
            return digests()
        if module.__name__ in MODULES:
            return module
        return _Own(self, module)

    def _refused(self, value: Any) -> Refused:
        return Refused(str(getattr(value, "__qualname__", type(value).__qualname__)))

    def _remembering(self, function: Any) -> Callable[..., Any]:
        """Return what does the same as a function of which values are remembered."""
        name = f"{function.__module__}.{function.__qualname__}"
        known: dict[Any, Any] = {}
        plain = function.__wrapped__
        if not isinstance(plain, types.FunctionType) or of_a_library(plain):
            return self._refused(function)
        twin = self.of(plain)
        runs = is_pure(plain)

        def run(*args: Any) -> Any:
            if args not in known:
                try:
                    known[args] = twin(*args)
                except Exception:
                    if not runs:
                        raise
                    # it computes with floats: their values are taken as they are
                    known[args] = exact(function(*map(_plain, args)))
                    self.ran[_RAN.format(name)] = None
            return known[args]

        return run

    def _definition(self, function: types.FunctionType) -> ast.FunctionDef:
        code, name = function.__code__, function.__name__
        if code.co_freevars or not name.isidentifier():
            raise NotCheckedError(f"not checked: {name!r:.60} is no function of a module")
        try:
            file = inspect.getsourcefile(code) or ""
            text = Path(file).read_text(encoding="utf-8")
            tree = ast.parse(text)
            compiled = compile(text, file, "exec", dont_inherit=True)
        except (OSError, TypeError, SyntaxError, ValueError):
            raise NotCheckedError(f"not checked: the source of {name!r} cannot be read") from None
        alike = [
            other
            for other in compiled.co_consts
            if isinstance(other, types.CodeType)
            and (other.co_name, other.co_firstlineno) == (code.co_name, code.co_firstlineno)
        ]
        if len(alike) != 1 or not _same(alike[0], code):
            raise RejectedError(f"the source of {name!r} is not what runs; the file was changed")
        found = [
            node
            for node in tree.body
            if isinstance(node, ast.FunctionDef)
            and min([node.lineno, *(d.lineno for d in node.decorator_list)]) == code.co_firstlineno
        ]
        if len(found) != 1 or found[0].name != name:
            raise NotCheckedError(f"not checked: the source of {name!r} cannot be told")
        segment = ast.get_source_segment(text, found[0], padded=True) or ""
        self.read[f"{code.co_filename}:{name}"] = hashlib.sha256(segment.encode()).hexdigest()
        return found[0]


class _Own:
    """Stands in for another module of the user's code."""

    def __init__(self, twins: Twins, module: types.ModuleType) -> None:
        self._twins, self._module = twins, module

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        if isinstance(found, types.FunctionType) and not of_a_library(found):
            return self._twins.of(found)
        if is_plain(found):
            return exact(found)
        raise NotCheckedError(f"not checked: the code uses {self._module.__name__}.{name}")


class _Exact(ast.NodeTransformer):
    """Makes numbers, quotients and powers exact; takes decorators and annotations away."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.decorator_list, node.returns = [], None
        arguments = node.args
        if not node.col_offset:  # the values of defaults are put in afterwards
            nothing = ast.Constant(None)
            arguments.defaults = [nothing for _ in arguments.defaults]
            arguments.kw_defaults = [default and nothing for default in arguments.kw_defaults]
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            argument.annotation = None
        for star in (arguments.vararg, arguments.kwarg):
            if star is not None:
                star.annotation = None
        return self.generic_visit(node)

    def visit_Try(self, node: ast.Try) -> Any:
        raise NotCheckedError(_HANDLED)

    def visit_TryStar(self, node: ast.TryStar) -> Any:
        raise NotCheckedError(_HANDLED)

    def visit_Global(self, node: ast.Global) -> Any:
        raise NotCheckedError(f"not checked: {ast.unparse(node)}")

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        if node.attr.startswith("__") or node.attr in _INSIDE:
            raise NotCheckedError(f"not checked: {ast.unparse(node):.80}")
        return self.generic_visit(node)

    def visit_While(self, node: ast.While) -> Any:
        found = without_rejection(node)
        return self.generic_visit(node) if found is None else [self.visit(s) for s in found]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        self.generic_visit(node)
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_Constant(self, node: ast.Constant) -> Any:
        if type(node.value) is not float or not math.isfinite(node.value):
            return node
        return ast.copy_location(_called("number", node), node)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        name = {ast.Div: "divided", ast.Pow: "raised"}.get(type(node.op))
        if name is None:
            return node
        return ast.copy_location(_called(name, node.left, node.right), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        name = {ast.Div: "divided", ast.Pow: "raised"}.get(type(node.op))
        if name is None:
            return node
        if not isinstance(node.target, ast.Name):
            raise NotCheckedError(f"not checked: {ast.unparse(node)}")
        old = ast.Name(node.target.id, ast.Load())
        return ast.copy_location(ast.Assign([node.target], _called(name, old, node.value)), node)


def _called(name: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(f"_dpaudit_{name}", ast.Load()), list(args), [])


def _plain(value: Any) -> Any:
    """Return an exact number as the int or float that it came from."""
    if not isinstance(value, Number):
        if isinstance(value, bool | int | str | tuple | np.integer | None):
            return value
        raise NotCheckedError(f"not checked: a function run on {type(value).__name__}")
    if value.fraction is None or float(value.fraction) != value.fraction:
        raise NotCheckedError("not checked: a function run on a number that is no float")
    return float(value.fraction)


def _content(value: Any) -> str:
    """Return all of a value as text."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {_content(value.ravel().tolist())}"
    if isinstance(value, Number):
        return f"number {value.fraction} {value.residue}"
    if isinstance(value, list | tuple | set | frozenset):
        return f"{type(value).__name__} {[_content(item) for item in value]}"
    if isinstance(value, dict):
        return f"dict {[(_content(key), _content(item)) for key, item in value.items()]}"
    return repr(value)


def _same(one: types.CodeType, other: types.CodeType) -> bool:
    parts = ("co_code", "co_names", "co_varnames", "co_flags", "co_argcount", "co_kwonlyargcount")
    if any(getattr(one, part) != getattr(other, part) for part in parts):
        return False
    pairs = list(zip(one.co_consts, other.co_consts, strict=False))
    if len(one.co_consts) != len(other.co_consts):
        return False
    return all(
        _same(a, b)
        if isinstance(a, types.CodeType) and isinstance(b, types.CodeType)
        else type(a) is type(b) and repr(a) == repr(b)
        for a, b in pairs
    )


def _global_names(code: types.CodeType) -> set[str]:
    loads = ("LOAD_GLOBAL", "LOAD_NAME")  # an attribute may have the name of another global
    found = {str(i.argval) for i in dis.get_instructions(code) if i.opname in loads}
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            found |= _global_names(inner)
    return found
