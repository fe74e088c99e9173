"""The privacy odometer that turns back where an answer found nobody.

    for i = 1, 2, ...:  a_i = q(x) + Geom(ε/k);  read (number of positive answers so far) ε/k;
                        stop as soon as a_i ε/k ≥ 4 or ε is read

Twin: privacy_odometer
Defect: an answer that is not positive is refunded, although it tells as much as any other.
Violation: DPA107
Known from: query servers that charge for results and not for empty ones.
True epsilon: 4 where 1 is claimed, on () against (100), when all sixteen answers are refunded.
Information limit: 3,190 calls.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.geometric import geometric


def odometer_refunds(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    threshold: float = 50.0,
    queries: int = 4,
    longest: int = 16,
    epsilon: float = 1.0,
) -> tuple[tuple[int, float], ...]:
    """Return (answer, reading) until an answer is large against its noise."""
    price, charged = epsilon / queries, 0
    transcript = []
    while charged < queries and len(transcript) < longest:
        answer = geometric(data >= threshold, rng, epsilon=price)
        charged += answer > 0
        transcript.append((answer, epsilon * charged / queries))
        if answer * price >= 4:
            break
    return tuple(transcript)
