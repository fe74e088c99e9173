"""Lazy values, which depend on draws and were not asked for yet: they fork where they are.

A mechanism that tosses forty coins at once has 2^40 paths, and outputs of which each entry depends
on two of the coins. So what is computed from an array of many draws stays as it is, with the draws
that it depends on, until code asks for its truth or its value, or until the end.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dpaudit.checker.exact.drawn import Drawn
from dpaudit.checker.exact.numbers import number, number_or_none
from dpaudit.checker.exact.sources import Source, Unit
from dpaudit.checker.file import NotCheckedError
from dpaudit.checker.operators import Compared
from dpaudit.checker.wording import described

MANY = 12  # draws of one call, of which the paths are fewer than 2^MANY as they are


class Undecided(Compared):
    """A function of draws.

    Parameters
    ----------
    sources : frozenset of Source
        All that it depends on.
    compute : callable
        Returns the value, on the path that the sources are on.
    counts : bool
        Whether it is known to be a number and no truth value, of which NumPy has ``a + b`` mean
        ``a or b``, and has no ``-a``.
    """

    __slots__ = ("_compute", "counts", "sources")

    def __init__(
        self, sources: frozenset[Source], compute: Callable[[], Any], *, counts: bool = False
    ) -> None:
        self.sources, self.counts = sources, counts
        self._compute = compute

    def settled(self) -> Any:
        """Return the value; the path forks where it is not clear."""
        value = self._compute()
        if isinstance(value, Drawn):
            raise NotCheckedError("not checked: a choice between draws that depends on draws")
        return value

    def __str__(self) -> str:
        raise NotCheckedError("not checked: the text of what depends on draws")

    __repr__ = __str__

    def __bool__(self) -> bool:
        return bool(self.settled())

    def __int__(self) -> int:
        return int(self.settled())

    def __index__(self) -> int:
        return operator.index(self.settled())

    def __float__(self) -> float:
        raise NotCheckedError("not checked: a float that depends on draws")

    def __add__(self, other: Any) -> Any:
        return _sum(self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        _validate_count(self, other)
        return _sum(self, other * -1)

    def __rsub__(self, other: Any) -> Any:
        _validate_count(self, other)
        return _sum(self * -1, other)

    def __neg__(self) -> Any:
        _validate_count(self)
        return self * -1

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Undecided | Drawn) or number_or_none(other) is None:
            return NotImplemented
        _validate_count(self, other)
        return Sum(0, ((other, self),))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        known = None if isinstance(other, Undecided) else number_or_none(other)
        return NotImplemented if known is None else self * known.inverse()

    def __invert__(self) -> Any:
        return applied(_inverted, self)

    def _compared(self, compare: Callable[[Any, Any], Any], other: Any) -> Any:
        return applied(compare, self, other)

    def __and__(self, other: Any) -> Any:
        return applied(operator.and_, self, other)

    def __or__(self, other: Any) -> Any:
        return applied(operator.or_, self, other)

    def __xor__(self, other: Any) -> Any:
        return applied(operator.xor, self, other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__


class Sum(Undecided):
    """``start + Σ factor · term``, of which the terms can be settled one after the other.

    Parameters
    ----------
    start : number
    terms : tuple of (number, Undecided)
    """

    __slots__ = ("start", "terms")

    def __init__(self, start: Any, terms: tuple[tuple[Any, Undecided], ...]) -> None:
        self.start, self.terms = start, terms
        super().__init__(
            frozenset().union(*(term.sources for _, term in terms)), self._total, counts=True
        )

    def _total(self) -> Any:
        total = self.start
        for factor, term in self.terms:
            total = total + factor * term.settled()
        return total

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Undecided | Drawn) or number_or_none(other) is None:
            return NotImplemented
        return Sum(self.start * other, tuple((factor * other, term) for factor, term in self.terms))

    __rmul__ = __mul__


def _sum(one: Undecided, other: Any) -> Any:
    if isinstance(other, Drawn):
        raise NotCheckedError("not checked: a draw added to what depends on draws")
    if not isinstance(other, Undecided) and number_or_none(other) is None:
        return NotImplemented
    _validate_count(one, other)
    start: Any = 0
    terms: tuple[tuple[Any, Undecided], ...] = ()
    for part in (one, other):
        if isinstance(part, Sum):
            start, terms = start + part.start, terms + part.terms
        elif isinstance(part, Undecided):
            terms += ((1, part),)
        else:
            start = start + part
    return Sum(start, terms)


def _counts(value: Any) -> bool:
    if isinstance(value, Undecided):
        return value.counts
    return not isinstance(value, bool | np.bool_ | np.ndarray)


def _validate_count(*values: Any) -> None:
    """Refuse to compute with truth values alone."""
    if not any(map(_counts, values)):
        raise NotCheckedError("not checked: truth values that are added")


def real(value: Any) -> Any:
    """Return a number as a float, which is exact; what is undecided stays so.

    Raises
    ------
    NotCheckedError
        For what is no finite number.
    """
    if isinstance(value, Sum):
        terms = tuple((number(factor), applied(real, term)) for factor, term in value.terms)
        return Sum(number(value.start), terms)
    if isinstance(value, Undecided):
        found = applied(real, value)
        found.counts = True
        return found
    if isinstance(value, Drawn):
        return value.typed(real=True)
    known = number_or_none(value, strict=False)
    if known is None:
        raise NotCheckedError(f"not checked: a float of {described(value)}")
    return known


def _inverted(value: Any) -> Any:
    """Return ``~value``, of truth values as NumPy has it."""
    return not value if isinstance(value, bool | np.bool_) else ~value


def applied(function: Callable[..., Any], *values: Any) -> Any:
    """Return a function of values, undecided where one of them is."""
    sources: frozenset[Source] = frozenset()
    for value in values:
        if isinstance(value, Undecided):
            sources |= value.sources
        elif isinstance(value, Drawn):
            sources |= {value.source}

    def compute() -> Any:
        return function(*(v.settled() if isinstance(v, Undecided) else v for v in values))

    counts = function is int or (function is _either and all(map(_counts, values[1:])))
    return Undecided(sources, compute, counts=counts) if sources else function(*values)


class Draws(Compared, np.ndarray):
    """An array of many draws, or of what is computed from them."""

    def _compared(self, compare: Callable[[Any, Any], Any], other: Any) -> Any:
        one, two = np.broadcast_arrays(np.asarray(self), np.asarray(other, dtype=object))
        found = [_order(compare, a, b) for a, b in zip(one.flat, two.flat)]  # noqa: B905
        if all(isinstance(each, bool | np.bool_) for each in found):
            return np.array(found, dtype=bool).reshape(one.shape)
        return like(one.shape, found)

    def __invert__(self) -> Any:
        return like(self.shape, [applied(_inverted, item) for item in np.asarray(self).flat])

    def astype(self, dtype: Any, *args: Any, **named: Any) -> Any:
        """Return numbers or truth values; what is undecided stays so."""
        if not args and not named and is_float(dtype):
            return like(self.shape, list(map(real, np.asarray(self).flat)))
        kind = {bool: bool, int: int, np.bool_: bool, np.int64: int}.get(dtype)
        if kind is None or args or named:
            return np.asarray(self).astype(dtype, *args, **named)
        return like(self.shape, [applied(kind, item) for item in np.asarray(self).flat])

    def sum(self, axis: Any = None, **named: Any) -> Any:  # type: ignore[override]
        """Return sums, of truth values the number of those that are true."""
        items = [item if _counts(item) else applied(int, item) for item in np.asarray(self).flat]
        return np.asarray(like(self.shape, items)).sum(axis=axis, **named)


def _order(compare: Callable[[Any, Any], Any], one: Any, other: Any) -> Any:
    """Compare; a draw from [0, 1) with what is no draw stays undecided."""
    if isinstance(one, Drawn) and isinstance(one.source.law, Unit) and not isinstance(other, Drawn):
        return applied(compare, one, other)
    return compare(one, other)


def like(shape: tuple[int, ...], items: Sequence[Any]) -> Draws:
    """Return an array of values as they are."""
    found = np.empty(shape, dtype=object)
    for at, item in zip(np.ndindex(*shape), items, strict=True):
        found[at] = item
    return found.view(Draws)


def is_float(dtype: Any) -> bool:
    """Return whether this is Python's float, its stand-in, or NumPy's."""
    return dtype in (float, np.float64) or getattr(dtype, "like", None) is float


def is_int(dtype: Any) -> bool:
    """Return whether this is Python's int, its stand-in, or NumPy's of 64 bits."""
    return dtype in (int, np.int64) or getattr(dtype, "like", None) is int


def typed(array: Any, dtype: Any) -> Any:
    """Return an array of which the entries have another type; what is undecided stays so."""
    if not isinstance(array, np.ndarray):
        return array.astype(dtype)
    kind = float if is_float(dtype) else int if is_int(dtype) else dtype
    if array.dtype != object:
        return array.astype(kind)
    if isinstance(array, Draws):
        return array.astype(kind)
    if kind is int:
        found = [_whole(item) for item in array.flat]
        plain = all(isinstance(item, int) for item in found)
        return (
            np.array(found, dtype=int).reshape(array.shape) if plain else like(array.shape, found)
        )
    if kind is float:
        return np.asarray(like(array.shape, list(map(real, array.flat))))
    if kind is bool:
        return np.array([bool(item) for item in array.flat], dtype=bool).reshape(array.shape)
    return array.astype(kind)


def _whole(value: Any) -> Any:
    """Return a number as an integer."""
    if isinstance(value, Undecided):
        return applied(int, value)
    if isinstance(value, Drawn):
        return value.typed(real=False) if value.whole else int(value)
    return int(value)


def where(test: Any, *chosen: Any) -> Any:
    """Return what `numpy.where` does; what is undecided stays so."""
    if not any(isinstance(value, Draws) for value in (test, *chosen)) or len(chosen) != 2:
        return np.where(test, *chosen)
    given = [value if isinstance(value, np.ndarray) else _held(value) for value in (test, *chosen)]
    arrays = np.broadcast_arrays(*map(np.asarray, given))
    items = zip(*(array.flat for array in arrays), strict=True)
    return like(arrays[0].shape, [applied(_either, t, *_promoted(a, b)) for t, a, b in items])


def _promoted(one: Any, other: Any) -> tuple[Any, Any]:
    """Return two values of one type: truth values beside integers are integers."""
    whole = [isinstance(v, int | np.integer | Undecided) and _counts(v) for v in (one, other)]
    if whole[0] == whole[1] or all(map(_counts, (one, other))):
        return one, other
    return (one, applied(int, other)) if whole[0] else (applied(int, one), other)


def _held(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return np.asarray(value)
    found = np.empty((), dtype=object)
    found[()] = value
    return found


def _either(test: Any, yes: Any, no: Any) -> Any:
    return yes if test else no
