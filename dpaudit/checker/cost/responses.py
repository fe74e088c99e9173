"""Bits of records that coins turn around, in their order, shuffled, or counted.

x xor b, with one coin of chance q for each bit, loses |log((1 - q)/q)| for each bit that changes
(Warner 1965). A uniform order of it, and its sum, tell how many are 1, and no more. If one of n
bits changes, that number has, with j ones among the others, the generating function g (1 - q + qz)
or g (q + (1 - q)z), where g = (q + (1 - q)z)^j (1 - q + qz)^(n - 1 - j).

Arrays of such are followed by what they are made of until somebody looks at their entries.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate, repeat
from operator import mul
from typing import Any

import flint

from dpaudit.checker.cost.arrays import Arr, Cells, filled
from dpaudit.checker.cost.ends import ONE, ZERO
from dpaudit.checker.cost.ledger import Draw, Item, geometric_rate
from dpaudit.checker.cost.noise import Noisy
from dpaudit.checker.cost.record_columns import Rows
from dpaudit.checker.cost.records import Var
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.sampling import Shuffled, without_replacement
from dpaudit.checker.cost.values import NONE, Unknown, is_number, unknown
from dpaudit.checker.exact.numbers import Number, number
from dpaudit.checker.file import NotCheckedError

_MOST = 300
_STEP = Number(Fraction(1, 2**33))  # chances from here on are those of floats in [0, 1)
SUMS = ("method.sum", "numpy.sum", "numpy.count_nonzero")


class Later(Arr):
    """An array whose entries are made when somebody looks at them."""

    __slots__ = ("_cells", "_make")
    _cells: Cells | None
    _make: Callable[[], Cells]

    def __init__(self, dtype: str, make: Callable[[], Cells]) -> None:
        object.__setattr__(self, "dtype", dtype)
        object.__setattr__(self, "_make", make)
        object.__setattr__(self, "_cells", None)

    @property
    def cells(self) -> Cells:
        """The entries."""
        if self._cells is None:
            object.__setattr__(self, "_cells", self._make())
        return self._cells

    @property
    def untouched(self) -> bool:
        """Whether nobody looked."""
        return self._cells is None


class Flips(Later):
    """Coins: uniform draws compared with a number; `chance` is that of True."""

    __slots__ = ("chance", "draws")
    chance: Number
    draws: list[Draw]

    def __init__(self, make: Callable[[], Cells], draws: list[Draw], chance: Number) -> None:
        super().__init__("bool", make)
        object.__setattr__(self, "draws", draws)
        object.__setattr__(self, "chance", chance)


class Answers(Later):
    """Bits that coins turned around, in order or shuffled."""

    __slots__ = ("bits", "flips")
    bits: Rows
    flips: Flips

    def __init__(self, run: Run, bits: Rows, flips: Flips, *, shuffled: bool) -> None:
        def make() -> Cells:
            self.pay(run, alone=not shuffled)
            return filled((len(flips.draws),), lambda: Unknown("int", ZERO, ONE))

        super().__init__(bits.dtype, make)
        object.__setattr__(self, "bits", bits)
        object.__setattr__(self, "flips", flips)

    def pay(self, run: Run, *, alone: bool) -> None:
        """Pay for the bits that change, each `alone` or all that is known being their number."""
        draws, q = self.flips.draws, self.flips.chance
        for draw in draws:
            run.ledger.use(draw, "hides")
        less = q if (1 - 2 * q).sign() >= 0 else 1 - q
        unit = geometric_rate(1 - less / (1 - less)) if (1 - 2 * less).sign() else ZERO
        changes = len(self.bits.view.before)
        crowd = None if alone or changes != 1 else (len(draws), q)
        first = draws[0]
        cost = unit * changes
        item = Item("pure", ZERO, NONE, first.place, first.call, cost, crowd=crowd)
        run.ledger.items.append(item)


def flips(
    run: Run, a: Arr, edge: Any, *, below: bool, compare: Callable[[Cells], Cells]
) -> Flips | None:
    """Return the coins of a comparison of fresh uniform draws with a number, None for others."""
    if isinstance(a, Later) or a.cells.ndim != 1 or not len(a.cells) or not is_number(edge):
        return None
    draws = []
    for entry in a.cells:
        single = isinstance(entry, Noisy) and entry.shown is None and len(entry.draws) == 1
        if not single or not is_number(entry.base) or number(entry.base).sign():
            return None
        ((draw, factor),) = entry.draws.items()
        if draw.law != "random" or (factor - 1).sign() or run.ledger.used(draw):
            return None
        draws.append(draw)
    chance = number(edge) if below else 1 - number(edge)
    sure = (chance - _STEP).sign() >= 0 and (1 - chance - _STEP).sign() >= 0
    if not sure or len(set(draws)) != len(draws):
        return None
    cells = a.cells.copy()
    return Flips(lambda: compare(cells), draws, chance)


def turned(run: Run, bits: Rows, coins: Flips) -> Answers | None:
    """Return bits of records that coins turn around, None where they are none."""
    view = bits.view
    replaced = view.size == len(coins.draws) and len(view.before) == len(view.after)
    if not coins.untouched or not replaced or bits.rest or bits.listed or run.lane:
        return None
    if bits.dtype not in ("int", "bool"):
        return None
    for cells in bits.lanes.values():
        entry = cells[()]
        bit = unknown(entry.snapshot() if isinstance(entry, Var) else entry)
        low, high = bit.low, bit.high
        ends = isinstance(low, Number) and isinstance(high, Number)
        if not ends or not bit.regular or low.sign() < 0 or (1 - high).sign() < 0:
            return None
    return Answers(run, bits, coins, shuffled=False)


def permutation(run: Run, x: Any = None) -> Answers | Shuffled:
    """Return answers, or records, in an order that says nothing."""
    ordered = without_replacement(run, x, None)
    if isinstance(ordered, Shuffled):
        return ordered
    if not isinstance(x, Answers) or not x.untouched:
        raise run.refused("a permutation of what is not randomized responses")
    return Answers(run, x.bits, x.flips, shuffled=True)


def total(run: Run, answers: Answers) -> Unknown:
    """Return how many answers are 1."""
    answers.pay(run, alone=False)
    return Unknown("int", ZERO, Number(Fraction(len(answers.flips.draws))))


def delta(count: int, chance: Number, epsilon: Number) -> Any:
    """Return a ball with delta at epsilon of how many of `count` answers are 1."""
    if count > _MOST or epsilon.sign() < 0:
        raise NotCheckedError("not checked: the number of ones among so many answers")
    q, factor = chance.ball, epsilon.exp().ball
    kept, lied = flint.arb_poly([q, 1 - q]), flint.arb_poly([1 - q, q])
    start = flint.arb_poly([1])
    high = list(accumulate(repeat(kept, count - 1), mul, initial=start))
    low = list(accumulate(repeat(lied, count - 1), mul, initial=start))
    largest = flint.arb(0)
    for ones in range(count):
        others = high[ones] * low[count - 1 - ones]
        one, zero = (others * kept).coeffs(), (others * lied).coeffs()
        for p, r in ((one, zero), (zero, one)):
            found = flint.arb(0)
            for x, y in zip(p, r, strict=True):
                found += (x - factor * y).max(flint.arb(0))
            largest = largest.max(found)
    return largest
