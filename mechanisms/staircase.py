"""The staircase mechanism: noise of least expected size among all that give ε.

    M(x) = f(x) ± Δ (G + Y),    G geometric from 0 with Pr[G = i] ∝ e^(−iε)
    Y uniform on [0, γ] with probability γ / (γ + (1 − γ) e^(−ε)), else on [γ, 1]

Theorem: M is (ε, 0)-differentially private for every γ in [0, 1]; γ = 1/(1 + e^(ε/2)) makes the
expected size of the noise least (Geng & Viswanath 2014, "The optimal mechanism in differential
privacy", on the ℓ1 cost).
Sensitivity: Δ = max |f(x) − f(x')| over neighbors x, x'.
Relation: any that bounds Δ; the input here is f(x) itself.
Utility: unbiased, expected size of the noise Δ e^(ε/2) / (e^ε − 1) at that γ (the same paper).
"""

from math import exp

import numpy as np


def staircase(
    answer: float,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    sensitivity: float = 1.0,
    gamma: float | None = None,
) -> float:
    """Return one answer with staircase noise, with the best γ where none is given."""
    b = exp(-epsilon)
    if gamma is None:
        gamma = 1 / (1 + exp(epsilon / 2))
    step = rng.geometric(1 - b) - 1
    if rng.random() < gamma / (gamma + (1 - gamma) * b):
        part = gamma * rng.random()
    else:
        part = gamma + (1 - gamma) * rng.random()
    sign = 1 if rng.random() < 0.5 else -1
    return answer + sign * sensitivity * (step + part)
