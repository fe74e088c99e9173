"""What a claim says about datasets that differ in several records."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.claims import validation
from dpaudit.claims.functional import TradeOff
from dpaudit.claims.gaussian import GaussianDP
from dpaudit.claims.pure import ApproxDP, PureDP
from dpaudit.claims.region import Claim
from dpaudit.claims.renyi import RenyiDP, ZeroConcentratedDP
from dpaudit.claims.rounding import scalar_up, smallest_float_at_least


def group(claim: Claim, k: int) -> Claim:
    """Return the claim for datasets that differ in `k` records, one after the other.

    Parameters
    ----------
    claim : Claim
        The claim for one record.
    k : int
        At least 1.

    Returns
    -------
    Claim
        k epsilon; delta (e^(k epsilon) - 1) / (e^epsilon - 1); k mu; k^2 rho; for Rényi DP and
        k = 2^c, order a / 2^c and 3^c epsilon; for a trade-off f, 1 - (1 - f) applied k times.

    Raises
    ------
    ValueError
        Where no theorem applies, or the resulting delta reaches 1.

    References
    ----------
    C. Dwork, A. Roth. The algorithmic foundations of differential privacy. 2014, Theorem 2.2 (for
    delta = 0; its induction adds up delta e^(i epsilon)). M. Bun, T. Steinke 2016, Proposition 1.9.
    I. Mironov 2017, Proposition 2. J. Dong, A. Roth, W. Su 2019, Theorem 2.14 of
    arXiv:1905.02383.

    Examples
    --------
    >>> PureDP(0.5).for_group(4)
    PureDP(2.0)
    """
    k = validation.group(k)
    if k == 1:
        return claim
    match claim:
        case PureDP():
            return PureDP(_times(k, claim.epsilon))
        case ApproxDP():
            return ApproxDP(_times(k, claim.epsilon), _group_delta(claim, k))
        case GaussianDP():
            return GaussianDP(_times(k, claim.mu))
        case ZeroConcentratedDP():
            return ZeroConcentratedDP(_times(k * k, claim.rho))
        case RenyiDP():
            return _renyi_group(claim, k)
        case TradeOff():
            return TradeOff(GroupTradeOff(claim, k))
    raise ValueError(
        f"{claim!r} has no group claim: no theorem extends a bare profile; "
        "use the trade-off of the same region, TradeOff(claim.beta).for_group(k)"
    )


def _times(factor: int, value: float) -> float:
    return smallest_float_at_least(factor * Fraction(value))  # rounds up


def _group_delta(claim: ApproxDP, k: int) -> float:
    epsilon, delta = claim.epsilon, claim.declared_delta
    if delta == 0:
        return 0.0
    if epsilon == 0:
        total = _times(k, delta)
    elif k * epsilon > 700:
        total = math.inf
    else:
        total = scalar_up(delta * math.expm1(k * epsilon) / math.expm1(epsilon), 8)  # rounds up
    if total >= 1:
        raise ValueError(
            f"{claim!r} says nothing about groups of {k}: their delta would be at least 1, "
            f"got {total!r}; claim a smaller delta or smaller groups"
        )
    return total


def _renyi_group(claim: RenyiDP, k: int) -> RenyiDP:
    c = k.bit_length() - 1
    if k != 2**c:
        raise ValueError(
            f"`k` must be a power of two for Rényi DP, got {k}; use the next one, {2 ** (c + 1)}: "
            "it covers smaller groups"
        )
    if claim.order < 2 ** (c + 1):
        raise ValueError(
            f"order must be at least {2 ** (c + 1)} for groups of {k}, got {claim.order!r}; "
            "start from a claim of a higher order"
        )
    return RenyiDP(claim.order / 2**c, _times(3**c, claim.epsilon))


@dataclass(frozen=True, slots=True, repr=False)
class GroupTradeOff:
    """1 - (1 - f) applied k times; a value, so that claims made of it compare."""

    claim: TradeOff
    k: int

    def __call__(self, alpha: Any) -> Any:
        """Return the type II error at `alpha`, rounded down."""
        given = np.asarray(alpha, dtype=np.float64)
        power = given.ravel()
        for _ in range(self.k):
            # rounding may leave f a few ulp below, never above: powers stay upper bounds
            power = 1.0 - self.claim.beta(power)
        values = 1.0 - power
        return float(values[0]) if given.ndim == 0 else values.reshape(given.shape)

    def __repr__(self) -> str:
        return f"{self.claim!r} for groups of {self.k}"
