"""Rényi differential privacy and zero-concentrated differential privacy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.claims import validation
from dpaudit.claims.concave import neighbors
from dpaudit.claims.events import corner, renyi_profile, renyi_tradeoff
from dpaudit.claims.region import Region
from dpaudit.claims.rounding import Array, smallest_float_at_least

# Past this epsilon only the limit of delta is asked for; delta falls, so it stays a bound.
_FAR = 1e6
_ORDERS_TO_BET_ON = (1.5, 2.0, 3.0, 4.0, 8.0, 16.0, 32.0)


@dataclass(frozen=True, slots=True, repr=False)
class RenyiDP(Region):
    """(order, epsilon)-Rényi differential privacy.

    Parameters
    ----------
    order : float
        Above 1 and finite.
    epsilon : float
        Bound on the Rényi divergence of that order, both ways (nats).

    Raises
    ------
    TypeError
        Where a parameter is not a real number.
    ValueError
        Where `order` is not finite and above 1, or `epsilon` is negative, infinite or NaN.

    Notes
    -----
    `delta` and `beta` are the tight statement about events (`dpaudit.claims.events`). Events
    alone do not decide the claim: `renyi_bounds` is the rest of it.

    References
    ----------
    I. Mironov. Rényi differential privacy. CSF 2017.

    Examples
    --------
    >>> RenyiDP(2, 0.5).implies(RenyiDP(1.5, 0.5))
    True
    """

    order: float
    epsilon: float

    def __post_init__(self) -> None:
        remedy = "give a divergence in nats (natural logarithms), such as 0.5"
        object.__setattr__(self, "order", validation.order(self.order))
        epsilon = validation.nonnegative("epsilon", self.epsilon, remedy)
        object.__setattr__(self, "epsilon", epsilon)

    def __repr__(self) -> str:
        return f"RenyiDP({self.order!r}, {self.epsilon!r})"

    def _profile(self, epsilon: Array) -> Array:
        if self.epsilon == 0:
            return np.zeros_like(epsilon)
        order, bound = np.full(1, self.order), np.full(1, self.epsilon)
        values = renyi_profile(order, bound, np.minimum(epsilon, _FAR))
        return np.where(np.isinf(epsilon), 0.0, values)

    def _tradeoff(self, alpha: Array) -> Array:
        if self.epsilon == 0:
            return 1.0 - alpha
        order, bound = np.full(1, self.order), np.full(1, self.epsilon)
        return _at_ends(alpha, renyi_tradeoff(order, bound, _inner(alpha)))

    def log_slopes(self) -> Array:
        """Return up to nine epsilons: 0, the corner on p + q = 1, and the curved edge."""
        return _slopes(self.order, self.epsilon)

    def renyi_bounds(self) -> tuple[tuple[float, float], ...]:
        """Return the one (order, epsilon) moment of the claim."""
        return ((self.order, self.epsilon),)

    @property
    def parameter(self) -> tuple[str, float]:
        """Name and value of the claim's own parameter."""
        return ("epsilon", self.epsilon)

    def with_parameter(self, value: float) -> RenyiDP:
        """Return the claim of the same order with `value` for epsilon."""
        return RenyiDP(self.order, value)

    def to_dict(self) -> dict[str, Any]:
        """Return the claim as JSON-able values."""
        return {"family": "RenyiDP", "order": self.order, "epsilon": self.epsilon}


