"""Claims given as a function: any trade-off (f-DP) and any privacy profile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.claims import validation
from dpaudit.claims.concave import concave_supremum, largest_seen
from dpaudit.claims.evaluation import evaluate, validate_profile, validate_tradeoff
from dpaudit.claims.region import Region
from dpaudit.claims.rounding import ULP, Array, down, up

# Past this epsilon e^epsilon nears overflow; a profile falls, so its value there stays a bound.
_FAR = 690.0
_HEADS = np.logspace(-40, np.log10(0.5), 480)
_ALPHAS = np.concatenate([[0.0], _HEADS, 1.0 - np.logspace(np.log10(0.49), -15, 160), [1.0]])
_EPSILONS = np.concatenate([[0.0], np.logspace(-6, 1, 120), np.linspace(10.5, 100.0, 180)])
_LEVELS = np.array([0.7, 0.45, 0.25, 0.12, 0.05, 0.02, 0.005, 1e-6])


@dataclass(frozen=True, slots=True, repr=False)
class TradeOff(Region):
    """f-differential privacy: a test of type I error alpha has at least type II error f(alpha).

    Parameters
    ----------
    function : callable
        From [0, 1] to [0, 1]: convex, non-increasing and at most 1 - alpha. It may take scalars
        only; arrays are used where it returns the right answer for them.

    Raises
    ------
    TypeError
        Where `function` is not callable, or returns what is not a number.
    ValueError
        Where it is seen not to be a trade-off function, on a grid.

    Notes
    -----
    Neighbors are symmetric, so the claim is about the larger of f and its inverse. `beta` is that
    maximum, and `delta` the smaller of both conjugates. Convexity beyond the grid, and the last
    digits of the values, are taken on trust: `delta` cannot resolve less than about 1e-15.

    References
    ----------
    J. Dong, A. Roth, W. Su. Gaussian differential privacy. JRSS B 2022; the duality of trade-off
    and profile is Proposition 2.12 of arXiv:1905.02383.

    Examples
    --------
    >>> round(TradeOff(lambda alpha: max(0.0, 1 - 0.1 - alpha)).delta(0.0), 12)
    0.1
    """

    function: Callable[[Any], Any]

    def __post_init__(self) -> None:
        validation.function("function", self.function, "lambda alpha: max(0, 1 - 0.1 - alpha)")
        validate_tradeoff(self._values)

    def __repr__(self) -> str:
        return f"TradeOff({_name(self.function)})"

    def _values(self, alpha: Array) -> Array:
        return evaluate(self.function, alpha)

    def _profile(self, epsilon: Array) -> Array:
        slope = np.exp(np.minimum(epsilon, _FAR))
        forward = self._conjugate(slope)
        # the mirrored claim: 1 - e^eps + e^eps delta_f(-eps), as a sum of small terms
        backward = slope * self._conjugate(1.0 / slope) - (slope - 1.0)
        backward = backward + 16 * ULP * slope  # rounds up
        return np.clip(np.minimum(forward, backward), 0.0, 1.0)

    def _conjugate(self, slope: Array) -> Array:
        """Return sup over alpha of 1 - f(alpha) - slope alpha, rounded up."""

        def excess(alpha: Array) -> Array:
            wide = np.broadcast_to(alpha, (slope.size, alpha.shape[1]))
            return np.asarray(1.0 - self._values(alpha) - slope[:, None] * wide)

        return concave_supremum(excess, _ALPHAS) + 16 * ULP  # rounds up

    def _tradeoff(self, alpha: Array) -> Array:
        low, high = np.zeros_like(alpha), np.ones_like(alpha)
        for _ in range(60):  # the inverse: the least t with f(t) <= alpha
            middle = (low + high) / 2
            above = self._values(middle) > alpha
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        values = np.maximum(self._values(alpha), low)
        return np.maximum(down(values), 0.0)  # rounds down

    def log_slopes(self) -> Array:
        """Return up to nine epsilons where the profile has fallen by given shares."""
        chord = -np.diff(self._values(_ALPHAS)) / np.diff(_ALPHAS)
        tangent = _ALPHAS[1:][chord >= 1.0]
        epsilon = np.log(chord[chord >= 1.0])[::-1]
        # a tangent of slope -e^epsilon at alpha meets the axis at 1 - delta
        delta = 1.0 - self._values(tangent)[::-1] - np.exp(epsilon) * tangent[::-1]
        start = float(self._profile(np.zeros(1))[0])
        floor = float(self._profile(np.full(1, _FAR))[0])
        if start - floor <= 1e-12:
            return np.zeros(1)
        targets = floor + (start - floor) * _LEVELS
        reached = [epsilon[delta <= target + 1e-12] for target in targets.tolist()]
        found = [float(some[0]) for some in reached if some.size]
        return np.unique(np.round([0.0, *found], 12))

    @property
    def parameter(self) -> None:
        """None: the function has no parameter of its own."""
        return None

    def with_parameter(self, value: float) -> TradeOff:
        """Refuse: there is no parameter."""
        raise ValueError(_no_parameter(self, value))

    @property
    def declared_delta(self) -> float:
        """0: the function states no single delta."""
        return 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the claim as JSON-able values."""
        return {"family": "TradeOff", "function": _name(self.function)}


