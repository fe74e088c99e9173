"""Numbers whose noise is not read: what is done with them holds for a whole interval of noise.

A symbol is ``base + coef · noise`` with one noise call's number. Sums with plain numbers and
multiples stay symbols; a comparison narrows the interval of noise on which the program goes on as
it does; whatever else wants the number itself *pins* the noise, and gets a plain number. A symbol
passes for a float, and is none: compiled code has to ask for its number too.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from dpaudit.trace.steered.noise import Noise
from dpaudit.trace.steered.tilt import Tilt

GRAIN = 1e-9  # of the noise's scale: where floats are coarser, noise is pinned
_FLOATS = (float, np.float64)
SYMBOLS: set[type] = set()  # the classes of what stands for unread numbers
_late: list[Any] = []  # notes of runs whose symbols were read when they had ended
_ITSELF: Any = object()
_NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)


@dataclass(slots=True, eq=False)
class Drawn:
    """A noise call of one run.

    Attributes
    ----------
    kind : str
    noise : Noise or None
        None where it is not of the laws that can be steered.
    value : Any
    tilt : Tilt or None
        The law that it was drawn from, where that was not its own.
    low, high : float
        The interval on which the run goes the same way, as long as it is not pinned.
    pinned : bool
    given : Any
        What the program is given, where that is not the value itself; it may be None.
    """

    kind: str
    noise: Noise | None
    value: Any
    tilt: Tilt | None = None
    low: float = -math.inf
    high: float = math.inf
    pinned: bool = False
    given: Any = _ITSELF

    @property
    def shown(self) -> Any:
        """What the program is given, in plain numbers."""
        return self.value if self.given is _ITSELF else self.given


@dataclass(slots=True, eq=False)
class Notes:
    """What one run did with its noise."""

    draws: list[Drawn] = field(default_factory=list)
    open: bool = True

    def symbol(self, drawn: Drawn) -> Symbol:
        """Return the number of a noise call, unread."""
        self.draws.append(drawn)
        return Symbol(self, len(self.draws) - 1, 1.0, 0.0, drawn.value)


class Unread:
    """A number of which the program has not asked all; each class says what reading it changes."""

    __slots__ = ("_notes", "_value")

    def __init__(self, notes: Notes, value: Any) -> None:
        self._notes, self._value = notes, value

    def _read(self) -> None:
        """Note that the number is read."""
        raise NotImplementedError

    @property
    def number(self) -> Any:
        """The number itself, for us alone: its noise stays unread."""
        return self._value

    def pin(self) -> Any:
        """Read the number."""
        if self._notes.open:
            self._read()
        else:
            _late.append(self._notes)
        return self._value

    def _dpaudit_plain(self) -> Any:
        return self.pin()

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.pin(), dtype=dtype)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.pin().__reduce_ex__(protocol)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self


class Symbol(Unread):
    """A number with noise that nobody has read."""

    __slots__ = ("_at", "_base", "_coef")

    def __init__(self, notes: Notes, at: int, coef: float, base: float, value: Any) -> None:
        super().__init__(notes, value)
        self._at, self._coef, self._base = at, coef, base

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return float

    @property
    def form(self) -> tuple[int, float, float]:
        """The number of the noise call, its factor, and what is added to it."""
        return self._at, self._coef, self._base

    @property
    def free(self) -> bool:
        """Whether its noise is still unread; coarse sums of floats count as read."""
        drawn = self._notes.draws[self._at]
        if drawn.pinned or drawn.noise is None or not self._notes.open:
            return False
        grain = np.spacing(max(abs(self._base), abs(self._value)))
        return bool(grain <= GRAIN * abs(self._coef) * drawn.noise.scale)

    def _read(self) -> None:
        self._notes.draws[self._at].pinned = True

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        known = _UFUNCS.get(ufunc.__name__)
        # NumPy's numbers come as arrays without a dimension.
        inputs = tuple(x[()] if type(x) is np.ndarray and x.ndim == 0 else x for x in inputs)
        if known is not None and method == "__call__" and not kwargs and _scalars(inputs):
            return known(*inputs)
        return getattr(ufunc, method)(*map(read, inputs), **kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func is np.clip and len(args) == 3 and not kwargs and _scalars(args):
            return min(max(args[0], args[1]), args[2])
        return func(*map(read, args), **{name: read(value) for name, value in kwargs.items()})

    def __abs__(self) -> Any:
        return self if self >= 0 else -self  # type: ignore[operator]

    def __neg__(self) -> Any:
        return self._made(-self._coef, -self._base, -self._value)

    def __pos__(self) -> Any:
        return self

    def _made(self, coef: float, base: float, value: Any) -> Any:
        if type(value) in _FLOATS and self._notes.open and coef and math.isfinite(coef):
            return Symbol(self._notes, self._at, coef, base, value)
        self.pin()
        return value


def read_late() -> int:
    """Return how often a symbol was read after the end of its run, and forget it."""
    found = len(_late)
    _late.clear()
    return found


def read(value: Any) -> Any:
    """Return a value without symbols, their noise pinned; lists and tuples to their first level."""
    kind = type(value)
    if kind in SYMBOLS:
        return value.pin()
    if kind in (list, tuple) and any(type(each) in SYMBOLS for each in value):
        return kind(read(each) for each in value)
    if kind is np.ndarray and value.dtype.hasobject:
        cells = value.ravel().tolist()
        if any(type(each) in SYMBOLS for each in cells):
            return np.array([read(each) for each in cells]).reshape(value.shape)
    return value


def _scalars(values: Any) -> bool:
    return all(type(each) is Symbol or isinstance(each, _NUMBERS) for each in values)


def _linear(op: Callable[[Any, Any], Any], one: Any, two: Any) -> Any:
    """Return a sum, difference, product or quotient in which at most one symbol stays unread."""
    if type(one) is Symbol and type(two) is Symbol and not _alike(one, two):
        two = two.pin()
    first, second = _parts(one), _parts(two)
    value = op(first[2], second[2])
    kept = one if type(one) is Symbol else two
    additive = op in (operator.add, operator.sub)
    if not additive and (type(one) is Symbol) == (type(two) is Symbol):
        return op(kept.pin(), second[2])
    if op is operator.truediv and type(two) is Symbol:
        return op(first[2], two.pin())
    if additive:
        coef, base = op(first[0], second[0]), op(first[1], second[1])
    elif type(one) is Symbol:
        coef, base = op(first[0], second[2]), op(first[1], second[2])
    else:
        coef, base = op(first[2], second[0]), op(first[2], second[1])
    return kept._made(float(coef), float(base), value)


def _alike(one: Symbol, two: Symbol) -> bool:
    """Whether both hold the number of one noise call."""
    return one._notes is two._notes and one._at == two._at


def _parts(value: Any) -> tuple[Any, Any, Any]:
    """Return factor of the noise, the rest, and the number."""
    if type(value) is Symbol:
        return value._coef, value._base, value._value
    return 0.0, value, value


def _arithmetic(op: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    def forward(self: Symbol, other: Any) -> Any:
        if not _scalars((other,)):
            return op(self.pin(), other)
        return _linear(op, self, other)

    def reflected(self: Symbol, other: Any) -> Any:
        if not _scalars((other,)):
            return op(other, self.pin())
        return _linear(op, other, self)

    return forward, reflected


def _compared(op: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(self: Symbol, other: Any) -> Any:
        if not _scalars((other,)):
            return op(self.pin(), other)
        if type(other) is Symbol:
            if _alike(self, other):
                return op(self.pin(), other.pin())
            other = other.pin()
        _narrow(self, float(other))
        return op(self._value, other)

    return method


def _narrow(symbol: Symbol, number: float) -> None:
    """Note that a number was compared with another: as long as it stays on its side."""
    drawn = symbol._notes.draws[symbol._at]
    if not symbol._notes.open or math.isnan(number) or not symbol.free:
        symbol.pin()
        return
    cut = (number - symbol._base) / symbol._coef
    if (symbol._value < number) == (symbol._coef > 0):
        drawn.high = min(drawn.high, cut)
    else:
        drawn.low = max(drawn.low, cut)
    if not drawn.low < drawn.value < drawn.high:
        symbol.pin()  # a single point, or rounding


def _pinned(name: str) -> Any:
    def method(self: Symbol, *args: Any) -> Any:
        return getattr(float, name)(self.pin(), *map(read, args))

    method.__name__ = name
    return method


for _op in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
    setattr(Symbol, f"__{_op.__name__}__", _compared(_op))
for _op, _name in (
    (operator.add, "add"),
    (operator.sub, "sub"),
    (operator.mul, "mul"),
    (operator.truediv, "truediv"),
):
    for _prefix, _method in zip(("__", "__r"), _arithmetic(_op), strict=True):
        setattr(Symbol, f"{_prefix}{_name}__", _method)
for _name in (
    *("__floordiv__", "__rfloordiv__", "__mod__", "__rmod__", "__pow__", "__rpow__"),
    *("__divmod__", "__rdivmod__", "__round__", "__trunc__", "__floor__", "__ceil__"),
    *("__int__", "__float__", "__bool__", "__hash__", "__str__", "__repr__", "__format__"),
    *("is_integer", "as_integer_ratio", "hex", "conjugate"),
):
    setattr(Symbol, _name, _pinned(_name))
Symbol.real = Symbol.imag = property(lambda self: self.pin())  # type: ignore[attr-defined]

SYMBOLS.add(Symbol)
for _name in ("rint", "exp", "expm1", "log", "log2", "log10", "log1p", "sqrt", "square", "tanh"):
    # Functions of NumPy look for them in the entries of arrays of objects.
    setattr(Symbol, _name, lambda self, name=_name: getattr(np, name)(self.pin()))

_MIRRORED = {"__lt__": "__gt__", "__le__": "__ge__", "__gt__": "__lt__", "__ge__": "__le__"}


def _comparing(name: str) -> Callable[[Any, Any], Any]:
    def compare(one: Any, two: Any) -> Any:
        if type(one) is Symbol:
            return getattr(one, name)(two)
        return getattr(two, _MIRRORED[name])(one)  # NumPy's numbers would ask us again

    return compare


_UFUNCS: dict[str, Callable[..., Any]] = {
    "add": partial(_linear, operator.add),
    "subtract": partial(_linear, operator.sub),
    "multiply": partial(_linear, operator.mul),
    "divide": partial(_linear, operator.truediv),
    "negative": operator.neg,
    "absolute": abs,
    "less": _comparing("__lt__"),
    "less_equal": _comparing("__le__"),
    "greater": _comparing("__gt__"),
    "greater_equal": _comparing("__ge__"),
    "isnan": lambda _: False,
    "isinf": lambda _: False,
    "isfinite": lambda _: True,
}
