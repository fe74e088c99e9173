"""Which of several noisy values is the largest, and draws with weights e^value.

Let v and v' be the values in both runs, and far the largest v'_i - v_i less v'_j - v_j for i ≠ j.

* The noise of all others held fixed, entry i wins where its own noise exceeds r, and in the other
  run where it exceeds some r' <= r + far. Laplace, exponential and Gumbel noise of scale b have
  Pr[Z >= r + t] >= e^(-t/b) Pr[Z >= r] for t >= 0. So every index is as likely up to e^(far/b)
  (Dwork & Roth 2014, Claim 3.9; Ding et al. 2021).
* Weights w_i = e^(v_i): w'_i/w_i over Σw'/Σw, which lies between the least and the greatest
  e^(v'_j - v_j), is within e^±far (McSherry & Talwar 2007).
* The k largest of Gumbel noise are k such draws without putting back (Durfee & Rogers 2019).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dpaudit.checker.cost.arrays import Arr
from dpaudit.checker.cost.ends import (
    ONE,
    ZERO,
    End,
    end,
    is_finite,
    least,
    most,
    negative,
    plus,
)
from dpaudit.checker.cost.ledger import Draw, Item
from dpaudit.checker.cost.noise import Noisy, shown
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import Change, Unknown, unknown
from dpaudit.checker.exact.numbers import Number

_LAWS = ("laplace", "exponential", "gumbel")


@dataclass(frozen=True, slots=True, eq=False)
class Weight:
    """e to a private number."""

    exponent: Unknown


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """All weights of a draw."""

    exponents: tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """The sum of the first weights, up to an index."""

    weights: Weights
    last: int


@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """A uniform draw times the sum of all weights."""

    weights: Weights
    draw: Draw


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


def far(run: Run, values: list[Unknown]) -> End:
    """Return the largest change of one value less that of another."""
    if not all(x.regular for x in values):
        raise run.refused("a choice among what may be NaN or infinite")
    changes = [x.change for x in values]
    if all(_alike(change, changes[0]) for change in changes):
        largest = _apart([c.low for c in changes], [c.high for c in changes])
    else:
        pairs = [(a, b) for i, a in enumerate(changes) for j, b in enumerate(changes) if i != j]
        largest = most([ZERO, *(a.plus(b.times(-ONE)).ends()[1] for a, b in pairs)])
    if not is_finite(largest):
        raise run.refused("a choice among values whose change nothing bounds")
    return largest


def _alike(one: Change, other: Change) -> bool:
    """Whether two changes have the same multiples of the same shared changes."""
    if one.tokens.keys() != other.tokens.keys():
        return False
    factors = [(f.fraction, other.tokens[t].fraction) for t, f in one.tokens.items()]
    return all(a is not None and a == b for a, b in factors)


def _apart(lows: list[End], highs: list[End]) -> End:
    """Return the largest high less a low of another entry."""
    found: list[End] = [ZERO]
    for i, high in enumerate(highs):
        others = lows[:i] + lows[i + 1 :]
        if others:
            found.append(plus(high, negative(least(others))))
    return most(found)


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
    item = _item(moved / first.scale * times, first)
    if held is None:
        run.ledger.items.append(item)
    else:
        run.ledger.pick(item, held)
    return first.law


def _pay(run: Run, epsilon: Number, draw: Draw) -> None:
    run.ledger.items.append(_item(epsilon, draw))


def _item(epsilon: Number, draw: Draw) -> Item:
    return Item("pure", ZERO, Unknown("int").change, draw.place, draw.call, epsilon)


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


def cumulated(cells: Any) -> list[Any]:
    """Return the partial sums of weights."""
    weights = Weights(tuple(w.exponent for w in cells))
    return [Partial(weights, i) for i in range(len(cells))]


def share(a: Any, b: Any) -> Share | None:
    """Return a uniform draw times the sum of all weights, None for another product."""
    for noise, total in ((a, b), (b, a)):
        if isinstance(total, Partial) and isinstance(noise, Noisy):
            ((draw, factor),) = noise.draws.items() if len(noise.draws) == 1 else ((None, ZERO),)
            plain = draw is not None and draw.law == "random" and factor == ONE
            whole = total.last == len(total.weights.exponents) - 1
            if plain and whole and noise.shown is None and noise.base is ZERO:
                return Share(total.weights, draw)  # type: ignore[arg-type]
    return None


def searched(run: Run, cells: Any, at: Share) -> Unknown:
    """Return the index into which a share of the whole falls, after paying for it."""
    for i, entry in enumerate(cells):
        if not isinstance(entry, Partial) or entry.weights is not at.weights or entry.last != i:
            raise run.refused("a draw among other weights")
    if len(cells) != len(at.weights.exponents):
        raise run.refused("a draw among other weights")
    run.ledger.use(at.draw, "hides")
    _pay(run, far(run, [unknown(e) for e in at.weights.exponents]), at.draw)
    return _index(len(cells))
