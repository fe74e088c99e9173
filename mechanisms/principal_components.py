"""Principal components of a noisy covariance matrix ("Analyze Gauss").

    Ĉ = Σ a_i a_iᵀ + E,    E symmetric, E_jk ~ N(0, σ²) for j ≤ k;    M(A) = top k eigenvectors of Ĉ

Theorem: Ĉ, and with it M, is 1/(2σ²)-zCDP and (1/σ)-Gaussian DP (Bun & Steinke 2016; Dong, Roth &
Su 2019), and (ε, δ)-differentially private for the σ of the Gaussian mechanism (Dwork, Talwar,
Thakurta & Zhang 2014).
Sensitivity: 1 in the L2 norm of the entries j ≤ k: Σ_{j≤k} (a_j a_k)² ≤ ‖a‖⁴ ≤ 1, with equality
where a is a unit vector of the axes.
Relation: one row added or removed. Entries are clipped to [−1, 1] (NaN counts as −1), and rows that
are longer than 1 are scaled to length 1.
Utility: the first component captures less than the best direction v does by max uᵀEu − vᵀEv at
most, in expectation by 2σ√d (Sudakov and Fernique, on Gaussian processes).
"""

import numpy as np
from numpy.typing import NDArray


def noisy_covariance(
    data: NDArray[np.void], rng: np.random.Generator, *, sigma: float = 1.0
) -> NDArray[np.float64]:
    """Return the noisy d × d matrix of second moments of the d columns."""
    a = np.fmin(np.fmax([data[c] for c in data.dtype.names], -1.0), 1.0)  # d × n
    a /= np.maximum(1.0, np.sqrt((a * a).sum(axis=0)))
    noise = np.triu(rng.normal(scale=sigma, size=(len(a), len(a))))
    return a @ a.T + noise + np.triu(noise, 1).T


def principal_components(
    data: NDArray[np.void], rng: np.random.Generator, *, k: int = 1, sigma: float = 1.0
) -> NDArray[np.float64]:
    """Return the first k components, one a row."""
    vectors = np.linalg.eigh(noisy_covariance(data, rng, sigma=sigma)).eigenvectors
    return vectors.T[::-1][:k]
