"""Rényi divergences of two samples with intervals, and the zCDP parameter that they imply."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpaudit.claims import validation
from dpaudit.estimates.estimate import Estimate, Interval
from dpaudit.estimates.limits import Limits
from dpaudit.estimates.proportions import Method
from dpaudit.estimates.region import OUTWARD, Term, least_pair
from dpaudit.estimates.samples import Sample
from dpaudit.estimates.split import Floats, Tally, tally
from dpaudit.estimates.variational import learned_wager, moment_at_least
from dpaudit.estimates.wording import method_of, valid_for

OF_FUNCTIONS = 0.4  # of the error: for learned functions; cells and events have the rest
ORDERS = np.concatenate([np.geomspace(1.02, 2.0, 9), np.geomspace(2.25, 64.0, 14)])  # for zCDP
FUNCTIONS = "; a learned function of the output, its mean bounded by betting"


def renyi_divergence(
    p: Sample,
    q: Sample,
    order: ArrayLike,
    *,
    confidence: float = 0.95,
    n: int | None = None,
    seed: int = 0,
    support: Sequence[Any] | None = None,
    method: Method = "fixed",
) -> Estimate:
    """Estimate the Rényi divergence D_α(P‖Q) = log E_Q[(dP/dQ)^α] / (α − 1).

    Parameters
    ----------
    p, q : array_like, sequence or callable
        See `max_divergence`, also for the keywords. The two samples are independent of each other.
    order : float or array_like of float
        α, finite and above 1. Of several orders, all intervals hold at once.

    Returns
    -------
    Estimate
        In nats; a curve over ascending orders where `order` is a sequence. **Lower end**: valid
        for the mechanism. **Upper end**: valid for the mechanism where `support` is given. Few
        outcomes without `support`: infinite, since only P may have an outcome that was not seen.
        Many outcomes: valid only for the partition that was chosen.

    Raises
    ------
    ValueError
        Where an order is not finite and above 1, or as in `max_divergence`.
    TypeError
        Where an order is not a number.

    Notes
    -----
    The lower end is the greater of two limits that share the error. One is the least divergence
    that the region of the cells and chosen events leave possible (`dpaudit.estimates.region`). The
    other is variational (`dpaudit.estimates.variational`). It is a step function of the output,
    learned on the pilot, whose mean is bounded by betting on the other draws. ``method="anytime"``
    leaves it out. Events alone reach .66 where two Gaussians at distance 1 have the divergence 1 of
    order 2.

    The greater the order, the rarer the outputs that matter: the limit is sound, and low.

    References
    ----------
    I. Mironov. Rényi differential privacy. CSF 2017. T. van Erven, P. Harremoës. Rényi divergence
    and Kullback–Leibler divergence. IEEE Trans. Inf. Theory 60 (2014): it grows with the order
    (Theorem 3). J. Birrell, P. Dupuis, M. Katsoulakis, L. Rey-Bellet, J. Wang. Variational
    representations and neural network estimation of Rényi divergences. SIMODS 3 (2021).
    I. Waudby-Smith, A. Ramdas. Estimating means of bounded random variables by betting. JRSS B 86
    (2024).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p, q = rng.normal(1.0, 1.0, 20_000), rng.normal(0.0, 1.0, 20_000)
    >>> found = renyi_divergence(p, q, [1.5, 2.0])
    >>> bool(found.confidence_interval.low[1] <= 1.0)  # the true value
    True
    """
    single = np.ndim(order) == 0
    orders = _validate_orders([order] if single else list(np.asarray(order, dtype=object)))
    counted = tally(p, q, confidence=confidence, n=n, seed=seed, support=support, method=method)
    low, high = _ends(counted, orders, 1 - confidence, seed)
    value = np.clip(_plain(counted, orders), low, high)
    numbers = [float(a[0]) if single else a for a in (value, low, high)]
    name = f"{orders[0]:g}" if single else "α"
    return Estimate(
        value=numbers[0],
        confidence_interval=Interval(numbers[1], numbers[2]),
        method=_method(counted),
        n=counted.draws,
        quantity=f"Rényi divergence D_{name}(P‖Q)",
        confidence=confidence,
        valid_for=valid_for(counted, bounded=False),
        at=None if single else orders,
        axis="" if single else "order α",
    )


def zcdp_parameter(
    p: Sample,
    q: Sample,
    *,
    confidence: float = 0.95,
    n: int | None = None,
    seed: int = 0,
    support: Sequence[Any] | None = None,
    method: Method = "fixed",
) -> Estimate:
    """Estimate the least ρ for which two distributions keep ρ-zCDP, in both directions.

    That is the supremum of D_α(P‖Q) / α and D_α(Q‖P) / α over the orders α > 1.

    Parameters
    ----------
    p, q : array_like, sequence or callable
        See `renyi_divergence`, also for the keywords.

    Returns
    -------
    Estimate
        **Lower end**: valid for the mechanism, whose ρ over all neighbors is no less. **Upper
        end**: of these two distributions only, not of other neighbors; valid as in
        `renyi_divergence`.

    Raises
    ------
    ValueError
        As in `max_divergence`.

    Notes
    -----
    Lower end: a grid of orders; the one learned function is for the order that promises most on
    the pilot. Upper end: between orders a < b of the grid D_α / α ≤ D_b / a, beyond the last
    one D_α ≤ D_∞. Each direction has half of the error.

    References
    ----------
    M. Bun, T. Steinke. Concentrated differential privacy: simplifications, extensions, and lower
    bounds. TCC 2016, Definition 1.1. Further as in `renyi_divergence`.
    """
    counted = tally(p, q, confidence=confidence, n=n, seed=seed, support=support, method=method)
    found = [_rho(side, (1 - confidence) / 2, seed) for side in (counted, counted.swapped())]
    value, low, high = (max(numbers) for numbers in zip(*found, strict=True))
    return Estimate(
        value=min(max(value, low), high),
        confidence_interval=Interval(low, high),
        method=_method(counted),
        n=counted.draws,
        quantity="zCDP parameter ρ of P and Q",
        confidence=confidence,
        valid_for=valid_for(counted, bounded=False),
        unit="",
    )


def renyi_term(order: float) -> Term:
    """Return the terms p^α q^(1−α), which sum to e^((α−1) D_α(P‖Q))."""

    def term(p: Floats, q: Floats) -> Floats:
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            log_term = order * np.log(p) + (1.0 - order) * np.log(q)
            result: Floats = np.where(p > 0, np.exp(log_term), 0.0)
        return result

    return term


def _validate_orders(orders: list[Any]) -> Floats:
    if not orders:
        raise ValueError("`order` must hold at least one order, got none; pass e.g. 2.0")
    remedy = "order 1 is kl_divergence, and order infinity max_divergence"
    return np.unique([validation.order(order, remedy) for order in orders])


def _ends(counted: Tally, orders: Floats, error: float, seed: int) -> tuple[Floats, Floats]:
    """Return both ends for all orders at once; neither falls with the order."""
    of_functions = OF_FUNCTIONS * error if _has_functions(counted) else 0.0
    found = Limits.of(counted, 1 - (error - of_functions))
    low, high = _least(found, orders), _greatest(found, orders)
    if of_functions:
        rng = _rng(seed)
        learned = [moment_at_least(counted, a, of_functions / len(orders), rng) for a in orders]
        low = np.maximum(low, [_log(m, a) for m, a in zip(learned, orders, strict=True)])
    low = np.maximum.accumulate(np.maximum(low, 0.0))
    return low, np.maximum(np.minimum.accumulate(high[::-1])[::-1], low)


def _rho(counted: Tally, error: float, seed: int) -> tuple[float, float, float]:
    """Return the value and both ends of sup D_α(P‖Q) / α."""
    of_functions = OF_FUNCTIONS * error if _has_functions(counted) else 0.0
    found = Limits.of(counted, 1 - (error - of_functions))
    low = float(np.max(_least(found, ORDERS) / ORDERS))
    if of_functions:
        wagers = [learned_wager(counted, a, of_functions) for a in ORDERS]
        hopes = [0.0 if w is None else _log(w.promise, a) / a
                 for w, a in zip(wagers, ORDERS, strict=True)]  # fmt: skip
        best = float(ORDERS[int(np.argmax(hopes))])
        learned = moment_at_least(counted, best, of_functions, _rng(seed))
        low = max(low, _log(learned, best) / best)
    high = np.append(_greatest(found, ORDERS), found.greatest_ratio())
    value = float(np.max(_plain(counted, ORDERS) / ORDERS))
    low = max(low, 0.0)
    at_most = np.max(high / np.append(1.0, ORDERS))  # rounds up
    return value, low, max(float(at_most), low)


def _least(found: Limits, orders: Floats) -> Floats:
    """Return the least divergence of each order, rounded down."""
    p, q = least_pair(found.levels, found.powers)
    logs = np.array([log_moment(a, p, q) for a in orders])
    result: Floats = np.maximum(logs - OUTWARD * (1 + np.abs(logs)), 0.0) / (orders - 1)
    return result


def _greatest(found: Limits, orders: Floats) -> Floats:
    """Return the greatest divergence of each order, which that of no order exceeds; rounds up."""
    high = [_log(found.region.greatest(renyi_term(a)), a) for a in orders]
    result: Floats = np.minimum(high, found.greatest_ratio())
    return result


def log_moment(order: float, p: Floats, q: Floats) -> float:
    """Return (α − 1) D_α(P‖Q) of known probabilities, whatever overflows."""
    p, q = p[p > 0], q[p > 0]
    with np.errstate(divide="ignore"):
        logs = order * np.log(p) + (1.0 - order) * np.log(q)
    return float(np.logaddexp.reduce(logs))


def _has_functions(counted: Tally) -> bool:
    """Whether functions are learned: a pilot is needed, and pairs that it did not see."""
    return counted.method == "fixed" and counted.has_pilot


def _log(moment: float, order: float) -> float:
    """Return the divergence of a moment."""
    return math.log(max(moment, 1.0)) / (order - 1.0)


def _plain(counted: Tally, orders: Floats) -> Floats:
    """Return the divergences of the cells' frequencies, after half a draw more in each cell."""
    p, q = counted.p + counted.pilot_p + 0.5, counted.q + counted.pilot_q + 0.5
    p, q = p / p.sum(), q / q.sum()
    return np.array([max(log_moment(a, p, q), 0.0) / (a - 1.0) for a in orders.tolist()])


def _rng(seed: int) -> np.random.Generator:
    """Return a stream that no draw and no split has used."""
    return np.random.default_rng(np.random.SeedSequence(seed).spawn(4)[3])


def _method(counted: Tally) -> str:
    return method_of(counted) + (FUNCTIONS if _has_functions(counted) else "")
