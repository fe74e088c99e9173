"""Kinds of values: what the code tells of their types, and which questions that answers."""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from dpaudit.checker.operators import COMPARISONS
from dpaudit.formal.lifting.canonical import canonical_name
from dpaudit.formal.lifting.known import is_plain
from dpaudit.formal.program import Constant, Expression, Sequence

Kind = Literal[
    "bool", "int", "float", "numpy", "scalar", "zero", "array", "list", "shape", "tuple", "dict",
    "str",
]  # fmt: skip
_NUMPY = (np.float64(1), np.int64(1), np.float32(1), np.float16(1), np.int32(1), np.bool_(1))
# Values of the types that a kind stands for: a "float" may be NumPy's, which is one of Python's
# too; "numpy" is a number of NumPy, "scalar" one of either; "zero" an array without dimensions,
# "array" one with some; "shape" is that of an array with some.
_EXAMPLES: dict[Kind, tuple[Any, ...]] = {
    "bool": (True,),
    "int": (1,),
    "float": (1.0, np.float64(1)),
    "numpy": _NUMPY,
    "scalar": (1, 1.0, True, *_NUMPY),
    "zero": (np.zeros(()),),
    "array": (np.zeros(1),),
    "list": ([],),
    "shape": ((1,), (2, 3)),
    "tuple": ((),),
    "dict": ({},),
    "str": ("",),
}
_AMBIGUOUS = frozenset({"numpy", "scalar", "shape"})
_PYTHON = frozenset({"bool", "int", "float"})
NUMBERS = frozenset({*_PYTHON, "numpy", "scalar"})
UNCHANGING = NUMBERS | {"str"}  # values that nothing changes
POINTS = frozenset({*NUMBERS, "zero"})  # values of one entry
OF_POINT: dict[str, Any] = {"shape": (), "ndim": 0, "size": 1}
COPIES = frozenset({"numpy.array", "numpy.asarray"})
_ARRAYS_WORDS = "arange linspace atleast_1d cumsum bincount concatenate append eye"
_ARRAYS = frozenset(f"numpy.{word}" for word in _ARRAYS_WORDS.split())
_REDUCED_WORDS = "sum mean std var min max prod any all"
_REDUCED = frozenset(f"{a}.{word}" for word in _REDUCED_WORDS.split() for a in ("numpy", "method"))
_ENTRYWISE_WORDS = """
exp log log2 log10 log1p expm1 sqrt abs absolute fabs sign floor ceil round rint square maximum
minimum add subtract multiply divide power clip
"""
_ENTRYWISE = frozenset(f"numpy.{word}" for word in _ENTRYWISE_WORDS.split())
_REAL_WORDS = "exp log log2 log10 log1p expm1 sqrt pow hypot fabs copysign sin cos tan erf tanh"
_REAL = frozenset(f"math.{word}" for word in _REAL_WORDS.split())
_WHOLE = frozenset({"math.floor", "math.ceil", "math.trunc", "builtins.len", "builtins.int"})
_PICKED = frozenset({"builtins.max", "builtins.min", "builtins.abs", "builtins.round"})
_ARITHMETIC_WORDS = "add sub mul truediv floordiv mod pow neg pos abs"
ARITHMETIC = frozenset(f"operator.{word}" for word in _ARITHMETIC_WORDS.split())
_DRAWN_WORDS = """
laplace normal exponential gumbel uniform random logistic standard_normal standard_exponential
"""
DRAWN = frozenset(_DRAWN_WORDS.split())  # families of real numbers
OF_ARRAY: dict[Any, bool] = {  # what is told of a shape or a number of dimensions
    ("operator.eq", ()): False,
    ("operator.ne", ()): True,
    ("operator.eq", 0): False,
    ("operator.ne", 0): True,
    ("operator.gt", 0): True,
    ("operator.ge", 1): True,
    ("operator.lt", 1): False,
    ("operator.le", 0): False,
}


def is_simple(value: Any) -> bool:
    """Return whether a value is a number, a text, None or a tuple of such."""
    if type(value) is tuple:
        return all(map(is_simple, value))
    return value is None or type(value) in (bool, int, float, str)


def of_value(value: Any) -> Kind | None:
    """Return the kind of a value that is known."""
    if not is_plain(value):
        return None
    for kind, examples in _EXAMPLES.items():
        if kind not in _AMBIGUOUS and type(value) is type(examples[0]):
            return "array" if kind == "zero" and value.ndim else kind
    return "numpy" if isinstance(value, np.number | np.bool_) else None


