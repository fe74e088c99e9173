"""Randomized responses that nobody shuffled.

    M(x) = (y_1, ..., y_n),  claimed with the amplified (.25, 6.07e-4) of ε₀ = 1 and n = 100

Twin: shuffled_reports
Defect: the reports come in the order of their senders, as an index or a time stamp would tell.
Violation: DPA115
Known from: shufflers that keep arrival times, or batches that are sorted by client.
True epsilon: 1.0 where .25 is claimed, on 0 against 1 at any position; δ(.25) = .386.
Information limit: 227 calls.
"""

from math import exp

import numpy as np
from numpy.typing import NDArray


def shuffled_reports_in_order(
    data: NDArray[np.int64], rng: np.random.Generator, *, local_epsilon: float = 1.0
) -> NDArray[np.int64]:
    """Return a randomized response of each respondent."""
    lies = rng.random(len(data)) > 1 / (1 + exp(-local_epsilon))
    return data ^ lies
