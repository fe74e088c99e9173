"""Proves a relation on a bounded domain in balls: by enumeration, subdivision and monotony."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sympy
from flint import arb, fmpq

from dpaudit.formal.clock import charge, now
from dpaudit.formal.deciding.numbers import (
    UndefinedError,
    UnfamiliarError,
    ball,
    fraction,
    precision,
)
from dpaudit.formal.deciding.points import allowed
from dpaudit.formal.deciding.ranges import Range
from dpaudit.formal.deciding.values import holds, holds_exactly, value

Box = dict[sympy.Symbol, tuple[fmpq, fmpq]]

_BITS = 96
_MOST_POINTS = 4000
_MOST_DIMENSIONS = 4
_NOT_SMOOTH = (
    sympy.Abs,
    sympy.Min,
    sympy.Max,
    sympy.Piecewise,
    sympy.floor,
    sympy.ceiling,
    sympy.Mod,
    sympy.sign,
)


@dataclass(slots=True)
class Cover:
    """Boxes that cover the domain, each proved.

    Attributes
    ----------
    boxes : int
        Boxes that were proved.
    by : dict of str to int
        How many by which argument.
    """

    boxes: int = 0
    by: dict[str, int] = field(default_factory=dict)

    def count(self, argument: str) -> None:
        """Book one proved box."""
        self.boxes += 1
        self.by[argument] = self.by.get(argument, 0) + 1


def cover(
    goal: sympy.Basic,
    given: Sequence[sympy.Basic],
    ranges: Mapping[sympy.Symbol, Range],
    deadline: float,
) -> Cover | None:
    """Prove a goal on a bounded domain, or return None.

    Parameters
    ----------
    goal : sympy Boolean
    given : sequence of sympy Boolean
    ranges : mapping of symbol to Range
    deadline : float
        Of `dpaudit.formal.clock.now`.
    """
    if not ranges or any(r.low is None or r.high is None for r in ranges.values()):
        return None
    if any(r.low > r.high for r in ranges.values()):  # type: ignore[operator]
        return Cover(1, {"empty": 1})
    if len(ranges) > _MOST_DIMENSIONS:
        return None
    proof = _Proof(goal, tuple(given), deadline)
    start = {s: (_exact(r.low), _exact(r.high)) for s, r in ranges.items()}
    try:
        with precision(_BITS):
            return proof.found if proof.run(start) else None
    except UnfamiliarError:
        return None


def _exact(number: Any) -> fmpq:
    exact = Fraction(number)
    return fmpq(exact.numerator, exact.denominator)


class _Proof:
    def __init__(self, goal: sympy.Basic, given: tuple[sympy.Basic, ...], deadline: float) -> None:
        self.goal, self.given, self.deadline = goal, given, deadline
        self.found = Cover()
        self.gap = smooth_gap(goal)
        self.slopes = None if self.gap is None else _slopes(self.gap)

    def run(self, start: Box) -> bool:
        todo = [start]
        while todo:
            if now() > self.deadline or self.found.boxes > 200_000:
                return False
            box = todo.pop()
            if self._settled(box):
                continue
            halves = _halves(box)
            if halves is None:
                return False
            todo += halves
        return True

    def _settled(self, box: Box) -> bool:
        charge(300)
        if all(low == high for low, high in box.values()):
            return self._point({s: low for s, (low, _) in box.items()})
        at = {s: _interval(*ends) for s, ends in box.items()}
        if any(_safely(condition, at) is False for condition in self.given):
            self.found.count("outside")
            return True
        if _safely(self.goal, at) is True:
            self.found.count("enclosed")
            return True
        return self._monotone(box, at)

    def _point(self, at: dict[sympy.Symbol, fmpq]) -> bool:
        try:
            outside = not all(allowed(symbol, number) for symbol, number in at.items())
            if outside or any(holds_exactly(c, at) is False for c in self.given):
                self.found.count("outside")
                return True
            if holds_exactly(self.goal, at) is True or _equal_at(self.goal, at):
                self.found.count("point")
                return True
        except UndefinedError:
            return False
        return False

    def _monotone(self, box: Box, at: Mapping[sympy.Symbol, Any]) -> bool:
        """Prove the goal on the faces where left - right is greatest, if they are known.

        The conditions are dropped, since a face may lie outside of them. Where a ball holds the
        gap over the whole box, it is defined there, and the mean value theorem applies.
        """
        if self.slopes is None or self.gap is None:
            return False
        try:
            if not ball(value(self.gap, at)).is_finite():
                return False
        except UndefinedError:
            return False
        smaller = dict(box)
        for symbol, (low, high) in box.items():
            if low == high:
                continue
            slope = self._slope(symbol, at)
            if slope is not None and slope >= 0:
                smaller[symbol] = (high, high)
            elif slope is not None and slope <= 0:
                smaller[symbol] = (low, low)
        if smaller == box:
            return False
        if all(low == high for low, high in smaller.values()):
            point = {s: low for s, (low, _) in smaller.items()}
            try:
                proved = holds_exactly(self.goal, point) is True or _equal_at(self.goal, point)
            except UndefinedError:
                return False
        else:
            face = {s: _interval(*ends) for s, ends in smaller.items()}
            proved = _safely(self.goal, face) is True
        if proved:
            self.found.count("monotone")
        return proved

    def _slope(self, symbol: sympy.Symbol, at: Mapping[sympy.Symbol, Any]) -> arb | None:
        assert self.slopes is not None
        try:
            slope = ball(value(self.slopes[symbol], at))
        except (UndefinedError, KeyError):
            return None
        return slope if slope.is_finite() else None


def smooth_gap(goal: sympy.Basic) -> sympy.Expr | None:
    """Return (smaller side - greater side) of an inequality, where it is smooth."""
    if not isinstance(goal, sympy.core.relational.Relational) or goal.has(*_NOT_SMOOTH):
        return None
    left, right = goal.args
    if goal.rel_op in (">=", ">"):
        left, right = right, left
    elif goal.rel_op not in ("<=", "<"):
        return None
    return left - right


def _slopes(gap: sympy.Expr) -> dict[sympy.Symbol, sympy.Expr]:
    return {symbol: sympy.diff(gap, symbol) for symbol in gap.free_symbols}


def _equal_at(goal: sympy.Basic, at: Mapping[sympy.Symbol, fmpq]) -> bool:
    """Return whether both sides are the same number, by exact simplification."""
    if not isinstance(goal, sympy.core.relational.Relational) or goal.rel_op not in (
        "<=",
        ">=",
        "==",
    ):
        return False
    numbers = {s: sympy.Rational(int(x.p), int(x.q)) for s, x in at.items()}
    left, right = (side.subs(numbers) for side in goal.args)
    return bool(sympy.expand_log(sympy.expand(left - right), factor=True) == 0)


def _interval(low: fmpq, high: fmpq) -> Any:
    return low if low == high else arb(low).union(arb(high))


def _safely(condition: sympy.Basic, at: Mapping[sympy.Symbol, Any]) -> bool | None:
    try:
        return holds(condition, at)
    except UndefinedError:
        return None


def _halves(box: Box) -> list[Box] | None:
    """Split the widest side; integers between whole numbers."""
    symbol = max(box, key=lambda s: float(fraction(box[s][1] - box[s][0])))
    low, high = box[symbol]
    if low == high or high - low < fmpq(1, 10**12):
        return None
    middle = (low + high) / 2
    if symbol.is_integer:
        below = fmpq(middle.floor())
        return [{**box, symbol: (low, below)}, {**box, symbol: (below + 1, high)}]
    return [{**box, symbol: (low, middle)}, {**box, symbol: (middle, high)}]
