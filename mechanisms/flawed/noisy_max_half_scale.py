"""Report noisy max with the noise that suffices for counts.

    M(x) = argmax_i f_i(x) + Y_i,    Y_i ~ Lap(1/ε)

Twin: noisy_max
Defect: Lap(1/ε) is enough if all answers move one way; here they move both ways.
Violation: DPA106
Known from: Dwork & Roth (2014), Claim 3.9, taken beyond the counts that it speaks of.
True epsilon: 1.76 where 1 is claimed, on 01111 against 10000; up to 2.
Information limit: 1,030 calls.
"""

import numpy as np
from numpy.typing import NDArray


def noisy_max_half_scale(
    answers: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> int:
    """Return the index of the largest answer after too little noise."""
    return int(np.argmax(answers + rng.laplace(scale=1 / epsilon, size=len(answers))))
