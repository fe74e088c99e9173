"""Whole numbers and choices as noise that can be steered: a uniform number, rounded down.

A whole number that the program has only compared holds for an interval of the uniform number, as a
symbol does. Whatever else wants the number narrows that interval to the number's own one, which has
a probability: nothing is read for which a fiber would have none.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.trace.draws import Request
from dpaudit.trace.steered.noise import Noise
from dpaudit.trace.steered.symbols import SYMBOLS, Drawn, Notes, Unread, read

MOST = 2**26  # numbers, so that the probability of each is exact to 1e-8
_NUMBERS = (int, float, np.integer, np.floating)
_KNOWN = {"low", "high", "size", "a", "b", "start", "stop", "step", "n", "k", "seq", "replace", "p"}


@dataclass(frozen=True, slots=True)
class Discrete:
    """A law of finitely many values.

    Attributes
    ----------
    noise : Noise
        Uniform.
    edges : sequence of float
        Value i is given where the uniform number lies between edges i and i + 1.
    values : sequence
    made : callable, optional
        Gives a value the type that the program would get.
    """

    noise: Noise
    edges: Sequence[float]
    values: Sequence[Any]
    made: Callable[[Any], Any] | None = None

    @staticmethod
    def of(request: Request) -> Discrete | None:
        """Return the law of a noise call; None where it is not one value of finitely many."""
        arguments = request.arguments
        if arguments.get("size") is not None or not arguments.keys() <= _KNOWN:
            return None
        try:
            if request.kind == "choice":
                return _choice(request)
            low, high = _range(request.kind, arguments)
        except (KeyError, TypeError, ValueError):
            return None
        if not 0 < high - low <= MOST or max(abs(low), abs(high)) > MOST:
            return None
        ends = range(low, high + 1)
        made: Callable[[Any], Any] = np.int64 if request.kind == "integers" else int
        return Discrete(Noise("uniform", float(low), float(high - low)), ends, ends[:-1], made)

    def at(self, place: float) -> tuple[Any, float, float]:
        """Return the value for a uniform number, and the interval of it."""
        if isinstance(self.edges, range):
            number = min(max(math.floor(place) - self.edges[0], 0), len(self.values) - 1)
        else:
            number = int(np.searchsorted(self.edges, place, side="right")) - 1
            number = min(max(number, 0), len(self.values) - 1)
        value = self.values[number] if self.made is None else self.made(self.values[number])
        return value, float(self.edges[number]), float(self.edges[number + 1])


def _range(kind: str, given: Mapping[str, Any]) -> tuple[int, int]:
    """Return the first whole number of a law, and the one after its last."""
    if kind == "_randbelow":
        return 0, operator.index(given["n"])
    if kind == "getrandbits":
        return 0, 1 << min(operator.index(given["k"]), 60)
    if kind == "randint" and "a" in given:
        return operator.index(given["a"]), operator.index(given["b"]) + 1
    if kind == "randrange" and given["step"] != 1:
        raise ValueError(kind)
    if kind not in ("integers", "randint", "randrange"):
        raise KeyError(kind)
    first, last = ("start", "stop") if kind == "randrange" else ("low", "high")
    low, high = given[first], given[last]
    return (0, operator.index(low)) if high is None else (operator.index(low), operator.index(high))


def _choice(request: Request) -> Discrete | None:
    given = request.arguments
    members = given["seq"] if "seq" in given else given["a"]
    if "a" in given:
        members = range(operator.index(members)) if np.ndim(members) == 0 else np.asarray(members)
    chances = given.get("p")
    if not 0 < len(members) <= MOST or np.ndim(members) > 1:
        return None
    if chances is None:
        edges: Any = range(len(members) + 1)
        return Discrete(Noise("uniform", 0.0, float(len(members))), edges, members)
    chances = np.asarray(chances, dtype=np.float64)
    if len(chances) != len(members) or not (chances >= 0).all() or abs(chances.sum() - 1) > 1e-12:
        return None
    edges = np.concatenate([[0.0], np.cumsum(chances)])
    edges[-1] = 1.0
    return Discrete(Noise("uniform", 0.0, 1.0), edges, members)


class Whole(Unread):
    """A whole number of which the program has not asked more than how it compares."""

    __slots__ = ("_drawn",)

    def __init__(self, notes: Notes, drawn: Drawn, value: Any) -> None:
        super().__init__(notes, value)
        self._drawn = drawn

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(self._value)

    def _read(self) -> None:
        self._drawn.low = max(self._drawn.low, int(self._value))
        self._drawn.high = min(self._drawn.high, int(self._value) + 1)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.pin(), name)


def _compared(op: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(self: Whole, other: Any) -> Any:
        plain = type(other) is not Whole and isinstance(other, _NUMBERS)
        if type(other) in SYMBOLS or not plain or not math.isfinite(other) or not self._notes.open:
            return op(self.pin(), read(other))
        if other > self._value:
            self._drawn.high = min(self._drawn.high, math.ceil(other))
        elif other < self._value:
            self._drawn.low = max(self._drawn.low, math.floor(other) + 1)
        else:
            self.pin()
        return op(self._value, other)

    return method


def _pinned(name: str) -> Any:
    def method(self: Whole, *args: Any) -> Any:
        return getattr(self.pin(), name)(*map(read, args))

    method.__name__ = name
    return method


def _rounded(function: Callable[[Any], Any]) -> Any:
    return lambda self: function(self.pin())  # NumPy's numbers have no such methods


for _op in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
    setattr(Whole, f"__{_op.__name__}__", _compared(_op))
for _name in (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "divmod", "and", "or", "xor"),
    *("lshift", "rshift"),
):
    setattr(Whole, f"__{_name}__", _pinned(f"__{_name}__"))
    setattr(Whole, f"__r{_name}__", _pinned(f"__r{_name}__"))
for _name in (
    *("neg", "pos", "abs", "invert", "int", "float", "bool", "hash", "str", "repr", "format"),
    *("index", "round"),
):
    setattr(Whole, f"__{_name}__", _pinned(f"__{_name}__"))
for _function in (math.trunc, math.floor, math.ceil, complex):
    setattr(Whole, f"__{_function.__name__}__", _rounded(_function))
SYMBOLS.add(Whole)
