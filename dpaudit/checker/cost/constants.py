"""Constants of programs, as certificates write them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.checker.cost.arrays import Arr
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import NotCheckedError, RejectedError
from dpaudit.checker.written import decoded

_TYPES = {"float64": "float", "int64": "int", "bool": "bool"}
DTYPES = {
    "builtins.float": "float",
    "builtins.int": "int",
    "builtins.bool": "bool",
    "numpy.float64": "float",
    "numpy.int64": "int",
    "numpy.bool": "bool",
    "float64": "float",
    "int64": "int",
    "float": "float",
    "int": "int",
    "bool": "bool",
}


@dataclass(frozen=True, slots=True)
class Named:
    """A function or a type that is passed around, by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """An object of the user's that the program passes around; nothing else is done with it.

    What the program reads of its attributes stands in the program as constants.
    """

    name: str


CHANGED = "a change to a list or dict that other calls share; change a copy"


class FixedList(list[Any]):
    """A list that outlives the call: what changes it is refused."""


class FixedDict(dict[Any, Any]):
    """A dict that outlives the call: what changes it is refused."""


def constant(node: Any) -> Any:
    """Return the value of a constant; a float is the rational that it is."""
    if not isinstance(node, dict) or node.get("kind") != "Constant":
        raise RejectedError("a value of the program that should be a constant is none")
    try:
        return decoded(node["value"], _MADE)
    except RejectedError as stopped:
        raise stopped.located(str(node.get("place")), ()) from None


def _float(written: str) -> Any:
    value = float.fromhex(written)
    if not math.isfinite(value):
        return value
    found = Number(Fraction(value))
    found.double = value
    return found


def _array(inside: list[Any]) -> Arr:
    """Return an array, whose hash must be that of its values."""
    if len(inside) != 4 or not isinstance(inside[1], list) or not inside[1]:
        raise NotCheckedError("not checked: an array whose values are not told")
    name, shape, digest, listed = inside
    if not isinstance(listed, list):
        raise NotCheckedError("not checked: an array whose values are not told")
    values = [decoded(item, _MADE) for item in listed]
    if name.startswith("<U"):
        kind, plain = "str", values
    elif name in _TYPES:
        kind = _TYPES[name]
        plain = [float(v.fraction or 0) if isinstance(v, Number) else v for v in values]
    else:
        raise NotCheckedError(f"not checked: an array of the type {name!r:.20}")
    real = np.array(plain, dtype=name).reshape(shape)
    if hashlib.sha256(real.tobytes()).hexdigest() != digest:
        raise RejectedError("an array of the program has other values than its hash")
    wanted = {"float": Number | float, "int": int, "bool": bool, "str": str}[kind]
    cells = np.empty(len(values), dtype=object)
    for at, value in enumerate(values):
        if not isinstance(value, wanted) or (kind == "int" and isinstance(value, bool)):
            raise RejectedError("an array of the program has values of another type")
        cells[at] = value
    cells = cells.reshape(shape)
    cells.setflags(write=False)
    return Arr(cells, kind)


_MADE: dict[str, Callable[[Any], Any]] = {
    "int": int,
    "float": _float,
    "fraction": lambda written: Number(Fraction(written)),
    "tuple": tuple,
    "list": FixedList,
    "dict": FixedDict,
    "array": _array,
    "callable": Named,
    "object": Opaque,
}


def dtype_named(value: Any) -> str | None:
    """Return the type of array entries that a value names, None for others."""
    name = value.name if isinstance(value, Named) else value
    return DTYPES.get(name) if isinstance(name, str) else None
