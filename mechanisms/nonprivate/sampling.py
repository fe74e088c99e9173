"""Raw sampling: each record is published as it is, with probability q.

    M(x) = the records of S,    S keeps each record of x with probability q, independently

Promises: that a given person is probably not in the sample; it is (0, q)-differentially private,
and no better for any epsilon.
Attack: linkage: whoever is in the sample and alone with a zip and an age is found, and it is no
secret that they are (Dwork & Roth 2014, on the "just a few" argument). The witness is a record
of one dataset that the other has not: seen once, it tells.
Violation: DPA102
Known from: public use files with "a 5 % sample of the records".
True epsilon: infinite, with δ = q = .2, on a record against none.
Information limit: 420 calls.
"""

import numpy as np
from numpy.typing import NDArray


def sampling(
    data: NDArray[np.void], rng: np.random.Generator, *, rate: float = 0.2
) -> NDArray[np.void]:
    """Return a Poisson sample of the records."""
    return data[rng.random(len(data)) < rate]
