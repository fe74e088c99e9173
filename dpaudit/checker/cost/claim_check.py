"""Claim check: whether what the paths cost stays within the claim."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

from dpaudit.checker.cost import discrete, moments, responses, spent
from dpaudit.checker.cost.delta_events import delta_of
from dpaudit.checker.cost.ends import ZERO, most
from dpaudit.checker.cost.ledger import Item
from dpaudit.checker.cost.values import Taken
from dpaudit.checker.exact.for_all import allowed_by
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import NotCheckedError, RejectedError
from dpaudit.checker.rounding import double_of
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
_LONGEST = 10**12  # denominators beyond are written as decimals
_DIGITS = 15
_UPWARD = 1 + 2.0**-47  # more than those digits may be rounded down
_PARAMETERS = Number(1 + Fraction(1, 2**40))  # times a claim: floats round 0.1, and 1 / 0.1
_PROFILE = "amplified profile (Balle, Barthe & Gaboardi 2018, Theorem 8)"
_SUMS: dict[Any, str] = {
    PureDP: "sums of epsilon",
    GaussianDP: "sums of squares of mu",
    ZeroConcentratedDP: "sums of rho",
    RenyiDP: "sums of Renyi divergences",
    PrivacyProfile: _PROFILE,
}
_PURE_AND_DELTA = "sums of epsilon and of delta"
_GAUSSIAN = "what pure parts leave, by the exact Gaussian profile (Balle & Wang 2018, Theorem 8)"
_OPTIMAL = "optimal composition (Kairouz, Oh & Viswanath 2015, Theorem 3.3)"
_DISCRETE = "the exact discrete Gaussian profile (Canonne, Kamath & Steinke 2020, Theorem 7)"
_MOMENTS = (
    "moments of normal noise on samples (Mironov, Talwar & Zhang 2019), "
    "and their delta (Canonne, Kamath & Steinke 2020, Proposition 12)"
)
_CROWD = "the exact profile of the number of ones among randomized responses"


class TooMuchError(RejectedError):
    """The releases may cost more than the claim allows."""

    def __init__(self, total: Number, allowed: Number, what: str = "") -> None:
        if total.of_parameter or allowed.of_parameter:
            super().__init__("the releases may cost more than the claim allows")
            return
        begin = f"{what} may be" if what else "the releases may cost"
        super().__init__(f"{begin} {total.shown}, and the claim allows {allowed.shown}")


@dataclass(frozen=True, slots=True)
class Total:
    """What all releases of a path cost together, and what the claim allows, as they are written.

    `amount` is the number by which paths are compared.
    """

    spent: str
    allowed: str
    rule: str
    amount: Number


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
    items : sequence of Item
        What it is the cost of, where it is that of one path.
    """

    epsilon: Number
    squared: Number
    parts: tuple[Number, ...]
    discrete: tuple[tuple[Number, Number], ...] = ()
    crowd: tuple[int, Number] | None = None
    delta: Number = ZERO
    items: Sequence[Item] = ()

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
        return Cost(pure, squared, parts, discrete, crowd, delta_of(items), items)

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
            delta=most((self.delta, other.delta)),
        )


