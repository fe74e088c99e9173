"""A quantile by the exponential mechanism, over an interval and over a grid.

    Pr[M(x) = r] ∝ exp(−ε s(x, r)/(2Δ)),    s(x, r) = | |{i : x_i < r}| − qn |

Theorem: M is (ε, 0)-differentially private (exponential mechanism: McSherry & Talwar 2007; Dwork &
Roth 2014, Theorem 3.10; its density for quantiles: Smith 2011, on quantiles of an interval).
Sensitivity: Δ = 1 if a record is replaced. If one is added, |{x_i < r}| − qn grows by 1 − q or
falls by q: Δ = max(q, 1 − q), which is 1/2 for the median. `sensitivity=1` holds for both.
Relation: one record replaced; one added or removed.
Utility: s is constant between records, so that with lengths w_j and scores s_j of n + 1 segments
E[s] = Σ w_j s_j exp(−εs_j/2Δ) / Σ w_j exp(−εs_j/2Δ). On the grid every w_j is 1.
"""

import numpy as np
from numpy.typing import NDArray

GRID = np.linspace(0.0, 100.0, 21)


def quantile(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    q: float = 0.5,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
    sensitivity: float = 1.0,
) -> float:
    """Return a point of [low, high], close in rank to the q-quantile of the records."""
    ends = np.sort(np.concatenate([[low], np.fmin(np.fmax(data, low), high), [high]]))
    lengths, n = np.diff(ends), len(data)
    scores = np.abs(np.arange(n + 1) - q * n)
    weights = np.log(lengths, where=lengths > 0, out=np.full(n + 1, -np.inf))
    gumbel = rng.gumbel(size=n + 1)  # the largest of logarithm + Gumbel noise is a draw ∝ weight
    j = int(np.argmax(weights - epsilon * scores / (2 * sensitivity) + gumbel))
    return float(rng.uniform(ends[j], ends[j + 1]))


def quantile_on_grid(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    q: float = 0.5,
    grid: NDArray[np.float64] = GRID,
    epsilon: float = 1.0,
    sensitivity: float = 1.0,
) -> float:
    """Return a point of the grid, close in rank to the q-quantile of the records."""
    scores = np.abs(np.sort(data).searchsorted(grid) - q * len(data))
    gumbel = rng.gumbel(size=len(grid))
    return float(grid[np.argmax(gumbel - epsilon * scores / (2 * sensitivity))])
