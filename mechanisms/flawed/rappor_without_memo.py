"""RAPPOR that draws its permanent response anew for each report.

    S_1, ..., S_r,  each with a B' of its own;  claimed 2h ln((1 − f/2)/(f/2)) for all of them

Twin: rappor
Defect: the claim for many reports rests on the one B' that they share; without it their average
tends to the Bloom filter itself.
Violation: DPA107
Known from: clients that keep no state; Erlingsson, Pihur & Korolova (2014) on longitudinal attacks.
True epsilon: 24.02 (30 reports of .8007) where 1.605 is claimed, on values whose filters differ
in 8 bits.
Information limit: 677 calls.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.rappor import BITS, bloom_filter, marginals


def rappor_without_memo(
    value: object,
    rng: np.random.Generator,
    *,
    reports: int = 30,
    f: float = 0.9,
    p: float = 0.25,
    q: float = 0.75,
) -> NDArray[np.int64]:
    """Return reports of the same respondent, shape (reports, BITS)."""
    low, high = marginals(f, p, q)
    return (rng.random((reports, BITS)) < np.where(bloom_filter(value), high, low)).astype(np.int64)
