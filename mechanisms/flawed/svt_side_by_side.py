"""Two sparse vectors on the same answers, charged as one.

    M(x) = (M_3(x), M_4(x)),  M_3 that of svt_releases_comparison, M_4 that of svt_unbalanced

Twin: sparse_vector
Defect: each half is said to cost ε, and so is the whole. (Neither half keeps to it either.)
Violation: DPA107
Known from: SVT34Parallel of DP-Sniper (Bichsel, Steffen, Bogunovic & Vechev 2021).
True epsilon: infinite as the answers grow in number; 4.74 where 1 is claimed, for c = 1, on
1111111111 against 2222200000.
Information limit: 5,210 calls.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.flawed.svt_releases_comparison import svt_releases_comparison
from mechanisms.flawed.svt_unbalanced import svt_unbalanced


def svt_side_by_side(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    hits: int = 1,
    threshold: float = 1.0,
) -> tuple[tuple[float | bool, ...], tuple[bool, ...]]:
    """Return the noisy answers of one sparse vector and the flags of another."""
    return (
        svt_releases_comparison(answers, rng, epsilon=epsilon, hits=hits, threshold=threshold),
        svt_unbalanced(answers, rng, epsilon=epsilon, hits=hits, threshold=threshold),
    )
