"""Hadamard response, and its sibling that reports one bit.

    H[x, y] = (−1)^(number of ones in x & y),  K the least power of two above k
    Hadamard response: y uniform among H[v + 1, y] = 1 with probability e^ε/(e^ε + 1), else among
                       H[v + 1, y] = −1
    one bit:           j uniform in {0, ..., K − 1};  report (j, ±H[v + 1, j]), the sign kept with
                       probability e^ε/(e^ε + 1)

Theorem: both are (ε, 0)-differentially private (Acharya, Sun & Zhang 2019, the case of high
privacy; Bassily & Smith 2015 for one bit).
Sensitivity: none is used; half of all y have H[v + 1, y] = 1 for every v.
Relation: local, any two records.
Utility: a report supports v where it shows H[v + 1, ·] = 1 (the reported bit): with probability
e^ε/(e^ε + 1) if its sender holds v, else 1/2. The count is unbiased, with variance
n ((e^ε + 1)/(e^ε − 1))² − c(v), where c(v) respondents hold v.
"""

from math import exp

import numpy as np
from numpy.typing import NDArray

from mechanisms import frequency_oracle


def hadamard(x: int, y: int) -> int:
    """Return H[x, y], 1 or −1."""
    return 1 - 2 * ((x & y).bit_count() & 1)


def hadamard_response(
    value: int, rng: np.random.Generator, *, k: int = 4, epsilon: float = 1.0
) -> int:
    """Return a column of the Hadamard matrix, likelier one where the value's row is 1."""
    row = int(value) + 1
    column = int(rng.integers(1 << k.bit_length()))
    wanted = 1 if rng.random() < 1 / (1 + exp(-epsilon)) else -1
    # one bit of the row flipped in the column maps one half of the columns onto the other
    return column if hadamard(row, column) == wanted else column ^ (row & -row)


def one_bit_hadamard(
    value: int, rng: np.random.Generator, *, k: int = 4, epsilon: float = 1.0
) -> tuple[int, int]:
    """Return a random column, and the noisy entry of the value's row in it."""
    column = int(rng.integers(1 << k.bit_length()))
    sign = 1 if rng.random() < 1 / (1 + exp(-epsilon)) else -1
    return column, sign * hadamard(int(value) + 1, column)


def estimated_counts(support: NDArray[np.int64], n: int, *, epsilon: float) -> NDArray[np.float64]:
    """Return how many of n respondents hold each value, from how many reports support it."""
    return frequency_oracle.estimated_counts(support, n, p=1 / (1 + exp(-epsilon)), q=0.5)
