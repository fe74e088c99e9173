"""Programs as JSON, as certificates hold them."""

from __future__ import annotations

import enum
import hashlib
from dataclasses import fields
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.formal.program import Constant, Function, Node, Program

SCHEMA_VERSION = 1
MOST_VALUES = 10_000  # of an array that is written out, besides its hash


def to_dict(program: Program, *, live: bool = False) -> dict[str, Any]:
    """Return a program as JSON-able values.

    Parameters
    ----------
    program : Program
    live : bool
        Whether constants are the very objects instead.

    Notes
    -----
    Every node is a dict with its ``kind`` and ``place`` and its fields. Lifted functions stand
    where they are called first; later calls hold their number, ``{"kind": "Again", "number": n}``.
    """
    writer = _Writer(live)
    return {
        "schema_version": SCHEMA_VERSION,
        "entry": writer.write(program.entry),
        "data": program.data,
        "rng": program.rng,
        "fixed": {name: writer.write(constant) for name, constant in program.fixed.items()},
        "symbolic": list(program.symbolic),
        "sources": dict(program.sources),
    }


def value_text(value: Any) -> Any:
    """Return a constant as JSON: floats as exact hexadecimal, arrays as type and bytes."""
    if isinstance(value, enum.Enum):
        return {"object": f"{type(value).__module__}.{type(value).__qualname__}.{value._name_}"}
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return {"int": str(value)}
    if type(value) is float:
        return {"float": value.hex()}
    if type(value) is Fraction and type(value.numerator) is type(value.denominator) is int:
        return {"fraction": str(value)}  # one of NumPy's integers may overflow
    if isinstance(value, tuple | list):
        return {type(value).__name__: [value_text(item) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[value_text(k), value_text(v)] for k, v in value.items()]}
    if isinstance(value, set | frozenset):
        return {type(value).__name__: sorted(map(repr, value))}
    if _is_of_numpy(value) and not value.dtype.hasobject:
        data = hashlib.sha256(value.tobytes()).hexdigest()
        held = value.ravel().tolist() if value.size <= MOST_VALUES else None
        listed = None if held is None else [value_text(item) for item in held]
        return {"array": [str(value.dtype), list(value.shape), data, listed]}
    if callable(value):
        return {"callable": f"{getattr(value, '__module__', '')}.{_name(value)}"}
    return {"object": f"{type(value).__module__}.{type(value).__qualname__}"}


def _is_of_numpy(value: Any) -> bool:
    """Return whether a value is an array or a scalar of NumPy's own class, and of none above it."""
    return type(value) is np.ndarray or (
        isinstance(value, np.generic) and type(value) is value.dtype.type
    )


def _name(value: Any) -> str:
    return str(getattr(value, "__qualname__", type(value).__qualname__))


class _Writer:
    """Writes nodes, each lifted function once."""

    def __init__(self, live: bool) -> None:
        self._numbers: dict[int, int] = {}
        self._live = live

    def write(self, node: Any) -> Any:
        if isinstance(node, Function):
            if id(node) in self._numbers:
                return {"kind": "Again", "number": self._numbers[id(node)]}
            self._numbers[id(node)] = len(self._numbers)
        if isinstance(node, Constant):
            value = node.value if self._live else value_text(node.value)
            return {"kind": "Constant", "place": str(node.place), "value": value}
        if isinstance(node, Node):
            inside = {f.name: self.write(getattr(node, f.name)) for f in fields(node)}
            return {"kind": type(node).__name__, **inside, "place": str(node.place)}
        if isinstance(node, tuple | list):
            return [self.write(item) for item in node]
        if isinstance(node, dict):
            return {str(name): self.write(item) for name, item in node.items()}
        return node if node is None or isinstance(node, str) else str(node)
