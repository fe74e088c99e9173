"""Values that both runs hold: constants of the code, and numbers that nobody knows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import sympy

from dpaudit.formal.bounds import (
    INFINITE,
    ZERO,
    Bound,
    at_most,
    exact,
)
from dpaudit.formal.domain import Array, DictValue, Known, ListValue, Number, Tuple, Value, fresh
from dpaudit.formal.norms import NO_CHANGE


def constant(value: Any) -> Value:
    """Return a Python object that both runs hold as a value."""
    if isinstance(value, np.number) and value.dtype.itemsize < 8:
        return Known(value)  # its arithmetic wraps and rounds early: only NumPy knows how
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or value is None or isinstance(value, str | bytes):
        return Known(value, ("known", type(value).__name__, value))
    if isinstance(value, int | float) or type(value).__name__ == "Fraction":
        if value != value:
            return Known(value)
        number = exact(value)
        return Number(
            number, number, ZERO, ZERO, isinstance(value, int),
            infinite=number in (sympy.oo, -sympy.oo), expr=number, value=value,
            term=("public", number),
        )  # fmt: skip
    if isinstance(value, tuple) and type(value) is tuple:
        return Tuple(tuple(constant(v) for v in value))
    if isinstance(value, list):
        return ListValue([constant(v) for v in value])
    if isinstance(value, dict):
        return DictValue({k: constant(v) for k, v in value.items()})
    if isinstance(value, np.ndarray):
        key = ("array", value.dtype.str, value.shape, value.tobytes())
        return Known(value, key if value.dtype != object and value.size <= 4096 else None)
    return Known(value)


def lasting(value: Any) -> Value:
    """Return a constant that outlives the call, and so must not be changed in it."""
    found = constant(value)
    if isinstance(found, ListValue | DictValue):
        found.frozen = True
    if isinstance(found, Known) and isinstance(found.value, np.ndarray):
        view = found.value.view()
        view.flags.writeable = False
        return replace(found, value=view)
    return found


def public_number(
    expr: Bound,
    *,
    integer: bool | None = None,
    low: Bound = -INFINITE,
    high: Bound = INFINITE,
) -> Number:
    """Return a number that both runs hold, given as an expression."""
    whole = bool(expr.is_integer) if integer is None else integer
    # What nobody knows bounds itself.
    low = expr if low == -INFINITE else low
    high = expr if high is INFINITE else high
    return Number(low, high, ZERO, ZERO, whole, expr=expr, term=("public", expr))


def unknown_public(name: str = "public", **options: Any) -> Number:
    """Return a number that both runs hold and nobody knows, such as a released answer."""
    whole = bool(options.get("integer"))
    least = options.get("low")
    signed = True if least is not None and at_most(ZERO, least) else None
    symbol = sympy.Symbol(
        f"{name}_{fresh()}", real=True, integer=True if whole else None, nonnegative=signed
    )
    return public_number(symbol, **options)


def public_array(shape: tuple[Bound, ...], **options: Any) -> Array:
    """Return an array that both runs hold and nobody knows, such as released answers."""
    return Array(shape, norms=NO_CHANGE, rises=False, falls=False, **options)


def truth_number(value: bool) -> Number:
    """Return True or False as the number that it counts for."""
    whole = sympy.Integer(int(value))
    return Number(
        whole, whole, ZERO, ZERO, True, True, expr=whole, value=value, term=("public", whole)
    )
