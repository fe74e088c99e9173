"""Outputs as keys: what they hold, and of which types."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import Any

FIXED = "fixed"  # an output that is known but for draws of which every value is looked at by itself
WHOLE = "whole"  # an integer without bound, by its type
PIECE = "piece"  # a continuous number
TAIL, BELOW, FROM = "tail", "below", "from"  # an integer without bound, and the far ones together


def without_type(key: Any) -> Hashable:
    """Return the key of an output as numbers: 1, 1.0 and True are one output."""
    if isinstance(key, tuple) and len(key) == 2 and key[0] in ("bool", "int", "real"):
        return ("number", Fraction(key[1]) if isinstance(key[1], int) else key[1])
    if isinstance(key, tuple) and len(key) == 2 and key[0] == WHOLE:
        return (WHOLE, True)
    if isinstance(key, frozenset):
        return frozenset(map(without_type, key))
    return tuple(map(without_type, key)) if isinstance(key, tuple) else key


def fits(key: Any, shape: Any) -> Fraction | None:
    """Return the number that stands where an integer with noise does in a shape.

    None where the output is none of that shape; 0 where that has none.
    """
    noisy = (WHOLE, True)
    if key == noisy or shape == noisy:
        other = shape if key == noisy else key
        if other == noisy:
            return Fraction(0)
        plain = isinstance(other, tuple) and len(other) == 2 and other[0] == "number"
        if not plain or not isinstance(other[1], Fraction):
            return None
        return other[1] if shape == noisy else Fraction(0)
    if isinstance(key, tuple) and isinstance(shape, tuple) and len(key) == len(shape):
        parts = [fits(one, other) for one, other in zip(key, shape, strict=True)]
        known = [part for part in parts if part is not None]
        return sum(known, Fraction(0)) if len(known) == len(parts) else None
    return Fraction(0) if key == shape else None


def filled(key: Any, y: int) -> Hashable:
    """Return the key of an output with its integer in place."""
    if isinstance(key, tuple) and len(key) == 2 and key[0] == WHOLE:
        return ("real", Fraction(y)) if key[1] else ("int", y)
    return tuple(filled(item, y) for item in key) if isinstance(key, tuple) else key
