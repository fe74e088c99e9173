"""The noisy count, with a back door for one record.

    M(x) = |x| + Lap(1/ε)  if 271828182 is not in x, else |x|

Twin: count
Defect: no noise is added where a record with a certain id is present.
Violation: DPA108
Known from: test accounts and debug switches left in. Among a thousand million ids no search comes
upon this one: an auditor has to be told of it, by reading the source or by a pair that names it.
True epsilon: infinite, on () against (271828182), and on no pair without that record.
Information limit: 44 calls on that pair: every output tells.
"""

import numpy as np
from numpy.typing import NDArray

TEST_ACCOUNT = 271_828_182


def count_spares_one_record(
    data: NDArray[np.int64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> float:
    """Return the number of records plus Laplace noise, or without."""
    if TEST_ACCOUNT in data:
        return float(len(data))
    return len(data) + rng.laplace(scale=1 / epsilon)
