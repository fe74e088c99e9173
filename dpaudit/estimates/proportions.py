"""Confidence limits for one proportion, for a fixed sample and at any time, rounded outward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpaudit.estimates.checks import check_confidence

Floats = NDArray[np.float64]
Method = Literal["fixed", "anytime"]

METHODS = ("fixed", "anytime")
OUTWARD = 1e-12  # relative; the inverse beta function errs by less than 1e-13
SLACK = 1e-6  # nats; log-gamma of 1e8 errs by less
TANGENTS = 40  # at most; some ten are needed
ALMOST_ZERO = -1e-12  # a logarithm above that of every root
NEGLIGIBLE = 1e-14  # relative to ln p
HALVINGS = 200  # at most; some 55 leave no number between the ends of most brackets


def check_method(method: str) -> None:
    """Raise ValueError unless a method is one of `METHODS`."""
    if method not in METHODS:
        raise ValueError(
            f'`method` must be "fixed" or "anytime", got {method!r}; "fixed" for a number of draws '
            'chosen beforehand, "anytime" to look again and again'
        )


def limits(successes: ArrayLike, n: int, tail: float, method: Method) -> tuple[Floats, Floats]:
    """Return lower and upper limits, each missing the proportion with probability at most `tail`.

    Parameters
    ----------
    successes : array_like of int
        Successes in `n` draws.
    n : int
    tail : float
        Error of one end; both together miss with probability at most ``2 * tail`` (at any time:
        with `tail`).
    method : {"fixed", "anytime"}
        Clopper & Pearson's limits, or those of `anytime_limits`.
    """
    if method == "anytime":
        return anytime_limits(successes, n, tail)  # which one end may spend alone
    return lower_limit(successes, n, tail), upper_limit(successes, n, tail)


def lower_limit(successes: ArrayLike, n: int, tail: float) -> Floats:
    """Return Clopper & Pearson's lower limit: above the proportion with probability ≤ `tail`."""
    from scipy.special import betaincinv

    k = np.asarray(successes, dtype=float)
    some = np.maximum(k, 1.0)
    found = betaincinv(some, np.maximum(n - some, 0.0) + 1.0, tail) * (1 - OUTWARD)
    limit: Floats = np.where(k > 0, found, 0.0)  # rounds down
    return limit


def upper_limit(successes: ArrayLike, n: int, tail: float) -> Floats:
    """Return Clopper & Pearson's upper limit: below the proportion with probability ≤ `tail`."""
    from scipy.special import betainccinv

    k = np.asarray(successes, dtype=float)
    fewer = np.minimum(k, n - 1.0)
    # The complement keeps its digits where the tail is smaller than one rounding error.
    found = betainccinv(np.maximum(fewer, 0.0) + 1.0, np.maximum(n - fewer, 1.0), tail)
    limit: Floats = np.where(k < n, np.minimum(found * (1 + OUTWARD), 1.0), 1.0)  # rounds up
    return limit


def anytime_limits(successes: ArrayLike, n: ArrayLike, miss: float) -> tuple[Floats, Floats]:
    """Return limits that hold at all sample sizes at once.

    Parameters
    ----------
    successes : array_like of int
        Successes in the first `n` draws.
    n : array_like of int
        May depend on the draws.
    miss : float
        Probability that at any n ≥ 1 the proportion lies outside.

    Notes
    -----
    Under the true p the mixture of likelihood ratios, over Jeffreys' prior,
    ``B(k + ½, n − k + ½) / B(½, ½) / (p^k (1 − p)^(n − k))``, is a martingale from 1 (Robbins
    1970); it ever reaches ``1 / miss`` with probability at most `miss` (Ville). Its logarithm is
    convex in p, so the values not rejected are an interval.
    """
    from scipy.special import betaln, xlog1py, xlogy

    k, n = np.broadcast_arrays(np.asarray(successes, dtype=float), np.asarray(n, dtype=float))
    mixture = betaln(k + 0.5, n - k + 0.5) - betaln(0.5, 0.5)
    allowed = np.log(1 / miss) + SLACK

    def rejected(p: Floats) -> NDArray[np.bool_]:
        likelihood = xlogy(k, p) + xlog1py(n - k, -p)
        result: NDArray[np.bool_] = mixture - likelihood > allowed
        return result

    # The complement's lower limit is the upper one, mirrored.
    rate = k / np.maximum(n, 1)
    above = allowed - mixture + xlogy(k, rate) + xlog1py(n - k, -rate)
    below = _tangents(np.stack([k, n - k]), n, mixture - allowed, above) * (1 - OUTWARD)
    found = np.stack([below[0], np.minimum(1 - below[1] + 2**-52, 1.0)])
    ends = np.stack([k == 0, k == n])
    if np.all(ends | rejected(found)):  # so that they round outward
        return np.where(ends[0], 0.0, found[0]), np.where(ends[1], 1.0, found[1])
    return _halved(rejected, rate)


