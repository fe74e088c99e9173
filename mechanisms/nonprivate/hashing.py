"""Hashing of identifiers, without a key.

    M(x) = (H(name_1), ..., H(name_n)),    H = SHA-256

Promises: that H cannot be inverted, which holds for what cannot be listed (one-wayness).
Attack: linkage by dictionary: names, numbers of phones, taxis and insured persons can be listed;
hash the list and look each output up. The witness is two names: each has its own hash.
Violation: DPA101
Known from: New York's taxi trips of 2013, published with the MD5 of licence numbers.
True epsilon: infinite, on any two neighbors.
Information limit: 44 calls: every output tells.
"""

from hashlib import sha256

import numpy as np
from numpy.typing import NDArray


def hashing(data: NDArray[np.str_]) -> tuple[str, ...]:
    """Return the hash of each name, in hexadecimal."""
    return tuple(sha256(name.encode()).hexdigest() for name in data.tolist())
