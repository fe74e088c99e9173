"""Shuffled reports of a quarter of those who were counted.

    M(x) = the shuffled reports of x_1, ..., x_25,  claimed with the (.25, 6.07e-4) of n = 100

Twin: shuffled_reports
Defect: amplification is computed for everybody invited, and those who do not answer hide nobody.
Violation: DPA115
Known from: accounting by cohort size; known dropouts shrink the crowd.
True epsilon: .6302 at δ = 6.07e-4 where .25 is claimed, on 25 zeros against 24 and a 1;
δ(.25) = .0179.
Information limit: 27,638 calls.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.shuffled_reports import shuffled_reports


def shuffled_reports_responders(
    data: NDArray[np.int64],
    rng: np.random.Generator,
    *,
    local_epsilon: float = 1.0,
    responders: int = 25,
) -> NDArray[np.int64]:
    """Return a randomized response of each of the first respondents, in random order."""
    return shuffled_reports(data[:responders], rng, local_epsilon=local_epsilon)