def amount(
    items: Sequence[Item], claim: Any, others: Sequence[Sequence[Item]] = ()
) -> tuple[Number, Number] | None:
    """Return what is spent and what is allowed where both are numbers, else None.

    Parameters
    ----------
    items : sequence of Item
        Of one path.
    claim : Claim
    others : sequence of sequence of Item
        Of the paths that releases may choose in its place, where they may: other notions than
        Rényi's judge each path alone.

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
        return spent.renyi([items, *others], Number(Fraction(claim.order))), allowed
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
    if type(profile.claim) is not GaussianDP:  # the costs for others count their sample too
        raise NotCheckedError("not checked: the profile of a sample of what is no GaussianDP")
    samples = {spent.sample(item) for item in items}
    relation = {"add/remove": True, "replace-one": False}.get(profile.relation)
    if len(samples) > 1 or any(each is None or each.alone is not relation for each in samples):
        raise NotCheckedError("not checked: releases that are not all of one sample")
    rate = Number(Fraction(profile.rate))
    if any((sample.rate - rate).sign() > 0 for sample in samples if sample is not None):
        raise RejectedError(f"a sample of a higher rate than {rate.shown}")


def within(
    items: Sequence[Item], claim: Any, others: Sequence[Sequence[Item]] = ()
) -> Total | None:
    """Return what a path costs, or others in its place.

    None for approximate claims, of which paths are not judged alone.

    Raises
    ------
    RejectedError
        Where it exceeds the claim.
    """
    found = amount(items, claim, others)
    if found is None:
        return None
    total, allowed = found
    numbers = not (total.of_parameter or allowed.of_parameter)
    most = allowed * _PARAMETERS if numbers else allowed
    try:
        exceeds = (total - most).sign() > 0
    except NotCheckedError:
        raise NotCheckedError(
            f"not checked: whether {written(total)} is more than {written(allowed)}, which the "
            "claim allows; compute both in one way"
        ) from None
    if exceeds:
        raise TooMuchError(total, allowed)
    kind = type(claim)
    rule = _SUMS[PureDP if kind is SymbolicClaim else kind]
    return Total(written(total), written(allowed), rule, total)


def within_approximate(
    costs: Sequence[Cost], claim: ApproxDP, *, together: bool, coins: Number = ZERO
) -> Total:
    """Return the most that paths cost in (epsilon, delta).

    Parameters
    ----------
    costs : sequence of Cost
        Of every path.
    claim : ApproxDP
    together : bool
        Whether what was released chooses among paths: then one cost must be enough for all.
    coins : Number
        The most with which coins fall so that something is revealed, on any path.

    Raises
    ------
    RejectedError
        Where a path may exceed the claim.
    """
    epsilon, whole = Number(Fraction(claim.epsilon)), Number(Fraction(claim.declared_delta))
    sampled = _of_samples(costs, epsilon, coins, together=together)
    if sampled is not None and sampled[0].ball <= whole.ball:
        return _total(epsilon, *sampled, claim)
    try:
        return _total(*_as_if_whole(costs, epsilon, whole, together=together, coins=coins), claim)
    except TooMuchError:
        if sampled is None:
            raise
    raise TooMuchError(sampled[0], whole, "delta")


def _total(epsilon: Number, delta: Number, rule: str, claim: ApproxDP) -> Total:
    allowed = tuple(Number(Fraction(each)) for each in (claim.epsilon, claim.declared_delta))
    spent_, allowed_ = (f"({written(e)}, {written(d)})" for e, d in ((epsilon, delta), allowed))
    return Total(spent_, allowed_, rule, epsilon)


def _as_if_whole(
    costs: Sequence[Cost], epsilon: Number, whole: Number, *, together: bool, coins: Number
) -> tuple[Number, Number, str]:
    """Return the most that paths cost, and by which theorem, without regard to samples."""
    if together:
        joined = costs[0]
        for cost in costs[1:]:
            joined = joined.joined(cost)
        costs = [joined]
    found: dict[Any, tuple[Number, Number, str]] = {}
    for i, cost in enumerate(costs):
        numbers = (cost.epsilon, cost.squared, cost.delta, *cost.parts)
        key: Any = tuple(n.fraction for n in numbers)
        if cost.discrete or cost.crowd or None in key:
            key = i
        if key not in found:
            found[key] = _approximately(cost, epsilon, whole, cost.delta + coins)
    return max(found.values(), key=lambda each: (float(each[1].ball), float(each[0].ball)))


def _of_samples(
    costs: Sequence[Cost], epsilon: Number, coins: Number, *, together: bool
) -> tuple[Number, str] | None:
    """Return delta by what samples hide, and by which theorem; None where they hide no noise."""
    items = [item for cost in costs for item in cost.items]
    if not any(map(spent.is_sampled, items)):
        return None
    revealed = most(cost.delta for cost in costs) + coins
    single = [(cost, taken) for cost in costs if (taken := _taken(cost)) is not None]
    if len(single) == len(costs):
        return most(_profile(cost, taken, epsilon) for cost, taken in single) + revealed, _PROFILE
    paths = [cost.items for cost in costs]
    judged = [paths] if together else [[path] for path in paths]
    shown = moments.delta(lambda a: most(spent.renyi(each, a) for each in judged), epsilon)
    return shown + revealed, _MOMENTS


def _profile(cost: Cost, taken: Taken, epsilon: Number) -> Number:
    """Return the delta of normal noise on one sample."""
    inside = (1 + (epsilon.exp() - 1) / taken.rate).log()
    found: Number = taken.rate * Number(None, gaussian(cost.squared, inside))
    return found


def _taken(cost: Cost) -> Taken | None:
    """Return the sample on which all is normal noise that a path releases."""
    samples = {spent.sample(item) for item in cost.items}
    normal = len(samples) == 1 and all(map(spent.is_sampled, cost.items))
    return samples.pop() if normal else None


def _approximately(
    cost: Cost, epsilon: Number, whole: Number, revealed: Number
) -> tuple[Number, Number, str]:
    """Return an epsilon and a delta that are enough, and by which theorem."""
    left = epsilon * _PARAMETERS - cost.epsilon
    if (whole - revealed).sign() < 0:
        raise RejectedError(
            f"what is revealed has probability {revealed.shown}, the claim allows {whole.shown}"
        )
    if cost.discrete:
        if len(cost.discrete) > 1 or cost.epsilon.sign() or cost.squared.sign():
            raise NotCheckedError("not checked: discrete Gaussian noise beside other noise")
        total, rule = discrete.delta(*cost.discrete[0], epsilon), _DISCRETE
    elif cost.squared.sign() == 0 and left.sign() >= 0:
        return cost.epsilon, revealed, _PURE_AND_DELTA
    elif cost.crowd is not None:
        total, rule = responses.delta(*cost.crowd, epsilon), _CROWD
    elif cost.squared.sign() == 0:
        total, rule = composed(cost.parts, epsilon), _OPTIMAL
    elif left.sign() < 0:
        raise RejectedError(f"the pure releases cost {cost.epsilon.shown}, more than the claim")
    else:
        total, rule = gaussian(cost.squared, left), _GAUSSIAN
    allowed = (whole - revealed).ball
    if not total <= allowed:
        if not total > allowed:
            raise NotCheckedError("not checked: delta is too close to what the claim allows")
        raise TooMuchError(Number(None, total + revealed.ball), whole, "delta")
    return epsilon, Number(None, total + revealed.ball), rule


def written(value: Number) -> str:
    """Return a number as certificates have it: a fraction, a float, or decimals from above."""
    if value.of_parameter:
        return str(value.in_words)
    exact = value.fraction
    if exact is not None and exact.denominator <= _LONGEST:
        return str(exact)
    if (double := double_of(value)) is not None:
        return repr(double)
    return str((value.ball.upper() * _UPWARD).str(_DIGITS, radius=False))


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


__all__ = ["Cost", "TooMuchError", "Total", "amount", "within", "within_approximate", "written"]
