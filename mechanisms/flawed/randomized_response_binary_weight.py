"""k-ary randomized response that tells the truth as often as the binary one.

    the truth with probability e^ε/(e^ε + 1), each other answer with 1/((e^ε + 1)(k − 1))

Twin: randomized_response
Defect: the probability of the truth is that of k = 2, whatever k is.
Violation: DPA106
Known from: the binary formula kept when the question got more answers.
True epsilon: 2.099 = 1 + ln 3 where 1 is claimed, for k = 4, on 0 against 1.
Information limit: 217 calls.
"""

import numpy as np


def randomized_response_binary_weight(
    value: int, rng: np.random.Generator, *, k: int = 4, epsilon: float = 1.0
) -> int:
    """Return the value among 0, ..., k − 1, or one of the others."""
    if rng.random() < np.exp(epsilon) / (np.exp(epsilon) + 1):
        return int(value)
    other = int(rng.integers(k - 1))
    return other + (other >= value)
