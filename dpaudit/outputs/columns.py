"""Encoded outputs: one row a draw, one column a place in the output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dpaudit.outputs.text import is_unread

Numbers = dict[str, NDArray[np.float64]]
Labels = dict[str, tuple[NDArray[np.int32], tuple[str, ...]]]
Selection = NDArray[np.intp] | NDArray[np.bool_] | slice

ABSENT = -1


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Columns:
    """Outputs of a mechanism as plain columns.

    Attributes
    ----------
    size : int
        Number of outputs (rows).
    numbers : dict of str to ndarray of float64, shape (size,)
        Numeric values by path; NaN where the path is absent or its value is not finite.
    labels : dict of str to (ndarray of int32, shape (size,), tuple of str)
        Codes and vocabulary by path; -1 where the path is absent. Words that occur in no row are
        allowed: `take` keeps the vocabulary.

    Notes
    -----
    A path continues the Python expression ``output``: ``""`` is the output itself, ``"[2]"`` its
    third entry, ``"['key']"`` a value or frame column, ``".name"`` a field. ``":type"`` behind a
    path is the type of what is there (``"nan"``, ``"inf"``, ``"-inf"`` are types of their own);
    ``".length"``, ``".shape"``, ``".keys"``, ``".index"`` describe a container, and
    ``".truncated"`` holds a digest of what exceeded the limit of columns. Entries of one NumPy
    array share the type of the array; they have a ``":type"`` only where not finite.

    A column that is missing says the same as one that is absent in every row, and the row of an
    output depends on that output alone. Columns of different batches can therefore be compared.
    """

    size: int
    numbers: Numbers = field(default_factory=dict)
    labels: Labels = field(default_factory=dict)

    def take(self, rows: Selection) -> Columns:
        """Return the chosen rows, in the order given.

        Parameters
        ----------
        rows : ndarray of int, ndarray of bool, or slice
        """
        size = len(np.empty(self.size, dtype=np.bool_)[rows])
        return Columns(
            size,
            {path: values[rows] for path, values in self.numbers.items()},
            {path: (codes[rows], words) for path, (codes, words) in self.labels.items()},
        )

    @staticmethod
    def concat(parts: Sequence[Columns]) -> Columns:
        """Return the rows of all parts, one part after the other.

        Vocabularies are merged in the order in which their words appear.
        """
        if len(parts) == 1:
            return parts[0]
        size = sum(part.size for part in parts)
        numbers: Numbers = {}
        for path in dict.fromkeys(path for part in parts for path in part.numbers):
            numbers[path] = np.full(size, np.nan)
        labels: Labels = {}
        for path in dict.fromkeys(path for part in parts for path in part.labels):
            labels[path] = _merge(path, parts, size)
        start = 0
        for part in parts:
            for path, values in part.numbers.items():
                numbers[path][start : start + part.size] = values
            start += part.size
        return Columns(size, numbers, labels)

    def canonical(self) -> Columns:
        """Return the same rows with paths and vocabularies sorted.

        What made the rows, and in which order, can then no longer be read from the columns.
        """
        labels: Labels = {}
        for path in sorted(self.labels):
            codes, words = self.labels[path]
            order = sorted(range(len(words)), key=words.__getitem__)
            rank = np.full(len(words) + 1, ABSENT, np.int32)  # code -1 reads the last entry
            rank[order] = np.arange(len(words), dtype=np.int32)
            labels[path] = (rank[codes], tuple(words[i] for i in order))
        return Columns(self.size, {p: self.numbers[p] for p in sorted(self.numbers)}, labels)

    def same_as(self, other: Columns) -> bool:
        """Whether both say the same of every row; a missing column counts as an absent one."""
        if self.size != other.size:
            return False
        blank = np.full(self.size, np.nan)
        for path in {**self.numbers, **other.numbers}:
            ours, theirs = self.numbers.get(path, blank), other.numbers.get(path, blank)
            if not np.array_equal(ours, theirs, equal_nan=True):
                return False
        return all(
            np.array_equal(self._words(path), other._words(path))
            for path in {**self.labels, **other.labels}
        )

    def unread(self) -> str | None:
        """Return what some output holds and does not show, as in ``"<Model at 0x…>"``, or None."""
        for path, (codes, words) in self.labels.items():
            if ":" not in path:
                hidden = [i for i, word in enumerate(words) if is_unread(word)]
                if np.isin(codes, hidden).any():
                    return f"output{path} is {words[hidden[0]]}"
        return None

    def _words(self, path: str) -> NDArray[np.object_]:
        nothing = (np.full(self.size, ABSENT, np.int32), ())
        codes, words = self.labels.get(path, nothing)
        return np.array([*words, None], dtype=object)[codes]


def _merge(
    path: str, parts: Sequence[Columns], size: int
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    merged = np.full(size, ABSENT, np.int32)
    known: dict[str, int] = {}
    start = 0
    for part in parts:
        if path in part.labels:
            codes, words = part.labels[path]
            renamed = [known.setdefault(word, len(known)) for word in words]
            table = np.array([*renamed, ABSENT], dtype=np.int32)  # code -1 reads the last entry
            merged[start : start + part.size] = table[codes]
        start += part.size
    return merged, tuple(known)
