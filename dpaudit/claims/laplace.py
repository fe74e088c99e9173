"""The Laplace profile: how the loss of Laplace noise falls, which pure DP alone does not say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.claims.rounding import up


@dataclass(frozen=True, slots=True, repr=False)
class LaplaceProfile:
    """The profile of Laplace noise; a value, so that claims made of it compare.

    Parameters
    ----------
    epsilon : float
        Sensitivity in the L1 norm over the noise scale.

    Notes
    -----
    delta(t) = 1 - e^((t - epsilon) / 2). A shift that is spread over several coordinates has no
    larger profile than the same shift of one. For a <= b, t >= 0 and d = t - b, the profile of
    shifts a and b is 1 - e^((t - a - b)/2) (1 + a/2) + max(0, a + d) e^((d - a)/2) / 4, and
    d <= a; the general case follows by induction.

    Examples
    --------
    >>> round(LaplaceProfile(1.0)(0.0), 6)
    0.393469
    """

    epsilon: float

    def __call__(self, epsilon: Any) -> Any:
        """Return delta at epsilons >= 0, rounded up."""
        given = np.asarray(epsilon, dtype=np.float64)
        values = up(-np.expm1(np.minimum((given - self.epsilon) / 2, 0.0)))
        values = np.where(given < self.epsilon, np.minimum(values, 1.0), 0.0)  # rounds up
        return float(values) if given.ndim == 0 else values

    def __repr__(self) -> str:
        return f"Laplace noise at epsilon {self.epsilon!r}"
