"""The Laplace mechanism with a generator that has 256 states.

    M(x) = x + Y_s,    s uniform on 0..255,    Y_s the first draw of Lap(Δ/ε) after seed s

Twin: laplace
Defect: the seed has eight bits, so that an answer has 256 outputs, none of which another shares.
Violation: DPA110
Known from: seeds from process numbers and clocks, such as Debian's OpenSSL of 2006, 15 bits.
True epsilon: infinite, on 0 against 1.
Information limit: 44 calls: every output tells him who lists the seeds.
"""

import numpy as np


def laplace_few_seeds(
    answer: float, rng: np.random.Generator, *, epsilon: float = 1.0, sensitivity: float = 1.0
) -> float:
    """Return one answer with one of 256 noises."""
    rng = np.random.default_rng(int(rng.integers(256)))
    return answer + rng.laplace(scale=sensitivity / epsilon)
