"""From wealth to numbers: lower bounds on a parameter."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from dpaudit.claims import ApproxDP, Claim, PureDP
from dpaudit.statistical.book import Stakes
from dpaudit.statistical.contender import Contender
from dpaudit.statistical.numerics import log_sum_exp

# Parameters are tried on a grid fixed by the claim: 1 % apart around its own, 2.5 % near it, 20 %
# elsewhere.
RATIOS = np.unique(
    np.concatenate(
        [
            [0.0, 1.0],
            np.geomspace(0.002, 0.6, 16),
            np.geomspace(0.6, 1.8, 45),
            np.arange(90, 126) / 100,
            np.geomspace(1.8, 900.0, 35),
        ]
    )
)


def epsilon_claim(epsilon: float, delta: float) -> Claim:
    """Return the claim of (ε, δ)-DP."""
    return ApproxDP(epsilon, delta) if delta > 0 else PureDP(epsilon)


def lower_bound(
    contenders: Iterable[tuple[Contender, float]],
    family: Callable[[float], Claim],
    grid: Iterable[float],
) -> float:
    """Return the largest grid value up to which every value is rejected.

    Parameters
    ----------
    contenders : iterable of (Contender, float)
        Pairs, with the log e-value t at which each rejects; Σ exp(−t) is at most the level.
    family : callable
        The claim with a given parameter; larger parameters promise less.
    grid : iterable of float
        Increasing, fixed before the data.

    Returns
    -------
    float
        0.0 where nothing is rejected. # rounds down: to the grid

    Notes
    -----
    Let θ* be the least true parameter and g the first grid value at or above it. The bound can
    exceed θ* only if g is rejected, which has probability at most the level. The largest
    rejected value alone has no such guarantee. A value is rejected by a pair, or by all of them
    together, as a claim is: the wealths with the pairs' shares of the level have mean at most 1.
    """
    rivals = list(contenders)
    bound = 0.0
    for value in grid:
        stakes = Stakes.of(family(float(value)))
        beyond: list[float] = []
        for contender, at in rivals:
            beyond.append(contender.log_wealth(stakes) - at)
            if beyond[-1] >= 0:
                break
        if float(log_sum_exp(np.array(beyond))) < 0:
            return bound
        bound = float(value)
        most = int(np.argmax(beyond))
        rivals.insert(0, rivals.pop(most))  # it will most likely reject the next one too
    return bound