def joined(kinds: Iterable[Kind | None]) -> Kind | None:
    """Return the kind of a value that is of one of these kinds."""
    found = set(kinds)
    if len(found) == 1:
        return found.pop()
    return "scalar" if found and found <= NUMBERS else None


def of_operator(name: str, kinds: Iterable[Kind | None]) -> Kind | None:
    """Return the kind of what an arithmetic operator yields."""
    found = set(kinds)
    if name not in ARITHMETIC or not found:
        return None
    if found <= {"bool", "int"}:
        return {"operator.truediv": "float", "operator.pow": "scalar"}.get(name, "int")  # type: ignore[return-value]
    if found <= _PYTHON:
        return "scalar" if name == "operator.pow" else "float"
    if found <= POINTS:
        return "numpy" if found & {"numpy", "zero"} else "scalar"
    return "array" if "array" in found and found <= {*POINTS, "array"} else None


def of_call(name: str, kinds: list[Kind | None], keywords: set[str]) -> Kind | None:
    """Return the kind of what a library's function yields for arguments of these kinds."""
    first = kinds[0] if kinds else None
    if name in _ARRAYS and keywords <= {"dtype", "num"}:
        return "array" if len(kinds) <= (1 if name == "numpy.atleast_1d" else 3) else None
    if name in COPIES and len(kinds) == 1 and keywords <= {"dtype"}:
        known = {"list": "array", "tuple": "array", "array": "array"}
        return "zero" if first in POINTS else known.get(str(first))  # type: ignore[return-value]
    if name in ("method.astype", "method.copy") and first == "array":
        return "array"
    if keywords:
        return None
    if name in _WHOLE:
        return "int"
    if name == "builtins.float" or (name in _REAL and set(kinds) <= NUMBERS):
        return "float"
    if name in ARITHMETIC:
        return of_operator(name, kinds)
    if name in COMPARISONS and set(kinds) <= NUMBERS:
        return "bool" if set(kinds) <= {"bool", "int"} else "scalar"
    if name in _PICKED:
        return "scalar" if kinds and set(kinds) <= NUMBERS else None
    if name in _REDUCED:
        return "numpy" if len(kinds) == 1 and first in ("array", "list") else None
    if name in _ENTRYWISE and len(kinds) <= _inputs(name) and set(kinds) <= {*POINTS, "array"}:
        return "array" if "array" in kinds else "numpy"
    made: dict[str, Kind] = {"builtins.list": "list", "builtins.dict": "dict"}
    return made.get(name)


def _inputs(name: str) -> int:
    """Return how many arguments a function of NumPy reads, before those that it writes to."""
    word = name.removeprefix("numpy.")
    return int(getattr(getattr(np, word), "nin", 3 if word == "clip" else 2))


def answer(name: str, kind: Kind, others: tuple[Expression, ...]) -> Any:
    """Return what a question about the type of a value of a kind yields; None if that is not told.

    Parameters
    ----------
    name : str
        Of the function that asks.
    kind : Kind
        Of its first argument.
    others : tuple of Expression
        Its other arguments.
    """
    asked: Any = _plain(others[0]) if len(others) == 1 else None
    examples = _EXAMPLES[kind]
    found: set[Any] = set()
    if name == "builtins.isinstance" and _is_known(asked):
        found = {isinstance(example, asked) for example in examples}
    elif name == "builtins.hasattr" and isinstance(asked, str):
        found = {hasattr(example, asked) for example in examples}
    elif not others and name == "builtins.callable":
        found = {False}
    elif not others and name == "numpy.isscalar":
        found = {np.isscalar(example) for example in examples}
    elif not others and name in ("numpy.shape", "numpy.ndim", "numpy.size") and kind in POINTS:
        found = {OF_POINT[name.removeprefix("numpy.")]}
    return found.pop() if len(found) == 1 else None


def _plain(node: Expression) -> Any:
    """Return a constant's value, or a tuple of them; None of any other expression."""
    if isinstance(node, Sequence) and node.kind == "tuple":
        return tuple(map(_plain, node.items))
    return node.value if isinstance(node, Constant) else None


def _is_known(kind: Any) -> bool:
    """Return whether a class, or each of several, is one of Python's or of a library's."""
    if isinstance(kind, tuple):
        return bool(kind) and all(map(_is_known, kind))
    if isinstance(kind, types.UnionType):
        return all(map(_is_known, kind.__args__))
    return isinstance(kind, type) and canonical_name(kind) is not None
