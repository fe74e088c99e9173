"""The privacy profile of discrete Gaussian noise, summed in balls."""

from __future__ import annotations

from math import isqrt
from typing import Any

import flint

from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import NotCheckedError

_FAR = 25  # standard deviations
_MOST = 40_000
_MOVES = 50


def delta(far: Number, rate: Number, epsilon: Number) -> Any:
    """Return a ball with delta at epsilon, the largest of moves by 1, 2, ... up to far.

    Parameters
    ----------
    far : Number
        The value is whole, and moves by whole numbers.
    rate : Number
        1 / v, for weights w(x) = e^(-x²/2v).
    epsilon : Number

    Notes
    -----
    Pr[Z = x] > e^epsilon Pr[Z = x - d] exactly for x < (d - 2 v epsilon / d)/2 =: h, as
    w(x)/w(x - d) = e^((d² - 2xd)/2v), so that delta is the sum of w(x) - e^epsilon w(x - d) over
    x < h, divided by the sum of w. What is left out beyond m is, as w(x + 1)/w(x) <= e^(-m/v)
    there, at most w(m)/(1 - e^(-m/v)).

    References
    ----------
    C. Canonne, G. Kamath, T. Steinke. The discrete Gaussian for differential privacy. NeurIPS 2020,
    Theorem 7.
    """
    moves, inverse = far.fraction, rate.fraction
    if moves is None or inverse is None or epsilon.fraction is None or epsilon.sign() < 0:
        raise NotCheckedError("not checked: a discrete Gaussian profile of such numbers")
    m = _FAR * (isqrt(int(1 / inverse)) + 1)
    steps = int(moves)
    if steps > _MOVES or m * (steps + 1) > _MOST:
        raise NotCheckedError("not checked: a discrete Gaussian profile of so many terms")

    def weight(x: int) -> Any:
        return (Number(inverse * (-x * x) / 2)).ball.exp()

    rest = weight(m) / (1 - Number(-m * inverse).ball.exp())
    outside = flint.arb(0).union(rest)
    whole = sum((weight(x) for x in range(1 - m, m)), flint.arb(0)) + 2 * outside
    largest = flint.arb(0)
    for d in range(1, steps + 1):
        # x < h where 2 x d < d² - 2 v epsilon, all of it rational
        end = (d * d - 2 * epsilon.fraction / inverse) / (2 * d)
        below = [x for x in range(1 - m, d + 1) if x < end]
        gain = sum((weight(x) - epsilon.ball.exp() * weight(x - d) for x in below), outside)
        largest = largest.max(gain / whole)
    return largest
