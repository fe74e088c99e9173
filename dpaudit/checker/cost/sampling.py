"""Samples that take each record by a coin of its own.

M on a sample that takes each record with chance q: where M's outputs on samples with and without
the record that changed are e-indistinguishable, those of the whole are log(1 + q(e^e - 1))
(Balle, Barthe & Gaboardi 2018, Theorem 8, for adding or removing one record). What changes by the
sample alone is marked by the group of its change, so that only what depends on nothing else is
taken for cheaper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpaudit.checker.cost.arrays import cell
from dpaudit.checker.cost.ends import INF, ONE, ZERO
from dpaudit.checker.cost.record_columns import ANY, Rows, View, records_of
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import Change, Group, Token, Unknown, is_number
from dpaudit.checker.exact.numbers import Number, number
from dpaudit.checker.rounding import tosses


@dataclass(slots=True, eq=False)
class Coins:
    """A uniform draw for each record; a second sample by the same draws is not independent."""

    view: View
    used: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class SampleMask:
    """Which records are taken; the group is that of what changes by it."""

    group: Group
    view: View


def per_record(size: Unknown) -> Coins | None:
    """Return a draw for each record where that is how many are asked for."""
    view = records_of(size)
    return Coins(view) if view is not None and view.whole else None


def mask(run: Run, coins: Coins, rate: Any) -> SampleMask | Rows:
    """Return which records are taken with a public chance; a draw is below 1, so that 1 is all."""
    if coins.used:
        raise run.refused("two samples by the same draws")
    coins.used = True
    if is_number(rate) and (number(rate) - 1).sign() >= 0:
        view = coins.view
        return Rows(view, {lane: cell(True) for lane in (ANY, *view.changed)}, "bool")
    alone = coins.view.before == () and len(coins.view.after) == 1 and coins.view.size is None
    if not alone or not is_number(rate):
        raise run.refused("a sample of this kind")
    chance: Number = number(rate)
    if chance.sign() <= 0 or (1 - chance).sign() <= 0:
        raise run.refused("a sample with this chance")
    if not (tosses(chance) and tosses(1 - chance)):
        raise run.refused("a sample whose chance floats do not tell")
    return SampleMask(Group("alone", ZERO, ONE, chance), coins.view)


def sample_size(taken: SampleMask) -> Unknown:
    """Return how many records are taken."""
    return Unknown("int", ZERO, INF, Change(tokens={Token(taken.group): ONE}))
