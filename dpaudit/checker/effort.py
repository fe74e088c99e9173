"""What no single step may be asked for: a limit on time cannot come up inside of it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from numbers import Rational
from typing import Any

BITS = 1 << 22  # of a whole number; Python multiplies such numbers in a fraction of a second
ITEMS = 1 << 24
_MOST = 1 << 1000  # fits in a float

_GROWING = frozenset({"pow", "lshift", "mul", "factorial", "perm", "comb"})
_LAZY = frozenset({"len", "range", "isinstance", "type", "bool", "slice", "repr", "str", "call"})


def beyond(name: str, arguments: Sequence[Any]) -> str | None:
    """Return what is too large in a computation on known values, None where nothing is.

    Parameters
    ----------
    name : str
        Canonical name of a function or an operator, such as ``"operator.pow"``.
    arguments : sequence

    Returns
    -------
    str or None

    Notes
    -----
    A power, a factorial or the sum of a range runs in C from its first digit to its last.
    """
    last = name.rpartition(".")[2]
    for argument in arguments:
        if isinstance(argument, range) and last not in _LAZY and _length(argument) > ITEMS:
            return f"{last} over {_length(argument)} numbers"
    if last not in _GROWING:
        return None
    first, second = (*arguments, None, None)[:2]
    if last == "mul":
        for items, times in ((first, second), (second, first)):
            if isinstance(items, list | tuple | str | bytes) and isinstance(times, int):
                count = len(items) * max(0, times)
                return f"a sequence of {count} items" if count > ITEMS else None
    bits = _bits(last, first, second)
    return f"a number of about {bits:.0e} bits" if bits > BITS else None


def _length(numbers: range) -> int:
    """Return what `len` does, of ranges too that are longer than it can say."""
    return max(0, -((numbers.start - numbers.stop) // numbers.step))


def _bits(operation: str, first: Any, second: Any) -> float:
    """Return about how many bits the result has; 0 where it is no fraction of whole numbers."""
    if not _is_rational(first) or not (second is None or _is_rational(second)):
        return 0.0
    size = _size(first)
    times = _MOST if second is None else min(abs(_whole(second)), _MOST)
    match operation:
        case "pow":
            return float(size * times) if size > 1 else 0.0  # at most twice as many as there are
        case "lshift":
            return float(size + times) if first else 0.0
        case "mul":
            return float(size + _size(second))
        case "factorial" | "perm":
            return float(min(abs(_whole(first)), times) * size)
        case "comb":
            return float(min(times, abs(_whole(first) - times)) * size)
    return 0.0


def _is_rational(value: Any) -> bool:
    """Return what ``isinstance(value, Rational)`` does, sooner for the types that are usual."""
    kind = type(value)
    return kind is int or kind is Fraction or isinstance(value, Rational)


def _whole(number: Rational) -> int:
    return int(number.numerator) // int(number.denominator)


def _size(number: Rational | None) -> int:
    if number is None:
        return 0
    return max(int(number.numerator).bit_length(), int(number.denominator).bit_length())
