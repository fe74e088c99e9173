"""The Laplace mechanism behind a cache that keeps the answer without its noise.

    M(x) = x + Lap(Δ/ε) at the first call with x, and x at every later one

Twin: laplace
Defect: the cache is filled before the noise is added, and served as if it were the release.
Violation: DPA116
Known from: caches around the query where they should be around the mechanism.
True epsilon: 1, as claimed, for the first call of a process; infinite for a call whose answer an
earlier one has had.
Information limit: none: the first call is private; the state is what is to be found.
"""

import numpy as np

_answers: dict[float, float] = {}


def laplace_raw_cache(
    answer: float, rng: np.random.Generator, *, epsilon: float = 1.0, sensitivity: float = 1.0
) -> float:
    """Return one answer with Laplace noise, or what the cache holds."""
    if answer in _answers:
        return _answers[answer]
    _answers[answer] = answer
    return answer + rng.laplace(scale=sensitivity / epsilon)
