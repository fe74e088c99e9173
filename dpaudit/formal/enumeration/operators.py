"""Operators on numbers that are exact, on values that are random, and on arrays of both."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.formal import rounding
from dpaudit.formal.effort import beyond
from dpaudit.formal.enumeration.held import agrees, held
from dpaudit.formal.enumeration.noise import (
    Atom,
    Line,
    Lottery,
    NotFiniteError,
    apply,
    combine,
    decide,
    is_random,
    mapped_line,
)
from dpaudit.formal.enumeration.numbers import Exact, exact, is_number, sign
from dpaudit.formal.enumeration.paths import current
from dpaudit.formal.enumeration.published import Published, is_publishable, of_published
from dpaudit.formal.enumeration.rounding_noise import Laplacian, of_laplacian
from dpaudit.formal.enumeration.selecting import Gumbel
from dpaudit.formal.enumeration.tailed import difference

_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "and_": operator.and_,
    "or_": operator.or_,
    "xor": operator.xor,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
}
BINARY = frozenset(_COMPARED) | frozenset(_ARITHMETIC)


def tidy(value: Any) -> Any:
    """Return a value as the enumeration holds it: floats exact, NumPy's scalars as Python's."""
    if isinstance(value, np.ndarray):
        return _tidy_array(value)
    if isinstance(value, np.generic):
        return _tidy_scalar(value)
    if isinstance(value, float):
        return exact(value)
    if isinstance(value, list):
        return [tidy(item) for item in value]
    if type(value) is tuple:
        return tuple(tidy(item) for item in value)
    if type(value) is dict:
        return {tidy(key): tidy(item) for key, item in value.items()}
    return value


def _tidy_scalar(value: np.generic) -> Any:
    if isinstance(value, np.bool_ | np.str_):
        return value.item()
    if isinstance(value, np.floating):
        return exact(float(value))
    if isinstance(value, np.integer) and value.dtype.itemsize == 8:
        return int(value)
    raise NotFiniteError(f"a scalar of type {value.dtype}")


def _tidy_array(value: np.ndarray) -> np.ndarray:
    if value.dtype.kind == "f":
        return elementwise(lambda x: exact(float(x)), value)
    if value.dtype.kind in "biuOU":
        return value
    raise NotFiniteError(f"an array of type {value.dtype}")


def elementwise(function: Callable[..., Any], *values: Any) -> np.ndarray:
    """Return the array of a function of the elements of arrays, which are broadcast."""
    arrays = [_objects(value) for value in values]
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    spread = [np.broadcast_to(a, shape) for a in arrays]
    found = np.empty(shape, dtype=object)
    for place in np.ndindex(shape):
        found[place] = function(*(tidy(a[place]) for a in spread))
    return found


def _objects(value: Any) -> np.ndarray:
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, list | tuple):
        return as_array(value)
    found = np.empty((), dtype=object)
    found[()] = value
    return found


def as_array(value: Any) -> np.ndarray:
    """Return a sequence as an array; of its numbers as they are where they are not all integers."""
    if isinstance(value, np.ndarray):
        return _tidy_array(value)
    if not isinstance(value, list | tuple | range):
        return _objects(tidy(value))
    items = [tidy(item) for item in value]
    if items and all(type(item) is bool for item in items):
        return np.array(items, dtype=bool)
    if items and all(isinstance(item, int) for item in items):
        return np.array([int(item) for item in items], dtype=np.int64)
    if any(isinstance(item, list | tuple | np.ndarray) for item in items):
        rows = [as_array(item) for item in items]
        if len({row.shape for row in rows}) != 1:
            raise NotFiniteError("an array of rows of different lengths")
        return np.stack(rows)
    if items and all(isinstance(item, str) for item in items):
        return np.array(items)
    if not all(is_number(item) or is_random(item) for item in items):
        raise NotFiniteError("an array of anything but numbers")
    found = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):  # all numbers of a float array are floats
        found[i] = Fraction(item) if isinstance(item, int) else item
    return found


def is_native(value: Any) -> bool:
    """Return whether NumPy computes with a value as it is: integers, booleans, texts."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biuU"
    return isinstance(value, int | str | bool)


def unary(name: str, value: Any) -> Any:
    """Return the result of a unary operator."""
    value = tidy(value)
    if name == "not_":
        return apply(lambda v: not v, value) if isinstance(value, Lottery) else not value
    if isinstance(value, np.ndarray):
        if is_native(value):
            return getattr(operator, name)(value)
        return elementwise(lambda v: _entry(name, v), value)
    return unary_element(name, value)


def _entry(name: str, value: Any) -> Any:
    """Return the result of a unary operator on an entry, where truth values are NumPy's."""
    if name == "invert" and isinstance(value, Lottery):
        return apply(lambda v: _entry(name, v), value)
    if name == "invert" and isinstance(value, bool):
        return not value
    return unary_element(name, value)


