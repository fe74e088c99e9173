"""Relations between what a program computes on a dataset and on one with a record more.

Each is proved for every n, from how sums and order statistics of the two are related.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import sympy

from dpaudit.formal.lemmas.facts import Facts
from dpaudit.formal.lemmas.order import Gap, gap, next_size, single, statistics
from dpaudit.formal.lemmas.reading import Names
from dpaudit.formal.lemmas.values import SIZE, STEP, Vector, at
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported

GROWS = "entry k is at most entry min(k + 1, last) of every neighbor"
STARTS = "entry 0 is not negative"
LOCAL = "the answer moves by at most entry 0, at both of two neighbors"
MOST = "entry 0 is at most G"


@dataclass(frozen=True, slots=True)
class Neighboring:
    """Proves what lemmas need of neighbors.

    Attributes
    ----------
    facts : Facts
    names : Names
    place : Place
    replaced : bool
        Whether neighbors differ in the value of a record; else one has a record more.
    """

    facts: Facts
    names: Names
    place: Place
    replaced: bool = False

    # --- A(x, k) <= A(x', min(k + 1, last)): a profile of local sensitivities

    def grows(self, vector: Vector) -> None:
        """Prove that A(x, k) <= A(x', min(k + 1, last)) for neighbors x, x', both ways."""
        for more in (True, False):
            here, there = vector, _of_larger(vector)
            if not more:
                here, there = there, here
            last = there.length - 1
            inside = sympy.Le(STEP, here.length - 1)
            steps = ((STEP + 1, sympy.Le(STEP + 1, last)), (last, sympy.Ge(STEP, last)))
            for step, condition in steps:
                self._at_most(here, STEP, there, step, (inside, condition), more)

    def _at_most(
        self, here: Vector, k: Any, there: Vector, step: Any, given: tuple[Any, ...], more: bool
    ) -> None:
        """Prove entry k of one dataset <= entry `step` of the other, which has a record more."""
        less, greater = at(here, k), at(there, step)
        if not statistics(less) and not statistics(greater):
            self.facts.need(sympy.Le(self._plain(less), self._plain(greater)), given, GROWS,
                            self.place)  # fmt: skip
            return
        one, other = gap(self.names, less), gap(self.names, greater)
        if one is None or other is None or one.order is not other.order:
            raise Unsupported(f"not proved that {GROWS}", self.place)
        if one.factor != other.factor:
            raise Unsupported(f"not proved that {GROWS}", self.place)
        self._wider(one, other, given, more)

    def _wider(self, one: Gap, other: Gap, given: tuple[Any, ...], more: bool) -> None:
        """Prove that [x(low), x(high)] lies within [x'(low'), x'(high')]."""
        order = one.order
        last = order.length - 1 + (1 if more else 0)  # of x'
        # x(i) <= x'(i + 1) where x' has one more, x(i) <= x'(i − 1 + 1) where it has one less
        high = one.high + (1 if more else 0)
        low = one.low - (0 if more else 1)
        if order.high is not None:
            high = sympy.Min(high, last)
        if order.low is not None:
            low = sympy.Max(low, 0)
        self.facts.need(sympy.Ge(other.high, high), given, GROWS, self.place)
        self.facts.need(sympy.Le(other.low, low), given, GROWS, self.place)

    # --- A(x, 0) >= 0

    def starts(self, vector: Vector) -> None:
        """Prove that there is an entry 0, and that it is not negative."""
        self.facts.need(sympy.Ge(vector.length, 1), (), "a vector has an entry", self.place)
        entry = at(vector, sympy.Integer(0))
        if not statistics(entry):
            self.facts.need(sympy.Ge(self._plain(entry), 0), (), STARTS, self.place)
            return
        found = gap(self.names, entry)
        if found is None:
            raise Unsupported(f"not proved that {STARTS}", self.place)
        self.facts.need(sympy.Le(found.low, found.high), (), STARTS, self.place)

    # --- A(x, 0) <= G

    def most(self, vector: Vector) -> Any:
        """Return a number that entry 0 is proved not to exceed, None where none is found."""
        entry = at(vector, sympy.Integer(0))
        if not statistics(entry):
            few = [entry.subs(SIZE, size) for size in (0, 1, 2)]
            if entry.free_symbols - {SIZE} or not all(each.is_Rational for each in few):
                return None
            goal = sympy.Le(entry, max(few))
            return max(few) if self.facts.holds(goal, (), MOST, self.place) else None
        found = gap(self.names, entry)
        if found is None or found.order.low is None or found.order.high is None:
            return None
        return found.factor * (found.order.high - found.order.low)

    # --- |f(x) − f(x')| <= A(x, 0)

    def local(self, answer: Any, vector: Vector) -> None:
        """Prove that an answer moves by at most entry 0 of both of two neighbors."""
        self.facts.need(sympy.Ge(vector.length, 1), (), "a vector has an entry", self.place)
        entry = at(vector, sympy.Integer(0))
        if not statistics(answer):
            for dataset in (entry, next_size(entry)):
                if statistics(dataset):
                    raise Unsupported(f"not proved that {LOCAL}", self.place)
                self.moves(answer, self._plain(dataset), LOCAL)
            return
        found, around = single(self.names, answer), gap(self.names, entry)
        if found is None or around is None or around.order is not found[0] or around.factor < 1:
            raise Unsupported(f"not proved that {LOCAL}", self.place)
        order, index = found
        for more in (True, False):
            # The dataset of the gap, and its neighbor with a record more (or less).
            size = SIZE if more else SIZE + 1
            here = {SIZE: size}
            m, low, high = (e.subs(here) for e in (index, around.low, around.high))
            other = index.subs(SIZE, SIZE + 1 if more else SIZE)
            last = order.length.subs(here) - 1
            self._between(m, low, m, high)
            # x'(j) <= x(j) and x'(j) >= x(j − 1) with one more; x(j) <= x'(j) <= x(j + 1) with
            # one less
            above = other if more else other + 1
            below = other - 1 if more else other
            goal_high = sympy.Min(above, last) if order.high is not None else above
            goal_low = sympy.Max(below, 0) if order.low is not None else below
            self._between(goal_low, low, goal_high, high)

    def _between(self, below: Any, low: Any, above: Any, high: Any) -> None:
        self.facts.need(sympy.Le(low, below), (), LOCAL, self.place)
        self.facts.need(sympy.Le(above, high), (), LOCAL, self.place)

    # --- sums

    def moves(self, answer: Any, most: Any, what: str) -> None:
        """Prove |f(x') − f(x)| <= `most` of an answer made of n and of sums.

        What is affine in the sums and in the record is largest where each is at an end of its
        range; what is left is about n alone, and proved for n = 0 and for n >= 1.
        """
        far = self._difference(answer)
        ends = self._ends(answer)
        if not _is_affine(far, [symbol for symbol, _ in ends]):
            raise Unsupported("an answer that no rule bounds", self.place)
        for corner in itertools.product(*(both for _, both in ends)):
            chosen = dict(zip((symbol for symbol, _ in ends), corner, strict=True))
            there = far.subs(chosen, simultaneous=True)
            for size in (sympy.Integer(0), SIZE + 1):
                for sign in (1, -1):
                    goal = sympy.Le(sign * there.subs(SIZE, size), most.subs(SIZE, size))
                    self.facts.need(goal, (), what, self.place)

    def _difference(self, answer: Any) -> Any:
        """Return f(x') − f(x) where x' has one record more."""
        strange = answer.free_symbols - {SIZE} - set(self.names.totals)
        if strange or statistics(answer):
            raise Unsupported("an answer that no rule bounds", self.place)
        after = {total: total + _record(total) for total in self._totals(answer)}
        return next_size(answer).subs(after, simultaneous=True) - answer

    def _totals(self, answer: Any) -> list[Any]:
        return sorted(answer.free_symbols & set(self.names.totals), key=str)

    def _ends(self, answer: Any) -> list[tuple[Any, tuple[Any, Any]]]:
        """Return between what the sums in an answer lie, and the record that comes."""
        found: list[tuple[Any, tuple[Any, Any]]] = []
        for total in self._totals(answer):
            records = self.names.totals[total]
            found.append((_record(total), (records.low, records.high)))
            found.append((total, (SIZE * records.low, SIZE * records.high)))
        return found

    def _plain(self, entry: Any) -> Any:
        if entry.free_symbols - {SIZE, STEP}:
            raise Unsupported("a vector with sums or noise in it", self.place)
        return entry


def _of_larger(vector: Vector) -> Vector:
    return Vector(next_size(vector.length), next_size(vector.entry), vector.whole, vector.decay)


def _record(total: Any) -> Any:
    return sympy.Symbol(f"{total}_of_the_record", real=True)


def _is_affine(expr: Any, symbols: list[Any]) -> bool:
    if not symbols:
        return True
    try:
        return bool(sympy.Poly(expr, *symbols).total_degree() <= 1)
    except sympy.PolynomialError:
        return False
