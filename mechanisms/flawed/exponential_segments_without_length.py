"""The median by the exponential mechanism, over segments that count alike, long or short.

    Pr[segment i] ∝ exp(ε u_i / (2Δ)),    M(x) uniform on it;    u_i = −|i − n/2|

Twin: exponential_segments
Defect: a segment's length is left out, so that the segments that the records cut become the
candidates: a record on a bound adds a point of positive probability.
Violation: DPA109
Known from: the mechanism for finitely many candidates, applied to the gaps between records.
True epsilon: infinite, on () against (0): only the latter answers exactly 0.
Information limit: 154 calls.
"""

import numpy as np
from numpy.typing import NDArray


def exponential_segments_without_length(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> float:
    """Return a number of [low, high] whose rank is close to the median's."""
    n = len(data)
    ends = np.concatenate([[low], np.sort(np.fmin(np.fmax(data, low), high)), [high]])
    exponents = -epsilon * np.abs(np.arange(n + 1) - n / 2)
    cumulated = np.exp(exponents - exponents.max()).cumsum()
    i = cumulated.searchsorted(rng.random() * cumulated[-1], side="right")
    return rng.uniform(ends[i], ends[i + 1])
