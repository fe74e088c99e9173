"""Lower limits for means of functions of the cells that were chosen on other draws."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpaudit.estimates.proportions import lower_limit

Floats = NDArray[np.float64]

OUTWARD = 1e-12


def mean_limits(counts: Floats, values: Floats, miss: float) -> Floats:
    """Return a lower limit for the mean of a function, for each input.

    Parameters
    ----------
    counts : ndarray of int, shape (v, k)
        Of independent samples, one an input.
    values : ndarray, shape (v, k)
        Of the function on the cells, chosen without these counts.
    miss : float
        Probability at most that any limit exceeds its mean.

    Notes
    -----
    Clopper & Pearson's where a function has two values, else the empirical Bernstein bound,
    ``mean − √(2 V L / n) − 7 R L / (3 (n − 1))`` with V the sample variance, R the range and
    L = ln(2 / tail).

    References
    ----------
    Maurer & Pontil, "Empirical Bernstein bounds and sample-variance penalization", COLT 2009,
    Theorem 4.
    """
    tail = miss / len(counts)
    return np.array([_limit(row, value, tail) for row, value in zip(counts, values, strict=True)])


def _limit(counts: Floats, values: Floats, tail: float) -> float:
    n = int(counts.sum())
    least, most = float(values.min()), float(values.max())
    if set(np.unique(values)) <= {least, most}:
        share = float(lower_limit(counts[values == most].sum(), n, tail)) if least < most else 0.0
        found = least + (most - least) * share
    elif n < 2:
        found = least
    else:
        mean = float(counts @ values) / n
        variance = float(counts @ (values - mean) ** 2) / (n - 1)
        log = math.log(2 / tail)
        error = math.sqrt(2 * variance * log / n) + 7 * (most - least) * log / (3 * (n - 1))
        found = max(least, mean - error)
    return found - OUTWARD * (1 + abs(found))  # rounds down
