"""A census: noisy cells within states whose totals are published as they are.

    M(x) = (n_sj + Z_sj − mean_j(n_sj + Z_sj) + N_s/k),    Pr[Z = z] ∝ e^(−ε|z|/2)

Theorem: among datasets that agree on every state's total N_s, M is (ε, 0)-differentially private:
the geometric mechanism (Ghosh, Roughgarden & Sundararajan 2009), made consistent with public
numbers afterwards (Dwork & Roth 2014, Proposition 2.1). Of who lives in which state it hides
nothing, as in the release of 2020 (Abowd et al. 2022).
Sensitivity: 2 in the L1 norm: a person who changes leaves a cell and enters one of that state.
Relation: one record replaced, the sizes of the states being invariant.
Utility: unbiased, sums to N_s, variance (1 − 1/k) 2α/(1 − α)² a cell, α = e^(−ε/2).
"""

from math import expm1

import numpy as np
from numpy.typing import NDArray

STATES, GROUPS = 2, 3


def cells(data: NDArray[np.void]) -> NDArray[np.int64]:
    """Return how many people each group of each state has, shape (STATES, GROUPS)."""
    state, group = data["state"].clip(0, STATES - 1), data["group"].clip(0, GROUPS - 1)
    counts = np.bincount(state * GROUPS + group, minlength=STATES * GROUPS)
    return counts.reshape(STATES, GROUPS)


def census_release(
    data: NDArray[np.void], rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """Return cells that sum to each state's true total, shape (STATES, GROUPS)."""
    true, p = cells(data), -expm1(-epsilon / 2)
    noise = rng.geometric(p, size=true.shape) - rng.geometric(p, size=true.shape)
    # The totals cancel in x − mean(x) + N/k, so that only noise and cells are added up.
    return true + noise - noise.mean(axis=1, keepdims=True)
