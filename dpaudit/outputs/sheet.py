"""Columns under construction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dpaudit.outputs.columns import ABSENT, Columns

MAX_PATHS = 4096

Rows = NDArray[np.intp] | None  # None: every row


def subset(rows: Rows, chosen: Sequence[int] | NDArray[np.intp]) -> Rows:
    """Return the chosen ones among some rows."""
    picked = np.asarray(chosen, dtype=np.intp)
    return picked if rows is None else rows[picked]


class Sheet:
    """Collects columns of one batch of outputs; at most ``MAX_PATHS`` of each kind.

    The limit is a guard against outputs whose keys never repeat: places that appear after it are
    left out.
    """

    __slots__ = ("_codes", "_numbers", "_size", "_words")

    def __init__(self, size: int) -> None:
        self._size = size
        self._numbers: dict[str, NDArray[np.float64]] = {}
        self._codes: dict[str, NDArray[np.int32]] = {}
        self._words: dict[str, dict[str, int]] = {}

    def number(self, path: str, rows: Rows, values: NDArray[np.float64]) -> None:
        """Write numbers; the caller has put NaN where they are not finite."""
        if rows is None:
            if path in self._numbers or len(self._numbers) < MAX_PATHS:
                self._numbers[path] = values
            return
        column = self._numbers.get(path)
        if column is None:
            if len(self._numbers) >= MAX_PATHS:
                return
            column = self._numbers[path] = np.full(self._size, np.nan)
        column[rows] = values

    def label(self, path: str, rows: Rows, texts: Sequence[str]) -> None:
        """Write one label a row."""
        column = self._column(path)
        if column is not None:
            words = self._words[path]
            codes = [words.setdefault(text, len(words)) for text in texts]
            column[slice(None) if rows is None else rows] = codes

    def constant(self, path: str, rows: Rows, text: str) -> None:
        """Write the same label to all rows named."""
        column = self._column(path)
        if column is not None:
            words = self._words[path]
            code = words.setdefault(text, len(words))
            column[slice(None) if rows is None else rows] = code

    def _column(self, path: str) -> NDArray[np.int32] | None:
        column = self._codes.get(path)
        if column is None and len(self._codes) < MAX_PATHS:
            column = self._codes[path] = np.full(self._size, ABSENT, np.int32)
            self._words[path] = {}
        return column

    def columns(self) -> Columns:
        """Return what was written."""
        labels = {path: (codes, tuple(self._words[path])) for path, codes in self._codes.items()}
        return Columns(self._size, self._numbers, labels)


@dataclass(frozen=True, slots=True)
class Group:
    """Values of one type, found at one path in some of the outputs.

    Attributes
    ----------
    kind : type
        The type that all values share.
    budget : int
        How many places below this path may be written for each value.
    """

    path: str
    rows: Rows
    values: Sequence[Any]
    kind: type
    budget: int


class Visit(Protocol):
    """Encodes values, of any types, at one path."""

    def __call__(self, path: str, rows: Rows, values: Sequence[Any], budget: int) -> None:
        """Write the values, which stand in the rows named."""
        ...


Handler = Callable[[Sheet, Group, Visit], None]
