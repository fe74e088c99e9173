"""What a bound on the Rényi divergence says about events: the tight (epsilon, delta) region.

For an event write p, q for its two probabilities, u = p/q >= 1 >= v = (1-p)/(1-q), x = log u,
y = -log v and w = x + y. A Rényi bound r of order a, both ways, allows the points with
F(p, q) = p^a q^(1-a) + (1-p)^a (1-q)^(1-a) <= M = e^((a-1) r), and their mirror images in
p + q = 1. For epsilon >= 0 the best point has p + q <= 1 (y <= x): mirroring one with
p + q > 1 gains (e^epsilon - 1)(p + q - 1).

Upper bounds on delta need no exact optimum. For any u > v > 0 with
(a-1)(u^a - v^a) = a e^epsilon (u^(a-1) - v^(a-1)), every t >= 0 has
max(t - e^epsilon, 0) <= (t^a - a v^(a-1) t + (a-1) v^a) / (a (u^(a-1) - v^(a-1))):
the right side is convex, touches 0 at v (Young), and touches t - e^epsilon at u. With t the
likelihood ratio and the mean over the second dataset,
delta(epsilon) <= U = (M - a v^(a-1) + (a-1) v^a) / (a (u^(a-1) - v^(a-1))).
U is least where F = M, and there it is attained by the event (p, q). At v = 0 it is the bound
of Canonne, Kamath & Steinke, which is therefore never better.

References
----------
S. Asoodeh, J. Liao, F. Calmon, O. Kosut, L. Sankar. Three variants of differential privacy:
lossless conversion and applications. IEEE JSAIT 2021. C. Canonne, G. Kamath, T. Steinke. The
discrete Gaussian for differential privacy. NeurIPS 2020, Proposition 12. B. Balle, G. Barthe,
M. Gaboardi, J. Hsu, T. Sato. Hypothesis testing interpretations and Rényi differential privacy.
AISTATS 2020.
"""

from __future__ import annotations

import numpy as np

from dpaudit.claims.rounding import ULP, Array, down, up

_SMALL = 20.0  # where a z exceeds it, logarithms of single terms lose nothing


def log1mexp(z: Array) -> Array:
    """Return log(1 - e^-z) for z > 0."""
    result: Array = np.log(-np.expm1(-z))
    return result


def log_symmetric_moment(order: Array, x: Array) -> Array:
    """Return log F at the point with u = 1/v = e^x, where p + q = 1.

    It is (order - 1) times the Rényi divergence of randomized response with epsilon = x, the
    largest that PureDP(x) allows (Bun & Steinke 2016, Proposition 3.3).
    """
    far = (order - 1.0) * x + np.log1p(np.exp((1.0 - 2.0 * order) * x)) - np.log1p(np.exp(-x))
    near_x = np.minimum(x, _SMALL / order)
    bump = 2.0 * np.sinh(order * near_x / 2) * np.sinh((order - 1.0) * near_x / 2)
    near = np.log1p(bump / np.cosh(near_x / 2))
    result: Array = np.where(order * x < _SMALL, near, far)
    return result


def symmetric_point(order: Array, epsilon: Array, steps: int = 52) -> Array:
    """Return x where the boundary of the region meets p + q = 1; rounds up."""
    target = (order - 1.0) * epsilon
    low = np.maximum(epsilon, np.sqrt(2.0 * epsilon / order))
    high = np.maximum(np.minimum(epsilon + 0.56, epsilon + 2.0 * np.sqrt(epsilon)), low)
    for _ in range(steps):
        middle = (low + high) / 2
        inside = log_symmetric_moment(order, middle) < target
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return np.asarray(high * (1.0 + 1e-13))


def log_moment(order: Array, x: Array, y: Array) -> Array:
    """Return log F at the event with likelihood ratios e^x and e^-y, where x, y > 0."""
    whole = log1mexp(x + y)
    log_q, log_rest = log1mexp(y) - x - whole, log1mexp(x) - whole
    far = np.logaddexp(order * x + log_q, log_rest - order * y)
    near_x = np.minimum(x, _SMALL / order)
    # F - 1 is a mean of e^(a z) - 1 - a (e^z - 1) >= 0: nothing cancels near F = 1
    excess = np.exp(log_q) * (np.expm1(order * near_x) - order * np.expm1(near_x)) + np.exp(
        log_rest
    ) * (np.expm1(-order * y) - order * np.expm1(-y))
    result: Array = np.where(order * x < _SMALL, np.log1p(np.maximum(excess, 0.0)), far)
    return result


def _shift(order: Array, w: Array) -> Array:
    """Return x - epsilon where the boundary has slope e^epsilon; from 0 to log(a/(a-1)) in w."""
    result: Array = log1mexp((order - 1.0) * w) - log1mexp(order * w) - np.log1p(-1.0 / order)
    return result


