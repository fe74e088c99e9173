"""Columns of 64-bit words, such as a hash of each record.

A word is a function of its record and of public numbers, and nothing else of it is known: one of a
record that changed may be any word. It is an object, so that it is the same one wherever a record
is asked for it; a function of it is a word that may be any again. That allows for more than can
happen, and forbids nothing that can. Only a remainder says more: it is less than its divisor, and
as a signed integer it is a number of the record like others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpaudit.checker.cost.arrays import Cells, cell
from dpaudit.checker.cost.constants import Named
from dpaudit.checker.cost.ends import ZERO, end
from dpaudit.checker.cost.record_columns import ANY, Rows, by_lane
from dpaudit.checker.cost.records import Var
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import Unknown
from dpaudit.checker.wording import described, in_words

WORD = "word"
_END = 2**64
_SIGNED = 2**63
_OPERATORS = frozenset({"xor", "and_", "or_", "add", "sub", "mul", "rshift", "lshift", "mod"})
_NAMES = ("numpy.uint64", "uint64")


@dataclass(frozen=True, slots=True, eq=False)
class Word:
    """A word of a record, less than `end`."""

    end: int = _END


@dataclass(frozen=True, slots=True)
class Unsigned:
    """A known number in 64 bits without a sign, of which only words are made here."""

    value: int


def unsigned(run: Run, value: Any) -> Unsigned:
    """Return ``np.uint64(value)``."""
    if type(value) is not int or not 0 <= value < _END:
        raise run.refused("a word that is not known")
    return Unsigned(value)


def is_word_type(dtype: Any) -> bool:
    """Whether a type is that of words."""
    return (dtype.name if isinstance(dtype, Named) else dtype) in _NAMES


def view(run: Run, value: Any, dtype: Any) -> Rows:
    """Return the bits of each record's number as a word."""
    plain = isinstance(value, Rows) and not value.rest and not value.listed
    if not plain or value.dtype not in ("float", "int") or not is_word_type(dtype):
        raise run.refused(f"the bits of {described(value)} as another type")
    return _words(run, value, _END)


def _words(run: Run, of: Rows, below: int) -> Rows:
    return Rows(of.view, by_lane(run, of.view, lambda _: cell(Word(below))), WORD)


def of_words(value: Any) -> bool:
    """Whether a value is a column of words."""
    return isinstance(value, Rows) and value.dtype == WORD


def binary(run: Run, name: str, a: Any, b: Any) -> Rows:
    """Return an operator's result for columns of words, or one of them and a known word."""
    rows = a if of_words(a) else b
    for value in (a, b):
        known = isinstance(value, Unsigned) or (type(value) is int and 0 <= value < _END)
        if not known and not (of_words(value) and value.view is rows.view):
            raise run.refused(f"{in_words(name)} of words and what is none")
    if name not in _OPERATORS:
        raise run.refused(f"{in_words(name)} of words")
    if name != "mod":
        return _words(run, rows, _END)
    divisor = b.value if isinstance(b, Unsigned) else b
    if type(divisor) is not int or divisor == 0:
        raise run.refused("a remainder by a word that is not known, or zero")
    return _words(run, rows, divisor)


def signed(run: Run, value: Rows) -> Rows:
    """Return words as signed integers, which hold those below 2^63."""
    below: int = value.lanes[ANY][()].end
    if below > _SIGNED:
        raise run.refused("words that a signed integer may not hold")
    low, high = ZERO, end(below - 1)

    def lane(which: int) -> Cells:
        return cell(Unknown("int", low, high) if which == ANY else Var("int", low, high))

    return Rows(value.view, by_lane(run, value.view, lane), "int")
