"""Numbers, comparisons and truth on one path; what is compared is decided there."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.formal import rounding
from dpaudit.formal.alignment import decays
from dpaudit.formal.alignment.blocks import Block, BlockNoise, Derived, combined
from dpaudit.formal.alignment.poly import ONE, Poly, Symbol
from dpaudit.formal.alignment.trace import Atom
from dpaudit.formal.alignment.values import Array, Flag, Items, Stream, number
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.alignment.interpret import Interpreter

_COMPARED = {"lt", "le", "gt", "ge", "eq", "ne"}
_INFINITE = (math.inf, -math.inf)


def constant_value(value: Any, place: Place | None) -> Any:
    """Return a value of the program that is known before the run."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, int | Fraction):
        return Poly.of(value)
    if isinstance(value, float):
        if math.isnan(value):
            raise Unsupported("a constant that is NaN", place)
        return value if math.isinf(value) else Poly.of(Fraction(value))
    if isinstance(value, tuple):
        return tuple(constant_value(v, place) for v in value)
    if isinstance(value, list):
        return Items([constant_value(v, place) for v in value])
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return Array([constant_value(v, place) for v in value.tolist()])
    if isinstance(value, type):
        return value
    raise Unsupported(f"a constant of type {type(value).__name__}", place)


def truth(run: Interpreter, value: Any, place: Place | None) -> bool:
    """Return the truth of a value on this path."""
    if isinstance(value, bool) or value is None:
        return bool(value)
    if isinstance(value, Flag):
        return run.script.decide(Atom(value.number - 1, ">="), place)
    if isinstance(value, Poly):
        return not run.script.decide(Atom(value, "=="), place)
    if isinstance(value, Items) and not value.prefix:
        return bool(value.items)
    raise Unsupported("the truth of this value", place)


def binary(run: Interpreter, name: str, left: Any, right: Any, place: Place) -> Any:
    """Apply a binary operator, ``operator.add`` and the like."""
    operation = name.removeprefix("operator.")
    if isinstance(left, Block | BlockNoise | Derived) or isinstance(
        right, Block | BlockNoise | Derived
    ):
        return combined(name, left, right, place)
    if isinstance(left, Stream | Array) or isinstance(right, Stream | Array):
        from dpaudit.formal.alignment import vectors

        return vectors.apply(run, name, (left, right), place)
    if isinstance(left, decays.Decay) or isinstance(right, decays.Decay):
        return decays.combined(name, left, right, place)
    if operation in _COMPARED:
        return _compared(run, operation, left, right, place)
    if isinstance(left, bool) and isinstance(right, bool) and operation in ("and_", "or_", "xor"):
        return {"and_": left and right, "or_": left or right, "xor": left != right}[operation]
    if isinstance(left, tuple) and isinstance(right, tuple) and operation == "add":
        return left + right
    if isinstance(left, Items) and isinstance(right, Items) and operation == "add":
        if right.prefix is not None:
            raise Unsupported("a list followed by one of unknown length", place)
        return Items([*left.items, *right.items], left.prefix)
    if isinstance(left, bool | Flag) and isinstance(right, bool | Flag):
        # NumPy's + of truth values is "or", Python's counts.
        raise Unsupported(f"{operation} of two truth values", place)
    a, b = number(left), number(right)
    if a is None or b is None:
        raise Unsupported(f"{operation} of values that are no numbers", place)
    return _arithmetic(operation, a, b, place)


def _arithmetic(operation: str, a: Poly, b: Poly, place: Place) -> Poly:
    match operation:
        case "add":
            return _kept(a, b, a + b, place)
        case "sub":
            return _kept(a, b, a - b, place)
        case "mul":
            return a * b
        case "truediv":
            return a * reciprocal(b, place)
        case "mod" | "floordiv":
            return _euclidean(operation, a, b, place)
        case "pow" if (power := b.constant) is not None and power.denominator == 1:
            if 0 <= power <= 4:
                result = ONE
                for _ in range(int(power)):
                    result = result * a
                return result
    raise Unsupported(f"operator {operation}", place)


def _kept(a: Poly, b: Poly, result: Poly, place: Place | None) -> Poly:
    """Return a sum or difference of whose constant enough is left when it is rounded."""
    constants = [value.terms.get((), Fraction(0)) for value in (a, b, result)]
    if constants[0] and constants[1] and rounding.cancels(*constants):
        raise Unsupported(f"{a} and {b}, which cancel in floats", place)
    return result


def reciprocal(value: Poly, place: Place) -> Poly:
    """Return 1/value, which is a parameter of its own where value is not known."""
    known = value.constant
    if known == 0:
        raise Unsupported("a division by zero", place)
    if known is not None:
        return Poly.of(1 / known)
    if any(s.kind != "parameter" for s in value.symbols()):
        raise Unsupported("a division by a value that depends on data or noise", place)
    return Poly.of(Symbol(f"1/({value})", "parameter"))


def _euclidean(operation: str, a: Poly, b: Poly, place: Place) -> Poly:
    x, y = a.constant, b.constant
    if x is not None and y is not None and y:
        return Poly.of(x % y if operation == "mod" else Fraction(x // y))
    if not (a.integer and b.integer) or any(s.kind == "draw" for s in a.symbols() | b.symbols()):
        raise Unsupported(f"operator {operation} on these values", place)
    # The value itself is left open: what matters is that equal arguments have equal results.
    if any(s.kind not in ("parameter", "shared") for s in a.symbols() | b.symbols()):
        raise Unsupported(f"operator {operation} where the runs may differ", place)
    sign = "%" if operation == "mod" else "//"
    return Poly.of(Symbol(f"({a}){sign}({b})", "shared", True))


def _compared(run: Interpreter, operation: str, left: Any, right: Any, place: Place) -> Any:
    if operation in ("eq", "ne") and (number(left) is None or number(right) is None):
        return _identical(left, right, place) is (operation == "eq")
    for value, other, flip in ((left, right, False), (right, left, True)):
        if isinstance(value, float) and number(other) is not None:
            above = (value > 0) is not flip  # ±inf against a number
            return above if operation in ("gt", "ge") else not above
    a, b = number(left), number(right)
    if a is None or b is None:
        raise Unsupported("a comparison of values that are no numbers", place)
    _kept(a, b, a - b, place)
    x, y = a.constant, b.constant
    if x is not None and y is not None and rounding.torn(x, y):
        raise Unsupported(f"{a} and {b}, which floats may put in another order", place)
    match operation:
        case "ge":
            return run.script.decide(Atom(a - b, ">="), place)
        case "lt":
            return not run.script.decide(Atom(a - b, ">="), place)
        case "le":
            return run.script.decide(Atom(b - a, ">="), place)
        case "gt":
            return not run.script.decide(Atom(b - a, ">="), place)
        case "eq":
            return run.script.decide(Atom(a - b, "=="), place)
    return not run.script.decide(Atom(a - b, "=="), place)


def _identical(left: Any, right: Any, place: Place) -> bool:
    simple = (bool, str, type(None), float, Poly, Flag)
    if not isinstance(left, simple) or not isinstance(right, simple):
        raise Unsupported("an equality of values that are no numbers", place)
    if isinstance(left, float) and isinstance(right, float):
        return left == right
    return type(left) is type(right) and left == right


def maximum(run: Interpreter, values: list[Any], place: Place, *, least: bool = False) -> Any:
    """Return the largest (least) of some numbers, the first of equal ones."""
    if not values:
        raise Unsupported("the extreme of no values", place)
    best = values[0]
    for value in values[1:]:
        if _compared(run, "lt" if least else "gt", value, best, place):
            best = value
    return best
