"""Whether a price stays within a claim, for all values of what is symbolic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

import sympy

from dpaudit.claims import (
    ApproxDP,
    Claim,
    GaussianDP,
    PrivacyProfile,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)
from dpaudit.claims.amplification import AmplifiedProfile
from dpaudit.claims.symbolic import SymbolicClaim
from dpaudit.formal.price import total
from dpaudit.formal.price.balls import Ball, ball, compared, precision, rational
from dpaudit.formal.price.crowd import crowd_delta
from dpaudit.formal.price.discrete import discrete_gaussian_delta
from dpaudit.formal.price.gaussian import gaussian_exceeds
from dpaudit.formal.price.notions import (
    Apart,
    Approximate,
    DiscreteGaussian,
    Either,
    Expr,
    Gaussian,
    Price,
    Pure,
    Repeated,
    Sampled,
    Shuffled,
    Together,
)
from dpaudit.formal.price.optimal import composed_delta
from dpaudit.formal.price.symbolic import formulas

ROUNDING = Fraction(1, 10**12)


class Fit(Enum):
    """How a price relates to a claim."""

    WITHIN = "within"
    ROUNDING = "exceeds the claim by rounding"
    EXCEEDS = "exceeds"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the comparison of a price with a claim found.

    Attributes
    ----------
    fit : Fit
        EXCEEDS says that the upper bound exceeds the claim, which refutes nothing by itself.
    spent, allowed : str
        The two sides, exact.
    rule : str
        The theorem that the comparison used.
    obligation : str or None
        SMT-LIB text whose unsatisfiability proves it, where symbols occur.
    """

    fit: Fit
    spent: str
    allowed: str
    rule: str
    obligation: str | None = None


def exact(value: float | int | Fraction) -> Expr:
    """Return a number of the program or of a claim as the rational that it is."""
    rational = Fraction(value)
    return sympy.Rational(rational.numerator, rational.denominator)


def against(price: Price, claim: Claim, given: tuple[Expr, ...] = ()) -> Comparison:
    """Compare the price with the claim.

    Parameters
    ----------
    price : Price
    claim : Claim
    given : tuple of sympy relationals
        What is known about the symbols.

    Returns
    -------
    Comparison
        The best that the theorems at hand give.
    """
    match claim:
        case PureDP():
            spent = total.pure(price)
            return _atmost(spent, exact(claim.epsilon), given, "sums of epsilon")
        case GaussianDP():
            spent = total.gaussian(price)
            return _atmost(spent, exact(claim.mu) ** 2, given, "sums of squares of mu")
        case ZeroConcentratedDP():
            spent = total.concentrated(price)
            return _atmost(spent, exact(claim.rho), given, "sums of rho")
        case RenyiDP():
            spent = total.renyi(price, exact(claim.order))
            return _atmost(spent, exact(claim.epsilon), given, "sums of Renyi divergences")
        case ApproxDP():
            return approximately(price, exact(claim.epsilon), exact(claim.declared_delta), given)
        case PrivacyProfile():
            return _profile(price, claim, given)
        case SymbolicClaim():
            return _symbolic(price, claim, given)
    return _unknown(f"no theorem compares a price with {claim!r}")


def _symbolic(price: Price, claim: SymbolicClaim, given: tuple[Expr, ...]) -> Comparison:
    terms = formulas(claim)
    match claim.notion:
        case "PureDP":
            return _atmost(total.pure(price), terms[0], given, "sums of epsilon")
        case "GaussianDP":
            return _atmost(total.gaussian(price), terms[0] ** 2, given, "sums of squares of mu")
        case "ZeroConcentratedDP":
            return _atmost(total.concentrated(price), terms[0], given, "sums of rho")
        case "RenyiDP":
            order, epsilon = terms
            if not (order.is_number and order > 1):
                return _unknown("a Renyi claim for all orders")
            return _atmost(total.renyi(price, order), epsilon, given, "sums of Renyi divergences")
    epsilon, delta = terms
    return approximately(price, epsilon, delta, given)


