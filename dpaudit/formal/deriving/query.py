"""Runs the query on neighboring datasets to see whether a derivation's bound is kept."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from flint import fmpq

from dpaudit.evidence import Event, StepWitness
from dpaudit.formal.clock import now
from dpaudit.formal.decide import Truth, decide
from dpaudit.formal.deciding.values import holds_exactly
from dpaudit.formal.derivation import Derivation
from dpaudit.formal.deriving.translate import relation, translate
from dpaudit.formal.deriving.validation import Link
from dpaudit.neighbors import Pair, dataset_to_text

_PAIRS = 400
_SECONDS = 5.0
_ROUNDING = Fraction(1, 10**9)  # of the query's values: what floats may be off


@dataclass(frozen=True, slots=True)
class Breach:
    """Two neighboring datasets between which the query moves more than any value of the bound.

    Attributes
    ----------
    step : int
        The first step of the case, whose left side does not bound the change.
    witness : StepWitness
    """

    step: int
    witness: StepWitness


def breach(
    derivation: Derivation,
    symbols: Mapping[str, sympy.Symbol],
    given: Sequence[Any],
    deadline: float,
) -> Breach | None:
    """Search neighboring datasets for one that breaks the stated bound.

    Parameters
    ----------
    derivation : Derivation
    symbols : mapping of str to symbol
    given : sequence of sympy Boolean
    deadline : float
        Of `dpaudit.formal.clock.now`.

    Returns
    -------
    Breach or None
        A pair is a breach only where the change exceeds the bound for *all* values that `given`
        allows its variables, since which of them belong to the dataset is not known. Any integer
        variable may be its size, so that pairs whose sizes `given` would not allow it are left
        out.
    """
    if not callable(derivation.query) or derivation.neighbors is None:
        return None
    end = min(deadline, now() + _SECONDS)
    limits = {
        way: _limit(links, symbols, given)
        for way, links in derivation.chains.items()
        if way is not None
    }
    search = _Search(derivation, limits, _sizes(symbols, given))
    pairs = itertools.islice(derivation.neighbors.pairs(np.random.default_rng(0)), _PAIRS)
    for pair in pairs:
        if now() > end:
            return None
        found = search.worst(pair)
        if found is not None:
            return search.witness(search.smallest(pair, end))
    return None


@dataclass(frozen=True, slots=True)
class _Limit:
    link: Link
    bound: Any
    given: Sequence[Any]
    tried: list[Fraction]

    def exceeded(self, change: Fraction) -> bool:
        """Return whether the change is greater than the bound for all values of its variables."""
        if any(change <= known for known in self.tried):
            return False
        goal = relation(self.bound, "<", sympy.Rational(*change.as_integer_ratio()))
        if decide(goal, self.given, timeout=1.0).truth is Truth.PROVED:
            return True
        self.tried[:] = [change]  # the greatest that is not proved to exceed
        return False


def _limit(
    links: Sequence[Link],
    symbols: Mapping[str, sympy.Symbol],
    given: Sequence[Any],
) -> _Limit | None:
    """Return what a case concludes, None where it bounds nothing from above."""
    if any(link.relation == ">=" for link in links):
        return None
    translated = translate(links[-1].right, symbols)
    return _Limit(links[0], translated.value, [*given, *translated.needs], [])


def _sizes(symbols: Mapping[str, sympy.Symbol], given: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Return what the conditions say of integer variables, each of which may be a size."""
    whole = [symbol for symbol in symbols.values() if symbol.is_integer]
    return [(symbol, c) for c in given for symbol in whole if symbol in c.free_symbols]


class _Search:
    def __init__(
        self,
        derivation: Derivation,
        limits: Mapping[str, _Limit | None],
        sizes: Sequence[tuple[Any, Any]],
    ) -> None:
        self._derivation, self._limits, self._sizes = derivation, limits, sizes
        self._query: Any = derivation.query

    def _in_scope(self, pair: Pair) -> bool:
        """Return whether the datasets are of sizes that the conditions are about."""
        alone = [(s, c) for s, c in self._sizes if c.free_symbols == {s}]
        if not alone:
            return True
        try:
            sizes = sorted(len(data) for data in (pair.left, pair.right))
        except TypeError:
            return False
        return all(
            holds_exactly(condition, {symbol: fmpq(size)}) is True
            for symbol, condition in alone
            for size in (sizes[0] - 1, *sizes)
        )

    def worst(self, pair: Pair) -> tuple[_Limit, Fraction] | None:
        """Return the case that a pair breaks, and by which change."""
        if not self._in_scope(pair):
            return None
        left, right = self._value(pair.left), self._value(pair.right)
        if left is None or right is None:
            return None
        change = abs(left - right)
        certain = change - _ROUNDING * (1 + abs(left) + abs(right))
        if certain <= 0:
            return None
        # A pair is unordered: a record that is added one way is removed the other.
        for limit in self._limits.values():
            if limit is not None and limit.exceeded(certain):
                return limit, change
        return None

    def smallest(self, pair: Pair, deadline: float) -> Pair:
        """Return a simpler pair that breaks the bound too."""
        assert self._derivation.neighbors is not None
        simpler = True
        while simpler and now() < deadline:
            simpler = False
            for candidate in self._derivation.neighbors.shrink(pair):
                if now() > deadline:
                    break
                if self.worst(candidate) is not None:
                    pair, simpler = candidate, True
                    break
        return pair

    def witness(self, pair: Pair) -> Breach | None:
        found = self.worst(pair)
        if found is None:
            return None
        limit, change = found
        link = limit.link
        bound = self._derivation.chains[link.case][-1].right.text
        datasets = " and ".join(dataset_to_text(d) for d in (pair.left, pair.right))
        how = (
            f"step {link.index} (case {link.case!r}), {link.left.text}, is less than the change of "
            f"the query: it moves by {_decimal(change)} between {datasets}, and {bound} is less"
        )
        event = Event(f"the query moves by {_decimal(change)}, which exceeds {bound}", "True")
        return Breach(
            link.index,
            StepWitness({}, pair.left, pair.right, event, how, link.index, datasets=True),
        )

    def _value(self, data: Any) -> Fraction | None:
        try:
            number = self._query(data)
            value = float(number) if not isinstance(number, int | Fraction) else number
        except Exception:  # a query that cannot answer on some dataset breaks no bound
            return None
        if isinstance(value, float) and not math.isfinite(value):
            return None
        return Fraction(value)


def _decimal(number: Fraction) -> str:
    return str(number) if number.denominator <= 1000 else f"{float(number):.6g}"
