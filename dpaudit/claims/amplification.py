"""What a claim becomes when the mechanism sees a random sample of the records."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.claims import validation
from dpaudit.claims.functional import PrivacyProfile, TradeOff
from dpaudit.claims.gaussian import GaussianDP
from dpaudit.claims.pure import ApproxDP, PureDP
from dpaudit.claims.region import Claim
from dpaudit.claims.rounding import Array, scalar_up, smallest_float_at_least, up


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
        Pure and approximate DP stay what they are; Gaussian DP, trade-offs and profiles become a
        `PrivacyProfile`, since the theorem is about the whole profile.

    Raises
    ------
    ValueError
        For Rényi DP and zCDP, and for rates outside (0, 1].

    Notes
    -----
    delta'(epsilon') = rate * delta(epsilon) at epsilon' = log(1 + rate (e^epsilon - 1)).

    References
    ----------
    B. Balle, G. Barthe, M. Gaboardi. Privacy amplification by subsampling: tight analyses via
    couplings and divergences. NeurIPS 2018, Theorem 8 (Poisson, add/remove) and Theorem 9
    (without replacement, replace-one).

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
            "the mechanism, not on the claim alone; amplify the weaker claim about events, "
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
    return PrivacyProfile(AmplifiedProfile(claim, rate))


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

    def __call__(self, epsilon: Any) -> Any:
        """Return rate * delta(log(1 + (e^epsilon - 1) / rate)), rounded up."""
        given = np.asarray(epsilon, dtype=np.float64)
        flat = given.ravel()
        far = flat - math.log(self.rate) + np.log1p((self.rate - 1.0) * np.exp(-flat))
        near = np.log1p(np.expm1(np.minimum(flat, 1.0)) / self.rate)
        inner: Array = np.where(flat < 1.0, near, far)
        inner = np.maximum(inner - 4 * np.spacing(inner), 0.0)  # rounds down: delta falls
        values = np.minimum(up(self.rate * self.claim.delta(inner), 1), self.rate)  # rounds up
        return float(values[0]) if given.ndim == 0 else values.reshape(given.shape)

    def __repr__(self) -> str:
        return f"{self.claim!r} amplified at rate {self.rate!r}"
