"""The noisy count that also counts the records of earlier calls.

    M(x) = (|x| + all records seen before) + Lap(1/ε)

Twin: count
Defect: a counter outlives the call, so that an earlier dataset moves a later answer.
Violation: DPA116
Known from: services that keep a query object, and its counter, between requests.
True epsilon: 1, as claimed, for the first call of a process; any later call answers about the
datasets of others too.
Information limit: none: the state is what is to be found.
"""

from collections.abc import Sized

import numpy as np

_seen = {"records": 0}


def count_accumulates(data: Sized, rng: np.random.Generator, *, epsilon: float = 1.0) -> float:
    """Return the number of records, those of earlier calls included, plus Laplace noise."""
    _seen["records"] += len(data)
    return _seen["records"] + rng.laplace(scale=1 / epsilon)
