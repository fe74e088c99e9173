"""The Laplace mechanism on a vector, calibrated to the largest change of one entry.

    M(x) = f(x) + (Y_1, ..., Y_k),    Y_i ~ Lap(Δ∞/ε)

Twin: laplace
Defect: Δ∞ = max |f_i(x) − f_i(x')| stands where the theorem needs the sum of all changes.
Violation: DPA105
Known from: PrefixSum under the relation in which every answer moves (Bichsel et al. 2021).
True epsilon: k = 5 where 1 is claimed, on 00000 against 11111.
Information limit: 139 calls.
"""

import numpy as np
from numpy.typing import NDArray


def laplace_linf_sensitivity(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    largest_change: float = 1.0,
) -> NDArray[np.float64]:
    """Return each answer with noise that pays for one answer alone."""
    return answers + rng.laplace(scale=largest_change / epsilon, size=len(answers))
