"""Traced numbers: they compute what plain ones compute, and know which noise is in them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from dpaudit.trace.draws import users_line
from dpaudit.trace.tape import NO_CELL, Tape

_PLAIN: dict[type, Callable[[Any], Any]] = {
    float: float.__pos__,
    int: int.__pos__,
    np.float64: lambda x: np.float64(float.__pos__(x)),
    np.int64: lambda x: np.int64(np.int64.__int__(x)),
}
_NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)
_PLAINEST = frozenset((bool, int, float))


class Traced:
    """What traced numbers have in common; the classes below add the type that they pass for."""

    _tape: Tape
    _cell: int
    _coef: float
    _used: bool
    _line: Any
    _passes_for: type

    def _dpaudit_plain(self) -> Any:
        return _PLAIN[self._passes_for](self)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return self._passes_for

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from dpaudit.trace.ufuncs import traced_ufunc

        return traced_ufunc(ufunc, method, inputs, kwargs)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self._dpaudit_plain().__reduce_ex__(protocol)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self


def wrapped(value: Any, tape: Tape, cell: int, coefficient: float, line: Any = None) -> Any:
    """Return a number as a traced one; unchanged where it has no noise or no traced type.

    The line is the one that formed it; what is only scaled or moved keeps that of its origin.
    """
    kind = _KINDS.get(type(value))
    if kind is None or cell == NO_CELL or not tape.open:
        return value
    made = kind(value)
    made._tape, made._cell, made._coef = tape, cell, coefficient
    made._used, made._line = False, line or users_line(2)
    tape.nodes.append(made)
    return made


def combine(one: Any, two: Any, first: float, second: float) -> tuple[Tape, int, float] | None:
    """Return tape, cell and coefficient of ``first·one + second·two``; None where untraced."""
    a = (one._tape, one._cell, one._coef * first) if isinstance_traced(one) else None
    b = (two._tape, two._cell, two._coef * second) if isinstance_traced(two) else None
    if a is None or b is None:
        return a or b
    if a[1] == b[1]:
        coefficient = a[2] + b[2]
        return (a[0], a[1] if coefficient else NO_CELL, coefficient)
    return a[0], a[0].combined([(a[1], a[2]), (b[1], b[2])]), 1.0


def isinstance_traced(value: Any) -> bool:
    """Whether a value is a traced number of a run that is still going on."""
    return issubclass(type(value), Traced) and value._tape.open


def _result(value: Any, one: Any, two: Any, first: float, second: float, line: Any = None) -> Any:
    known = combine(one, two, first, second)
    for each in (one, two):
        if issubclass(type(each), Traced):
            each._used = True
    return value if known is None else wrapped(value, *known, line)


def _quiet(value: Any) -> Any:
    if type(value) in _PLAINEST:
        return value
    return value._dpaudit_plain() if issubclass(type(value), Traced) else value


def _unsuitable(other: Any) -> bool:
    kind = type(other)
    return kind not in _PLAINEST and not issubclass(kind, _NUMBERS) and not issubclass(kind, Traced)


def _sum(op: Callable[[Any, Any], Any], sign: float) -> tuple[Any, Any]:
    def forward(self: Any, other: Any) -> Any:
        if _unsuitable(other):
            return NotImplemented
        return _result(op(_quiet(self), _quiet(other)), self, other, 1.0, sign)

    def reflected(self: Any, other: Any) -> Any:
        if _unsuitable(other):
            return NotImplemented
        return _result(op(_quiet(other), _quiet(self)), other, self, 1.0, sign)

    return forward, reflected


def _product(self: Any, other: Any, op: Callable[[Any, Any], Any], factor: Any) -> Any:
    value = op(_quiet(self), _quiet(other))
    if issubclass(type(other), Traced) and isinstance_traced(other):
        self._tape.pin(self)
        self._tape.pin(other)
        return value
    return _result(value, self, None, float(factor(_quiet(other))), 0.0, self._line)


def _multiplied(self: Any, other: Any) -> Any:
    if _unsuitable(other):
        return NotImplemented
    return _product(self, other, operator.mul, lambda c: c)


def _multiplied_by(self: Any, other: Any) -> Any:
    if _unsuitable(other):
        return NotImplemented
    return _product(self, other, lambda a, b: operator.mul(b, a), lambda c: c)


def _divided(self: Any, other: Any) -> Any:
    if _unsuitable(other):
        return NotImplemented
    return _product(self, other, operator.truediv, lambda c: 1.0 / c if c else math.inf)


def _negated(self: Any) -> Any:
    return _result(operator.neg(_quiet(self)), self, None, -1.0, 0.0, self._line)


def _kept(self: Any) -> Any:
    return _result(operator.pos(_quiet(self)), self, None, 1.0, 0.0, self._line)


def _compared(op: Callable[[Any, Any], Any], upwards: bool) -> Any:
    def method(self: Any, other: Any) -> Any:
        if _unsuitable(other):
            return NotImplemented
        one, two = _quiet(self), _quiet(other)
        outcome = op(one, two)
        known = combine(self, other, 1.0, -1.0)
        for each in (self, other):
            if issubclass(type(each), Traced):
                each._used = True
        if known is not None:
            tape, cell, coefficient = known
            tape.order_of_two(cell, coefficient, float(one) - float(two), bool(outcome) == upwards)
        return outcome

    return method


def _pinned(name: str, kind: type) -> Any:
    plain_method = getattr(kind, name)

    def method(self: Any, *args: Any) -> Any:
        for each in (self, *args):
            if issubclass(type(each), Traced):
                each._tape.pin(each)
        if any(_unsuitable(each) and each is not None for each in args) and name != "__format__":
            return NotImplemented
        return plain_method(_quiet(self), *map(_quiet, args))

    method.__name__ = name
    return method


_PINNING = (
    *("__abs__", "__floordiv__", "__rfloordiv__", "__mod__", "__rmod__", "__pow__", "__rpow__"),
    *("__rtruediv__", "__divmod__", "__rdivmod__", "__round__", "__trunc__", "__floor__"),
    *("__ceil__", "__int__", "__float__", "__bool__", "__hash__", "__str__", "__repr__"),
    *("__format__", "__eq__", "__ne__", "__index__", "__and__", "__or__", "__xor__"),
    *("__lshift__", "__rshift__", "__invert__", "is_integer", "as_integer_ratio", "hex", "item"),
    *("astype", "clip", "round", "tolist"),
)


_NOT_COPIED = ("__dict__", "__weakref__", "__doc__", "__module__", "__annotations__")


def _kind(base: type) -> type:
    """Return the traced class that passes for a type of numbers."""
    add, radd = _sum(operator.add, 1.0)
    sub, rsub = _sum(operator.sub, -1.0)
    methods: dict[str, Any] = {
        **{name: held for name, held in vars(Traced).items() if name not in _NOT_COPIED},
        "_passes_for": base,
        "__add__": add,
        "__radd__": radd,
        "__sub__": sub,
        "__rsub__": rsub,
        "__mul__": _multiplied,
        "__rmul__": _multiplied_by,
        "__truediv__": _divided,
        "__neg__": _negated,
        "__pos__": _kept,
        "__lt__": _compared(operator.lt, False),
        "__le__": _compared(operator.le, False),
        "__gt__": _compared(operator.gt, True),
        "__ge__": _compared(operator.ge, True),
    }
    for name in _PINNING:
        if hasattr(base, name):
            methods[name] = _pinned(name, base)
    # NumPy takes the first base for the scalar's own type, and crashes where it is none.
    return type(f"Traced_{base.__name__}", (base, Traced), methods)


_KINDS: dict[type, type] = {base: _kind(base) for base in _PLAIN}