def _unknown(why: str, spent: str = "", allowed: str = "") -> Comparison:
    return Comparison(Fit.UNKNOWN, spent, allowed, why)


def _atmost(spent: Expr | None, allowed: Expr, given: tuple[Expr, ...], rule: str) -> Comparison:
    if spent is None:
        return _unknown("a part of the price has no bound in the claim's notion")
    if not spent.free_symbols | allowed.free_symbols:
        return Comparison(_fit(spent, allowed), str(spent), str(allowed), rule)
    from dpaudit.formal.decide import Truth, decide

    found = decide(sympy.Le(spent, allowed), given)
    fits = {Truth.PROVED: Fit.WITHIN, Truth.REFUTED: Fit.EXCEEDS, Truth.UNKNOWN: Fit.UNKNOWN}
    return Comparison(fits[found.truth], str(spent), str(allowed), rule, found.obligation)


def _fit(spent: Expr, allowed: Expr) -> Fit:
    """Compare two closed expressions; a relative excess below 1e-12 comes from rounding."""
    sign = compared(spent, allowed)
    if sign is not None and sign <= 0:
        return Fit.WITHIN
    slack = exact(ROUNDING)
    beyond = compared(spent, allowed * (1 + slack))
    if beyond is None:
        return Fit.UNKNOWN
    if beyond > 0:
        return Fit.EXCEEDS
    return Fit.ROUNDING


@dataclass(frozen=True, slots=True)
class _Split:
    """The additive parts of a price: pure epsilon, square of mu, and a delta that was paid."""

    epsilon: Expr
    squared: Expr
    delta: Expr


def _split(price: Price) -> _Split | None:
    """Bound a price part by part; the bounds hold at once, whatever the order of the releases."""
    values = []
    for leaf in (_epsilon_part, _gaussian_part, _delta_part):
        value = total.total(price, leaf)
        if value is None:
            return None
        values.append(value)
    return _Split(*values)


def _epsilon_part(price: Price) -> Expr | None:
    match price:
        case Pure(epsilon, _, _) | Approximate(epsilon, _) | Shuffled(epsilon, _, _):
            return epsilon
        case Gaussian():
            return sympy.Integer(0)
        case Sampled():
            return total.pure(price)
    return None


def _gaussian_part(price: Price) -> Expr | None:
    return price.squared if isinstance(price, Gaussian) else sympy.Integer(0)


def _delta_part(price: Price) -> Expr | None:
    return price.delta if isinstance(price, Approximate) else sympy.Integer(0)


def approximately(
    price: Price, epsilon: Expr, delta: Expr, given: tuple[Expr, ...] = ()
) -> Comparison:
    """Compare the price with (epsilon, delta).

    Notes
    -----
    Pure and approximate parts are paid first, by basic composition; what is left of epsilon and
    delta goes to the Gaussian parts, whose profile is exact. Alternatives: equal pure parts by
    the optimal composition theorem; a Poisson sample by the amplified profile.
    """
    if isinstance(price, Sampled) and total.pure(price) is None:
        return _sampled(price, epsilon, delta)
    discrete = _one_discrete(price)
    if discrete is not None:
        return _discrete(discrete, epsilon, delta)
    crowd = _crowd(price, epsilon, delta) if isinstance(price, Shuffled) else None
    if crowd is not None and crowd.fit is Fit.WITHIN:
        return crowd
    split = _split(price)
    if split is None:
        return _unknown("a part of the price has no (epsilon, delta) bound")
    if split.squared.is_zero:
        basic = _basic(split, epsilon, delta, given)
        return _optimal(price, split, epsilon, delta) if basic.fit is not Fit.WITHIN else basic
    return _after_pure(split, epsilon, delta)


