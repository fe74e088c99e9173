"""The count-mean sketch with noise on the entry that matters, and on no other.

    x_i = 1 if i = h_j(v) else −1;  x̃_{h_j(v)} = −1 with probability 1/(e^(ε/2) + 1);  x̃_i = −1 else

Twin: count_mean_sketch
Defect: an entry of 1 can only be the true one, since the others never flip.
Violation: DPA102
Known from: "flip the bit that holds the information".
True epsilon: infinite, on 0 against 1, whose hashes differ; δ(ε) = .622 for every ε of at least 1.
Information limit: 71 calls.
"""

from math import exp

import numpy as np
from numpy.typing import NDArray

from mechanisms.count_mean_sketch import PUBLIC
from mechanisms.local_hashing import universal_hash


def count_mean_sketch_one_entry(
    value: int,
    rng: np.random.Generator,
    *,
    hashes: NDArray[np.int64] = PUBLIC,
    m: int = 16,
    epsilon: float = 1.0,
) -> tuple[int, NDArray[np.int64]]:
    """Return the number of a hash function, and m entries of −1 or 1."""
    j = int(rng.integers(len(hashes)))
    x = np.full(m, -1)
    if rng.random() > 1 / (exp(epsilon / 2) + 1):
        x[universal_hash(*hashes[j], value, m)] = 1
    return j, x
