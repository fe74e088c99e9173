"""Draws from very many integers, of which every value is looked at by itself.

Where no record influences a draw, a mechanism is a mixture of one mechanism for each value of the
draw, with the same weights on every dataset. A claim that each of these keeps is kept by the
mixture: the ratio of chances, p - e^epsilon q summed where it is positive, and p^a q^(1 - a) are
jointly (quasi-)convex in both distributions. The value itself stays unknown, as do the numbers that
are computed from it; of a remainder by a small number every value is tried, and two datasets are
compared wherever what was tried on both agrees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dpaudit.checker.file import NotCheckedError

MANY = 1 << 13  # integers
_REMAINDERS = 64
_WORD = 1 << 63
_GIVEN = 1024
Chosen = Mapping[str, int]
Asked = tuple[str, int] | None
_Value = Callable[[Mapping[int, int]], int]


class AskedError(BaseException):
    """The value of a remainder is asked for; no `except` of the mechanism is meant for it."""


class Fixed:
    """An integer in a range, of which only the formula is known.

    Parameters
    ----------
    path : Path
    formula : str
    low, high : int
        Both included.
    value : callable
        Returns the integer, given the draws by their numbers.
    """

    __slots__ = ("formula", "high", "low", "path", "value")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, path: Any, formula: str, low: int, high: int, value: _Value) -> None:
        if low < -_WORD or high >= _WORD:
            raise NotCheckedError("not checked: a draw from very many integers that may wrap")
        self.path, self.formula, self.low, self.high = path, formula, low, high
        self.value = value

    def _unknown(self, *args: Any) -> Any:
        raise NotCheckedError("not checked: a draw from very many integers that decides")

    __bool__ = __int__ = __index__ = __float__ = __iter__ = __len__ = _unknown
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _unknown
    __truediv__ = __rtruediv__ = __pow__ = __rmod__ = __rfloordiv__ = __str__ = __repr__ = _unknown
    __and__ = __or__ = __xor__ = __rshift__ = __lshift__ = __invert__ = __format__ = _unknown

    def __add__(self, other: Any) -> Any:
        other = self._like(other)
        formula = f"[{self.formula} + {other.formula}]"
        low, high = self.low + other.low, self.high + other.high
        return Fixed(self.path, formula, low, high, lambda of: self.value(of) + other.value(of))

    def __radd__(self, other: Any) -> Any:
        return self._like(other) + self

    def __neg__(self) -> Any:
        formula = f"[-{self.formula}]"
        return Fixed(self.path, formula, -self.high, -self.low, lambda of: -self.value(of))

    def __sub__(self, other: Any) -> Any:
        return self + -self._like(other)

    def __rsub__(self, other: Any) -> Any:
        return self._like(other) + -self

    def __mul__(self, other: Any) -> Any:
        other = self._like(other)
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        formula = f"[{self.formula} * {other.formula}]"
        value = lambda of: self.value(of) * other.value(of)  # noqa: E731
        return Fixed(self.path, formula, min(ends), max(ends), value)

    def __rmul__(self, other: Any) -> Any:
        return self._like(other) * self

    def __mod__(self, other: Any) -> Any:
        count = self._divisor(other)
        formula = f"[{self.formula} % {count}]"
        if count <= _REMAINDERS:
            return self.path.remainder(formula, count, lambda of: self.value(of) % count)
        return Fixed(self.path, formula, 0, count - 1, lambda of: self.value(of) % count)

    def __floordiv__(self, other: Any) -> Any:
        count = self._divisor(other)
        formula, low, high = f"[{self.formula} // {count}]", self.low // count, self.high // count
        return Fixed(self.path, formula, low, high, lambda of: self.value(of) // count)

    def _divisor(self, other: Any) -> int:
        if not isinstance(other, int) or isinstance(other, bool) or other <= 0:
            raise NotCheckedError("not checked: a draw from very many integers, divided by this")
        return other

    def _like(self, other: Any) -> Fixed:
        if isinstance(other, Fixed):
            return other
        fixed = getattr(other, "fixed", None)  # of a draw
        if fixed is not None:
            return fixed()  # type: ignore[no-any-return]
        if not isinstance(other, int) or isinstance(other, bool):
            raise NotCheckedError("not checked: a draw from very many integers beside no integer")
        return Fixed(self.path, f"{other}", other, other, lambda of: other)


def agree(one: Chosen, other: Chosen) -> bool:
    """Return whether the remainders that were tried on both are the same."""
    return all(one[formula] == other[formula] for formula in one.keys() & other.keys())


def every_choice(run: Callable[[Chosen], tuple[Asked, Any]]) -> Iterator[tuple[Chosen, Any]]:
    """Yield what a function returns for every choice of the remainders that it asks for.

    Parameters
    ----------
    run : callable
        Takes the remainders that are chosen. Returns a remainder that it asked for beyond these,
        as (formula, count), or None; and its result.
    """
    waiting: list[dict[str, int]] = [{}]
    done = 0
    while waiting:
        chosen = waiting.pop()
        asked, result = run(chosen)
        if asked is None:
            done += 1
            yield chosen, result
            continue
        formula, count = asked
        waiting += [{**chosen, formula: value} for value in range(count)]
        if done + len(waiting) > _GIVEN:
            raise NotCheckedError("not checked: very many remainders of draws")
