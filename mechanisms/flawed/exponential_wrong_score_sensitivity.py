"""The exponential mechanism for the price of an auction, with the sensitivity of a count.

    u(x, r) = r |{i : x_i ≥ r}|, the revenue at price r;    Pr[M(x) = r] ∝ exp(ε u(x, r) / 2)

Twin: exponential
Defect: one bid moves the count by 1, but the revenue by the price, up to 5.
Violation: DPA105
Known from: a score multiplied by a weight after its sensitivity was derived; the auction is that
of McSherry & Talwar (2007).
True epsilon: 1.59 where 1 is claimed, on five bids of 5 against these and one of 4; up to 2.5.
Information limit: 1,850 calls.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.exponential import exponential

PRICES = np.array([1.0, 2.0, 3.0, 4.0, 5.0])


def exponential_wrong_score_sensitivity(
    bids: NDArray[np.int64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    sensitivity: float = 1.0,
) -> float:
    """Return a price of 1, ..., 5 that brings much revenue."""
    revenues = PRICES * (np.asarray(bids)[:, None] >= PRICES).sum(axis=0)
    return float(PRICES[exponential(revenues, rng, epsilon=epsilon, sensitivity=sensitivity)])
