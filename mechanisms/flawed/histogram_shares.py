"""The noisy histogram in shares of the number of records.

    M(x) = ((c_1 + Y_1)/n, ..., (c_k + Y_k)/n),    n = max(1, |x|),    Y_j ~ Lap(1/ε)

Twin: histogram
Defect: the number of records divides the noise with the counts, and so sets its scale.
Violation: DPA103
Known from: percentages from noisy counts; dividing by the noisy total would be post-processing.
True epsilon: infinite, on (100) against (100, 100): the spread of the shares tells n.
Information limit: 245 calls.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.histogram import histogram


def histogram_shares(
    data: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """Return the noisy shares of five bins."""
    return histogram(data, rng, epsilon=epsilon) / max(1, len(data))
