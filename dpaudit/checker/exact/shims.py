"""What stands in for the parts of Python and NumPy that would round to floats."""

from __future__ import annotations

import math
import numbers
import types
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.checker.exact.drawn import Drawn
from dpaudit.checker.exact.fixed import Fixed
from dpaudit.checker.exact.generator import Bytes
from dpaudit.checker.exact.lazy_value import Undecided, applied, real, typed, where
from dpaudit.checker.exact.numbers import Number, number, number_or_none
from dpaudit.checker.exact.plain import Array, type_of
from dpaudit.checker.file import NotCheckedError
from dpaudit.checker.wording import described

_E = Fraction(math.e)
_SMOOTH = ("exp", "expm1", "log", "log1p", "log2", "sqrt")


def exact(value: Any) -> Any:
    """Return a value of which floats are exact numbers; NaN and infinities stay."""
    if isinstance(value, float | np.floating):
        return number(value) if math.isfinite(value) else float(value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        if _has_nan(value):
            raise NotCheckedError("not checked: NaN in an array")
        found = np.empty(value.shape, dtype=object)
        for at in np.ndindex(*value.shape):
            found[at] = exact(value[at])
        return found
    if isinstance(value, np.ndarray) and value.dtype.kind == "V":
        if all(value.dtype[at].kind in "biuU" for at in range(len(value.dtype))):
            return value  # rows without floats
        raise NotCheckedError("not checked: records of several columns")
    if isinstance(value, Fraction):
        return Number(value)
    if type(value) in (tuple, list):
        return type(value)(map(exact, value))
    return {k: exact(v) for k, v in value.items()} if type(value) is dict else value


def divided(one: Any, other: Any) -> Any:
    """Return a quotient, exact for integers too."""
    if isinstance(one, np.ndarray) and one.dtype.kind in "biuf":
        one = _objects(one)
    if isinstance(other, np.ndarray):
        other = _objects(other)
        return one / other
    known = number_or_none(other, strict=False)
    if known is None:
        return one / other
    plain = number_or_none(one, strict=False)
    return (one if plain is None else plain) / known


def raised(one: Any, other: Any) -> Any:
    """Return a power, exact where the exponent is negative too; the float nearest to e is e."""
    plain = number_or_none(one, strict=False)
    known = number_or_none(other, strict=False)
    told = known is not None or isinstance(other, np.ndarray)
    if plain is not None and plain.fraction == _E and told:
        return SMOOTH["exp"](other)
    if plain is None or known is None:
        return one**other
    integers = isinstance(one, int) and isinstance(other, int)
    return one**other if integers and other >= 0 else plain**known


def _objects(array: Any) -> Any:
    found = np.empty(array.shape, dtype=object)
    for at in np.ndindex(*array.shape):
        found[at] = number(array[at]) if array.dtype.kind != "O" else array[at]
    return found


def _smooth(name: str) -> Callable[[Any], Any]:
    def apply(value: Any) -> Any:
        if isinstance(value, np.ndarray | list | tuple):
            array = np.asarray(value)
            found = np.empty(array.shape, dtype=object)
            for at in np.ndindex(*array.shape):
                found[at] = apply(array[at])
            return found
        known = number_or_none(value)
        if known is None:
            raise NotCheckedError(f"not checked: {name} of {described(value)}")
        return getattr(known, name)()

    return apply


SMOOTH = {name: _smooth(name) for name in _SMOOTH}


def _has_nan(value: Any) -> bool:
    if isinstance(value, float | np.floating):
        return bool(value != value)
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fO" and any(map(_has_nan, value.ravel().tolist()))
    return isinstance(value, list | tuple) and any(map(_has_nan, value))


class _Guarded:
    """A function of NumPy that NaN does not reach: among objects it is like any other number."""

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self._function, self._name = function, name

    def __call__(self, *args: Any, **named: Any) -> Any:
        if any(map(_has_nan, (*args, *named.values()))):
            raise NotCheckedError(f"not checked: {self._name} of NaN")
        if isinstance(named.get("dtype"), _Like):
            named["dtype"] = named["dtype"].like
        return self._function(*args, **named)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._function, name)
        return _Guarded(found, f"{self._name}.{name}") if callable(found) else found


