"""The privacy profile of the Gaussian mechanism, in certified balls."""

from __future__ import annotations

from fractions import Fraction

import flint

from dpaudit.formal.price.balls import Ball, ball, rational, sign
from dpaudit.formal.price.notions import Expr


def gaussian_delta(squared_mu: Expr, epsilon: Expr) -> Ball | None:
    """Return an enclosure of delta(epsilon) of two unit Gaussians at distance mu.

    Parameters
    ----------
    squared_mu, epsilon : Expr
        Closed and not negative.

    Returns
    -------
    Ball or None

    References
    ----------
    B. Balle, Y.-X. Wang. Improving the Gaussian mechanism for differential privacy. ICML 2018,
    Theorem 8.
    """
    squared, slope = ball(squared_mu), ball(epsilon)
    if squared is None or slope is None:
        return None
    mu = squared.sqrt()
    if not mu > 0:
        return flint.arb(0) if squared_mu == 0 else None

    def phi(x: Ball) -> Ball:  # the normal distribution function, accurate in its lower tail
        return (-x / flint.arb(2).sqrt()).erfc() / 2

    return phi(mu / 2 - slope / mu) - slope.exp() * phi(-mu / 2 - slope / mu)


def gaussian_exceeds(squared_mu: Expr, epsilon: Expr, delta: Fraction | Expr) -> bool | None:
    """Return whether delta(epsilon) > delta; None if undecided."""

    def gap() -> Ball | None:
        spent = gaussian_delta(squared_mu, epsilon)
        allowed = rational(delta) if isinstance(delta, Fraction | int) else ball(delta)
        return None if spent is None or allowed is None else spent - allowed

    found = sign(gap)
    return None if found is None else found > 0
