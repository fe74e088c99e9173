"""Which of several noisy values is the largest.

Let v and v' be the values in both runs, and far the largest v'_i - v_i less v'_j - v_j for i ≠ j.

* The noise of all others held fixed, entry i wins where its own noise exceeds r, and in the other
  run where it exceeds some r' <= r + far. Laplace, exponential and Gumbel noise of scale b have
  Pr[Z >= r + t] >= e^(-t/b) Pr[Z >= r] for t >= 0. So every index is as likely up to e^(far/b)
  (Dwork & Roth 2014, Claim 3.9; Ding et al. 2021).
* The k largest of Gumbel noise are k draws in proportion to e^v without putting back (Durfee &
  Rogers 2019).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
    """The indices of noisy values, the largest first, or what is ordered by these values."""

    entries: tuple[Noisy, ...]
    items: tuple[Any, ...] = ()

    def first(self, run: Run, at: Any) -> Arr:
        """Return the first indices, after paying for each."""
        if not isinstance(at, slice) or at.start not in (None, 0) or at.step not in (None, 1):
            raise run.refused("a part of an order that is not its beginning")
        count = at.stop
        if type(count) is not int or not 0 <= count <= len(self.entries):
            raise run.refused("a part of an order that is not its beginning")
        law = _paid(run, self.entries, count)
        if law != "gumbel" and count > 1:
            raise run.refused(f"the order of values with {law} noise")
        import numpy as np

        cells = np.empty(count, dtype=object)
        for i in range(count):
            cells[i] = _index(len(self.entries))
        return Arr(cells, "int")


def _index(count: int) -> Unknown:
    return Unknown("int", ZERO, end(count - 1))


def _paid(
    run: Run, entries: tuple[Noisy, ...], times: int, held: Sequence[Noisy] | None = None
) -> str:
    """Pay for the indices of the largest entries; return the law.

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
    return first.law


def largest(run: Run, array: Arr, *, smallest: bool = False) -> Any:
    """Return the index of the largest entry of an array without axes but one."""
    from dpaudit.checker.cost import arithmetic

    entries = list(array.cells)
    if not any(isinstance(e, Noisy) and e.hides for e in entries):
        entries = [shown(run, e) for e in entries]
        if any(not unknown(e).shared for e in entries):
            raise run.refused("the index of the largest private value")
        return _index(len(entries))
    if len({id(e) for e in entries}) == len(entries) and _selectable(entries):
        turned = [arithmetic.unary(run, "neg", e) for e in entries] if smallest else entries
        _paid(run, tuple(turned), 1, entries)
        return _index(len(entries))
    for e in entries:
        if not unknown(shown(run, e)).shared:
            raise run.refused("the index of the largest private value")
    return _index(len(entries))


def _selectable(entries: list[Any]) -> bool:
    return all(
        isinstance(e, Noisy) and e.shown is None and all(d.law in _LAWS for d in e.draws)
        for e in entries
    )


def ranked(run: Run, array: Arr) -> Ranking:
    """Return the order of the entries, the smallest first."""
    from dpaudit.checker.cost import arithmetic

    entries = [arithmetic.unary(run, "neg", e) for e in array.cells]
    if not all(isinstance(e, Noisy) for e in entries):
        raise run.refused("the order of values without noise")
    return Ranking(tuple(entries))