def _tested(function: Callable[[float], bool], usual: bool) -> Callable[[Any], Any]:
    """Return a test for NaN or infinities, of which exact numbers are none."""

    def test(value: Any) -> Any:
        if isinstance(value, np.ndarray | list | tuple):
            array = np.asarray(value)
            found = [test(entry) for entry in array.ravel().tolist()]
            return np.array(found, dtype=bool).reshape(array.shape)
        if number_or_none(value, strict=False) is not None:
            return usual
        if not isinstance(value, float | np.floating):
            raise NotCheckedError(f"not checked: a test for NaN of {described(value)}")
        return function(float(value))

    return test


_TESTS = {
    "isnan": _tested(math.isnan, usual=False),
    "isinf": _tested(math.isinf, usual=False),
    "isfinite": _tested(math.isfinite, usual=True),
}


class _Extreme(_Guarded):
    """``maximum`` and its like: of two numbers NaN is the result or, of fmax and fmin, is not."""

    def __call__(self, *args: Any, **named: Any) -> Any:
        scalars = len(args) == 2 and not named and all(np.ndim(x) == 0 for x in args)
        if not scalars or not any(map(_has_nan, args)):
            return super().__call__(*args, **named)
        kept = [x for x in args if not _has_nan(x)]
        return kept[0] if kept and self._name in ("numpy.fmax", "numpy.fmin") else math.nan


class _Array(_Guarded):
    """``array`` and ``asarray``: floats of what is undecided stay so."""

    def __call__(self, *args: Any, **named: Any) -> Any:
        if len(args) == 1 and list(named) == ["dtype"] and named["dtype"] is not None:
            return typed(np.asarray(super().__call__(*args)), named["dtype"])
        return super().__call__(*args, **named)


_ARRAYS = {name: _Array(getattr(np, name), f"numpy.{name}") for name in ("array", "asarray")}
_EXTREMES = {
    name: _Extreme(getattr(np, name), f"numpy.{name}")
    for name in ("maximum", "minimum", "fmax", "fmin")
}


# NumPy imports what these methods do when they are first called, and code that is run has no
# `__import__`.
for _name in ("all", "any", "max", "mean", "min", "prod", "std", "sum", "var"):
    getattr(np.ones(1), _name)()
np.ones(1).clip(0, 1)


class NumPy:
    """NumPy, of which the functions that round are exact."""

    def __getattr__(self, name: str) -> Any:
        for stand_ins in (SMOOTH, _TESTS, _EXTREMES, _ARRAYS):
            if name in stand_ins:
                return stand_ins[name]
        if name == "where":
            return where
        found = getattr(np, name)
        if isinstance(found, types.ModuleType):
            raise NotCheckedError(f"not checked: numpy.{name}")
        if callable(found) and not isinstance(found, type):
            return _Guarded(found, f"numpy.{name}")
        return exact(found) if isinstance(found, float) else found


class Math:
    """The module math, of which the functions that round are exact."""

    def __getattr__(self, name: str) -> Any:
        return math_function(getattr(math, name))


def math_function(value: Any) -> Any:
    """Return what stands in for a name of the module math."""
    if value is math.pow:
        return raised
    name = getattr(value, "__name__", "")
    if name in _TESTS and value is getattr(math, name, None):
        return _TESTS[name]
    if name in SMOOTH and value is getattr(math, name, None):
        return _log if name == "log" else SMOOTH[name]
    return exact(value) if isinstance(value, float) else value


def _log(value: Any, base: Any = None) -> Any:
    found = SMOOTH["log"](value)
    return found if base is None else found / SMOOTH["log"](base)


class _Like(type):
    """A class that is asked for instances of another."""

    like: type

    def __instancecheck__(cls, value: Any) -> bool:
        extra = (Number,) if cls.like is float else ()
        return isinstance(value, (cls.like, *extra))