def unary_element(name: str, value: Any) -> Any:
    """Return the result of a unary operator on one element of an array, or a scalar."""
    if isinstance(value, Line):
        if name != "neg":
            raise NotFiniteError(f"operator {name} on a draw")
        return mapped_line(value, scale=-1)
    if isinstance(value, Laplacian):
        return of_laplacian("mul" if name == "neg" else name, value, -1)
    if name == "invert":
        if isinstance(value, bool):
            raise NotFiniteError("~ of a truth value, which is -1 or -2 unless NumPy made it")
        if isinstance(value, Lottery):
            return apply(lambda v: unary_element(name, v), value)
    return apply(getattr(operator, name), value)


def binary(name: str, left: Any, right: Any) -> Any:
    """Return the result of a binary operator."""
    left, right = tidy(left), tidy(right)
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        return _binary_arrays(name, left, right)
    return binary_element(name, left, right)


def _binary_arrays(name: str, left: Any, right: Any) -> Any:
    if isinstance(left, list | tuple):
        left = as_array(left)
    if isinstance(right, list | tuple):
        right = as_array(right)
    if is_native(left) and is_native(right) and name not in ("truediv", "pow"):
        return tidy({**_COMPARED, **_ARITHMETIC}[name](left, right))
    return elementwise(lambda a, b: binary_element(name, a, b, _of_entries), left, right)


def _of_entries(name: str, left: Any, right: Any) -> Any:
    """Return the result of a binary operator on two entries: True + True is True in NumPy."""
    if name in ("add", "sub") and isinstance(left, bool) and isinstance(right, bool):
        raise NotFiniteError(f"{name} of arrays of truth values")
    return _plain(name, left, right)


def binary_element(
    name: str, left: Any, right: Any, plain: Callable[[str, Any, Any], Any] | None = None
) -> Any:
    """Return the result of a binary operator on two scalars."""
    plain = plain or _plain
    if isinstance(left, Published) or isinstance(right, Published):
        return of_published(name, left, right)
    if name in _COMPARED:
        if isinstance(left, Gumbel | Laplacian) or isinstance(right, Gumbel | Laplacian):
            raise NotFiniteError("a comparison of continuous noise")
        return _compared(name, left, right)
    if isinstance(left, Laplacian) or isinstance(right, Laplacian):
        return of_laplacian(name, left, right)
    if isinstance(left, Gumbel) or isinstance(right, Gumbel):
        return _of_gumbel(name, left, right)
    if isinstance(left, Line) or isinstance(right, Line):
        return _of_lines(name, left, right)
    if is_random(left) or is_random(right):
        return combine(lambda a, b: plain(name, a, b), left, right)
    return plain(name, left, right)


def _plain(name: str, left: Any, right: Any) -> Any:
    if large := beyond(name, (left, right)):
        raise NotFiniteError(large)
    numbers = is_number(left) and is_number(right)
    if name == "truediv" and numbers:
        exact_left = Fraction(left) if isinstance(left, int) else left
        return held(name, left, right, exact_left / right)
    if name == "pow" and numbers:
        whole = isinstance(right, int) or (isinstance(right, Fraction) and right.denominator == 1)
        if not whole:
            raise NotFiniteError("a power that is no integer")
        base = left
        if isinstance(left, int) and (right < 0 or isinstance(right, Fraction)):
            base = Fraction(left)
        return held(name, left, right, base ** int(right))
    if name in ("floordiv", "mod") and (isinstance(left, Exact) or isinstance(right, Exact)):
        raise NotFiniteError(f"{name} of a number that is not rational")
    result = _ARITHMETIC[name](left, right)
    if isinstance(left, Fraction) or isinstance(right, Fraction):
        _rounded(name, left, right, result)
    return held(name, left, right, result)


def _rounded(name: str, left: Any, right: Any, result: Any) -> None:
    """Refuse what floats make something else of."""
    if not (isinstance(left, int | Fraction) and isinstance(right, int | Fraction)):
        return
    a, b = Fraction(left), Fraction(right)
    if (
        (name in ("add", "sub") and a and b and rounding.cancels(a, b, result))
        or (name in ("floordiv", "mod") and rounding.nearly_whole(a / b))
        or (name in _COMPARED and rounding.torn(a, b))
    ):
        raise NotFiniteError(f"{name} of {float(a)!r} and {float(b)!r} depends on rounding")


def _compared(name: str, left: Any, right: Any) -> Any:
    if isinstance(left, Line) or isinstance(right, Line):
        if name in ("eq", "ne"):
            return _equal_lines(name, left, right)
        if not isinstance(left, Line):
            name = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}[name]
            left, right = right, left
        return _COMPARED[name](left, right)
    if is_random(left) or is_random(right):
        return combine(lambda a, b: _ordered(name, a, b), left, right)
    return _ordered(name, left, right)


