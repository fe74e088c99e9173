"""Encoded outputs as rows: blocks and hashes of them, the plain scalar case, column access."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import lru_cache, wraps
from hashlib import blake2b
from typing import Any, Concatenate, ParamSpec, TypeVar, cast
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from dpaudit.outputs import Columns
from dpaudit.statistical.numerics import Floats

Hashes = NDArray[np.uint64]
Rest = ParamSpec("Rest")
Result = TypeVar("Result")

BLOCK = 8_192  # rows; what is computed of so many stays in a processor's cache

_MULTIPLIERS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def blocks(size: int) -> Iterator[slice]:
    """Yield slices that hold so many rows together, at most `BLOCK` each."""
    for start in range(0, size, BLOCK):
        yield slice(start, min(start + BLOCK, size))


def remembered(
    function: Callable[Concatenate[Columns, Rest], Result],
) -> Callable[Concatenate[Columns, Rest], Result]:
    """Let a function compute once what it says of some outputs, while these are kept.

    All partitions of a book read the same outputs; what they are given is theirs to read only.
    """
    known: WeakKeyDictionary[Columns, dict[Hashable, Any]] = WeakKeyDictionary()

    @wraps(function)
    def remembering(columns: Columns, /, *rest: Rest.args, **named: Rest.kwargs) -> Result:
        assert not named, "remembered by place"
        of_these = known.setdefault(columns, {})
        if rest not in of_these:
            of_these[rest] = function(columns, *rest, **named)
        return cast(Result, of_these[rest])

    return remembering


def _mix(bits: Hashes) -> Hashes:
    """Return SplitMix64's finalizer (Steele, Lea & Flood 2014), a bijection of 64-bit words."""
    for shift, multiplier in zip((30, 27), _MULTIPLIERS, strict=True):
        bits = (bits ^ (bits >> np.uint64(shift))) * multiplier
    return bits ^ (bits >> np.uint64(31))


@lru_cache(maxsize=4096)
def text_hash(text: str) -> np.uint64:
    """Return a hash of a text that is the same in every process."""
    content = text.encode("utf-8", "surrogatepass")  # outputs may hold lone surrogates
    return np.uint64(int.from_bytes(blake2b(content, digest_size=8).digest(), "little"))


def number_hashes(paths: Sequence[str], values: Floats) -> Hashes:
    """Return a hash of each number of some columns, one row each; 0 where it is NaN."""
    names = np.array([text_hash(path) for path in paths], dtype=np.uint64)
    bits = (values + 0.0).view(np.uint64)  # -0.0 becomes 0.0
    return np.where(np.isnan(values), np.uint64(0), _mix(bits ^ names[:, None]))


def word_hashes(path: str, words: Sequence[str]) -> Hashes:
    """Return a hash of each word of a label column."""
    texts = np.array([text_hash(f"{path}={word}") for word in words], dtype=np.uint64)
    return _mix(texts)


@remembered
def row_hashes(columns: Columns) -> Hashes:
    """Return a hash of each whole output, equal where every column is equal.

    Two different outputs share a hash with probability 2⁻⁶⁴; they would then be counted as one
    event, which costs power and never validity.
    """
    total = np.zeros(columns.size, dtype=np.uint64)
    for path, values in columns.numbers.items():
        total += number_hashes([path], values[None])[0]
    for path, (codes, vocabulary) in columns.labels.items():
        total += np.append(word_hashes(path, vocabulary), np.uint64(0))[codes]  # -1: absent
    return total


def scalar_path(columns: Columns) -> str | None:
    """Return the one number column when all finite outputs are single numbers, else None.

    Other outputs (None, NaN, an exception) may occur beside the numbers: their number column is
    NaN.
    """
    if len(columns.numbers) != 1:
        return None
    (path,) = columns.numbers
    finite = ~np.isnan(columns.numbers[path])
    for codes, _ in columns.labels.values():
        if len(np.unique(codes[finite])) > 1:
            return None
    return path if finite.any() else None


def numbers(columns: Columns, path: str) -> Floats:
    """Return a number column, NaN where this batch never showed it."""
    found = columns.numbers.get(path)
    return np.full(columns.size, np.nan) if found is None else found


def label_is(columns: Columns, path: str, word: str) -> NDArray[np.bool_]:
    """Return where a label column has this word."""
    found = columns.labels.get(path)
    if found is None or word not in found[1]:
        return np.zeros(columns.size, dtype=bool)
    return np.asarray(found[0] == found[1].index(word))
