"""How far apart two outputs of a query are: of values in the proof, and of concrete outputs."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from dpaudit.formal.arrays import as_array, derived
from dpaudit.formal.bounds import INFINITE, ZERO, Bound, larger, square_root
from dpaudit.formal.dependence import is_public
from dpaudit.formal.domain import Array, Both, DictValue, Known, ListValue, Number, Tuple, Value
from dpaudit.formal.norms import Norms
from dpaudit.formal.program import Place
from dpaudit.formal.relations import settled
from dpaudit.formal.unsupported import Unsupported
from dpaudit.formal.words import in_words


def bound_of(value: Value, norm: str, place: Place) -> tuple[Bound, str]:
    """Return a bound on the change of a value in a norm, and why it is infinite where it is.

    Raises
    ------
    Unsupported
        For values that are no numbers.
    """
    norms, why = _norms(value, place)
    return getattr(norms, norm), why


def _norms(value: Value, place: Place) -> tuple[Norms, str]:
    if is_public(value):
        return Norms(ZERO, ZERO, ZERO, ZERO), ""
    match value:
        case Number():
            d = value.distance
            return Norms(ZERO if d == 0 else sympy.Integer(1), d, d, d), value.why
        case Array():
            return _of_array(value)
        case Both():
            return _norms(settled(value), place)
        case Tuple(items=items) | ListValue(items=items):
            return _of_items(list(items), place)
        case DictValue(items=items):
            return _of_items(list(items.values()), place)
    raise Unsupported(f"{in_words(value)} as an output", place)


def _of_array(array: Array) -> tuple[Norms, str]:
    if array.kind == "object":
        raise Unsupported("an output of texts")
    array = derived(array)
    if not array.aligned:
        return Norms(), array.why or "the number of entries is private"
    return array.norms, array.why


def _of_items(items: list[Value], place: Place) -> tuple[Norms, str]:
    from dpaudit.formal.rules.shapes import parts_that_change, side_by_side

    each = [_norms(item, place) for item in items]
    norms = side_by_side([norms for norms, _ in each])
    if items and all(isinstance(item, Number | Array | Known) for item in items):
        most = parts_that_change([as_array(i) if not isinstance(i, Number) else i for i in items])
        if most is not None:
            # At most so many of the parts move: each in every norm by no more than the worst.
            worst = Norms(*(larger(ZERO, *(getattr(n, name) for n, _ in each)) for name in (
                "l0", "l1", "l2", "linf"
            )))  # fmt: skip
            fewer = Norms(
                most * worst.l0, most * worst.l1, square_root(most) * worst.l2, worst.linf
            )
            norms = norms.within(fewer)
    return norms, next((why for _, why in each if why), "")


# --- concrete outputs


def flattened(output: Any) -> Iterator[Any]:
    """Yield the numbers of an output; what is none as it is."""
    if isinstance(output, np.ndarray):
        yield ("shape", output.shape)
        yield from output.ravel().tolist()
    elif isinstance(output, tuple | list):
        yield ("length", len(output))
        for item in output:
            yield from flattened(item)
    elif isinstance(output, dict):
        yield ("keys", tuple(output))
        for item in output.values():
            yield from flattened(item)
    elif isinstance(output, np.generic):
        yield output.item()
    elif hasattr(output, "to_numpy"):
        yield from flattened(output.to_numpy())
    else:
        yield output


def distance(left: Any, right: Any, norm: str) -> Fraction | float:
    """Return how far apart two outputs are, exactly but for roots; infinite where not comparable.

    Two outputs of different shapes, or of which one is NaN or infinite and the other is not, are
    infinitely far apart.
    """
    one, other = list(flattened(left)), list(flattened(right))
    if len(one) != len(other):
        return math.inf
    changes: list[Fraction] = []
    for a, b in zip(one, other, strict=True):
        if isinstance(a, numbers.Real) and isinstance(b, numbers.Real):
            if a == b or (a != a and b != b):
                continue
            if not (math.isfinite(a) and math.isfinite(b)):
                if norm != "l0":
                    return math.inf
                a, b = 0, 1  # one entry, whatever it changes to
            changes.append(abs(Fraction(a) - Fraction(b)))
        elif a != b:
            return math.inf
    if norm == "l0":
        return Fraction(len(changes))
    if norm == "linf":
        return max(changes, default=Fraction(0))
    if norm == "l1":
        return sum(changes, Fraction(0))
    try:
        return math.sqrt(sum(c * c for c in changes))
    except OverflowError:  # the sum of squares is no float: its root, rounded up, may be one
        return Fraction(math.isqrt(math.ceil(sum(c * c for c in changes))) + 1)


def is_finite(bound: Bound) -> bool:
    """Whether a bound is a number or a formula, and not infinite."""
    return bound is not INFINITE and not bound.has(sympy.oo, sympy.nan, sympy.zoo)
