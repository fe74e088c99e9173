"""The noisy covariance matrix of rows whose entries, not lengths, are bounded.

    Ĉ = Σ a_i a_iᵀ + E,    a_i in [−1, 1]^d,    E_jk ~ N(0, σ²) for j ≤ k

Twin: principal_components
Defect: a row of d ones has length √d and moves the entries j ≤ k by √(d(d + 1)/2) in the L2 norm.
Violation: DPA105
Known from: features scaled to [−1, 1] where the theorem wants rows of length 1.
True epsilon: 2.706 at δ = 1e-5 where 1 is claimed, d = 3, on () against (1, 1, 1).
Information limit: 7,440 calls.
"""

import numpy as np
from numpy.typing import NDArray


def principal_components_unnormalized(
    data: NDArray[np.void], rng: np.random.Generator, *, sigma: float = 3.730632
) -> NDArray[np.float64]:
    """Return the noisy d × d matrix whose eigenvectors are the components."""
    a = np.fmin(np.fmax([data[c] for c in data.dtype.names], -1.0), 1.0)
    noise = np.triu(rng.normal(scale=sigma, size=(len(a), len(a))))
    return a @ a.T + noise + np.triu(noise, 1).T
