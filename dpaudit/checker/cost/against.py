"""Whether what the paths cost stays within the claim."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

from dpaudit.checker.cost import discrete, responses, spent
from dpaudit.checker.cost.ends import ZERO, most
from dpaudit.checker.cost.ledger import Item
from dpaudit.checker.cost.seldom import delta_of
from dpaudit.checker.exact.for_all import allowed_by
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import NotCheckedError, RejectedError
from dpaudit.claims import (
    ApproxDP,
    GaussianDP,
    PrivacyProfile,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)
from dpaudit.claims.amplification import AmplifiedProfile
from dpaudit.claims.symbolic import SymbolicClaim

_MOST_PARTS = 2000


@dataclass(frozen=True, slots=True)
class Cost:
    """What one path costs.

    Attributes
    ----------
    epsilon : Number
        Of all that is not normal (nats).
    squared : Number
        The square of mu of all that is.
    parts : tuple of Number
        Losses of the single releases that are not normal.
    discrete : tuple of (Number, Number)
        Of the releases with discrete normal noise: how far the value moves, 1 / v.
    crowd : tuple of (int, Number), or None
        Where one number of ones among answers is all that is released.
    delta : Number
        The chance that a sample which leaves holds a record that changed.
    """

    epsilon: Number
    squared: Number
    parts: tuple[Number, ...]
    discrete: tuple[tuple[Number, Number], ...] = ()
    crowd: tuple[int, Number] | None = None
    delta: Number = ZERO

    @property
    def shifted(self) -> Number:
        """The square of mu, and twice the rho of what is discretely normal."""
        return sum((far * far * rate for far, rate in self.discrete), self.squared)

    @staticmethod
    def of(items: Sequence[Item]) -> Cost:
        """Return the cost of the items of one path."""
        parts = tuple(spent.losses(items))
        discrete = tuple(
            (spent.finite(item.change.far(), item.place), item.rate)
            for item in items
            if item.law == "discrete normal"
        )
        crowd = items[0].crowd if len(items) == 1 else None
        pure, squared = spent.pure(items), spent.squared_mu(items)
        return Cost(pure, squared, parts, discrete, crowd, delta_of(items))

    def joined(self, other: Cost) -> Cost:
        """Return a cost that is enough for both."""
        if self.discrete or other.discrete:
            raise NotCheckedError("not checked: discrete Gaussian noise on a path that was chosen")
        longer, shorter = sorted((self.parts, other.parts), key=len, reverse=True)
        each = [*self.parts, *other.parts]
        parts = (most(each),) * len(longer) if shorter or longer else ()
        return Cost(
            most((self.epsilon, other.epsilon)),
            most((self.squared, other.squared)),
            parts,
            most((self.delta, other.delta)),
        )


def amount(items: Sequence[Item], claim: Any) -> tuple[Number, Number] | None:
    """Return what is spent and what is allowed where both are numbers, else None.

    Raises
    ------
    RejectedError
        Where a release has no bound in the claim's notion.
    NotCheckedError
        For claims that are not understood.
    """
    kind = type(claim)
    if kind is not ApproxDP and delta_of(items).sign():
        raise RejectedError("a sample that leaves as it is bounds no loss without a delta")
    if kind is PureDP:
        if spent.squared_mu(items).sign() or spent.discrete_squared(items).sign():
            raise RejectedError("normal noise bounds no pure loss")
        return spent.pure(items), Number(Fraction(claim.epsilon))
    if kind is GaussianDP:
        if spent.pure(items).sign() or spent.discrete_squared(items).sign():
            raise NotCheckedError("not checked: a claim of Gaussian privacy for other noise")
        return spent.squared_mu(items), Number(Fraction(claim.mu) ** 2)
    if kind is ZeroConcentratedDP:
        return spent.concentrated(items), Number(Fraction(claim.rho))
    if kind is RenyiDP:
        if not math.isfinite(claim.order) or claim.order <= 1:
            raise NotCheckedError("not checked: a claim of this order")
        allowed = Number(Fraction(claim.epsilon))
        return spent.renyi(items, Number(Fraction(claim.order))), allowed
    if kind is PrivacyProfile and isinstance(claim.function, AmplifiedProfile):
        _validate_one_sample(items, claim.function)
        return amount(items, claim.function.claim)
    if kind is SymbolicClaim:
        if spent.squared_mu(items).sign() or spent.discrete_squared(items).sign():
            raise RejectedError("normal noise bounds no pure loss")
        return spent.pure(items), allowed_by(claim)
    if kind is ApproxDP:
        return None
    raise NotCheckedError(f"not checked: a claim of the type {kind.__name__}")


def _validate_one_sample(items: Sequence[Item], profile: AmplifiedProfile) -> None:
    """Refuse releases that depend on a record by more than one sample, or one of a higher rate.

    What is as private as a claim, given its sample, has the profile of the claim after sampling
    (Balle, Barthe & Gaboardi 2018, Theorem 8); that of a higher rate is larger.
    """
    samples = {spent.sample(item) for item in items}
    if profile.relation != "add/remove" or None in samples or len(samples) > 1:
        raise NotCheckedError("not checked: releases that are not all of one sample")
    rate = Number(Fraction(profile.rate))
    if any((sample.rate - rate).sign() > 0 for sample in samples if sample is not None):
        raise RejectedError(f"a sample of a higher rate than {rate.shown}")


def validate_within(items: Sequence[Item], claim: Any) -> None:
    """Refuse a path whose cost exceeds a claim that is no approximate one."""
    found = amount(items, claim)
    if found is None:
        return
    total, allowed = found
    if (total - allowed).sign() > 0:
        places = ", ".join(dict.fromkeys(item.place for item in items))
        if total.of_parameter or allowed.of_parameter:
            raise RejectedError(f"the releases cost more than the claim allows, {places}")
        raise RejectedError(
            f"the releases cost {total.shown}, and the claim allows {allowed.shown}, {places}"
        )


def validate_approximate(
    costs: Sequence[Cost], claim: ApproxDP, *, together: bool, coins: Number = ZERO
) -> None:
    """Refuse paths whose cost may exceed (epsilon, delta).

    Parameters
    ----------
    costs : sequence of Cost
        Of every path.
    claim : ApproxDP
    together : bool
        Whether what was released chooses among paths: then one cost must be enough for all.
    coins : Number
        The most with which coins fall so that something is revealed, on any path.
    """
    if together:
        joined = costs[0]
        for cost in costs[1:]:
            joined = joined.joined(cost)
        costs = [joined]
    known: set[Any] = set()
    for cost in costs:
        numbers = (cost.epsilon, cost.squared, cost.delta, *cost.parts)
        key = tuple(n.fraction for n in numbers)
        if cost.discrete or cost.crowd or None in key or key not in known:
            _validate_approximate(cost, claim, cost.delta + coins)
        known.add(key)


def _validate_approximate(cost: Cost, claim: ApproxDP, revealed: Number) -> None:
    epsilon, whole = Number(Fraction(claim.epsilon)), Number(Fraction(claim.declared_delta))
    left, delta = epsilon - cost.epsilon, whole - revealed
    if delta.sign() < 0:
        raise RejectedError(
            f"what is revealed has probability {revealed.shown}, the claim allows {whole.shown}"
        )
    if cost.discrete:
        if len(cost.discrete) > 1 or cost.epsilon.sign() or cost.squared.sign():
            raise NotCheckedError("not checked: discrete Gaussian noise beside other noise")
        _validate_delta(discrete.delta(*cost.discrete[0], epsilon), delta)
        return
    if cost.squared.sign() == 0 and left.sign() >= 0:
        return
    if cost.crowd is not None:
        total = responses.delta(*cost.crowd, epsilon)
    elif cost.squared.sign() == 0:
        total = composed(cost.parts, epsilon)
    elif left.sign() < 0:
        raise RejectedError(f"the pure releases cost {cost.epsilon.shown}, more than the claim")
    else:
        total = gaussian(cost.squared, left)
    _validate_delta(total, delta)


def _validate_delta(total: Any, delta: Number) -> None:
    if total <= delta.ball:
        return
    if not total > delta.ball:
        raise NotCheckedError("not checked: delta is too close to what the claim allows")
    shown = total.str(12, radius=False)
    raise RejectedError(f"delta may be {shown}, and the claim allows {delta.shown}")


def gaussian(squared: Number, epsilon: Number) -> Any:
    """Return a ball with delta at epsilon of N(0, 1) against N(mu, 1).

    References
    ----------
    B. Balle, Y.-X. Wang. Improving the Gaussian mechanism for differential privacy. ICML 2018,
    Theorem 8.
    """
    mu, e = squared.ball.sqrt(), epsilon.ball

    def below(x: Any) -> Any:
        return (-x / flint.arb(2).sqrt()).erfc() / 2

    return below(mu / 2 - e / mu) - e.exp() * below(-mu / 2 - e / mu)


def composed(parts: Sequence[Number], epsilon: Number) -> Any:
    """Return a ball with delta at epsilon of releases that are each as private as the worst.

    References
    ----------
    P. Kairouz, S. Oh, P. Viswanath. The composition theorem for differential privacy. ICML 2015,
    Theorem 3.3: k randomized answers lose (k - 2l) e where l of them are lies.
    """
    k, each = len(parts), most(parts).ball
    if k > _MOST_PARTS:
        raise NotCheckedError("not checked: very many releases")
    total = flint.arb(0)
    whole = (1 + each.exp()) ** k
    for lies in range(k + 1):
        gain = ((k - lies) * each).exp() - (epsilon.ball + lies * each).exp()
        if not gain < 0:
            total += math.comb(k, lies) * gain.max(flint.arb(0)) / whole
    return total


__all__ = ["Cost", "amount", "validate_approximate", "validate_within"]
