"""The information limit: how many calls a violation needs at least, from exact densities."""

from __future__ import annotations

import re
from math import exp, inf, log

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import ndtr

from tools.description import COLLECTION, describe

Cells = NDArray[np.float64]


def largest_log_ratio(p: Cells, q: Cells) -> float:
    """Return the larger of the two max divergences, over cells that are not all but impossible.

    Parameters
    ----------
    p, q : ndarray of float, shape (k,)
        Probabilities of the same cells under the two neighbors.

    Returns
    -------
    float
        In nats; infinite where one neighbor alone can produce a cell.
    """
    seen = (p > 1e-12) | (q > 1e-12)
    with np.errstate(divide="ignore"):
        return float(np.abs(np.log(p[seen]) - np.log(q[seen])).max())


def hockey_stick(p: Cells, q: Cells, epsilon: float) -> float:
    """Return the smallest delta with which (epsilon, delta) holds in both directions.

    Parameters
    ----------
    p, q : ndarray of float, shape (k,)
    epsilon : float
        In nats.

    Returns
    -------
    float
    """
    t = exp(epsilon)
    return float(max(np.maximum(p - t * q, 0).sum(), np.maximum(q - t * p, 0).sum()))


def information_distance(p: Cells, q: Cells, epsilon: float, delta: float = 0.0) -> float:
    """Return the least KL(P, P') + KL(Q, Q') over the pairs (P', Q') that the claim allows.

    Parameters
    ----------
    p, q : ndarray of float, shape (k,)
        Probabilities of the same cells under the two neighbors.
    epsilon, delta : float
        The claim; epsilon in nats.

    Returns
    -------
    float
        In nats a pair of draws, one from each side; rounded down, since every value of the dual
        is a lower bound.

    Notes
    -----
    With multipliers a, b of the two normalizations and m, n of the two hockey-stick divergences,
    each cell of the Lagrangian has a closed form. Scaling (P', Q') shows a + b = 2 − δ(m + n) at
    the optimum, so that the concave dual is maximized over (a, m, n) alone.
    """
    seen = (p + q) > 1e-200
    p, q, t = p[seen], q[seen], exp(epsilon)
    if hockey_stick(p, q, epsilon) <= delta:
        return 0.0

    def dual(a: float, m: float, n: float) -> float:
        b = 2 - a - delta * (m + n)
        if min(a, b, m, n) <= 0:
            return -inf
        kept = p * b <= t * q * a, q * a <= t * p * b  # inside the region with m = n = 0
        near_p, near_q = p / a, q / b
        for big, small, inside, left, right, price, swap in (
            (p, q, kept[0], a, b, m, False),
            (q, p, kept[1], b, a, n, True),
        ):
            # either on the border big' = t·small', or beyond it at the price of the multiplier
            border = (big + small) / (left * t + right)
            beyond = ~inside & (right - t * price > 0)
            if right - t * price > 0:
                beyond &= big * (right - t * price) > t * small * (left + price)
            high = np.where(beyond, big / (left + price), t * border)
            low = np.where(beyond, small / max(right - t * price, 1e-300), border)
            near_p = np.where(inside, near_p, low if swap else high)
            near_q = np.where(inside, near_q, high if swap else low)
        divergence = sum(
            float((x[x > 0] * np.log(x[x > 0] / y[x > 0])).sum())
            for x, y in ((p, near_p), (q, near_q))
        )
        over = np.maximum(near_p - t * near_q, 0).sum(), np.maximum(near_q - t * near_p, 0).sum()
        return divergence + float(
            a * (near_p.sum() - 1)
            + b * (near_q.sum() - 1)
            + m * (over[0] - delta)
            + n * (over[1] - delta)
        )

    if not delta:  # no price buys a step beyond the border
        best = minimize(lambda x: -dual(x[0], 1e12, 1e12), [1.0], method="Nelder-Mead")
        return max(0.0, -float(best.fun))
    best = min(
        (
            minimize(
                lambda x: -dual(x[0], exp(x[1]), exp(x[2])),
                [1.0, *start],
                method="Nelder-Mead",
                options={"maxiter": 2000, "xatol": 1e-8, "fatol": 1e-14},
            )
            for start in ((-1.0, -1.0), (-1.0, -8.0), (-8.0, -1.0), (-4.0, -4.0))
        ),
        key=lambda found: float(found.fun),
    )
    return max(0.0, -float(best.fun))