class Integer(metaclass=_Like):
    """Stands in for int: draws stay draws."""

    like = int

    def __new__(cls, value: Any = 0, *base: Any) -> Any:
        """Return an integer, or a draw of one."""
        if isinstance(value, Drawn) and value.laplacian and not base:
            return value.cut("trunc")
        if isinstance(value, Drawn) and value.whole and not base:
            return value.typed(real=False)
        if isinstance(value, Undecided) and not base:
            return applied(int, value)
        return int(value, *base)

    @staticmethod
    def from_bytes(value: Any, *order: Any) -> Any:
        """Return the bytes as an integer; random ones stay as they are."""
        return value if isinstance(value, Bytes) else int.from_bytes(value, *order)


class Real(metaclass=_Like):
    """Stands in for float: exact numbers stay exact."""

    like = float

    def __new__(cls, value: Any = 0) -> Any:
        """Return an exact number."""
        if isinstance(value, Drawn):
            return value.typed(real=True)
        if isinstance(value, Undecided):
            return real(value)
        known = number_or_none(value, strict=False)
        return exact(float(value)) if known is None else known


def rounded(value: Any, digits: Any = None) -> Any:
    """Round half to even, as Python does."""
    if digits is None and isinstance(value, Drawn) and (value.laplacian or value.whole):
        return value.cut("round") if value.laplacian else value.typed(real=False)
    known = number_or_none(value)
    if digits is not None or known is None:
        raise NotCheckedError("not checked: rounding")
    below = math.floor(known)
    twice = (known - below) * 2
    up = twice > 1 or (twice == 1 and below % 2 == 1)
    return below + bool(up)


def text(*values: Any) -> Any:
    """Stand in for ``str``; what is undecided stays so."""
    if len(values) == 1 and isinstance(values[0], Undecided):
        return applied(str, values[0])
    return str(*values)


def kind(*values: Any) -> type:
    """Stand in for ``type(value)``: of what a value stands for."""
    (value,) = values
    if isinstance(value, Number):
        return Real
    if isinstance(value, _RANDOM):
        raise NotCheckedError("not checked: the type of a draw")
    return Integer if type(value) is int else type_of(value)


def is_instance(value: Any, kinds: Any) -> bool:
    """Stand in for ``isinstance``: of what a value stands for."""
    listed = kinds if isinstance(kinds, tuple) else (kinds,)
    if any(isinstance(each, tuple) for each in listed):
        raise NotCheckedError("not checked: a test for types in types")
    if isinstance(value, Drawn):
        telling = [each for each in listed if each not in _OTHERS]
        if telling != [Real] and (telling or value.whole):
            raise NotCheckedError("not checked: the type of a draw")
        return Real in listed and not value.whole
    if isinstance(value, _RANDOM):
        raise NotCheckedError("not checked: the type of a draw")
    if isinstance(value, Number) and any(_is_of_numpy(each) for each in listed):
        raise NotCheckedError("not checked: whether a float is NumPy's")
    return isinstance(value, listed)


def formatted(value: Any, spec: str = "") -> str:
    """Stand in for ``format``, which writes what ``str`` does where nothing else is asked."""
    if spec or not isinstance(value, str | int | bool | Number | Drawn):
        raise NotCheckedError("not checked: a value in a format")
    if isinstance(value, Drawn) and (value.real or not value.whole):
        raise NotCheckedError("not checked: the digits of a draw")
    return str(int(value) if isinstance(value, Drawn) else value)


_RANDOM = (Drawn, Undecided, Fixed, Bytes)
_OTHERS = (str, bytes, tuple, list, dict, set, bool, Array, type(None))


def _is_of_numpy(each: Any) -> bool:
    return isinstance(each, type) and issubclass(each, np.generic)


numbers.Real.register(Number)
BUILTINS = {
    "float": Real, "int": Integer, "pow": raised, "round": rounded, "type": kind,
    "isinstance": is_instance, "format": formatted, "str": text,
}  # fmt: skip
