"""Who wins a comparison of numbers with noise: certified probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import flint

from dpaudit.formal.balls import Ball, rational
from dpaudit.formal.clock import charge
from dpaudit.formal.trial.affine import NotAffine
from dpaudit.formal.trial.laws import Exponential, Gumbel, Laplace, Law, Normal

_REACH = 60  # scales beyond the places, where the tails are added as an error


def winning(places: Sequence[Fraction], laws: Sequence[Law]) -> list[Ball]:
    """Return the probability of each index to have the largest of place + noise.

    Parameters
    ----------
    places : sequence of Fraction
    laws : sequence of Law
        All of one kind and scale, independent.

    Raises
    ------
    NotAffine
        For laws that are not of one continuous kind.

    Notes
    -----
    Gumbel noise gives a softmax; for the others density times distribution functions is
    integrated piece by piece, in balls.
    """
    first = laws[0]
    if any(law != first for law in laws):
        raise NotAffine("a comparison of noises of several kinds or scales")
    if isinstance(first, Gumbel) and not first.mirrored:
        weights = [rational((p - max(places)) / first.scale).exp() for p in places]
        total = sum(weights[1:], weights[0])
        return [weight / total for weight in weights]
    if not isinstance(first, Laplace | Normal | Exponential | Gumbel):
        raise NotAffine("a comparison of noise of this kind")
    units = [place / first.scale for place in places]
    chances = {unit: _wins(units.index(unit), units, first) for unit in set(units)}
    return [chances[unit] for unit in units]


def _wins(i: int, units: list[Fraction], law: Law) -> Ball:
    """Integrate f(x - u_i) times the product of F(x - u_j), in units of the scale."""
    reach = _REACH if not isinstance(law, Normal) else 16
    ends = sorted({*units, min(units) - reach, max(units) + reach})
    total = flint.arb(0)
    mine, others = units[i], [*units[:i], *units[i + 1 :]]
    own, rivals = _acb(mine), [_acb(unit) for unit in others]
    for low, high in pairwise(ends):
        below = [(low + high) / 2 < unit for unit in (mine, *others)]

        def integrand(x: Ball, _: bool, below: list[bool] = below) -> Ball:
            charge(10)
            value = _density(x - own, below[0], law)
            for rival, left in zip(rivals, below[1:], strict=True):
                value = value * _distribution(x - rival, left, law)
            return value

        total += flint.acb.integral(integrand, _acb(low), _acb(high)).real
    missing = (
        (-flint.arb(reach)).exp()
        if not isinstance(law, Normal)
        else (-(flint.arb(reach) ** 2) / 2).exp()
    )
    return total + missing * flint.arb("0.5 +/- 0.5")


def _acb(value: Fraction) -> Ball:
    charge(100)
    return flint.acb(rational(value))


def _density(x: Ball, below: bool, law: Law) -> Ball:
    """Return the density at x, which lies below 0 or above."""
    if isinstance(law, Laplace):
        return (x if below else -x).exp() / 2
    if isinstance(law, Normal):
        return (-x * x / 2).exp() / (2 * flint.arb.pi()).sqrt()
    if isinstance(law, Exponential):
        x, below = (-x, not below) if law.mirrored else (x, below)
        return flint.acb(0) if below else (-x).exp()
    return (x - x.exp()).exp()  # mirrored Gumbel


def _distribution(x: Ball, below: bool, law: Law) -> Ball:
    if isinstance(law, Laplace):
        return x.exp() / 2 if below else 1 - (-x).exp() / 2
    if isinstance(law, Normal):
        return (-x / flint.arb(2).sqrt()).erfc() / 2
    if isinstance(law, Exponential):
        if law.mirrored:
            return x.exp() if below else flint.acb(1)
        return flint.acb(0) if below else 1 - (-x).exp()
    return 1 - (-(x.exp())).exp()  # mirrored Gumbel
