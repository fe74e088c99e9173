"""Which of several noisy values is the largest.

Let v and v' be the values in both runs, and far the largest v'_i - v_i less v'_j - v_j for i ≠ j.

* The noise of all others held fixed, entry i wins where its own noise exceeds r, and in the other
  run where it exceeds some r' <= r + far. Laplace, exponential and Gumbel noise of scale b have
  Pr[Z >= r + t] >= e^(-t/b) Pr[Z >= r] for t >= 0. So every index is as likely up to e^(far/b)
  (Dwork & Roth 2014, Claim 3.9; Ding et al. 2021).
* The k largest of Gumbel noise are k draws in proportion to e^v without putting back (Durfee &
  Rogers 2019). Of other noise all noisy values are paid for, and their order is post-processing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpaudit.checker.cost.arrays import Arr
from dpaudit.checker.cost.ends import (
    ZERO,
    end,
)
from dpaudit.checker.cost.noise import Noisy, shown
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import Unknown, unknown
from dpaudit.checker.cost.weights import choice_item, far

_LAWS = ("laplace", "exponential", "gumbel")


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The order of noisy values: their indices, or the items that have them as keys.

    Ties have probability 0, so that it does not matter which of equal values comes first.

    Attributes
    ----------
    entries : tuple of Noisy
        By index.
    upwards : bool
        Whether the smallest comes first.
    items : tuple
        Empty where the indices are ordered.
    """

    entries: tuple[Noisy, ...]
    upwards: bool
    items: tuple[Any, ...] = ()

    def at(self, run: Run, at: Any) -> Any:
        """Return the indices at one end, after paying for each, or the order backwards."""
        if not isinstance(at, slice):
            if type(at) is not int or at not in (0, -1):
                raise run.refused("an entry of an order that is not its first or its last")
            return self._end(run, 1, first=at == 0)[0]
        match at.start, at.stop, at.step:
            case None, None, -1:
                return replace(self, upwards=not self.upwards)
            case ((None | 0), int() as count, (None | 1)) if count >= 0:
                return Arr(self._end(run, count, first=True), "int")
            case int() as start, None, (None | 1) if start < 0:
                return Arr(self._end(run, -start, first=False), "int")
            case None, int() as stop, -1 if stop < 0:
                return Arr(self._end(run, -stop - 1, first=False), "int")
        raise run.refused("a part of an order that is not its beginning or its end")

    def _end(self, run: Run, count: int, *, first: bool) -> Any:
        from dpaudit.checker.cost import arithmetic

        if count > len(self.entries):
            raise run.refused("more entries of an order than it has")
        entries = self.entries
        if first is self.upwards:
            entries = tuple(arithmetic.unary(run, "neg", entry) for entry in entries)
        gumbel = all(draw.law == "gumbel" for entry in entries for draw in entry.draws)
        if count == 1 or gumbel:
            _paid(run, entries, count, self.entries if count == 1 else None)
        elif not all(unknown(shown(run, entry)).shared for entry in self.entries):
            raise run.refused("the order of private values")
        cells = np.empty(count, dtype=object)
        for i in range(count):
            cells[i] = _index(len(entries))
        return cells


def _index(count: int) -> Unknown:
    return Unknown("int", ZERO, end(count - 1))


def _paid(
    run: Run, entries: tuple[Noisy, ...], times: int, held: Sequence[Noisy] | None = None
) -> None:
    """Pay for the indices of the largest entries.

    Where `held` are the values themselves they may be shown afterwards, at the price of all.
    """
    draws = []
    for entry in entries:
        if len(entry.draws) != 1 or entry.shown is not None:
            raise run.refused("the largest of values with noise of this kind")
        ((draw, factor),) = entry.draws.items()
        mirrored = (factor + 1).sign() == 0 and draw.law == "laplace"
        if (factor - 1).sign() != 0 and not mirrored:
            raise run.refused("the largest of values with a multiple of noise")
        draws.append(draw)
    first = draws[0]
    alike = all(d.law == first.law and (d.scale - first.scale).sign() == 0 for d in draws)
    if first.law not in _LAWS or not alike:
        raise run.refused("the largest of values with noise of this kind")
    for draw in draws:
        run.ledger.use(draw, "hides")
    moved = far(run, [unknown(entry.base) for entry in entries])
    item = choice_item(moved / first.scale * times, first)
    if held is None:
        run.ledger.items.append(item)
    else:
        run.ledger.pick(item, held)


def largest(run: Run, array: Arr, *, smallest: bool = False) -> Any:
    """Return the index of the largest entry of an array without axes but one."""
    entries = list(array.cells)
    if not any(isinstance(e, Noisy) and e.hides for e in entries):
        entries = [shown(run, e) for e in entries]
        if any(not unknown(e).shared for e in entries):
            raise run.refused("the index of the largest private value")
        return _index(len(entries))
    if len({id(e) for e in entries}) == len(entries) and are_hidden(entries):
        return Ranking(tuple(entries), smallest).at(run, 0)
    for e in entries:
        if not unknown(shown(run, e)).shared:
            raise run.refused("the index of the largest private value")
    return _index(len(entries))


def are_hidden(entries: Sequence[Any]) -> bool:
    """Return whether each of several is hidden by noise whose order is paid for by the place."""
    return len(entries) > 0 and all(
        isinstance(e, Noisy) and e.shown is None and all(d.law in _LAWS for d in e.draws)
        for e in entries
    )
