"""Constants of modules, read off the text: literals, arithmetic, and a list of known functions."""

from __future__ import annotations

import ast
import builtins
import functools
import math
import types
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.checker.operators import ARITHMETIC, BY_SYNTAX, MEANING

# What the text of a module may import; looking it up executes nothing that a file names.
_LIBRARY_WORDS = """
__future__ abc asyncio bisect cmath collections dataclasses decimal enum fractions functools
hashlib itertools math numbers numpy operator random scipy secrets statistics string typing
"""
LIBRARIES = frozenset(_LIBRARY_WORDS.split())
# Their modules that may be imported: another, such as numpy.f2py.__main__, may do anything then.
_PART_WORDS = """
collections.abc numpy.fft numpy.linalg numpy.ma numpy.polynomial numpy.random numpy.typing
scipy.fft scipy.integrate scipy.interpolate scipy.linalg scipy.optimize scipy.signal scipy.sparse
scipy.special scipy.stats
"""
PARTS = frozenset(_PART_WORDS.split())
DECORATORS = {"functools": {"cache", "lru_cache"}, "typing": {"final", "override"}}
DECORATORS["dpaudit"] = {"vectorized", "example"}
_CALLED: dict[str, Callable[..., Any]] = {
    "partial": functools.partial,
    "array": np.array,
    "asarray": np.asarray,
    "arange": np.arange,
    "linspace": np.linspace,
    "zeros": np.zeros,
    "ones": np.ones,
    "Fraction": Fraction,
    "float": float,
    "int": int,
    "tuple": tuple,
    "list": list,
    "dict": dict,
    "frozenset": frozenset,
    "set": set,
    "range": range,
    "len": len,
    "min": min,
    "max": max,
    "sum": sum,
    "abs": abs,
    **{name: getattr(math, name) for name in ("sqrt", "exp", "log", "log1p", "expm1", "log2")},
}
BUILT_IN = {name: _CALLED[name] for name in _CALLED if hasattr(builtins, name)}
# Called when a module is imported, with no effect but their value.
QUIET = frozenset(_CALLED) | {"TypeVar", "NewType", "ParamSpec", "field", "Context"}
NAMED = {
    "partial",
    "array",
    "asarray",
    "dict",
    "TypeVar",
    "field",
    "Context",
}  # called with keywords
_LARGEST = 2**256
_LONGEST = 10_000


class BadConstantError(Exception):
    """The expression is no constant; the message says why."""


def constant(node: ast.expr, value_of: Callable[[str], Any]) -> Any:
    """Return the value of a constant.

    Parameters
    ----------
    node : ast.expr
    value_of : callable
        Gives the value of a global name of the module.

    Raises
    ------
    BadConstantError
        Where it is none, or too large.
    """

    def read(part: ast.expr) -> Any:
        return constant(part, value_of)

    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return value_of(name)
        case ast.Attribute(value=ast.Name(id=owner), attr=name) if not name.startswith("_"):
            module = value_of(owner)
            if isinstance(module, types.ModuleType) and hasattr(module, name):
                return getattr(module, name)
        case ast.Tuple(elts=items):
            return tuple(map(read, items))
        case ast.List(elts=items):
            return list(map(read, items))
        case ast.Set(elts=items):
            return set(map(read, items))
        case ast.Dict(keys=keys, values=values) if None not in keys:
            return {read(k): read(v) for k, v in zip(keys, values, strict=True) if k is not None}
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            return MEANING[BY_SYNTAX[type(sign)]](_number(read(operand)))
        case ast.BinOp(left=left, op=sign, right=right) if BY_SYNTAX[type(sign)] in ARITHMETIC:
            return _computed(sign, _number(read(left)), _number(read(right)))
        case ast.Call(func=function, args=args, keywords=keywords):
            return _called(read(function), [read(a) for a in args], keywords, read)
    raise BadConstantError(f"{ast.unparse(node)!r:.60} is no constant")


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise BadConstantError(f"{value!r:.40} is computed with, and is no number")
    if isinstance(value, int) and abs(value) > _LARGEST:
        raise BadConstantError("a number is too large")
    return value


def _computed(sign: ast.operator, left: Any, right: Any) -> Any:
    if isinstance(sign, ast.Pow) and abs(right) > 256:
        raise BadConstantError("a power is too large")
    try:
        found = MEANING[BY_SYNTAX[type(sign)]](left, right)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise BadConstantError(f"a constant cannot be computed ({error})") from None
    return _number(found)


def _called(function: Any, args: list[Any], keywords: list[ast.keyword], read: Any) -> Any:
    known = [*_CALLED.values(), functools.lru_cache]
    if not any(function is each for each in known) or any(word.arg is None for word in keywords):
        name = getattr(function, "__name__", type(function).__name__)
        raise BadConstantError(f"a call of {name!r:.40} is no constant")
    if function in (range, np.arange, np.linspace, np.zeros, np.ones):
        counted = [abs(_number(each)) for each in args]
        least = min([each for each in counted[2:] if each], default=1)
        most = least if function is np.arange else 1
        if not all(each <= _LONGEST * min(1, most) for each in counted):
            raise BadConstantError("an array is too long")
    named = {str(word.arg): read(word.value) for word in keywords}
    try:
        return function(*args, **named)
    except Exception as error:  # whatever such a function makes of the values
        raise BadConstantError(f"a constant cannot be computed ({error})") from None
