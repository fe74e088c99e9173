"""Draws from very many integers that are looked at as if they were published.

Let A be draws that no record influences, such as the coefficients of a hash function. Given A = a,
the mechanism is another one, M_a. What a claim bounds (the ratio of chances, the hockey-stick
divergence, moments of the ratio) is jointly quasi-convex in the two distributions, so that M, which
mixes the M_a with the same weights on both datasets, keeps each claim that every M_a keeps.

Of a nothing is known. A number that is computed from it and from numbers that are known is a
constant, `Published`; where the code takes its remainder by a small number, each remainder is gone
through (`Path.constant`), and the two datasets are compared wherever their constants of one name
have one value.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from dpaudit.formal.enumeration.noise import Line, NotFiniteError
from dpaudit.formal.enumeration.paths import Path, current

MANY = 1 << 13  # integers; a draw from fewer is gone through
_REMAINDERS = 64
_INT64 = 1 << 63
_OPERATORS: dict[str, tuple[str, Callable[[int, int], int]]] = {
    "add": ("+", operator.add),
    "sub": ("-", operator.sub),
    "mul": ("*", operator.mul),
    "floordiv": ("//", operator.floordiv),
    "mod": ("%", operator.mod),
}


class Published:
    """An integer that is computed from published draws.

    Attributes
    ----------
    text : str
        Its formula: equal formulas are equal numbers.
    low, high : int
        Between which it lies, both included; 64 bits hold them, so that nothing wraps around.
    """

    __slots__ = ("high", "low", "text")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, text: str, low: int, high: int) -> None:
        if not -_INT64 <= low <= high < _INT64:
            raise NotFiniteError("a draw from very many integers that may wrap around")
        self.text, self.low, self.high = text, low, high

    def __eq__(self, other: object) -> bool:
        raise NotFiniteError("a comparison of a draw from very many integers")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__

    def __bool__(self) -> bool:
        raise NotFiniteError("a test of a draw from very many integers")

    __index__ = __int__ = __iter__ = __len__ = __float__ = __bool__


def is_publishable(value: Any) -> bool:
    """Return whether a value is a uniform draw from very many integers, moved by whole numbers."""
    if isinstance(value, Published):
        return True
    if not isinstance(value, Line) or value.atom.size is None or value.atom.size <= MANY:
        return False
    return type(value.scale) is int and type(value.shift) is int


def published(path: Path, value: Any) -> Published:
    """Return a draw, or a whole number, as one that is published."""
    if isinstance(value, Published):
        return value
    if isinstance(value, Line):
        number, size = path.publish(value.atom), value.atom.whole()[1]
        ends = [value.scale * end + value.shift for end in (0, size - 1)]
        text = f"({value.scale}*A{number}:{size}+{value.shift})"
        return Published(text, min(ends), max(ends))
    if type(value) is not int:
        raise NotFiniteError("a draw from very many integers together with what is no integer")
    return Published(f"({value})", value, value)


def of_published(name: str, left: Any, right: Any) -> Any:
    """Return the result of an operator on published draws and whole numbers."""
    if name not in _OPERATORS:
        raise NotFiniteError(f"operator {name} on a draw from very many integers")
    path, (sign, operation) = current(), _OPERATORS[name]
    one, other = published(path, left), published(path, right)
    text = f"({one.text}{sign}{other.text})"
    if name in ("mod", "floordiv") and not (type(right) is int and right > 0):
        raise NotFiniteError("a draw from very many integers, divided by what is not positive")
    if name == "mod":
        return path.constant(text, right) if right <= _REMAINDERS else Published(text, 0, right - 1)
    ends = [operation(a, b) for a in (one.low, one.high) for b in (other.low, other.high)]
    return Published(text, min(ends), max(ends))


def consistent(one: Mapping[str, int], other: Mapping[str, int]) -> bool:
    """Return whether constants of one name have one value."""
    return all(other.get(name, value) == value for name, value in one.items())