@dataclass(frozen=True, slots=True, repr=False)
class ZeroConcentratedDP(Region):
    """rho-zero-concentrated differential privacy: order times rho for every Rényi order.

    Parameters
    ----------
    rho : float
        At least 0 and finite.

    Raises
    ------
    TypeError
        Where `rho` is not a real number.
    ValueError
        Where `rho` is negative, infinite or NaN.

    Notes
    -----
    `delta` is the least of the tight event bounds over a refined grid of orders. Each order is
    valid by itself, so the grid costs tightness only.

    References
    ----------
    M. Bun, T. Steinke. Concentrated differential privacy: simplifications, extensions, and
    lower bounds. TCC 2016.

    Examples
    --------
    >>> ZeroConcentratedDP(0.5).implies(RenyiDP(2, 1.0))
    True
    """

    rho: float

    def __post_init__(self) -> None:
        remedy = "give mu**2 / 2 for a Gaussian at mu deviations, such as 0.5"
        object.__setattr__(self, "rho", validation.nonnegative("rho", self.rho, remedy))

    def __repr__(self) -> str:
        return f"ZeroConcentratedDP({self.rho!r})"

    def _profile(self, epsilon: Array) -> Array:
        if self.rho == 0:
            return np.zeros_like(epsilon)
        values = concentrated_profile(self.rho, np.minimum(epsilon, _FAR))
        return np.where(np.isinf(epsilon), 0.0, values)

    def _tradeoff(self, alpha: Array) -> Array:
        if self.rho == 0:
            return 1.0 - alpha
        return _at_ends(alpha, concentrated_tradeoff(self.rho, _inner(alpha)))

    def log_slopes(self) -> Array:
        """Return up to nine epsilons, those of order 2 and of the Gaussian of the same rho."""
        return _slopes(2.0, 2.0 * self.rho)

    def renyi_bounds(self) -> tuple[tuple[float, float], ...]:
        """Return (order, order * rho) for a grid of orders; rounds up."""
        return tuple((a, self.renyi_bound(a)) for a in _ORDERS_TO_BET_ON)

    def renyi_bound(self, order: float) -> float:
        """Return order * rho, rounded up."""
        from fractions import Fraction

        return smallest_float_at_least(Fraction(order) * Fraction(self.rho))

    @property
    def parameter(self) -> tuple[str, float]:
        """Name and value of the claim's own parameter."""
        return ("rho", self.rho)

    def with_parameter(self, value: float) -> ZeroConcentratedDP:
        """Return ``ZeroConcentratedDP(value)``."""
        return ZeroConcentratedDP(value)

    def to_dict(self) -> dict[str, Any]:
        """Return the claim as JSON-able values."""
        return {"family": "ZeroConcentratedDP", "rho": self.rho}


def concentrated_profile(rho: float, epsilon: Array) -> Array:
    """Return the least delta(epsilon) over a grid of orders, zoomed in twice."""
    widest = 4.0 + 2.0 * (epsilon + np.sqrt(2.0 * rho)) / rho
    low, high = np.full_like(epsilon, np.log(1e-3)), np.log(np.minimum(widest, 1e9))
    best = np.ones_like(epsilon)
    for points, steps in ((25, 10), (7, 26), (7, 34)):
        grid = np.linspace(low, high, points, axis=-1)
        orders = 1.0 + np.exp(grid)
        values = renyi_profile(orders, orders * rho, epsilon[:, None], steps)
        best = np.minimum(best, values.min(axis=-1))
        low, high = neighbors(grid, values.argmin(axis=-1))
    return best


def concentrated_tradeoff(rho: float, alpha: Array) -> Array:
    """Return the greatest beta(alpha) over a grid of orders, zoomed in twice."""
    loss = -np.log(np.minimum(alpha, 1.0 - alpha))
    widest = 4.0 + 2.0 * (loss + np.sqrt(2.0 * rho)) / rho
    low, high = np.full_like(alpha, np.log(1e-3)), np.log(np.minimum(widest, 1e9))
    best = np.zeros_like(alpha)
    for points in (25, 7, 7):
        grid = np.linspace(low, high, points, axis=-1)
        orders = 1.0 + np.exp(grid)
        values = renyi_tradeoff(orders, orders * rho, alpha[:, None])
        best = np.maximum(best, values.max(axis=-1))
        low, high = neighbors(grid, values.argmax(axis=-1))
    return best


def _slopes(order: float, bound: float) -> Array:
    """Return 0, half the slope at the corner, that slope, and steeper ones."""
    if bound == 0:
        return np.zeros(1)
    _, steepest = corner(np.full(1, order), np.full(1, bound))
    start = float(steepest[0])
    mu = float(np.sqrt(2.0 * bound / order))
    far = max(start + mu, min(mu * mu / 2 + 4 * mu, bound + 7.0 / (order - 1.0)))
    return np.concatenate([[0.0, start / 2], np.linspace(start, far, 7)])


def _inner(alpha: Array) -> Array:
    return np.clip(alpha, 1e-300, 1.0 - 2.0**-53)


def _at_ends(alpha: Array, values: Array) -> Array:
    """Return `values`, and the certain errors at alpha 0 and 1."""
    return np.where(alpha == 0, 1.0, np.where(alpha == 1, 0.0, values))
