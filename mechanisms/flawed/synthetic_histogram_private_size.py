"""As many synthetic records as there are real ones.

    p_j as for a noisy histogram;    M(x) = |x| draws of p

Twin: synthetic_histogram
Defect: the number of synthetic records is the number of real ones, which one record changes.
Violation: DPA109
Known from: `generator.sample(len(data))`, the usual last line.
True epsilon: infinite, on () against one record.
Information limit: 44 calls: every output tells.
"""

import numpy as np

from mechanisms.synthetic_histogram import Records, synthetic_histogram


def synthetic_histogram_private_size(
    data: Records, rng: np.random.Generator, *, cells: int = 5, epsilon: float = 1.0
) -> Records:
    """Return a synthetic record for each real one."""
    return synthetic_histogram(data, rng, cells=cells, size=len(data), epsilon=epsilon)
