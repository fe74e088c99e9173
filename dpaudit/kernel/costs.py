"""What releases cost, how costs compose, and whether they fit a claim.

Costs add up along a path, adaptively; a claim holds if every path stays within it. Numbers whose
changes share one change of the data (parts of the records, entries of a vector) are paid for
together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

from dpaudit.claims import ApproxDP, GaussianDP, PureDP, RenyiDP, ZeroConcentratedDP
from dpaudit.kernel.numbers import Real, Refusal, total
from dpaudit.kernel.relations import Num, Share
from dpaudit.kernel.rules import disjoint

ZERO = Real.of(0)


@dataclass(frozen=True, slots=True)
class Release:
    """A private number with noise.

    Attributes
    ----------
    law : {"laplace", "normal", "two-sided"}
    loss : Real
        Of Laplace and two-sided geometric noise the privacy loss (nats); of normal noise mu.
    share : Share or None
        Which change it shares with others.
    line : int
    """

    law: str
    loss: Real
    share: Share | None
    line: int


def release(number: Num, law: str, scale: Real, line: int) -> Release:
    """Return what it costs to add noise to a number.

    Laplace: |v' - v|/b (Dwork & Roth 2014, Thm 3.6). Normal: mu = |v' - v|/sigma (Dong, Roth & Su
    2019, Thm 2.7). Two-sided geometric with chance q of another failure, on integers:
    |v' - v|·ln(1/q) (Ghosh, Roughgarden & Sundararajan 2009).
    """
    moved = Real.of(number.moved)
    if not scale.positive():
        raise Refusal("noise of a scale that may be 0")
    if law == "two-sided":
        if number.kind not in ("int", "bool") or number.moved.denominator != 1:
            raise Refusal("integer noise on what is no integer")
        return Release(law, moved * -scale.log() if number.moved else ZERO, number.share, line)
    if law not in ("laplace", "normal"):
        raise Refusal(f"{law} numbers as noise")
    if number.kind == "int" and not all(e is not None and abs(e) < 2**53 for e in
                                        (number.low, number.high)):  # fmt: skip
        raise Refusal("noise on an integer that a float may round")
    return Release(law, moved * scale.inverse(), number.share, line)


Cost = Callable[[Release], Real]


def composed(releases: Sequence[Release], cost: Cost, norm: str) -> Real:
    """Return what all releases of a path cost: sums, but for parts the most that can change.

    `cost` is convex in the change and 0 where there is none. Of disjoint parts a record that comes
    or goes changes one (parallel composition: McSherry 2009, Thm 4), a replaced record two. Under
    the l2 norm squares of changes add up to that of the distance, so that costs that are squares
    are paid once, and others for each entry.
    """
    squares = norm == "l2" and all(each.law == "normal" for each in releases)
    most = {"once": 1, "twice": 2}.get(norm, 1 if squares else 0)
    if not most:
        return total([cost(each) for each in releases])
    found = [cost(each) for each in releases if each.share is None]
    for family in _families([each for each in releases if each.share is not None]):
        found += _largest([total([cost(e) for e in group]) for group in family], most)
    return total(found)


def _families(releases: Sequence[Release]) -> list[list[list[Release]]]:
    """Return families of groups: those of a group are of one part, different ones disjoint."""
    families: list[list[list[Release]]] = []
    for each in releases:
        if not any(_joined(family, each) for family in families):
            families.append([[each]])
    return families


def _joined(family: list[list[Release]], each: Release) -> bool:
    share = each.share
    for group in family:
        other = group[0].share
        if share is None or other is None or share.source != other.source:
            return False
        if share.part == other.part:
            group.append(each)
            return True
    if all(g[0].share and share and disjoint(g[0].share.part, share.part) for g in family):
        family.append([each])
        return True
    return False


def _largest(costs: list[Real], most: int) -> list[Real]:
    """Return the largest costs, as many as that; all of them where they cannot be ordered."""
    left = list(costs)
    found: list[Real] = []
    while left and len(found) < most:
        top = next((c for c in left if all(other.at_most(c) for other in left)), None)
        if top is None:
            return costs
        found.append(top)
        left.remove(top)
    return found


def fits(paths: Sequence[Sequence[Release]], claim: Any, norm: str) -> str:
    """Return what is spent and allowed, in words, where every path stays within the claim.

    Raises
    ------
    Refusal
        Where that is not known.
    """
    if type(claim) is ApproxDP:
        return _approximate(paths, claim, norm)
    cost, allowed = _notion(claim)
    spent = [composed(path, cost, norm) for path in paths]
    for each in spent:
        if not each.at_most(allowed):
            raise Refusal(f"the releases may cost {each}, and the claim allows {allowed}")
    worst = next((s for s in spent if all(other.at_most(s) for other in spent)), ZERO)
    return f"{worst} ≤ {allowed}"


def _notion(claim: Any) -> tuple[Cost, Real]:
    """Return the cost of a release in the claim's notion, and what the claim allows.

    Pure loss e is e²/2 of concentrated loss (Bun & Steinke 2016, Prop. 1.4), mu is mu²/2. Gaussian
    privacy composes by squares (Dong, Roth & Su 2019, Cor. 2; adaptively: Smith & Thakurta 2022).
    Laplace noise has the Rényi loss of Mironov 2017, Table II.
    """
    kind = type(claim)
    if kind is PureDP:
        return _pure, Real.of(Fraction(claim.epsilon))
    if kind is GaussianDP:
        return _squared, Real.of(Fraction(claim.mu) ** 2)
    if kind is ZeroConcentratedDP:
        return _concentrated, Real.of(Fraction(claim.rho))
    if kind is RenyiDP and 1 < claim.order < 1e6:
        order = Fraction(claim.order)
        return (lambda each: _renyi(each, order)), Real.of(Fraction(claim.epsilon))
    raise Refusal(f"a claim of the type {kind.__name__}")


def _pure(each: Release) -> Real:
    if each.law == "normal":
        raise Refusal("normal noise bounds no pure loss")
    return each.loss


def _squared(each: Release) -> Real:
    if each.law != "normal":
        raise Refusal("a claim of Gaussian privacy for other noise")
    return each.loss * each.loss


def _concentrated(each: Release) -> Real:
    return each.loss * each.loss * Real.of(Fraction(1, 2))


def _renyi(each: Release, order: Fraction) -> Real:
    half = _concentrated(each) * Real.of(order)
    if each.law != "laplace" or each.loss.rational == 0:
        return half
    a, loss = Real.of(order).arb(), each.loss.arb()
    inside = a / (2 * a - 1) * ((a - 1) * loss).exp() + (a - 1) / (2 * a - 1) * (-a * loss).exp()
    return Real(ball=inside.log() / (a - 1))


def _approximate(paths: Sequence[Sequence[Release]], claim: ApproxDP, norm: str) -> str:
    """Pay the pure losses of the worst path, and let the normal noise pay for the rest.

    The profile of normal noise: Balle & Wang 2018, Thm 8. Losses that are chosen from answers are
    bounded by the most on any path, pure and normal apart.
    """
    epsilon, delta = Real.of(Fraction(claim.epsilon)), Real.of(Fraction(claim.declared_delta))
    normal = [[e for e in path if e.law == "normal"] for path in paths]
    others = [[e for e in path if e.law != "normal"] for path in paths]
    _approximately(
        _most([composed(path, _pure, norm) for path in others]),
        _most([composed(path, _squared, norm) for path in normal]),
        epsilon,
        delta,
    )
    return f"within epsilon {epsilon} and delta {delta}"


def _most(costs: list[Real]) -> Real:
    found = _largest(costs, 1)
    if len(found) > 1:
        raise Refusal("paths whose costs cannot be ordered")
    return found[0] if found else ZERO


def _approximately(pure: Real, squared: Real, epsilon: Real, delta: Real) -> None:
    if squared.rational == 0 and pure.at_most(epsilon):
        return
    left = (epsilon + -pure).arb()
    if not left >= 0:
        raise Refusal(f"the pure releases may cost {pure}, and the claim allows {epsilon}")
    mu = squared.arb().sqrt()
    found = _below(mu / 2 - left / mu) - left.exp() * _below(-mu / 2 - left / mu)
    if not found <= delta.arb():
        raise Refusal(f"delta may be {found.str(8, radius=False)}, and the claim allows {delta}")


def _below(x: flint.arb) -> flint.arb:
    """Return the chance that a normal number is below another."""
    return (-x / flint.arb(2).sqrt()).erfc() / 2
