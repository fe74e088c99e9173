"""The Laplace mechanism whose generator is seeded with the answer.

    M(x) = x + Y,    Y the first draw of Lap(Δ/ε) after seed hash(x)

Twin: laplace
Defect: the output is a function of the data; whoever guesses an answer can check it.
Violation: DPA110
Known from: noise that "must be the same when the same question is asked again"; the sticky noise
of Diffix, which seeds from data and query, mixed in a secret.
True epsilon: infinite, on 0 against 1.
Information limit: 44 calls: every output tells.
"""

import numpy as np


def laplace_seed_from_data(
    answer: float, rng: np.random.Generator, *, epsilon: float = 1.0, sensitivity: float = 1.0
) -> float:
    """Return the same noisy answer whenever the answer is the same."""
    rng = np.random.default_rng(abs(hash(answer)))
    return answer + rng.laplace(scale=sensitivity / epsilon)