def _dual_bound(order: Array, log_m: Array, x: Array, y: Array) -> Array:
    """Return U at the likelihood ratios e^x and e^-y; rounds up."""
    fall, fall_less = np.expm1(-order * y), np.expm1(-(order - 1.0) * y)
    slack = (order - 1.0) * fall - order * fall_less  # 1 - a v^(a-1) + (a-1) v^a >= 0
    noise = 4 * ULP * (order * np.abs(fall_less) + (order - 1.0) * np.abs(fall))
    near = np.log(np.expm1(np.minimum(log_m, 30.0)) + np.maximum(slack, 0.0) + noise)
    far = log_m + np.log1p((slack + noise - 1.0) * np.exp(-np.maximum(log_m, 30.0)))
    log_u = np.where(log_m < 30.0, near, far)
    log_u = log_u - np.log(order) - (order - 1.0) * x - log1mexp((order - 1.0) * (x + y))
    error = 4 * ULP * (8.0 + order * (x + np.abs(y)) + log_m)
    return np.asarray(up(np.exp(np.minimum(log_u + error, 1.0))))  # rounds up


def renyi_profile(order: Array, bound: Array, epsilon: Array, steps: int = 36) -> Array:
    """Return delta(epsilon) of a Rényi bound, rounded up.

    Parameters
    ----------
    order : ndarray of float
        Above 1.
    bound : ndarray of float
        Bound on both divergences of that order, above 0 (nats).
    epsilon : ndarray of float
        At least 0 and finite. The three broadcast.
    steps : int
        Bisection steps. Fewer loosen the bound and never make it wrong.

    Returns
    -------
    ndarray of float
    """
    order, bound, epsilon = np.broadcast_arrays(order, bound, epsilon)
    log_m = (order - 1.0) * bound
    low, high = epsilon, 2.0 * (epsilon - np.log1p(-1.0 / order))
    for _ in range(steps):
        middle = (low + high) / 2
        x = epsilon + _shift(order, middle)
        y = np.maximum(middle - x, 0.0)
        inside = (y == 0) | (log_moment(order, x, np.maximum(y, 1e-300)) < log_m)
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    x = epsilon + _shift(order, high)
    curved = _dual_bound(order, log_m, x, high - x)
    # slopes flatter than the boundary's at p + q = 1 all meet the region in that corner
    corner_x, steepest = corner(order, bound)
    fallen = -np.expm1(np.minimum(epsilon - corner_x, 0.0))
    flat = up(fallen / (1.0 + np.exp(-corner_x)))  # rounds up
    return np.where(epsilon <= steepest, flat, curved)


def corner(order: Array, bound: Array) -> tuple[Array, Array]:
    """Return log(p/q) where the boundary meets p + q = 1, rounded up, and the log-slope there."""
    x = symmetric_point(order, bound)
    return x, x - _shift(order, 2.0 * x)


def renyi_tradeoff(order: Array, bound: Array, alpha: Array, steps: int = 52) -> Array:
    """Return the least type II error that a Rényi bound allows, rounded down.

    Parameters
    ----------
    order, bound : ndarray of float
        As for `renyi_profile`.
    alpha : ndarray of float
        Inside (0, 1). The three broadcast.
    steps : int
        Bisection steps; fewer loosen the bound and never make it wrong.

    Returns
    -------
    ndarray of float
    """
    order, bound, alpha = np.broadcast_arrays(order, bound, alpha)
    log_m = (order - 1.0) * bound
    x_corner, _ = corner(order, bound)
    log_alpha, log_rest = np.log(alpha), np.log1p(-alpha)
    # p + q <= 1: q = alpha is given and p sought; beyond, p = 1 - alpha is given and q sought
    left = log_alpha + np.logaddexp(0.0, x_corner) <= 0.0
    reach = bound - log_alpha - log_rest / (order - 1.0)
    target = log_m + 16 * ULP * (8.0 + log_m + order * reach)
    low = np.zeros_like(alpha)
    high = np.where(left, log_rest - log_alpha, (target - log_rest) / (order - 1.0))
    for _ in range(steps):
        x = (low + high) / 2
        log_q = np.where(left, log_alpha, log_rest - x)
        log_not_p = np.log(-np.expm1(np.minimum(log_q + x, -1e-300)))
        y = np.maximum(np.log1p(-np.exp(log_q)) - np.where(left, log_not_p, log_alpha), 1e-300)
        inside = log_moment(order, np.maximum(x, 1e-300), y) < target
        low, high = np.where(inside, x, low), np.where(inside, high, x)
    error = ULP * (64.0 + 4 * (high - log_alpha - log_rest))
    p = np.exp(np.minimum(log_alpha + high, 0.0)) * (1.0 + error)
    beta = np.where(left, down(1.0 - p, 2), np.exp(log_rest - high) * (1.0 - error))
    return np.asarray(np.maximum(beta, 0.0))  # rounds down
