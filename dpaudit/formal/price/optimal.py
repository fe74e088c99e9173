"""The optimal composition of pure mechanisms with one epsilon each, in certified balls."""

from __future__ import annotations

from math import comb

import flint

from dpaudit.formal.price.balls import Ball, ball
from dpaudit.formal.price.notions import Expr

MOST = 2000


def composed_delta(each: Expr, count: int, epsilon: Expr) -> Ball | None:
    """Return an enclosure of delta(epsilon) of `count` mechanisms that are `each`-private.

    Parameters
    ----------
    each, epsilon : Expr
        Closed and not negative.
    count : int

    Returns
    -------
    Ball or None

    References
    ----------
    P. Kairouz, S. Oh, P. Viswanath. The composition theorem for differential privacy. ICML 2015,
    Theorem 3.3: no composition loses more than randomized responses do, whose loss is
    (count - 2 l) each with binomial probability.
    """
    unit, slope = ball(each), ball(epsilon)
    if unit is None or slope is None or not 0 < count <= MOST:
        return None
    stay = 1 / (1 + (-unit).exp())
    total = flint.arb(0)
    for lies in range(count // 2 + 1):
        loss = (count - 2 * lies) * unit
        gain = 1 - (slope - loss).exp()
        if gain < 0:
            continue
        mass = comb(count, lies) * stay ** (count - lies) * (1 - stay) ** lies
        total += mass * gain.max(flint.arb(0))
    return total
