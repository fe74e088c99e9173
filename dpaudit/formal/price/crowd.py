"""How much a number of ones among randomized responses tells of one of them, in certified balls."""

from __future__ import annotations

import flint

from dpaudit.formal.price.balls import Ball, ball
from dpaudit.formal.price.notions import Expr

MOST = 300


def crowd_delta(count: int, chance: Expr, epsilon: Expr) -> Ball | None:
    """Return an enclosure of delta(epsilon) of the number of ones, where one bit is replaced.

    Parameters
    ----------
    count : int
        How many bits there are, each turned around with the chance `chance`.
    chance, epsilon : Expr
        Closed; the second not negative.

    Returns
    -------
    Ball or None
        None for more bits than are gone through.

    Notes
    -----
    If j of the other count - 1 bits are 1, the numbers of ones with the bit at 0 and at 1 have the
    generating functions g(z) (1 - q + q z) and g(z) (q + (1 - q) z), where
    g = (q + (1 - q) z)^j (1 - q + q z)^(count - 1 - j). All j are gone through, both ways.
    """
    q, slope = ball(chance), ball(epsilon)
    if q is None or slope is None or not 1 <= count <= MOST or not slope >= 0:
        return None
    zero, one = flint.arb_poly([1 - q, q]), flint.arb_poly([q, 1 - q])
    factor, worst = slope.exp(), flint.arb(0)
    for ones in range(count):
        others = one**ones * zero ** (count - 1 - ones)
        left, right = ((others * own).coeffs() for own in (zero, one))
        for p, r in ((left, right), (right, left)):
            gains = ((a - factor * b).max(flint.arb(0)) for a, b in zip(p, r, strict=True))
            worst = worst.max(sum(gains, flint.arb(0)))
    return worst
