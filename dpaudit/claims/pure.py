"""Pure and approximate differential privacy: regions with straight edges."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpaudit.claims import validation
from dpaudit.claims.region import Region
from dpaudit.claims.rounding import Array, down, up

_REMEDY = "give a privacy loss in nats (natural logarithms), such as 1.0"


@dataclass(frozen=True, slots=True, repr=False)
class PureDP(Region):
    """Epsilon-differential privacy.

    Parameters
    ----------
    epsilon : float
        Bound on the log-ratio of the probabilities of every event (nats); 0 is legitimate.

    Raises
    ------
    TypeError
        Where `epsilon` is not a real number.
    ValueError
        Where `epsilon` is negative, infinite or NaN.

    References
    ----------
    C. Dwork, F. McSherry, K. Nissim, A. Smith. Calibrating noise to sensitivity in private data
    analysis. TCC 2006.

    Examples
    --------
    >>> PureDP(1.0).delta(1.0)
    0.0
    >>> PureDP(1.0).implies(PureDP(2.0))
    True
    """

    epsilon: float

    def __post_init__(self) -> None:
        epsilon = validation.nonnegative("epsilon", self.epsilon, _REMEDY)
        object.__setattr__(self, "epsilon", epsilon)

    def __repr__(self) -> str:
        return f"PureDP({self.epsilon!r})"

    def _profile(self, epsilon: Array) -> Array:
        return _straight_profile(self.epsilon, 0.0, epsilon)

    def _tradeoff(self, alpha: Array) -> Array:
        return _straight_tradeoff(self.epsilon, 0.0, alpha)

    def log_slopes(self) -> Array:
        """Return the one epsilon whose half-planes are the region."""
        return np.array([self.epsilon])

    @property
    def parameter(self) -> tuple[str, float]:
        """Name and value of the claim's own parameter."""
        return ("epsilon", self.epsilon)

    def with_parameter(self, value: float) -> PureDP:
        """Return ``PureDP(value)``."""
        return PureDP(value)

    def to_dict(self) -> dict[str, Any]:
        """Return the claim as JSON-able values."""
        return {"family": "PureDP", "epsilon": self.epsilon}


@dataclass(frozen=True, slots=True, repr=False, init=False)
class ApproxDP(Region):
    """(epsilon, delta)-differential privacy.

    Parameters
    ----------
    epsilon : float
        Slope of the bound ``p <= exp(epsilon) q + delta`` (nats); 0 is legitimate.
    delta : float
        In [0, 1). It is kept as ``declared_delta``: ``delta`` is the privacy profile.

    Raises
    ------
    TypeError
        Where a parameter is not a real number.
    ValueError
        Where `epsilon` is negative, infinite or NaN, or `delta` outside [0, 1).

    References
    ----------
    C. Dwork, K. Kenthapadi, F. McSherry, I. Mironov, M. Naor. Our data, ourselves: privacy via
    distributed noise generation. EUROCRYPT 2006. The region: P. Kairouz, S. Oh, P. Viswanath.
    The composition theorem for differential privacy. ICML 2015.

    Examples
    --------
    >>> ApproxDP(1.0, 1e-6).delta(2.0)
    1e-06
    """

    epsilon: float
    declared_delta: float = field()

    def __init__(self, epsilon: float, delta: float) -> None:
        object.__setattr__(self, "epsilon", validation.nonnegative("epsilon", epsilon, _REMEDY))
        object.__setattr__(self, "declared_delta", validation.delta(delta))

    def __repr__(self) -> str:
        return f"ApproxDP({self.epsilon!r}, {self.declared_delta!r})"

    def _profile(self, epsilon: Array) -> Array:
        return _straight_profile(self.epsilon, self.declared_delta, epsilon)

    def _tradeoff(self, alpha: Array) -> Array:
        return _straight_tradeoff(self.epsilon, self.declared_delta, alpha)

    def log_slopes(self) -> Array:
        """Return the one epsilon whose half-planes are the region."""
        return np.array([self.epsilon])

    @property
    def parameter(self) -> tuple[str, float]:
        """Name and value of the claim's own parameter."""
        return ("epsilon", self.epsilon)

    def with_parameter(self, value: float) -> ApproxDP:
        """Return the claim with `value` for epsilon and the same delta."""
        return ApproxDP(value, self.declared_delta)

    def to_dict(self) -> dict[str, Any]:
        """Return the claim as JSON-able values."""
        return {"family": "ApproxDP", "epsilon": self.epsilon, "delta": self.declared_delta}


def _straight_profile(claimed: float, delta: float, epsilon: Array) -> Array:
    """Return max p - e^epsilon q over the corners of the (claimed, delta) region.

    The corners above the diagonal are (q, p) = (0, delta), (1 - delta, 1) and, on p + q = 1,
    q = (1 - delta) / (1 + e^claimed).
    """
    gap = -np.expm1(np.minimum(epsilon - claimed, 0.0)) / (1.0 + np.exp(-claimed))
    # rounds up, and is exactly delta from the claimed epsilon on
    return np.where(gap > 0, up(delta + (1.0 - delta) * gap), delta)


def _straight_tradeoff(claimed: float, delta: float, alpha: Array) -> Array:
    """Return max(0, 1 - delta - e^claimed alpha, e^-claimed (1 - delta - alpha))."""
    grown = np.exp(min(claimed, 700.0)) * alpha
    if claimed > 700.0:  # near overflow: rounds down to nothing
        grown = np.where(alpha > 0, np.inf, 0.0)
    steep = 1.0 - delta - grown
    flat = np.exp(-claimed) * (1.0 - delta - alpha)
    exact = (alpha == 0) | (claimed == 0 and delta == 0)
    values = np.maximum(steep, flat)
    return np.maximum(np.where(exact, values, down(values)), 0.0)  # rounds down
