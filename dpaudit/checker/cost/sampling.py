"""Samples that take each record by a coin of its own, or so many of all records.

M on a sample that takes each record with chance q: where M's outputs on samples with and without
the record that changed are e-indistinguishable, those of the whole are log(1 + q(e^e - 1))
(Balle, Barthe & Gaboardi 2018, Theorem 8, for adding or removing one record). The same holds of m
records out of n without replacement, q = m/n, where one record is replaced (Theorem 9). There M is
asked for any two samples that differ in one record, so that e is the most on any path.

What changes by the sample alone is marked by it, so that only what depends on nothing else is taken
for cheaper. The records of a sample are followed as if the one that changed were taken. What they
are summed to is the same in both runs where it is not, so that each such change may be 0 as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from dpaudit.checker.cost.arrays import Arr, cell, mapped
from dpaudit.checker.cost.ends import INF, ONE, ZERO
from dpaudit.checker.cost.parts import Parts
from dpaudit.checker.cost.record_columns import ANY, Rows, Table, View, records_of, within
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import Change, Group, Taken, Token, Unknown, is_known, is_number
from dpaudit.checker.exact.numbers import Number, number
from dpaudit.checker.rounding import tosses
from dpaudit.checker.wording import in_words


@dataclass(slots=True, eq=False)
class Coins:
    """A uniform draw for each record; a second sample by the same draws is not independent."""

    view: View
    used: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class SampleMask:
    """Which of the records in `view` are taken; `inside` are those, as if the changed one were."""

    taken: Taken
    view: View
    inside: View

    def of(self, run: Run, records: Rows | Table | Parts) -> Sample:
        """Return the records that are taken."""
        if records.view is not self.view:
            raise run.refused("a sample of other records")
        return _sample(run, self.taken, records, self.inside)


@dataclass(frozen=True, slots=True, eq=False)
class MarkedPlaces:
    """The places of the records that a mask takes."""

    mask: SampleMask

    def of(self, run: Run, records: Rows | Table) -> Sample:
        """Return the records at these places."""
        return self.mask.of(run, records)


@dataclass(frozen=True, slots=True, eq=False)
class SamplePlaces:
    """So many different places of `among`, of which any are as likely.

    `inside` are the records at these places, by those among which they are.
    """

    taken: Taken
    among: int
    size: int
    inside: dict[View, View] = field(default_factory=dict)

    @staticmethod
    def make(run: Run, among: int, size: int) -> SamplePlaces:
        """Return so many places."""
        if not 0 < size < among:
            raise run.refused("a sample of all records, or of none")
        return SamplePlaces(Taken(number(Fraction(size, among)), alone=False), among, size)

    def of(self, run: Run, records: Rows | Table) -> Sample:
        """Return the records at these places."""
        view = records.view
        if not _is_replaced(view) or view.size != self.among:
            raise run.refused("a sample of a fixed size of these records")
        most = number(self.size)
        inside = self.inside.setdefault(view, View(view.before, view.after, self.size, most))
        return _sample(run, self.taken, records, inside)


@dataclass(frozen=True, slots=True, eq=False)
class Shuffled:
    """All records, or all places of them, in an order that says nothing."""

    of: Rows | int

    def part(self, run: Run, at: Any) -> Sample | SamplePlaces:
        """Return those at some places of the order."""
        whole = self.of if isinstance(self.of, int) else self.of.view.size
        plain = isinstance(at, slice) and all(
            end is None or type(end) is int for end in (at.start, at.stop, at.step)
        )
        if whole is None or not plain:
            raise run.refused("a part of records in a random order")
        places = SamplePlaces.make(run, whole, len(range(whole)[at]))
        return places if isinstance(self.of, int) else places.of(run, self.of)


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The records that a sample takes, or what is computed of each of them."""

    taken: Taken
    rows: Rows | Table | Parts
    place: str


def _is_replaced(view: View) -> bool:
    """Whether they are all records, whose number is public, and one of them is replaced."""
    return view.whole and view.size is not None and view.replaces_one


def _sample(run: Run, taken: Taken, records: Rows | Table | Parts, inside: View) -> Sample:
    if isinstance(records, Parts):
        return Sample(taken, _parts_within(records, inside), run.place)
    if isinstance(records, Table):
        columns = {name: within(column, inside) for name, column in records.columns.items()}
        return Sample(taken, Table(inside, columns, records.hidden), run.place)
    if records.last:
        raise run.refused("a sample of what is no records")
    return Sample(taken, within(records, inside), run.place)


