"""The noisy count whose noise is cut to an integer.

    M(x) = |x| + trunc(Lap(1/ε))

Twin: count
Defect: `int` cuts towards zero, so that noise between −1 and 1 is no noise: twice as often as the
geometric mechanism allows.
Violation: DPA106
Known from: `int(noise)` where counts "should stay integers"; rounding the sum would be harmless.
True epsilon: 1.693 = 1 + ln 2 where 1 is claimed, on () against one record.
Information limit: 503 calls.
"""

from collections.abc import Sized

import numpy as np


def count_truncated_noise(data: Sized, rng: np.random.Generator, *, epsilon: float = 1.0) -> int:
    """Return the number of records plus integer noise."""
    return len(data) + int(rng.laplace(scale=1 / epsilon))
