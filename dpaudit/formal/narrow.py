"""Whole numbers in types that wrap round where real numbers go on: int8 to int32, unsigned ones.

The rules for arithmetic entry by entry know the type of each array, and say what wraps. Elsewhere
a type is not known: of a scalar that was taken out of such an array, or of what a function
accumulates in the type of its argument. There nothing is proved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.formal.domain import Array, ListValue, Number, Tuple, Value

if TYPE_CHECKING:
    from dpaudit.formal.calls import Application

# Functions that compute in the type of their argument, and whose rules do not ask which it is.
_ACCUMULATE = frozenset(
    {
        "builtins.sum", "operator.matmul", "numpy.dot", "method.dot", "numpy.inner", "numpy.diff",
        "statistics.mean", "statistics.fmean", "statistics.median",
    }
)  # fmt: skip
# Functions that give of a scalar of such a type what they give of the number that it is.
_OF_SCALARS = frozenset(
    {
        "builtins.float", "builtins.int", "builtins.bool", "builtins.len", "builtins.range",
        "numpy.float64", "numpy.int64", "numpy.bool", "method.item", "method.append",
        "operator.truediv", "operator.not_", "operator.lt", "operator.le", "operator.gt",
        "operator.ge", "operator.eq", "operator.ne", "operator.is_", "operator.is_not",
        "numpy.array", "numpy.asarray", "numpy.stack", "numpy.where",
    }
)  # fmt: skip


def is_narrow(dtype: str) -> bool:
    """Whether a type of whole numbers lacks some that int64 holds."""
    if not dtype.startswith(("int", "uint")):
        return False
    kind = np.dtype(dtype)
    return kind.kind == "u" or (kind.kind == "i" and kind.itemsize < 8)


def scalar_type(dtype: str) -> str:
    """Return what `Number.dtype` is of an entry of an array."""
    return dtype if is_narrow(dtype) else ""


def check(call: Application) -> None:
    """Refuse a call that may wrap round where no rule says so.

    Raises
    ------
    Unsupported
    """
    for value in _flat([*call.args, *call.keywords.values()]):
        if isinstance(value, Number) and value.dtype:
            if call.name not in _OF_SCALARS and not call.name.startswith("math."):
                call.refuse(f"{call.name} of a scalar of type {value.dtype}")
            continue
        narrow = isinstance(value, Array) and is_narrow(value.dtype)
        if narrow and call.name in _ACCUMULATE:
            call.refuse(f"{call.name} in the type {value.dtype}")  # type: ignore[union-attr]


def of_type(term: Any, dtype: str) -> Any:
    """Return the term of what was computed in a type that wraps round: others give other values."""
    return ("in type", dtype, term) if is_narrow(dtype) and term is not None else term


def _flat(values: list[Value]) -> list[Value]:
    found: list[Value] = []
    for value in values:
        found += _flat(list(value.items)) if isinstance(value, ListValue | Tuple) else [value]
    return found
