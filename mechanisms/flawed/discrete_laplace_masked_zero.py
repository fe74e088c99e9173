"""The discrete Laplace mechanism that masks small outputs by multiplying the answer.

    M(x) = y  if |y| ≥ 2, else 0·x,    y = x + Z with the noise of the discrete Laplace mechanism

Twin: discrete_laplace
Defect: 0·x is −0.0 for a negative answer, and its sign is printed, stored and divided by.
Violation: DPA111
Known from: masks that multiply (`answer * keep`) where they should select.
True epsilon: infinite, on −1 against 1, for who reads the sign of a zero.
Information limit: none with numbers, of which 0.0 and −0.0 are one; 91 calls with the sign.
"""

import numpy as np

from mechanisms.discrete_laplace import discrete_laplace


def discrete_laplace_masked_zero(answer: int, rng: np.random.Generator) -> float:
    """Return an answer between -1 and 1 with noise, or a zero where little is left of both."""
    noisy = discrete_laplace(answer, rng, sensitivity=2)
    return float(noisy) if abs(noisy) >= 2 else 0.0 * answer
