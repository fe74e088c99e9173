"""Frequencies from locally private reports: the estimate that pure protocols share.

    c̃(v) = (Σ_j 1[report j supports v] − n q) / (p − q)

A protocol is pure when the report of a respondent who holds v supports v with probability p, and
any other value with probability q, the same for all.

Theorem: as private as the reports, which it only post-processes (Wang, Blocki, Li & Jha 2017;
Dwork & Roth 2014, Proposition 2.1).
Sensitivity: none is used; the reports carry the noise.
Relation: that of the reports.
Utility: unbiased, variance n q (1 − q)/(p − q)² + c(v) (1 − p − q)/(p − q), where c(v) of n
respondents hold v (Wang, Blocki, Li & Jha 2017, on pure protocols).
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def estimated_counts(support: ArrayLike, n: int, *, p: float, q: float) -> NDArray[np.float64]:
    """Return how many of n respondents hold each value, given how many reports support it."""
    counts: NDArray[np.float64] = (np.asarray(support, dtype=np.float64) - n * q) / (p - q)
    return counts


def variance(n: int, count: Any, *, p: float, q: float) -> Any:
    """Return the variance of the estimate of a count."""
    return n * q * (1 - q) / (p - q) ** 2 + count * (1 - p - q) / (p - q)
