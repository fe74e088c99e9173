"""SmartSum with noise on the entries and none on the blocks.

    s_t = Σ_{blocks that end by t} their sum + Σ_{later i ≤ t} (q_i + Lap(2/ε))

Twin: smart_sum
Defect: at the end of a block its sum leaves without noise.
Violation: DPA101
Known from: BadSmartSum in the benchmark of ShadowDP (Wang et al. 2019) and CheckDP (Wang et al.
2020).
True epsilon: infinite, on streams of three entries or more, one of which moves by 1.
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray


def smart_sum_raw_blocks(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    block: int = 3,
    epsilon: float = 1.0,
) -> NDArray[np.float64]:
    """Return all running sums, those at the ends of blocks without noise."""
    sums = np.zeros(len(answers))
    finished = 0.0
    for start in range(0, len(answers), block):
        part = answers[start : start + block]
        sums[start : start + block] = finished + np.cumsum(
            part + rng.laplace(scale=2 / epsilon, size=len(part))
        )
        if len(part) == block:
            finished += float(part.sum())
            sums[start + block - 1] = finished
    return sums
