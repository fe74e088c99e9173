"""What code may use while it is run for a proof: nothing that hides randomness or state."""

from __future__ import annotations

import builtins
import functools
import hashlib
import sys
import sysconfig
import types
from pathlib import Path
from typing import Any

from dpaudit.checker.exact.shims import BUILTINS
from dpaudit.checker.file import NotCheckedError

MODULES = frozenset(
    {
        "bisect",
        "collections",
        "fractions",
        "functools",
        "itertools",
        "numbers",
        "operator",
        "typing",
    }
)
_HIDING_WORDS = """
random rvs empty empty_like load fromfile loadtxt genfromtxt memmap
"""
_HIDING = frozenset(_HIDING_WORDS.split())
_DIGESTS = ("blake2b", "blake2s", "md5", "sha1", "sha224", "sha256", "sha384", "sha512")
_BUILTINS = [
    "abs",
    "all",
    "any",
    "bin",
    "bool",
    "chr",
    "complex",
    "dict",
    "divmod",
    "enumerate",
    "filter",
    "frozenset",
    "iter",
    "len",
    "list",
    "map",
    "max",
    "min",
    "next",
    "object",
    "ord",
    "range",
    "repr",
    "reversed",
    "set",
    "slice",
    "sorted",
    "str",
    "sum",
    "tuple",
    "zip",
    "ArithmeticError",
    "AssertionError",
    "Exception",
    "IndexError",
    "KeyError",
    "LookupError",
    "OverflowError",
    "RuntimeError",
    "StopIteration",
    "TypeError",
    "ValueError",
    "ZeroDivisionError",
]


def allowed_builtins() -> dict[str, Any]:
    """Return the built-in names that code may use."""
    return {**{name: getattr(builtins, name) for name in _BUILTINS}, **BUILTINS}


class Refused:
    """Stands in for what must not be used; that it is named does no harm."""

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "_name", name)

    def _refuse(self, *args: Any, **named: Any) -> Any:
        name = object.__getattribute__(self, "_name")
        raise NotCheckedError(f"not checked: the code uses {name:.80}")

    __call__ = __getattr__ = __setattr__ = __getitem__ = __iter__ = __len__ = _refuse
    __bool__ = __add__ = __radd__ = __mul__ = __rmul__ = __lt__ = __gt__ = _refuse


def of_a_library(function: types.FunctionType) -> bool:
    """Return whether a function is not of the user's own code."""
    file = Path(function.__code__.co_filename)
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    homes = [Path(sysconfig.get_path(name)) for name in names]
    root = (function.__module__ or "").partition(".")[0]
    return root in sys.stdlib_module_names or any(home in file.parents for home in homes)


def is_digest(value: Any) -> bool:
    """Return whether a function is one that hashes bytes, which hides nothing."""
    return any(value is getattr(hashlib, name, None) for name in _DIGESTS)


def digests() -> Any:
    """Return what stands in for hashlib."""
    return types.SimpleNamespace(**{name: getattr(hashlib, name) for name in _DIGESTS})


def is_plain(value: Any) -> bool:
    """Return whether a value cannot change and hides nothing."""
    if type(value) in (type(None), bool, int, float, str, bytes, range):
        return True
    return type(value) in (tuple, frozenset) and all(map(is_plain, value))


def is_pure(function: types.FunctionType, seen: frozenset[Any] = frozenset()) -> bool:
    """Return whether a function, and what it calls, uses nothing that hides randomness."""
    if function in seen:
        return True
    names = _names(function.__code__)
    if _HIDING & names or function.__code__.co_freevars or of_a_library(function):
        return False
    defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    if not all(_is_pure_value(value, seen | {function}) for value in defaults):
        return False
    space = function.__globals__
    found = [space[name] for name in names if name in space]
    outside = [n for n in names if n not in space and n in vars(builtins) and n not in _BUILTINS]
    known = set(outside) <= {"float", "int", "pow", "round"}
    return known and all(_is_pure_value(value, seen | {function}) for value in found)


def _is_pure_value(value: Any, seen: frozenset[Any]) -> bool:
    if isinstance(value, functools._lru_cache_wrapper):
        value = value.__wrapped__
    if isinstance(value, types.FunctionType) and not of_a_library(value):
        return is_pure(value, seen)
    if isinstance(value, types.ModuleType):
        return value.__name__ in (*MODULES, "math", "numpy")
    if isinstance(value, type | types.BuiltinFunctionType):
        return named_module(value) in (*MODULES, "math")
    return is_plain(value)


def _names(code: types.CodeType) -> set[str]:
    found = set(code.co_names)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            found |= _names(inner)
    return found


def named_module(value: Any) -> str:
    """Return the module that a class or a built-in function is of."""
    return str(getattr(value, "__module__", None) or "")
