"""Iterators that are kept: each goes through its values once.

Python's iterator is empty the second time, and its values are those of the moment in which they are
asked for. Here one that was gone through is refused, and so is one of which anything changed that
its values are made of: all others are as good as a list of their values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dpaudit.checker.cost.arrays import Arr
from dpaudit.checker.cost.constants import Named
from dpaudit.checker.cost.noise import is_noise
from dpaudit.checker.cost.parts import Parts
from dpaudit.checker.cost.record_columns import Rows, Table
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import Generator, Shared, Unknown, is_known, parts_of
from dpaudit.checker.program import CONSUMING, ITERATORS

_ONCE_WORDS = """
builtins.sorted builtins.any builtins.all math.fsum statistics.mean statistics.fmean
statistics.median collections.Counter numpy.fromiter
"""
_CONSUMING = CONSUMING | ITERATORS | frozenset(_ONCE_WORDS.split())
_FIXED = (Generator, Named, Parts, Rows, Shared, Table, Unknown, range)


class Once:
    """What goes through values once.

    Parameters
    ----------
    run : Run
    values : Any
    sources : callable
        Returns all that they are made of, as it is when it is called.
    lazy : bool
        Whether code runs for each value: a loop through it may change what that code sees.
    """

    def __init__(
        self, run: Run, values: Any, sources: Callable[[], list[Any]], *, lazy: bool = False
    ) -> None:
        self.values, self.sources, self.lazy = values, sources, lazy
        self._held = _flat(sources())
        self._made = run.steps
        self._taken = False

    def take(self, run: Run, *, at_once: bool) -> Any:
        """Return the values, for the only time."""
        if self._taken:
            raise run.refused("an iterator that was gone through before")
        self._taken = True
        now = _flat(self.sources())
        alike = len(now) == len(self._held)
        if not alike or any(a is not b for a, b in zip(self._held, now, strict=True)):
            raise run.refused("an iterator through what changes before it is gone through")
        if run.steps != self._made:
            if self.lazy and not at_once:
                raise run.refused("a loop through a generator that is kept")
            if not all(map(_is_fixed, now)):
                raise run.refused("an iterator that is kept, through what may change unseen")
        return self.values


def _flat(values: list[Any]) -> list[Any]:
    """Return values and all that they hold."""
    found = []
    for value in values:
        inside = list(value.cells.flat) if isinstance(value, Arr) else parts_of(value)
        if isinstance(value, Parts | Table):
            inside = list(value.columns.values())
        keys = list(value) if isinstance(value, dict) else []
        found += [value, *keys, *_flat(inside)]
    return found


def _is_fixed(value: Any) -> bool:
    held = isinstance(value, (Arr, dict, list, tuple, *_FIXED))
    return held or is_known(value) or is_noise(value)


def taken(run: Run, value: Any, *, at_once: bool = False) -> Any:
    """Return what an iterator goes through, anything else as it is."""
    return value.take(run, at_once=at_once) if isinstance(value, Once) else value


def consumed(run: Run, name: str, args: list[Any]) -> list[Any]:
    """Return the arguments of a call, of an iterator what it goes through."""
    if name not in _CONSUMING:
        return args
    values = [taken(run, value, at_once=name not in ITERATORS) for value in args]
    return values if name in ITERATORS else [_listed(value) for value in values]


def _listed(values: Any) -> Any:
    return list(values) if isinstance(values, zip | enumerate) else values


def kept(run: Run, args: list[Any], values: Any) -> Once:
    """Return an iterator that was made of some arguments."""
    lazy = any(isinstance(value, Once) and value.lazy for value in args)

    def sources() -> list[Any]:
        return [part for v in args for part in (v.sources() if isinstance(v, Once) else [v])]

    return Once(run, values, sources, lazy=lazy)
