"""Runs the query on neighboring datasets to see whether a derivation's bound is kept."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.checker.enclose import names_of
from dpaudit.checker.file import NotCheckedError
from dpaudit.checker.formula import Condition, Relation, number
from dpaudit.checker.obligations import Prover
from dpaudit.checker.points import holds_at
from dpaudit.checker.stated import Stated, Step
from dpaudit.evidence import Event, StepWitness
from dpaudit.formal.clock import now
from dpaudit.formal.derivation import Derivation
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


def breach(derivation: Derivation, prover: Prover, deadline: float) -> Breach | None:
    """Search neighboring datasets for one that breaks the stated bound.

    Parameters
    ----------
    derivation : Derivation
    prover : Prover
        Under the conditions of the derivation.
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
    search = _Search(derivation, _limits(derivation.stated, prover))
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
    """What a case concludes: the change of the query is at most the right side of its last step."""

    first: Step
    last: Step
    prover: Prover
    tried: list[Fraction]

    def exceeded(self, change: Fraction) -> bool:
        """Return whether the change is greater than the bound for all values of its variables."""
        if any(change <= known for known in self.tried):
            return False
        try:
            found = self.prover.decide(Relation(self.last.right, "<", number(change)), 1.0)
        except NotCheckedError:
            return False
        if found.truth:
            return True
        self.tried[:] = [change]  # the greatest that is not proved to exceed
        return False


def _limits(stated: Stated, prover: Prover) -> list[_Limit]:
    """Return what the cases bound from above."""
    chains: dict[str, list[Step]] = {}
    for step in stated.steps:
        if step.case is not None:
            chains.setdefault(step.case, []).append(step)
    return [
        _Limit(chain[0], chain[-1], prover, [])
        for chain in chains.values()
        if all(step.sign != ">=" for step in chain)
    ]


def _sizes(stated: Stated) -> list[tuple[str, Condition]]:
    """Return what conditions say of integer variables alone, each of which may be a size."""
    named = [(names_of(condition), condition) for condition in stated.conditions]
    return [(n, c) for names, c in named for n in names if names == {n} and stated.whole[n]]


class _Search:
    def __init__(self, derivation: Derivation, limits: Sequence[_Limit]) -> None:
        self._derivation, self._limits = derivation, limits
        self._sizes = _sizes(derivation.stated)
        self._query: Any = derivation.query

    def _in_scope(self, pair: Pair) -> bool:
        """Return whether the datasets are of sizes that the conditions are about."""
        if not self._sizes:
            return True
        try:
            sizes = sorted(len(data) for data in (pair.left, pair.right))
        except TypeError:
            return False
        return all(
            holds_at(condition, {name: Fraction(size)})
            for name, condition in self._sizes
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
        for limit in self._limits:
            if limit.exceeded(certain):
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
        step, bound = limit.first, limit.last.ends
        datasets = " and ".join(dataset_to_text(d) for d in (pair.left, pair.right))
        how = (
            f"step {step.index} (case {step.case!r}), {step.starts}, is less than the change of "
            f"the query: it moves by {_decimal(change)} between {datasets}, and {bound} is less"
        )
        event = Event(f"the query moves by {_decimal(change)}, which exceeds {bound}", "True")
        return Breach(
            step.index,
            StepWitness({}, pair.left, pair.right, event, how, step.index, datasets=True),
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
