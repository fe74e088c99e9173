"""What a claim bounds on two distributions, and whether it is kept."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.checker.exact.independent import Product
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import NotCheckedError
from dpaudit.claims import ApproxDP, PureDP, RenyiDP, ZeroConcentratedDP

Chances = Mapping[Hashable, Number] | Product
_ZERO, _ONE = Number(Fraction(0)), Number(Fraction(1))


@dataclass(frozen=True, slots=True)
class Spent:
    """What is spent on one ordered pair, None where it is infinite, and what is allowed."""

    amount: Number | None
    allowed: Number

    def kept(self) -> bool:
        """Return whether no more is spent than is allowed."""
        return self.amount is not None and bool(self.amount <= self.allowed)

    def nearly(self) -> bool:
        """Return whether more is spent, but by so little that a rounded parameter may be why."""
        slack = self.allowed * Fraction(1, 10**9)
        return self.amount is not None and bool(self.amount <= self.allowed + slack)


def spent_on(left: Chances, right: Chances, claim: Any) -> Spent:
    """Return what a claim bounds, where the left distribution is compared with the right.

    Raises
    ------
    NotCheckedError
        For claims of another kind.
    """
    if type(claim) is PureDP:
        return Spent(largest_ratio(left, right), Number(Fraction(claim.epsilon)).exp())
    if type(claim) is ApproxDP:
        if isinstance(left, Product) or isinstance(right, Product):
            raise NotCheckedError("not checked: a delta of very many outputs")
        factor = Number(Fraction(claim.epsilon)).exp()
        gaps = [p - factor * right.get(key, _ZERO) for key, p in left.items()]
        amount = sum((gap for gap in gaps if gap.sign() > 0), _ZERO)
        return Spent(amount, Number(Fraction(claim.declared_delta)))
    if type(claim) is RenyiDP:
        if not math.isfinite(claim.order):
            raise NotCheckedError("not checked: a claim of infinite order")
        order = Fraction(claim.order)
        allowed = Number((order - 1) * Fraction(claim.epsilon)).exp()
        return Spent(_moment(left, right, order), allowed)
    if type(claim) is ZeroConcentratedDP:
        return _concentrated(left, right, Fraction(claim.rho))
    raise NotCheckedError(f"not checked: a claim of the type {type(claim).__name__}")


def alike_where_equal(law: Chances) -> Hashable:
    """Return what is equal for equal distributions."""
    if isinstance(law, Product):
        return (law.shape, tuple(map(alike_where_equal, law.parts)))
    return frozenset((key, chance.residue) for key, chance in law.items())


def largest_ratio(left: Chances, right: Chances) -> Number | None:
    """Return the largest p/q, None where q is 0 and p is not."""
    found = _ONE
    if isinstance(left, Product) or isinstance(right, Product):
        for one, other in _by_part(left, right):
            ratio = largest_ratio(one, other)
            if ratio is None:
                return None
            found = found * ratio
        return found
    for key, p in left.items():
        if p.sign() == 0:
            continue
        q = right.get(key, _ZERO)
        if q.sign() == 0:
            return None
        ratio = p / q
        if ratio > found:
            found = ratio
    return found


def _by_part(left: Chances, right: Chances) -> Iterator[tuple[Chances, Chances]]:
    """Yield the distributions of each independent part: what is spent on them is multiplied."""
    if not (isinstance(left, Product) and isinstance(right, Product) and left.shape == right.shape):
        raise NotCheckedError("not checked: outputs of other independent parts")
    yield from zip(left.parts, right.parts, strict=True)


def _moment(left: Chances, right: Chances, order: Fraction) -> Number | None:
    if isinstance(left, Product) or isinstance(right, Product):
        product = _ONE
        for one, other in _by_part(left, right):
            moment = _moment(one, other, order)
            if moment is None:
                return None
            product = product * moment
        return product
    total = _ZERO
    for key, p in left.items():
        q = right.get(key, _ZERO)
        if p.sign() == 0:
            continue
        if q.sign() == 0:
            return None
        total = total + p**order * q ** (1 - order)
    return total


def _concentrated(left: Chances, right: Chances, rho: Fraction) -> Spent:
    # Bun & Steinke 2016, Prop. 3.3: epsilon-DP implies (epsilon²/2)-zCDP
    losses = []
    for one, other in ((left, right), (right, left)):
        ratio = largest_ratio(one, other)
        if ratio is None:
            return Spent(None, Number(rho))
        losses.append(ratio.log())
    worst = losses[0] if losses[0].ball > losses[1].ball else losses[1]
    enough = Spent(worst * worst / 2, Number(rho))
    if not enough.kept():
        raise NotCheckedError("not checked: zCDP, where pure DP is not enough")
    return Spent(_ZERO, _ZERO)
