"""The piecewise mechanism on clients of which one in fifty sends the number itself.

    M(x) = clip(x, −1, 1) with probability .02, else a piecewise report

Twin: piecewise_mean
Defect: some clients run a build without noise, and nothing hides whose.
Violation: DPA102
Known from: debug flags and A/B tests that reach production.
True epsilon: infinite, on −1 against 1; δ(ε) = .02 for every ε of at least 1.
Information limit: 2,205 calls.
"""

import numpy as np

from mechanisms.piecewise_mean import piecewise_mean


def piecewise_mean_debug_build(
    value: float, rng: np.random.Generator, *, epsilon: float = 1.0, share: float = 0.02
) -> float:
    """Return a piecewise report, or now and then the number."""
    if rng.random() < share:
        return min(1.0, max(-1.0, value))
    return piecewise_mean(value, rng, epsilon=epsilon)
