"""Report noisy min with Gumbel noise that has its long tail on the wrong side.

    M(x) = argmin_i f_i(x) + Y_i,    Y_i ~ Gumbel(2/ε)

Twin: noisy_max
Defect: the largest answer was sought with +Y; the smallest needs −Y. The thin tail makes a bad
answer win only if all the others fall behind it, each at the price of ε.
Violation: DPA106
Known from: `argmax` turned into `argmin` while the noise stays as it is.
True epsilon: 4 where 1 is claimed, (k − 1)ε for k = 5, on (d+1, 0, 0, 0, 0) against
(d, 1, 1, 1, 1) as d grows; 1.73 on 11111 against 20000.
Information limit: 2,710 calls on the latter.
"""

import numpy as np
from numpy.typing import NDArray


def noisy_max_wrong_tail(
    answers: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> int:
    """Return the index of the smallest answer after Gumbel noise."""
    return int(np.argmin(answers + rng.gumbel(scale=2 / epsilon, size=len(answers))))
