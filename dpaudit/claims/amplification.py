"""What a claim becomes when the mechanism sees a random sample of the records."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.claims import validation
from dpaudit.claims.directions import Direction, directed_delta, directed_function
from dpaudit.claims.functional import PrivacyProfile, TradeOff
from dpaudit.claims.gaussian import GaussianDP
from dpaudit.claims.pure import ApproxDP, PureDP
from dpaudit.claims.region import Claim
from dpaudit.claims.rounding import ULP, Array, scalar_up, smallest_float_at_least, up


def amplify(claim: Claim, rate: float, *, relation: str = "add/remove") -> Claim:
    """Return the claim of a mechanism that runs on a random sample.

    Parameters
    ----------
    claim : Claim
        What the mechanism guarantees for its own input, under `relation`.
    rate : float
        In (0, 1]: under add/remove the probability with which each record is taken, independent
        of the others (Poisson sampling); under replace-one the sample's size over the dataset's,
        the sample being drawn without replacement.
    relation : {"add/remove", "replace-one"}
        The relation of the datasets. No other sampling goes with it: Poisson sampling under
        replace-one, and samples of fixed size under add/remove, are other theorems.

    Returns
    -------
    Claim
        For datasets under `relation`. Pure and approximate DP stay what they are; Gaussian DP,
        trade-offs and profiles become a `PrivacyProfile`, since the theorem is about the whole
        profile; it carries `relation`, and under add/remove its loss for each direction.

    Raises
    ------
    ValueError
        For Rényi DP and zCDP, for rates outside (0, 1], and where `claim` is itself about samples
        under another relation.

    Notes
    -----
    delta'(epsilon') = rate * delta(epsilon) at epsilon' = log(1 + rate (e^epsilon - 1)). With a
    dominating pair (P, Q), Poisson sampling has the pairs ((1 - rate) Q + rate P, Q) for removal
    and (P, (1 - rate) P + rate Q) for addition. Under replace-one a step may be either, so every
    step counts the larger.

    References
    ----------
    B. Balle, G. Barthe, M. Gaboardi. Privacy amplification by subsampling: tight analyses via
    couplings and divergences. NeurIPS 2018, Theorem 8 (Poisson, add/remove) and Theorem 9
    (without replacement, replace-one). Y. Zhu, J. Dong, Y.-X. Wang. Optimal accounting of
    differential privacy via characteristic function. AISTATS 2022, Theorem 11 (directed pairs).

    Examples
    --------
    >>> round(PureDP(1.0).amplified(0.1).epsilon, 6)
    0.158565
    """
    rate = validation.rate(rate)
    validation.relation(relation)
    if not isinstance(claim, PureDP | ApproxDP | GaussianDP | TradeOff | PrivacyProfile):
        raise ValueError(
            f"{claim!r} cannot be amplified: the sampling theorems for Rényi moments depend on "
            "the mechanism, not on the claim alone. Amplify the weaker claim about events, "
            "PrivacyProfile(claim.delta).amplified(rate)"
        )
    if rate == 1.0:
        return claim
    if isinstance(claim, PureDP):
        return PureDP(_amplified_epsilon(claim.epsilon, rate))
    if isinstance(claim, ApproxDP):
        delta = claim.declared_delta
        sampled = smallest_float_at_least(Fraction(rate) * Fraction(delta))
        return ApproxDP(_amplified_epsilon(claim.epsilon, rate), sampled)
    function = directed_function(claim)
    if function is not None and function.relation not in (None, relation):
        raise ValueError(
            f"{claim!r} cannot be amplified under {relation!r}: it is about samples under "
            f"{function.relation!r}; give relation={function.relation!r}"
        )
    return PrivacyProfile(AmplifiedProfile(claim, rate, relation))


def _amplified_epsilon(epsilon: float, rate: float) -> float:
    if epsilon == 0:
        return 0.0
    if epsilon > 30:  # e^epsilon would swamp the 1, and later overflow
        value = epsilon + math.log(rate + (1.0 - rate) * math.exp(-epsilon))
    else:
        value = math.log1p(rate * math.expm1(epsilon))
    return scalar_up(value)  # rounds up


@dataclass(frozen=True, slots=True, repr=False)
class AmplifiedProfile:
    """The profile of a claim after sampling; a value, so that claims made of it compare."""

    claim: GaussianDP | TradeOff | PrivacyProfile
    rate: float
    relation: str = "add/remove"

    def __post_init__(self) -> None:
        if not isinstance(self.claim, GaussianDP | TradeOff | PrivacyProfile):
            raise ValueError(
                f"the profile of a sample is of a GaussianDP, TradeOff or PrivacyProfile, got "
                f"{self.claim!r}; use claim.amplified(rate)"
            )

    def __call__(self, epsilon: Any) -> Any:
        """Return rate * delta(log(1 + (e^epsilon - 1) / rate)), rounded up."""
        given = np.asarray(epsilon, dtype=np.float64)
        values = up(self.rate * self.claim.delta(self._inner(given.ravel())), 1)  # rounds up
        values = np.minimum(values, self.rate)
        return float(values[0]) if given.ndim == 0 else values.reshape(given.shape)

    def directed(self, epsilon: Array, direction: Direction) -> Array:
        """Return the profile of one direction at any epsilons, rounded up."""
        if self.relation != "add/remove":
            return PrivacyProfile(self).delta(epsilon)
        values = self._removed(epsilon) if direction == "remove" else self._added(epsilon)
        return np.minimum(up(values, 8), 1.0)  # rounds up

    def _removed(self, epsilon: Array) -> Array:
        """Return H((1 - rate) Q + rate P, Q); all of P counts where e^epsilon <= 1 - rate."""
        inner = self._inner(epsilon)
        inside = np.isfinite(inner)
        sampled = self.rate * directed_delta(self.claim, np.where(inside, inner, 0.0), "remove")
        return np.where(inside, sampled, np.maximum(self.rate, -np.expm1(np.minimum(epsilon, 0.0))))

    def _added(self, epsilon: Array) -> Array:
        """Return H(P, (1 - rate) P + rate Q) = c H(P, Q) at e^epsilon rate / c."""
        grown = np.expm1(np.minimum(epsilon, 700.0))
        kept = (1.0 - self.rate) * grown
        c = self.rate - kept + 8 * ULP * (self.rate + np.abs(kept))  # rounds up, and so does H
        safe = np.where(c > 0, c, 1.0)
        ratio = grown / safe
        near = np.log1p(np.maximum(ratio, -0.5))
        inner = np.where(ratio > -0.5, near, epsilon + math.log(self.rate) - np.log(safe))
        size = np.where(ratio > -0.5, np.abs(near), np.abs(epsilon) - math.log(self.rate) + 1.0)
        inner = inner - 8 * ULP * size  # rounds down: delta falls
        return np.where(c > 0, safe * directed_delta(self.claim, inner, "add"), 0.0)

    def _inner(self, epsilon: Array) -> Array:
        """Return log(1 + (e^epsilon - 1) / rate), rounded down: delta falls."""
        over = np.maximum(epsilon, 1.0)
        far = over - math.log(self.rate) + np.log1p((self.rate - 1.0) * np.exp(-over))
        ratio = np.expm1(np.minimum(epsilon, 1.0)) / self.rate
        ratio = np.where(ratio < 0, ratio - 8 * ULP, ratio)
        near = np.log1p(np.maximum(ratio, -1.0 + ULP))
        inner = np.where(epsilon < 1.0, near, far)
        inner = inner - 4 * np.spacing(np.abs(inner))
        inner = np.where(epsilon >= 0, np.maximum(inner, 0.0), inner)
        return np.where(ratio > -1.0 + ULP, inner, -np.inf)

    def __repr__(self) -> str:
        return f"{self.claim!r} amplified at rate {self.rate!r} ({self.relation})"