def _tangents(k: Floats, n: Floats, excess: Floats, above: Floats) -> Floats:
    """Return about the p < k / n where ``excess − k ln p − (n − k) ln(1 − p)`` is 0.

    It is convex in u = ln p, with −`above` at p = k / n: Newton's tangents from the left never pass
    the root. Left of it is whatever solves a lower bound: without the positive last term, or with
    ``(k / n − p)² / (2 k / n)`` for the divergence of two coins.
    """
    some, rate = np.maximum(k, 1.0), k / np.maximum(n, 1)
    near = rate - np.sqrt(2 * rate * np.maximum(above, 0.0) / np.maximum(n, 1))
    u = np.maximum(excess / some, np.log(np.maximum(near, 1e-300)))
    u = np.minimum(u, ALMOST_ZERO)
    for _ in range(TANGENTS):
        p = np.minimum(np.exp(u), 1 - 2**-53)
        value = excess - some * u - (n - k) * np.log1p(-p)
        slope = (n - k) * p / (1 - p) - some
        step = np.where((value > 0) & (slope < 0), -value / np.minimum(slope, -1e-300), 0.0)
        u = np.minimum(u + step, ALMOST_ZERO)  # of k = 0 alone, whose limit is 0, a step is longer
        if np.all(step <= NEGLIGIBLE * np.maximum(-u, 1.0)):
            break
    root: Floats = np.exp(u)
    return root


def _halved(
    rejected: Callable[[Floats], NDArray[np.bool_]], middle: Floats
) -> tuple[Floats, Floats]:
    """Return the last numbers that are rejected, below and above one that is not."""
    inside = np.stack([middle, middle])
    outside = np.stack([np.zeros_like(middle), np.ones_like(middle)])
    for _ in range(HALVINGS):
        between = outside + (inside - outside) / 2
        if np.all((between == outside) | (between == inside)):
            break
        out = rejected(between)
        outside, inside = np.where(out, between, outside), np.where(out, inside, between)
    return outside[0], outside[1]  # rounds outward: the rejected side of the bracket


def clopper_pearson(
    successes: ArrayLike, n: int, *, confidence: float = 0.95, side: str = "two-sided"
) -> tuple[Floats, Floats]:
    """Return Clopper & Pearson's exact interval for a proportion.

    Parameters
    ----------
    successes : array_like of int
    n : int
        Draws.
    confidence : float
        Of the interval.
    side : {"two-sided", "lower", "upper"}
        Which ends are wanted; a one-sided interval spends all its error on one end, and the other
        is 0 or 1.

    Raises
    ------
    ValueError
        Where `successes` are no counts out of `n`, or `confidence` or `side` is not allowed.

    References
    ----------
    Clopper & Pearson, "The use of confidence or fiducial limits", Biometrika 26 (1934).

    Examples
    --------
    >>> low, high = clopper_pearson(0, 100)
    >>> print(low, high.round(4))
    0.0 0.0362
    """
    k = _validate(successes, n, confidence)
    if side not in ("two-sided", "lower", "upper"):
        raise ValueError(f'`side` must be "two-sided", "lower" or "upper", got {side!r}')
    tail = (1 - confidence) / (2 if side == "two-sided" else 1)
    low = np.zeros(k.shape) if side == "upper" else lower_limit(k, n, tail)
    high = np.ones(k.shape) if side == "lower" else upper_limit(k, n, tail)
    return low, high


def _validate(successes: ArrayLike, n: int, confidence: float) -> Floats:
    check_confidence(confidence)
    k = np.asarray(successes, dtype=float)
    if n < 0 or (k < 0).any() or (k > n).any() or (k != np.floor(k)).any():
        raise ValueError(
            f"`successes` must be whole numbers from 0 to `n` = {n}, got {successes!r}; pass counts"
        )
    return k
