"""What a claim bounds on two distributions, and whether it is kept."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.checker.exact.independent import Mixture, Product, mixture
from dpaudit.checker.exact.keys import without_type
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import NotCheckedError
from dpaudit.claims import ApproxDP, PureDP, RenyiDP, ZeroConcentratedDP

Chances = Mapping[Hashable, Number] | Mixture
_SIMPLE = 1000  # the denominator of a logarithm that is known as a fraction
_ORDERS = (2, 3, 5, 9, 17)  # at which a zCDP claim is refuted
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
        if isinstance(left, Mixture) or isinstance(right, Mixture):
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
    if isinstance(law, Mixture):
        return frozenset(
            (chance.residue, product.shape, tuple(map(alike_where_equal, product.parts)))
            for chance, product in law.branches
        )
    return frozenset((key, chance.residue) for key, chance in law.items())


def largest_ratio(left: Chances, right: Chances) -> Number | None:
    """Return the largest p/q, None where q is 0 and p is not."""
    if isinstance(left, Mixture) or isinstance(right, Mixture):
        return _largest_of_parts(left, right)
    found = _ONE
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


def by_branch(
    left: Chances, right: Chances
) -> Iterator[tuple[tuple[Number, Product], tuple[Number, Product] | None]]:
    """Yield what excludes each other on the left, each with what has its shape on the right."""
    if not (isinstance(left, Mixture) and isinstance(right, Mixture) and left.alike(right)):
        raise NotCheckedError("not checked: outputs of other independent parts")
    for chance, product in left.branches:
        yield (chance, product), right.partner(product)


def _largest_of_parts(left: Chances, right: Chances) -> Number | None:
    """Return the largest ratio: of independent parts it is the product of theirs."""
    found: Number | None = None
    for (chance, product), partner in by_branch(left, right):
        if partner is None:
            return None
        ratio = chance / partner[0]
        for one, other in zip(product.parts, partner[1].parts, strict=True):
            factor = largest_ratio(one, other)
            if factor is None:
                return None
            ratio = ratio * factor
        found = ratio if found is None or ratio > found else found
    return found


def _moment_of_parts(left: Chances, right: Chances, order: Fraction | int) -> Number | None:
    total = _ZERO
    for (chance, product), partner in by_branch(left, right):
        if partner is None:
            return None
        term = chance**order * partner[0] ** (1 - order)
        for one, other in zip(product.parts, partner[1].parts, strict=True):
            factor = _moment(one, other, order)
            if factor is None:
                return None
            term = term * factor
        total = total + term
    return total


def _moment(left: Chances, right: Chances, order: Fraction | int) -> Number | None:
    if isinstance(left, Mixture) or isinstance(right, Mixture):
        return _moment_of_parts(left, right, order)
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
        losses.append(logarithm(ratio))
    worst = losses[0] if losses[0].ball > losses[1].ball else losses[1]
    if Spent(worst * worst / 2, Number(rho)).kept():
        return Spent(_ZERO, _ZERO)
    for order in _ORDERS:
        moment = Spent(_moment(left, right, order), Number((order - 1) * rho * order).exp())
        if not moment.kept():
            return moment
    raise NotCheckedError("not checked: zCDP, where pure DP is not enough")


def logarithm(ratio: Number) -> Number:
    """Return the logarithm of a ratio, exactly where it is a simple fraction."""
    loss = ratio.log()
    near = Number(Fraction(float(loss.ball.mid())).limit_denominator(_SIMPLE))
    try:
        return near if near.exp() == ratio else loss
    except NotCheckedError:
        return loss


def without_types(law: Chances) -> Chances:
    """Return a distribution of outputs as numbers: 1, 1.0 and True are one output."""
    if not isinstance(law, Mixture):
        return _merged(law)
    found = mixture([
        (chance, Product(without_type(product.shape), tuple(map(_merged, product.parts))))
        for chance, product in law.branches
    ])  # fmt: skip
    if found is None:
        raise NotCheckedError("not checked: independent parts that only their types tell apart")
    return found


def _merged(law: Mapping[Hashable, Number]) -> dict[Hashable, Number]:
    found: dict[Hashable, Number] = {}
    for key, chance in law.items():
        at = without_type(key)
        found[at] = found.get(at, _ZERO) + chance
    return found