def _one_discrete(price: Price) -> DiscreteGaussian | None:
    """Return the one release with discrete Gaussian noise that a price is of, of several worst."""
    match price:
        case DiscreteGaussian():
            return price
        case Either(parts):
            found = [_one_discrete(part) for part in parts]
            plain = [part for part in found if part is not None and part.distance.is_Rational]
            if len(plain) == len(parts) and len({part.variance for part in plain}) == 1:
                return max(plain, key=lambda part: part.distance)
    return None


def _discrete(price: DiscreteGaussian, epsilon: Expr, delta: Expr) -> Comparison:
    rule = "the exact discrete Gaussian profile (Canonne, Kamath & Steinke 2020, Theorem 7)"
    numbers = price.distance, price.variance, epsilon, delta
    if not all(number.is_Rational for number in numbers):
        return _unknown("the discrete Gaussian profile is compared for numbers only")
    steps, variance = int(price.distance), Fraction(str(price.variance))
    spent = f"distance {steps}, variance {price.variance}"

    fit = _fit_of_delta(lambda: discrete_gaussian_delta(steps, variance, epsilon), delta)
    return Comparison(fit, spent, f"({epsilon}, {delta})", rule)


def _crowd(price: Shuffled, epsilon: Expr, delta: Expr) -> Comparison:
    rule = "the exact profile of the number of ones among randomized responses"
    if not (price.count.is_Integer and epsilon.is_Rational and delta.is_Rational):
        return _unknown(rule)
    fit = _fit_of_delta(lambda: crowd_delta(int(price.count), price.chance, epsilon), delta)
    spent = f"{price.count} answers of chance {price.chance}"
    return Comparison(fit, spent, f"({epsilon}, {delta})", rule)


def _fit_of_delta(make: Callable[[], Ball | None], delta: Expr) -> Fit:
    for bits in (96, 256):
        with precision(bits):
            spent, allowed = make(), ball(delta)
            if spent is None or allowed is None:
                return Fit.UNKNOWN
            if spent <= allowed:
                return Fit.WITHIN
            if spent > allowed * (1 + rational(ROUNDING)):
                return Fit.EXCEEDS
            if spent > allowed:
                return Fit.ROUNDING
    return Fit.UNKNOWN


def _basic(split: _Split, epsilon: Expr, delta: Expr, given: tuple[Expr, ...]) -> Comparison:
    rule = "sums of epsilon and of delta"
    first = _atmost(split.epsilon, epsilon, given, rule)
    if split.delta.is_zero or first.fit is not Fit.WITHIN:
        return first
    second = _atmost(split.delta, delta, given, rule)
    spent, allowed = f"({split.epsilon}, {split.delta})", f"({epsilon}, {delta})"
    return replace(second, spent=spent, allowed=allowed)


def _after_pure(split: _Split, epsilon: Expr, delta: Expr) -> Comparison:
    rule = "what pure parts leave, by the exact Gaussian profile (Balle & Wang 2018, Theorem 8)"
    if any(e.free_symbols for e in (split.epsilon, split.squared, split.delta)):
        return _unknown("the Gaussian profile is compared for numbers only")
    left, rest = epsilon - split.epsilon, delta - split.delta
    spent = f"mu^2 = {split.squared}, epsilon left {left}"
    if compared(left, sympy.Integer(0)) == -1 or compared(rest, sympy.Integer(0)) == -1:
        return Comparison(Fit.EXCEEDS, spent, f"({epsilon}, {delta})", rule)
    exceeds = gaussian_exceeds(split.squared, left, rest)
    fit = {None: Fit.UNKNOWN, False: Fit.WITHIN, True: Fit.EXCEEDS}[exceeds]
    if exceeds and not gaussian_exceeds(split.squared, left, rest * (1 + exact(ROUNDING))):
        fit = Fit.ROUNDING
    return Comparison(fit, spent, f"({epsilon}, {delta})", rule)


