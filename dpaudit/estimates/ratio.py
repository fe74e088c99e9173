"""Limits for two proportions at once: how far below a line p = a + t·q their point cannot lie.

A box spends half of the error on each proportion and then sees both at their worst. Here each
point of a line is tested by the weighted sum of both z-scores instead, which is narrower by a
sixth. The weights are fixed by a pilot, before the draws are seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STEPS = 256  # points of a line
WIDE = 5.0  # standard deviations of log q around the pilot's
WIDEST = 4.0  # nats
NEAR = 3.0  # standard deviations within which a pilot may err, and the weights stay the same
TURN = 0.3  # of the direction to a point beyond, as the pilot foresees it
FLOORED = 0.01  # of the level, for the floor of each z-score
HALVINGS = 40
OUTWARD = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class PairTest:
    """A test of points (p, q), from counts x of n and y of m draws, one-sided towards larger p/q.

    Attributes
    ----------
    x, n, y, m : int
    level : float
    nodes : ndarray, shape (j + 1,)
        Values of q, fixed before x and y were seen.
    weights : ndarray, shape (2, j)
        Of the z-scores of p and q between two nodes; their squares add to one.

    Notes
    -----
    The z-scores of two independent exact p-values are at most standard normal, and so is their
    sum with weights w₁² + w₂² = 1 (Stouffer). A part of the level pays for a floor below each, so
    that p = 1 does not veto. The weights depend on q alone; so a true point below a rejected
    line was itself rejected by one test fixed in advance, which has probability at most `level`
    (for all lines at once). Between two nodes z(p) falls and z(q) grows with q, and each is taken
    at its worse end. Left of the nodes the test is of p alone, right of them of q alone.
    """

    x: int
    n: int
    y: int
    m: int
    level: float
    nodes: Floats
    weights: Floats

    @staticmethod
    def planned(
        x: int, n: int, y: int, m: int, *, level: float, pilot: tuple[int, int, int, int],
        intercept: float | None = None, slope: float | None = None,
    ) -> PairTest:  # fmt: skip
        """Return the test with the weights that a pilot (x, n, y, m) suggests.

        One of `intercept` and `slope` of the lines to be tested is given, the other one unknown.
        """
        from scipy.special import betaincc, betainccinv, betaincinv, ndtr, ndtri

        p, q = (pilot[0] + 0.5) / (pilot[1] + 1), (pilot[2] + 0.5) / (pilot[3] + 1)
        x_seen, y_seen, z = n * p, m * q, -ndtri(level)  # foreseen, to be exact
        # Where the least favorable point within z of the foreseen one lies, by its angle.
        angle = np.linspace(0, np.pi / 2, 91)
        p_at = betaincinv(x_seen, n - x_seen + 1, ndtr(-z * np.cos(angle)))
        q_at = betainccinv(y_seen + 1, m - y_seen, ndtr(-z * np.sin(angle)))
        found = p_at - slope * q_at if intercept is None else (p_at - intercept) / q_at
        best = angle[found.argmin()]
        spread = WIDE * np.sqrt((1 - q) / q * (1 / max(m, 1) + 1 / max(pilot[3], 1)))
        window = np.linspace(-1, 1, STEPS + 1) * min(spread, WIDEST)
        nodes = np.minimum(q * np.exp(window), 1.0)
        middle = np.sqrt(nodes[1:] * nodes[:-1])
        # Far beside it, more is asked of the score that speaks against such points.
        beside = -ndtri(betaincc(y_seen + 1, m - y_seen, middle)) - z * np.sin(best)
        far = np.sign(beside) * np.maximum(np.abs(beside) - NEAR, 0.0)
        turn = np.arctan(TURN * far / (z * max(np.cos(best), 0.05)))
        turned = np.clip(best + turn, 0, np.pi / 2)
        return PairTest(x, n, y, m, level, nodes, np.stack([np.cos(turned), np.sin(turned)]))

    def rejects(self, intercept: float, slope: float) -> bool:
        """Whether every point with p ≤ intercept + slope · q is rejected."""
        from scipy.special import bdtr, betainc, ndtri

        p = intercept + slope * self.nodes
        if self.x == 0:
            return False
        above = betainc(self.x, self.n - self.x + 1, np.clip(p, 0.0, 1.0))
        below = bdtr(self.y, self.m, self.nodes)
        if max(above[0], below[-1]) > self.level:
            return False
        floor = ndtri(FLOORED * self.level)
        needed = -ndtri((1 - 2 * FLOORED) * self.level) + OUTWARD
        z_p, z_q = np.maximum(-ndtri(above), floor), np.maximum(-ndtri(below), floor)
        score = self.weights[0] * z_p[1:] + self.weights[1] * z_q[:-1]
        return bool((score >= needed).all())

    def least_slope(self, intercept: float) -> float:
        """Return t such that p ≥ intercept + t·q, rounded down; 0.0 where none is."""
        low = 2.0**-10
        if not self.rejects(intercept, low):
            return 0.0
        while low < 2.0**60 and self.rejects(intercept, 2 * low):
            low *= 2
        return bisected(lambda slope: self.rejects(intercept, slope), low, 2 * low)[0]

    def least_intercept(self, slope: float) -> float:
        """Return a such that p ≥ a + slope · q, rounded down; 0.0 where none is."""
        if not self.rejects(0.0, slope):
            return 0.0
        return bisected(lambda intercept: self.rejects(intercept, slope), 0.0, 1.0)[0]


def bisected(
    true_at: Callable[[float], bool], low: float, high: float, close: float = 1e-9
) -> tuple[float, float]:
    """Return a short bracket from `low`, where it is true, to `high`, where it is not."""
    for _ in range(HALVINGS):
        middle = low + (high - low) / 2
        if true_at(middle):
            low = middle
        else:
            high = middle
        if high - low <= close * max(high, 1e-3):
            break
    return low, high
