"""The one-bit Hadamard report whose column is computed from the value.

    j = (7 v + 3) mod K;  report (j, ±H[v + 1, j]), the sign kept with probability e^ε/(e^ε + 1)

Twin: hadamard_response
Defect: the column is reported in the clear, and depends on the value.
Violation: DPA109
Known from: a hash of the value as "random" index, to save a call of the generator.
True epsilon: infinite, on 0 against 1.
Information limit: 44 calls: every output tells.
"""

from math import exp

import numpy as np

from mechanisms.hadamard_response import hadamard


def hadamard_response_column_from_value(
    value: int, rng: np.random.Generator, *, k: int = 4, epsilon: float = 1.0
) -> tuple[int, int]:
    """Return a column, and the noisy entry of the value's row in it."""
    column = (7 * value + 3) % (1 << k.bit_length())
    sign = 1 if rng.random() < 1 / (1 + exp(-epsilon)) else -1
    return column, sign * hadamard(value + 1, column)
