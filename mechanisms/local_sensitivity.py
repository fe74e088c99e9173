"""The local sensitivity at distance k of a sum, a mean and a median.

    A(f, x, k) = max_{d(x, y) ≤ k} LS_f(y),    LS_f(y) = max_{d(y, z) ≤ 1} |f(y) − f(z)|

A profile is A(f, x, ·) at k = 0, ..., n, for records clipped to [l, u]. A(f, x, n) is the global
sensitivity, so that larger k add nothing.

    sum:     max(|l|, |u|)
    mean:    (u − l) / max(1, n − k), at worst over the values of n records
    median:  x_{⌊(n + k)/2⌋ + 1} − x_{⌊(n − k)/2⌋}, for x_⌈n/2⌉ where x_0 = l and x_{n+1} = u

Theorem: noise of scale A(f, x, 0) is private only where A(f, ·, 0) is constant, as for the sum
(Nissim, Raskhodnikova & Smith 2007, whose neighbors replace a record and whose formulas differ).
Sensitivity: A has none that helps; A(f, x, k) ≤ A(f, x', k + 1) between neighbors x and x'.
Relation: one record added or removed; d counts such steps. The mean and median of none are l.
Utility: it is what the noise must hide at x itself: variance 2 A(f, x, 0)²/ε² for the sum.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def sum_profile(data: Floats, low: float, high: float) -> Floats:
    """Return A(sum, x, k): a new record may always be the largest there is."""
    return np.full(len(data) + 1, float(max(abs(low), abs(high))))


def mean_profile(data: Floats, low: float, high: float) -> Floats:
    """Return A(mean, x, k): the farther away, the fewer records are left."""
    return (high - low) / np.maximum(1, np.arange(len(data), -1, -1))


def bounded_order(data: Floats, low: float, high: float) -> Floats:
    """Return x_0, ..., x_{n+1}: the clipped records in order, between l and u; NaN counts as l."""
    x = np.concatenate(([low, high], data))
    x = np.fmin(np.fmax(x, low), high)
    x.sort()
    return x


def median_profile(data: Floats, low: float, high: float) -> Floats:
    """Return A(median, x, k): k steps remove the k records around the median's gap."""
    x, n, k = bounded_order(data, low, high), len(data), np.arange(len(data) + 1)
    return x[(n + k) // 2 + 1] - x[(n - k) // 2]
