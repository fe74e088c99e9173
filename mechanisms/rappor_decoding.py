"""RAPPOR's server: how many filters have each bit, then how many respondents hold each candidate.

    t_i = (Σ_reports S_i − n p*)/(q* − p*),    ĉ = argmin_c ‖X c − t‖₂,  columns X_v = B(v)

Theorem: as private as the reports, which it only post-processes (Dwork & Roth 2014, Proposition
2.1; Erlingsson, Pihur & Korolova 2014, who choose candidates by lasso first).
Sensitivity: none is used; the reports carry the noise.
Relation: that of the reports.
Utility: t is unbiased with independent entries of variance
V_i = (b_i q*(1 − q*) + (n − b_i) p*(1 − p*))/(q* − p*)² where b_i of n filters have bit i. If every
value held is a candidate and their filters are linearly independent, ĉ is unbiased, with
covariance X⁺ diag(V) X⁺ᵀ.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mechanisms.frequency_oracle import estimated_counts
from mechanisms.rappor import bloom_filter, marginals


def design(candidates: Sequence[object]) -> NDArray[np.int64]:
    """Return X, one column a candidate."""
    return np.column_stack([bloom_filter(candidate) for candidate in candidates])


def estimated_bits(
    reports: NDArray[np.int64], *, f: float = 0.75, p: float = 0.45, q: float = 0.55
) -> NDArray[np.float64]:
    """Return t; `reports` has a row for each respondent."""
    low, high = marginals(f, p, q)
    return estimated_counts(reports.sum(axis=0), len(reports), p=high, q=low)


def decoded_counts(bits: NDArray[np.float64], candidates: Sequence[object]) -> NDArray[np.float64]:
    """Return how many respondents hold each candidate."""
    counts: NDArray[np.float64] = np.linalg.lstsq(design(candidates), bits, rcond=None)[0]
    return counts