def information_limit(
    p: Cells, q: Cells, epsilon: float, delta: float = 0.0, alpha: float = 1e-6
) -> float:
    """Return the least expected number of calls, both datasets together, to reject at `alpha`.

    Parameters
    ----------
    p, q : ndarray of float, shape (k,)
        Probabilities of the same cells under the two neighbors.
    epsilon, delta : float
        The claim; epsilon in nats.
    alpha : float, default: 1e-6

    Returns
    -------
    float
        Infinite where the claim holds for this pair.
    """
    distance = information_distance(p, q, epsilon, delta)
    return 2 * log(1 / alpha) / distance if distance > 0 else inf


def gaussian_information_limit(p: Cells, q: Cells, mu: float, alpha: float = 1e-6) -> float:
    """Return the information limit against a claim of Gaussian DP.

    Parameters
    ----------
    p, q : ndarray of float, shape (k,)
        Probabilities of the same cells under the two neighbors.
    mu : float
        The claim.
    alpha : float, default: 1e-6

    Returns
    -------
    float
        Calls, both datasets together.

    Notes
    -----
    The pairs that the claim allows are what channels make of N(0, 1) and N(mu, 1) (Blackwell;
    Dong, Roth & Su 2022, Theorem 2.10). The likelihood of the channel is raised by expectation
    maximization, which never lowers it; the two Gaussians are cut into 78 cells.
    """
    edges = np.linspace(-5, 5 + mu, 79)
    a, b = gaussian_cells(0, edges), gaussian_cells(mu, edges)
    kept = (p + q) > 1e-12
    p, q = p[kept], q[kept]
    channel = np.ones((len(a), len(p))) / len(p)
    for _ in range(3000):
        channel *= np.outer(a, p / (a @ channel + 1e-300)) + np.outer(b, q / (b @ channel + 1e-300))
        channel /= channel.sum(axis=1, keepdims=True)
    divergence = sum(
        float((x[x > 0] * np.log(x[x > 0] / y[x > 0])).sum())
        for x, y in ((p, a @ channel), (q, b @ channel))
    )
    return 2 * log(1 / alpha) / divergence


def gaussian_cells(mean: float, edges: Cells) -> Cells:
    """Return the masses that N(mean, 1) has between edges, and beyond the outer ones.

    Parameters
    ----------
    mean : float
    edges : ndarray of float, shape (k,)

    Returns
    -------
    ndarray of float, shape (k + 1,)
    """
    below = np.concatenate([[0.0], ndtr(edges - mean), [1.0]])
    return np.diff(below)


def reveal(probability: float) -> tuple[Cells, Cells]:
    """Return two distributions of which each shows itself sometimes, and which else agree.

    Parameters
    ----------
    probability : float

    Returns
    -------
    p, q : ndarray of float, shape (3,)
    """
    rest = 1 - probability
    return np.array([probability, 0, rest]), np.array([0, probability, rest])


def stated_limit(name: str) -> float:
    """Return the information limit that a flawed mechanism states, in calls.

    Parameters
    ----------
    name : str
        Of the module in `mechanisms.flawed`.

    Returns
    -------
    float
        Infinite where it states that there is none.
    """
    found = re.match(r"([\d,]+) (million )?calls", _field(name, "Information limit"))
    if found is None:
        return inf
    return float(found[1].replace(",", "")) * (1e6 if found[2] else 1)


def stated_epsilon(name: str) -> float:
    """Return the true epsilon that a flawed mechanism states, in nats.

    Parameters
    ----------
    name : str
        Of the module in `mechanisms.flawed`.

    Returns
    -------
    float
    """
    text = _field(name, "True epsilon")
    found = re.search(r"infinit|\d*\.?\d+", text)
    if found is None:
        raise ValueError(f"{name} states no true epsilon: {text!r}")
    return inf if found[0] == "infinit" else float(found[0])


def _field(name: str, field: str) -> str:
    return describe(COLLECTION / "flawed" / f"{name}.py").fields[field]
