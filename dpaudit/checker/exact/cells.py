"""Cells: arrays of numbers whose entries may become lazy values, and stay of one type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpaudit.checker.exact.lazy_value import Draws, applied, real, typed

_MAKING_WORDS = """
array asarray empty empty_like eye full full_like ones_like zeros_like
"""
MAKING = frozenset(f"numpy.{name}" for name in _MAKING_WORDS.split())
_KINDS: dict[str, Callable[[Any], Any]] = {
    "b": lambda value: applied(bool, value),
    "f": real,
    "i": lambda value: typed(_alone(value), int)[()],
}


class Cells(Draws):
    """An array of exact numbers, of which the type is that of the array that it stands for.

    Attributes
    ----------
    kind : str
        As `numpy.dtype.kind`; what is written becomes of it, as NumPy has it.
    """

    kind: str | None = None

    def __array_finalize__(self, other: Any) -> None:
        """Keep the type in copies and views."""
        self.kind = getattr(other, "kind", None)

    def __array_wrap__(self, array: Any, *_context: Any) -> Any:
        """Return what is computed, of which the type is another."""
        return np.asarray(array).view(Draws) if np.ndim(array) else np.asarray(array)[()]

    def __setitem__(self, at: Any, value: Any) -> None:
        """Write what has become of the array's type."""
        if self.kind in _KINDS:
            held = _alone(value) if not isinstance(value, np.ndarray | list | tuple) else value
            items = np.asarray(held, dtype=object)
            value = np.empty(items.shape, dtype=object)
            for place in np.ndindex(*items.shape):
                value[place] = _KINDS[self.kind](items[place])
            value = value[()] if not items.ndim else value
        super().__setitem__(at, value)


def cells(array: Any) -> Any:
    """Return an array of numbers as one of cells; anything else as it is."""
    if type(array) is not np.ndarray or array.dtype.kind not in _KINDS:
        return array
    found = np.empty(array.shape, dtype=object).view(Cells)
    found.kind = array.dtype.kind
    for at in np.ndindex(*array.shape):
        found[at] = array[at].item()
    return found


def _alone(value: Any) -> Any:
    held = np.empty((), dtype=object)
    held[()] = value
    return held
