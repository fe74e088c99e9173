"""RAPPOR with the epsilon of one of its bits.

    M(v) = B', each bit a fair coin with probability f = .95; claimed ln((1 − f/2)/(f/2)) = .1

Twin: rappor
Defect: the claim is that of one bit, and two Bloom filters differ in up to eight.
Violation: DPA105
Known from: the benchmark of Bichsel et al. (2021), where .1 stands beside these parameters.
True epsilon: .8007 where .1 is claimed, on values whose filters differ in 8 bits (.6005 in 6);
with f = .75, p = .45, q = .55: .4001 (.3001).
Information limit: 2,571 calls (3,797 at 6 bits); with p and q 20,595 (35,493).
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.rappor import rappor


def rappor_wrong_epsilon(
    value: object,
    rng: np.random.Generator,
    *,
    f: float = 0.95,
    p: float = 0.0,
    q: float = 1.0,
) -> NDArray[np.int64]:
    """Return one report; for p = 0 and q = 1 that of one-time RAPPOR."""
    return rappor(value, rng, f=f, p=p, q=q)[0]
