"""Values in words, for derivations."""

from __future__ import annotations

from typing import Any

from dpaudit.formal.bounds import Bound
from dpaudit.formal.domain import Array, Known, Number, Rows, Unaligned


def explained(name: str, value: Any) -> str:
    """Return what a call's value is known to be."""
    short = name.removeprefix("method.").removeprefix("operator.").removeprefix("builtins.")
    return f"{short}: {described(value)}"


def described(value: Any) -> str:
    """Return what is known of a value."""
    match value:
        case Number() if value.public:
            return f"public, {shown(value.expr) if value.expr is not None else 'unknown'}"
        case Number():
            extra = f" ({value.why})" if value.why else ""
            if value.fall == value.rise:
                moves = f"moves by at most {shown(value.rise)}"
            else:
                fall, rise = shown(value.fall), shown(value.rise)
                moves = f"falls by at most {fall}, rises by at most {rise}"
            return f"in [{shown(value.low)}, {shown(value.high)}], {moves}{extra}"
        case Array():
            return _array(value)
        case Known(value=object_):
            return f"{object_!r:.60}"
    return type(value).__name__.lower()


def _array(array: Array) -> str:
    shape = " × ".join(_axis(axis) for axis in array.shape) or "one entry"
    if array.kind == "object":
        return f"{shape} of texts"
    nan = ", NaN" * array.nan + ", infinities" * array.infinite
    words = f"{shape} in [{shown(array.low)}, {shown(array.high)}]{nan}"
    if array.rows is not None:
        return f"{words}, one row a record"
    if array.public:
        return f"{words}, public"
    if not array.aligned:
        return words
    norms = array.norms
    return (
        f"{words}, moves by at most {shown(norms.l1)} in l1, {shown(norms.l2)} in l2, "
        f"{shown(norms.linf)} in linf"
    )


def _axis(axis: Any) -> str:
    if isinstance(axis, Rows):
        return "records" if axis.parent is None else "chosen records"
    if isinstance(axis, Unaligned):
        return "private length"
    return shown(axis)


def shown(bound: Bound | None) -> str:
    """Return a bound as text; floats' exact values in short."""
    import sympy

    if bound is None:
        return "?"
    if isinstance(bound, sympy.Rational) and bound.q > 10**6:
        return repr(float(bound))
    if bound is sympy.oo:
        return "∞"
    if bound == -sympy.oo:
        return "−∞"
    text = str(bound.xreplace({
        r: sympy.Float(r, 17) for r in bound.atoms(sympy.Rational) if r.q > 10**6
    }))  # fmt: skip
    return text
