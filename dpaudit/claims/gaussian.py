"""Gaussian differential privacy: the region of one shifted Gaussian."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.claims import validation
from dpaudit.claims.region import Region
from dpaudit.claims.rounding import ULP, Array, up

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)


@dataclass(frozen=True, slots=True, repr=False)
class GaussianDP(Region):
    """mu-Gaussian differential privacy: at least as hard to distinguish as N(0, 1), N(mu, 1).

    Parameters
    ----------
    mu : float
        Distance of the two Gaussians in standard deviations; 0 is legitimate.

    Raises
    ------
    TypeError
        Where `mu` is not a real number.
    ValueError
        Where `mu` is negative, infinite or NaN.

    References
    ----------
    J. Dong, A. Roth, W. Su. Gaussian differential privacy. JRSS B 2022. The profile: B. Balle,
    Y.-X. Wang. Improving the Gaussian mechanism for differential privacy. ICML 2018, Theorem 8.

    Examples
    --------
    >>> round(GaussianDP(1.0).delta(1.0), 6)
    0.126937
    """

    mu: float

    def __post_init__(self) -> None:
        remedy = "give sensitivity / standard deviation, such as 1.0"
        object.__setattr__(self, "mu", validation.nonnegative("mu", self.mu, remedy))

    def __repr__(self) -> str:
        return f"GaussianDP({self.mu!r})"

    def _profile(self, epsilon: Array) -> Array:
        return gaussian_profile(self.mu, epsilon)

    def _tradeoff(self, alpha: Array) -> Array:
        return gaussian_tradeoff(self.mu, alpha)

    def log_slopes(self) -> Array:
        """Return nine epsilons from 0 to three deviations into the tail of the privacy loss."""
        return gaussian_slopes(self.mu)

    @property
    def parameter(self) -> tuple[str, float]:
        """Name and value of the claim's own parameter."""
        return ("mu", self.mu)

    def with_parameter(self, value: float) -> GaussianDP:
        """Return ``GaussianDP(value)``."""
        return GaussianDP(value)

    def to_dict(self) -> dict[str, Any]:
        """Return the claim as JSON-able values."""
        return {"family": "GaussianDP", "mu": self.mu}


def gaussian_slopes(mu: float) -> Array:
    """Return up to nine epsilons where the loss of two Gaussians at distance `mu` lives."""
    if mu == 0:
        return np.zeros(1)
    return np.linspace(0.0, mu * mu / 2 + 3 * mu, 9)


def gaussian_profile(mu: float, epsilon: Array) -> Array:
    """Return delta(epsilon) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu).

    Notes
    -----
    With a = epsilon/mu - mu/2, b = a + mu, Mills' ratio R and density phi it is
    phi(a) (R(a) - R(b)), since e^epsilon phi(b) = phi(a). For small mu, where the difference
    cancels, R(a) - R(b) is the integral of 1 - x R(x) over [a, b].
    """
    if mu == 0:
        return np.zeros_like(epsilon)
    from scipy.special import erfcx, ndtr

    def mills(x: Array) -> Array:
        ratio: Array = math.sqrt(math.pi / 2) * erfcx(x / math.sqrt(2))
        return ratio

    with np.errstate(over="ignore"):
        scaled = epsilon / mu
    # past 40 deviations delta is below the smallest double: stay there, delta falls
    a = np.minimum(scaled - mu / 2, 40.0)
    density = np.exp(-a * a / 2) / math.sqrt(2 * math.pi)
    if mu <= 1:
        x = a[:, None] + mu / 2 * (_NODES + 1.0)
        values = density * (mu / 2) * ((1.0 - x * mills(x)) @ _WEIGHTS)
    else:
        right = np.maximum(a, 0.0)
        tail = density * (mills(right) - mills(right + mu))
        values = np.where(a > 0, tail, ndtr(-a) - density * mills(a + mu))
    size = np.minimum(np.abs(a), 40.0)
    error = ULP * (32.0 + 4 * (size + 2) * (np.minimum(scaled, 40.0 + mu) + mu / 2) + 4 * size**2)
    values = up(values * (1.0 + error))  # rounds up, by a bound on the error of each term
    return np.where(np.isinf(epsilon), 0.0, values)


def gaussian_tradeoff(mu: float, alpha: Array) -> Array:
    """Return Phi(Phi^-1(1 - alpha) - mu), rounded down."""
    if mu == 0:
        return 1.0 - alpha
    from scipy.special import ndtr, ndtri

    z = -ndtri(alpha) - mu
    inner = (alpha > 0) & (alpha < 1)
    size = np.where(inner, np.abs(z), 0.0)
    # an error of the argument moves Phi by its density: nothing where Phi is near 1
    moved = (size + 2) * (size + 2 * mu + 2) * np.exp(-(np.clip(z, 0.0, 40.0) ** 2) / 2)
    error = ULP * (8.0 + 4 * moved)
    values: Array = ndtr(z) * (1.0 - error)  # rounds down
    return np.where(inner, np.maximum(values, 0.0), np.where(alpha == 0, 1.0, 0.0))