@dataclass(frozen=True, slots=True, repr=False)
class PrivacyProfile(Region):
    """delta for every epsilon: (epsilon, function(epsilon))-DP for all epsilon >= 0 at once.

    Parameters
    ----------
    function : callable
        From epsilons >= 0 to [0, 1]: non-increasing, and convex in exp(epsilon). It may take
        scalars only; arrays are used where it returns the right answer for them.

    Raises
    ------
    TypeError
        Where `function` is not callable, or returns what is not a number.
    ValueError
        Where it is seen not to be a privacy profile, on a grid.

    Notes
    -----
    Negative epsilons follow by symmetry; the function is never called there, nor above 690.

    References
    ----------
    B. Balle, G. Barthe, M. Gaboardi. Privacy amplification by subsampling: tight analyses via
    couplings and divergences. NeurIPS 2018. J. Dong, A. Roth, W. Su. Gaussian differential
    privacy. JRSS B 2022; Proposition 2.12 of arXiv:1905.02383.

    Examples
    --------
    >>> round(PrivacyProfile(lambda epsilon: 0.1).beta(0.2), 12)
    0.7
    """

    function: Callable[[Any], Any]

    def __post_init__(self) -> None:
        validation.function("function", self.function, "GaussianDP(1.0).delta")
        validate_profile(self._values)

    def __repr__(self) -> str:
        return f"PrivacyProfile({_name(self.function)})"

    def _values(self, epsilon: Array) -> Array:
        return evaluate(self.function, np.minimum(epsilon, _FAR))

    def _profile(self, epsilon: Array) -> Array:
        values = self._values(epsilon)
        return np.where(values > 0, np.minimum(up(values), 1.0), 0.0)  # rounds up

    def _tradeoff(self, alpha: Array) -> Array:
        def steep(epsilon: Array) -> Array:
            return np.asarray(1.0 - self._values(epsilon) - np.exp(epsilon) * alpha[:, None])

        def flat(epsilon: Array) -> Array:
            return np.asarray(np.exp(-epsilon) * (1.0 - self._values(epsilon) - alpha[:, None]))

        # every epsilon gives a lower bound, so the best one seen is safe
        values = np.maximum(largest_seen(steep, _EPSILONS), largest_seen(flat, _EPSILONS))
        return np.maximum(down(values) - 8 * ULP * (alpha > 0), 0.0)  # rounds down

    def log_slopes(self) -> Array:
        """Return up to nine epsilons where the profile has fallen by given shares."""
        return _falling_slopes(self._profile)

    @property
    def parameter(self) -> None:
        """None: the function has no parameter of its own."""
        return None

    def with_parameter(self, value: float) -> PrivacyProfile:
        """Refuse: there is no parameter."""
        raise ValueError(_no_parameter(self, value))

    @property
    def declared_delta(self) -> float:
        """0: the function states no single delta."""
        return 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the claim as JSON-able values."""
        return {"family": "PrivacyProfile", "function": _name(self.function)}


def _falling_slopes(profile: Callable[[Array], Array]) -> Array:
    """Return 0 and the epsilons at which a profile has fallen to given shares of its range."""
    start, floor = profile(np.array([0.0, 64.0])).tolist()
    if start - floor <= 1e-12:
        return np.zeros(1)
    target = floor + (start - floor) * _LEVELS
    low, high = np.zeros_like(target), np.full_like(target, 64.0)
    for _ in range(20):  # to 6e-5 nats: every slope is valid, the best one is nowhere sharp
        middle = (low + high) / 2
        above = profile(middle) > target
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.unique(np.concatenate([[0.0], high]))


def _name(function: Callable[[Any], Any]) -> str:
    """Return what a reader would call the function."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, Region):
        return f"{owner!r}.{getattr(function, '__name__', 'function')}"
    return str(getattr(function, "__qualname__", None) or repr(function))


def _no_parameter(claim: Any, value: float) -> str:
    return (
        f"{claim!r} has no parameter of its own, got {value!r}; "
        "make a new claim from another function"
    )
