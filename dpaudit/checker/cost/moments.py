"""Moments of normal noise on samples, and the delta that Rényi divergences show."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import flint

from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import NotCheckedError

_HIGHEST = 1024  # order of a moment
_SEARCHED = 512  # orders for the least delta


def of_sample(rate: Number, squared: Number, order: Number) -> Number:
    """Return the Rényi divergence of normal noise on a Poisson sample.

    Between whole orders a the logarithm of the moment, a - 1 times the divergence, is convex.

    Parameters
    ----------
    rate : Number
    squared : Number
        The square of mu without the sample.
    order : Number
        Above 1.

    References
    ----------
    I. Mironov, K. Talwar, L. Zhang. Rényi differential privacy of the sampled Gaussian mechanism.
    arXiv:1908.10530, Section 3.3 and Theorem 5.
    Y. Zhu, J. Dong, Y.-X. Wang. Optimal accounting of differential privacy via characteristic
    function. AISTATS 2022, Theorem 11, for releases that are each chosen by those before.
    """
    exact = order.fraction
    if exact is None or exact > _HIGHEST:
        raise NotCheckedError("not checked: moments of a sample of this order")
    below = math.floor(exact)
    share = Number(exact - below)
    moment = _moment(rate, squared, below) * (1 - share)
    if share.sign():
        moment = moment + _moment(rate, squared, below + 1) * share
    found: Number = moment / (order - 1)
    return found


def _moment(rate: Number, squared: Number, order: int) -> Number:
    """Return log E (1 - q + q e^(mu x - mu²/2))^a for a standard normal x."""
    q, left, half = rate.ball, (1 - rate).ball, squared.ball / 2
    total = flint.arb(0)
    for k in range(order + 1):
        total += math.comb(order, k) * left ** (order - k) * q**k * (half * (k * k - k)).exp()
    return Number(None, total.log())


def delta(divergence: Callable[[Number], Number], epsilon: Number) -> Number:
    """Return the delta at epsilon that a Rényi divergence shows by the best of its whole orders.

    The logarithm of delta is convex in the order.

    References
    ----------
    C. Canonne, G. Kamath, T. Steinke. The discrete Gaussian for differential privacy. NeurIPS 2020,
    Proposition 12.
    """

    @cache
    def at(order: int) -> Any:
        a = Number(Fraction(order))
        shown: Number = (a - 1) * (divergence(a) - epsilon + ((a - 1) / a).log()) - a.log()
        return shown.exp().ball

    low, high = 2, _SEARCHED
    while low < high:
        middle = (low + high) // 2
        if float(at(middle)) <= float(at(middle + 1)):
            high = middle
        else:
            low = middle + 1
    return Number(None, at(low))