def _optimal(price: Price, split: _Split, epsilon: Expr, delta: Expr) -> Comparison:
    """Try the optimal composition of equal pure parts."""
    rule = "optimal composition (Kairouz, Oh & Viswanath 2015, Theorem 3.3)"
    whole = f"epsilon {split.epsilon}, delta {split.delta}"
    worse = Comparison(_fit_or_unknown(split, epsilon), whole, f"({epsilon}, {delta})", rule)
    parts = _equal_parts(price)
    if parts is None or not split.delta.is_zero:
        return worse
    each, count = parts
    if each.free_symbols or not each.is_number:
        return worse
    for bits in (96, 256, 1024):
        with precision(bits):
            spent, allowed = composed_delta(each, count, epsilon), ball(delta)
            if spent is None or allowed is None:
                return worse
            if spent <= allowed:
                shown = f"{count} parts of {each}"
                return Comparison(Fit.WITHIN, shown, f"({epsilon}, {delta})", rule)
            if spent > allowed * (1 + rational(ROUNDING)):
                return worse
    return Comparison(Fit.ROUNDING, whole, f"({epsilon}, {delta})", rule)


def _fit_or_unknown(split: _Split, epsilon: Expr) -> Fit:
    if split.epsilon.free_symbols:
        return Fit.UNKNOWN
    sign = compared(split.epsilon, epsilon)
    return Fit.EXCEEDS if sign == 1 else Fit.UNKNOWN


def _equal_parts(price: Price) -> tuple[Expr, int] | None:
    """Return (epsilon, count) of a price made of pure parts that cost the same."""
    found: list[tuple[Expr, Expr]] = []

    def visit(part: Price, times: Expr) -> bool:
        match part:
            case Pure(epsilon, parts, _):
                found.extend((e, n * times) for e, n in parts or ((epsilon, sympy.Integer(1)),))
                return True
            case Together(parts):
                return all(visit(p, times) for p in parts)
            case Repeated(inner, count):
                return visit(inner, times * count)
            case Apart(_, _) | Either(_):
                epsilon = total.pure(part)
                if epsilon is not None:
                    found.append((epsilon, times))
                return epsilon is not None
        return False

    if not visit(price, sympy.Integer(1)) or len({e for e, _ in found}) != 1:
        return None
    count = sympy.Add(*(n for _, n in found))
    return (found[0][0], int(count)) if count.is_Integer else None


def _sampled(price: Sampled, epsilon: Expr, delta: Expr) -> Comparison:
    rule = "amplified profile (Balle, Barthe & Gaboardi 2018, Theorem 8)"
    split = _split(price.price)
    if split is None or split.squared.free_symbols or price.rate.free_symbols:
        return _unknown(rule)
    inner = sympy.log(1 + (sympy.exp(epsilon) - 1) / price.rate)
    found = approximately(price.price, inner, delta / price.rate)
    return Comparison(found.fit, f"rate {price.rate}: {found.spent}", found.allowed, rule)


def _profile(price: Price, claim: PrivacyProfile, given: tuple[Expr, ...]) -> Comparison:
    """Compare with a profile that is one by its making: a Gaussian on a sample."""
    profile = claim.function
    if isinstance(profile, AmplifiedProfile) and isinstance(profile.claim, GaussianDP):
        rule = "amplified profile (Balle, Barthe & Gaboardi 2018, Theorem 8)"
        rate, inner = (price.rate, price.price) if isinstance(price, Sampled) else (1, price)
        spent = total.gaussian(inner)
        less = _atmost(sympy.sympify(rate), exact(profile.rate), given, rule)
        if less.fit is not Fit.WITHIN:
            return less
        return _atmost(spent, exact(profile.claim.mu) ** 2, given, rule)
    owner = getattr(profile, "__self__", None)
    if getattr(profile, "__name__", "") == "delta" and isinstance(owner, Claim):
        return against(price, owner, given)
    return _unknown(f"the profile {claim!r} is a function, not a formula")
