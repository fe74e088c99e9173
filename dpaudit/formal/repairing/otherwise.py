"""The same mechanism at other values of its parameters, to tell a formula from a coincidence.

A factor of 5 may be the number of answers, of rounds, or 5. A change that verifies at other values
too is worth more than one that verifies at the declared ones alone. This ranks repairs; that a
repair verifies is decided at the declared values.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dpaudit.claims import ApproxDP, GaussianDP, PureDP
from dpaudit.formal.repairing.clips import PAIRS
from dpaudit.formal.repairing.knobs import SHRINKING
from dpaudit.neighbors import AddRemove, AnyPair, QueryAnswers, Real, ReplaceOne

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.neighbors import Neighbors

FACTORS = (2.0, 0.5)


@dataclass(frozen=True, slots=True)
class Setting:
    """Values to verify a change at.

    Attributes
    ----------
    named : tuple of (str, object)
        Parameters of the mechanism that get other values.
    claim : Claim
    neighbors : Neighbors
    """

    named: tuple[tuple[str, Any], ...]
    claim: Claim
    neighbors: Neighbors

    def of(self, mechanism: Callable[..., Any]) -> Callable[..., Any]:
        """Return the mechanism with these values."""
        return functools.partial(mechanism, **dict(self.named)) if self.named else mechanism


def settings(mechanism: Any, claim: Claim, neighbors: Neighbors) -> Iterator[Setting]:
    """Yield other values of what the mechanism, its claim and its relation have in common.

    Parameters
    ----------
    mechanism : callable
    claim : Claim
    neighbors : Neighbors
    """
    values = parameters(mechanism)
    budget = budget_of(claim)
    for name, value in values.items():
        if name in SHRINKING and value == budget:
            for factor in FACTORS:
                yield Setting(((name, value * factor),), _with_budget(claim, value * factor),
                              neighbors)  # fmt: skip
        elif isinstance(value, int) and not isinstance(value, bool) and 1 < value < 100:
            yield Setting(((name, value + 1),), claim, neighbors)
    if isinstance(neighbors, QueryAnswers):
        longer = QueryAnswers(
            neighbors.length + 1, neighbors.distance, neighbors.norm,
            monotone=neighbors.monotone, container=neighbors.container,
        )  # fmt: skip
        yield Setting((), claim, longer)
    yield from _wider(values, claim, neighbors)


def parameters(mechanism: Any) -> dict[str, Any]:
    """Return the parameters of a mechanism that have a number as their value."""
    try:
        signature = inspect.signature(mechanism)
    except (TypeError, ValueError):
        return {}
    return {
        name: p.default
        for name, p in signature.parameters.items()
        if isinstance(p.default, int | float) and not isinstance(p.default, bool)
        if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)
    }


def budget_of(claim: Claim) -> float | None:
    """Return the parameter of a claim that noise is in inverse proportion to."""
    match claim:
        case PureDP(epsilon=budget) | ApproxDP(epsilon=budget) | GaussianDP(mu=budget):
            return float(budget)
    return None


def _with_budget(claim: Claim, budget: float) -> Claim:
    match claim:
        case ApproxDP():
            return ApproxDP(budget, claim.declared_delta)
        case GaussianDP():
            return GaussianDP(budget)
    return PureDP(budget)


def _wider(values: dict[str, Any], claim: Claim, neighbors: Any) -> Iterator[Setting]:
    """Yield a wider range of records, with the bounds of the mechanism at its ends."""
    records = getattr(neighbors, "records", None)
    pair = next((p for p in PAIRS if p[0] in values and p[1] in values), None)
    if pair is None or not isinstance(records, Real):
        return
    low, high = values[pair[0]] - 3.0, values[pair[1]] + 4.0
    wider = replace(records, low=min(low, records.low), high=max(high, records.high))
    ends = ((pair[0], low), (pair[1], high))
    match neighbors:
        case AddRemove(unit=None, group=1):
            yield Setting(ends, claim, AddRemove(wider, neighbors.max_size))
        case ReplaceOne(unit=None, group=1):
            yield Setting(ends, claim, ReplaceOne(wider, neighbors.size))
        case AnyPair():
            yield Setting(ends, claim, AnyPair(wider))
