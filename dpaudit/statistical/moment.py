"""Bets on functions of the output, for Rényi claims that no event refutes.

Young's inequality gives, for every u ≥ 0 of the output and every order α > 1,

    α E_P[u^(α−1)] − (α−1) E_Q[u^α] ≤ e^((α−1)ε)   if D_α(P‖Q) ≤ ε,

with equality at u = dP/dQ. A step function u, learned from past draws and bounded, makes
1 + λ(α u(x)^(α−1) − (α−1) u(y)^α − e^((α−1)ε)) a bet with mean at most one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpaudit.outputs import Columns
from dpaudit.statistical.numerics import Floats, log_sum_exp
from dpaudit.statistical.partition import Partition

CAPS = (2.0, 4.0, 10.0, 30.0)  # largest values of u
STAKES = (0.02, 0.06, 0.15, 0.35, 0.7, 0.97)


@dataclass(frozen=True, slots=True, eq=False)
class MomentBets:
    """Estimated likelihood ratios left/right of the cells, shape (m,)."""

    ratios: Floats


def moment_bets(partition: Partition, left: Columns, right: Columns) -> MomentBets:
    """Return the ratio of the cells' frequencies in past draws, shrunk towards one."""
    one = np.bincount(partition.assign(left), minlength=partition.cells).astype(float)
    two = np.bincount(partition.assign(right), minlength=partition.cells).astype(float)
    pooled = (one + two) / max(1.0, one.sum() + two.sum())
    shrink = 4.0
    p = (one + shrink * pooled) / (one.sum() + shrink)
    q = (two + shrink * pooled) / (two.sum() + shrink)
    return MomentBets(np.where(pooled > 0, p / np.where(pooled > 0, q, 1.0), 1.0))


def moment_log_wealth(
    joint: NDArray[np.int64], bets: MomentBets, moments: tuple[tuple[float, float], ...]
) -> Floats:
    """Return the log wealth of the mixture over orders, caps, directions and stakes.

    Parameters
    ----------
    joint : ndarray of int, shape (..., m, m)
        Pairs of draws by the cell of x (left) and of y (right).
    bets : MomentBets
    moments : tuple of (order, epsilon)
        The claim's Rényi bounds.
    """
    flat = joint.reshape(*joint.shape[:-2], -1).astype(float)
    used = np.flatnonzero(flat.reshape(-1, flat.shape[-1]).any(axis=0))
    x, y = np.divmod(used, joint.shape[-1])
    logs = []
    for order, epsilon in moments:
        with np.errstate(over="ignore"):
            allowed = np.exp((order - 1) * epsilon)
        for ratio, numerator, denominator in ((bets.ratios, x, y), (1 / bets.ratios, y, x)):
            for cap in CAPS:
                u = np.minimum(ratio, cap)
                with np.errstate(over="ignore"):
                    largest = (order - 1) * np.max(u) ** order + allowed
                if not np.isfinite(largest):
                    continue  # so large an order, or claim, offers no bet in double precision
                gain = order * u[numerator] ** (order - 1) - (order - 1) * u[denominator] ** order
                logs += [np.log1p(s / largest * (gain - allowed)) for s in STAKES]
    if not logs:
        return np.zeros(joint.shape[:-2])
    wealth = flat[..., used] @ np.stack(logs, axis=1)
    mixture: Floats = log_sum_exp(wealth) - np.log(wealth.shape[-1])
    return mixture