def _ordered(name: str, left: Any, right: Any) -> Any:
    """Return the outcome of a comparison, which floats must not make another one."""
    result = _COMPARED[name](left, right)
    if isinstance(left, Fraction) or isinstance(right, Fraction):
        _rounded(name, left, right, result)
    if not agrees(_COMPARED[name], left, right, result):
        raise NotFiniteError(f"{name} of {float(left)!r} and {float(right)!r} depends on rounding")
    return result


def _equal_lines(name: str, left: Any, right: Any) -> Any:
    """Return whether a draw has a value, which for a continuous one never happens."""
    if not isinstance(left, Line):
        left, right = right, left
    if right is None or isinstance(right, str):
        return name == "ne"
    if isinstance(right, Line | Lottery):
        raise NotFiniteError("two draws tested for being equal")
    if left.atom.continuous:
        return name == "ne"
    above, over = left <= right, left < right
    same = combine(lambda a, b: bool(a) and not b, above, over)
    return same if name == "eq" else combine(lambda s: not s, same)


def _of_lines(name: str, left: Any, right: Any) -> Any:
    if isinstance(left, Lottery):
        left = decide(left)
    if isinstance(right, Lottery):
        right = decide(right)
    if isinstance(left, Line) and isinstance(right, Line):
        return _two_lines(name, left, right)
    if name == "add":
        line, number = (left, right) if isinstance(left, Line) else (right, left)
        return mapped_line(line, shift=_real(number))
    if name == "sub" and isinstance(left, Line):
        return mapped_line(left, shift=-_real(right))
    if name == "sub":
        return mapped_line(right, scale=-1, shift=_real(left))
    if name == "mul":
        line, number = (left, right) if isinstance(left, Line) else (right, left)
        return mapped_line(line, scale=_real(number))
    if name == "truediv" and isinstance(left, Line):
        return mapped_line(left, scale=Fraction(1) / _real(right))
    line = left if isinstance(left, Line) else right
    if name in ("mod", "floordiv") and is_publishable(left):
        return of_published(name, left, right)
    if not line.atom.continuous and line.atom.tailed is None:
        from dpaudit.formal.enumeration.noise import listed

        sides = [listed(side) if isinstance(side, Line) else side for side in (left, right)]
        return combine(lambda a, b: _plain(name, a, b), *sides)
    raise NotFiniteError(f"operator {name} on a draw")


def _of_gumbel(name: str, left: Any, right: Any) -> Gumbel:
    noise, number = (left, right) if isinstance(left, Gumbel) else (right, left)
    number = _real(decide(number))
    if name == "add":
        return Gumbel(noise.atom, noise.scale, noise.shift + number)
    if name == "sub" and noise is left:
        return Gumbel(noise.atom, noise.scale, noise.shift - number)
    if name == "mul" and sign(number) > 0:
        return Gumbel(noise.atom, noise.scale * number, noise.shift * number)
    raise NotFiniteError(f"operator {name} on Gumbel noise")


def _real(value: Any) -> Any:
    if not is_number(value) or isinstance(value, float):
        raise NotFiniteError(f"{value!r:.40} together with a draw")
    return value


def _two_lines(name: str, left: Line, right: Line) -> Any:
    if name not in ("add", "sub"):
        raise NotFiniteError(f"operator {name} on two draws")
    if name == "sub":
        right = mapped_line(right, scale=-1)
    if left.atom is right.atom:
        return Line(left.atom, left.scale + right.scale, left.shift + right.shift)
    scales = {left.scale: left, right.scale: right}
    one, other = scales.get(1), scales.get(-1)
    if one is not None and other is not None and _is_geometric(one) and _is_geometric(other):
        current().spend((one.atom, other.atom))
        assert one.atom.tailed is not None
        assert other.atom.tailed is not None
        rate, falling = one.atom.tailed.mass(1), other.atom.tailed.mass(1)
        shift = left.shift + right.shift
        return Line(Atom(tailed=difference(rate, falling)), 1, shift)
    if is_publishable(left) and is_publishable(right):
        return of_published("add", left, right)
    spans = [x.atom.whole() for x in (left, right) if not x.atom.continuous]
    if len(spans) == 2 and all(high - low <= 4096 for low, high in spans):
        from dpaudit.formal.enumeration.noise import listed

        return combine(operator.add, listed(left), listed(right))
    raise NotFiniteError("two draws added together")


def _is_geometric(line: Line) -> bool:
    tailed = line.atom.tailed
    return tailed is not None and tailed.low is None and not tailed.middle and tailed.start == 1


def forced(values: Iterable[Any]) -> list[Any]:
    """Return values with their lotteries decided."""
    return [decide(value) if isinstance(value, Lottery) else value for value in values]
