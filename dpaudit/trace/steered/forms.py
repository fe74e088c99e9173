"""What a run releases, as far as noise that nobody has read leaves it open; and sets of outputs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.evidence import Event
from dpaudit.outputs import Columns, encode
from dpaudit.statistical.events import label_event, named
from dpaudit.trace.steered.symbols import SYMBOLS, Symbol

MOST_DEEP = 6  # containers that symbols are looked for in
_STAND_IN = -1.7e250  # a number that no output has: its multiples stand for symbols
CONSTANT = -1
Words = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A number of the output: ``base + coef · noise``.

    Attributes
    ----------
    at : int
        The noise call; -1 where the number holds no unread noise.
    coef, base : float
    """

    at: int
    coef: float
    base: float


@dataclass(frozen=True, slots=True)
class Form:
    """An output: its words, such as types, keys and strings, and its numbers by path."""

    words: Words
    leaves: tuple[tuple[str, Leaf], ...]

    def leaf(self, path: str) -> Leaf | None:
        """Return the number at a path."""
        return next((leaf for place, leaf in self.leaves if place == path), None)


@dataclass(frozen=True, slots=True)
class Target:
    """A set of outputs that is bet on.

    Attributes
    ----------
    words : tuple of (path, word)
        Words that its outputs have.
    path : str or None
        A number of the output.
    low, high : float
        Between which that number lies, ends included.
    """

    words: Words = ()
    path: str | None = None
    low: float = -math.inf
    high: float = math.inf

    @property
    def is_point(self) -> bool:
        """Whether it is one number."""
        return self.low == self.high

    @property
    def event(self) -> Event:
        """The set for people, and as a predicate."""
        parts = [label_event(*word) for word in self.words]
        if self.path is not None:
            parts.append(_number_event(self))
        if not parts:
            return Event("any output", "True")
        said = " and ".join(part.words for part in parts)
        return Event(said, " and ".join(f"({part.source})" for part in parts))


def _number_event(target: Target) -> Event:
    assert target.path is not None
    name, place = named(target.path)
    low, high = float(target.low), float(target.high)
    if target.is_point:
        return Event(f"{name} = {low:.8g}", f"{place} == {low!r}")
    if math.isinf(high):
        return Event(f"{name} ≥ {low:.6g}", f"{place} >= {low!r}")
    return Event(f"{name} ≤ {high:.6g}", f"{place} <= {high!r}")


def form_of(output: Any) -> Form:
    """Return the form of an output, while its run may still pin noise."""
    symbols: list[Symbol] = []
    columns = encode([_replaced(output, lambda s: _stand_in(s, symbols), MOST_DEEP)])
    for symbol in symbols:
        if not symbol.free:
            symbol.pin()  # also where floats are too coarse for it
    leaves = []
    for path, column in sorted(columns.numbers.items()):
        value = float(column[0])
        number = value / _STAND_IN
        if 0.5 < number <= len(symbols) + 0.5:
            symbol = symbols[round(number) - 1]
            leaf = Leaf(*symbol.form) if symbol.free else Leaf(CONSTANT, 0.0, float(symbol.number))
        else:
            leaf = Leaf(CONSTANT, 0.0, value)
        leaves.append((path, leaf))
    return Form(_words(columns), tuple(leaves))


def realized(output: Any) -> Columns:
    """Return an output with the numbers that the run would have released, encoded."""
    return encode([_replaced(output, lambda symbol: symbol.number, MOST_DEEP)])


def _stand_in(symbol: Symbol, symbols: list[Symbol]) -> Any:
    if type(symbol) is not Symbol:
        return symbol.pin()
    symbols.append(symbol)
    return type(symbol.number)(_STAND_IN * len(symbols))


def _words(columns: Columns) -> Words:
    found = [
        (path, words[codes[0]])
        for path, (codes, words) in columns.labels.items()
        if codes[0] >= 0 and not path.endswith(".truncated")  # a digest of stand-ins says nothing
    ]
    return tuple(sorted(found))


def _replaced(value: Any, number: Any, depth: int) -> Any:
    """Return a value with its symbols replaced, in containers of plain types."""
    kind = type(value)
    if kind in SYMBOLS:
        return number(value)
    if depth == 0:
        return value
    if kind in (list, tuple):
        return kind(_replaced(each, number, depth - 1) for each in value)
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return value._make(_replaced(each, number, depth - 1) for each in value)
    if kind is dict:
        return {key: _replaced(each, number, depth - 1) for key, each in value.items()}
    if kind is np.ndarray and value.dtype.hasobject:
        made = np.empty(value.size, dtype=object)
        made[:] = [_replaced(each, number, depth - 1) for each in value.ravel().tolist()]
        return made.reshape(value.shape)
    return value