def _parts_within(records: Parts, inside: View) -> Parts:
    columns = {
        key: _parts_within(column, inside) if isinstance(column, Parts) else within(column, inside)
        for key, column in records.columns.items()
    }
    return Parts(inside, columns, records.of)


def without_replacement(run: Run, of: Any, size: Any) -> Sample | SamplePlaces | Shuffled | None:
    """Return so many different records, or places below a number; all of them where `size` is None.

    None where it is something else of which they are drawn.
    """
    rows = isinstance(of, Rows) and not of.last and _is_replaced(of.view)
    if not rows and not (type(of) is int and of > 0):
        return None
    everything = Shuffled(of)
    return everything if size is None else everything.part(run, slice(None, size))


def per_record(size: Unknown) -> Coins | None:
    """Return a draw for each record where that is how many are asked for."""
    view = records_of(size)
    return Coins(view) if view is not None and view.whole else None


def compared(run: Run, name: str, a: Any, b: Any) -> SampleMask | Rows | None:
    """Return ``draw < chance`` for each record, in any order of the two; None for anything else."""
    coins, limit = (a, b) if isinstance(a, Coins) else (b, a)
    if not isinstance(coins, Coins) or name not in ("lt", "le", "gt", "ge"):
        return None
    below = (name in ("lt", "le")) is (coins is a)
    if below or not is_number(limit):
        return mask(run, coins, limit)
    rest: Number = 1 - number(limit)
    if (1 - rest).sign() <= 0:  # a draw may be 0
        raise run.refused("a sample with this chance")
    return mask(run, coins, rest)


def mask(run: Run, coins: Coins, rate: Any) -> SampleMask | Rows:
    """Return which records are taken with a public chance; a draw is below 1, so that 1 is all."""
    if coins.used:
        raise run.refused("two samples by the same draws")
    coins.used = True
    view = coins.view
    if is_number(rate) and (number(rate) - 1).sign() >= 0:
        return Rows(view, {lane: cell(True) for lane in (ANY, *view.changed)}, "bool")
    alone = view.before == () and len(view.after) == 1 and view.size is None
    if not alone or not is_number(rate):
        raise run.refused("a sample of this kind")
    chance: Number = number(rate)
    if chance.sign() <= 0 or (1 - chance).sign() <= 0:
        raise run.refused("a sample with this chance")
    if not (tosses(chance) and tosses(1 - chance)):
        raise run.refused("a sample whose chance floats do not tell")
    return SampleMask(Taken(chance), view, View((), view.after, None, view.most))


def sample_size(mask: SampleMask) -> Unknown:
    """Return how many records are taken."""
    token = Token(Group("alone", ZERO, ONE, mask.taken))
    return Unknown("int", ZERO, INF, Change(tokens={token: ONE}))


def of_sample(
    run: Run, what: str, function: Callable[..., Any], args: list[Any], named: dict[str, Any]
) -> tuple[Any] | None:
    """Return what a function of a sample's records comes to, None where it is given none.

    Parameters
    ----------
    run : Run
    what : str
        The name of the function.
    function : callable
        Does the same to columns of records, and says how their sums change.
    args : list
    named : dict
    """
    samples = [value for value in args if isinstance(value, Sample)]
    if not samples:
        return None
    first = samples[0]
    if any(value.taken is not first.taken for value in samples):
        raise run.refused(f"{in_words(what)} of two samples")
    inside = [value.rows if isinstance(value, Sample) else value for value in args]
    return (of_taken(run, what, function(inside, named), first),)


def of_taken(run: Run, what: str, value: Any, sample: Sample) -> Any:
    """Return what was computed of the records of a sample, with changes that are marked by it."""
    if isinstance(value, Rows | Parts):
        return replace(sample, rows=value)
    if isinstance(value, Arr) and type(value) is Arr:
        cells = mapped(lambda each: of_taken(run, what, each, sample), value.cells)
        return Arr(cells, value.dtype)
    if isinstance(value, tuple):
        return tuple(of_taken(run, what, each, sample) for each in value)
    if is_known(value):
        return value
    if not isinstance(value, Unknown):
        raise run.refused(f"{in_words(what)} of a sample")
    return marked(sample.taken, value)


def marked(taken: Taken, value: Unknown) -> Unknown:
    """Return a number that changes only where a sample takes the record that changed."""
    change = taken.marked(value.change)
    return Unknown(value.kind, value.low, value.high, change, value.nan, value.infinite)
