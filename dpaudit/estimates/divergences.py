"""Divergences of two samples with intervals, each a directed D(P‖Q), P the first argument."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.estimates.checks import LARGEST_EPSILON, check_delta, check_epsilon
from dpaudit.estimates.estimate import Estimate
from dpaudit.estimates.limits import Limits, hockey_stick_term
from dpaudit.estimates.proportions import Method
from dpaudit.estimates.ratio import bisected
from dpaudit.estimates.region import rounded_down, total
from dpaudit.estimates.samples import Sample
from dpaudit.estimates.split import tally
from dpaudit.estimates.wording import estimate

Floats = NDArray[np.float64]


def max_divergence(
    p: Sample,
    q: Sample,
    *,
    confidence: float = 0.95,
    n: int | None = None,
    seed: int = 0,
    support: Sequence[Any] | None = None,
    method: Method = "fixed",
) -> Estimate:
    """Estimate the max divergence D∞(P‖Q) = sup log P(E) / Q(E), the ε of one direction.

    Parameters
    ----------
    p, q : array_like, sequence or callable
        Independent outputs of the mechanism on one dataset and on its neighbor, of any type. Or
        callables that take a `numpy.random.Generator` and return one output.
    confidence : float
        Of the whole interval.
    n : int, optional
        Draws from each callable.
    seed : int
        Of callables, and of the choice of the draws that choose cells and events.
    support : sequence, optional
        All outcomes there can be. Then every draw counts, and both ends are finite where every
        outcome was seen.
    method : {"fixed", "anytime"}
        ``"anytime"`` holds at all sample sizes at once, of samples that grow by appending.

    Returns
    -------
    Estimate
        In nats. **Lower end**: valid for the mechanism. **Upper end**: valid for the mechanism
        where `support` is given. Few outcomes without `support`: an unseen outcome can have any
        ratio, so it is infinite. Many outcomes: valid only for the partition that was chosen.

    Raises
    ------
    ValueError
        Where a sample is empty, `confidence` is not in (0, 1), or a draw is not in `support`.

    Notes
    -----
    NaN, strings, tuples and `Raised` are outcomes like any other. Lower end: the greater of the
    region's and the chosen event's (`dpaudit.estimates.ratio`), which share the error. Upper end:
    the greatest log-ratio of a cell's limits.

    References
    ----------
    Dwork & Roth, "The algorithmic foundations of differential privacy", Definition 3.6.
    Clopper & Pearson (1934). Huber & Strassen (1973).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p, q = rng.random(20_000) < 0.75, rng.random(20_000) < 0.25
    >>> print(max_divergence(p, q, support=[False, True]))
    max divergence D∞(P‖Q): 1.0... nats, 0.95 interval [1.0..., 1.1...]
      40,000 draws; ...
    """
    counted = tally(p, q, confidence=confidence, n=n, seed=seed, support=support, method=method)
    found = Limits.of(counted, confidence, _log_ratio(0.0))
    high = found.greatest_ratio()
    value = _log_ratio(0.0)(found.value_q, found.value_p).max()
    return estimate(
        "max divergence D∞(P‖Q)", float(value), _least_ratio(found, 0.0), high, counted,
        confidence, bounded=False,
    )  # fmt: skip


def approximate_max_divergence(
    p: Sample,
    q: Sample,
    delta: float,
    *,
    confidence: float = 0.95,
    n: int | None = None,
    seed: int = 0,
    support: Sequence[Any] | None = None,
    method: Method = "fixed",
) -> Estimate:
    """Estimate D∞^δ(P‖Q) = sup log (P(E) − δ) / Q(E) over events with P(E) > δ.

    It is the least ε with P(E) ≤ e^ε Q(E) + δ for all events; of equal distributions log(1 − δ).

    Parameters
    ----------
    p, q : array_like, sequence or callable
        See `max_divergence`, also for the keywords.
    delta : float
        In [0, 1).

    Returns
    -------
    Estimate
        In nats. **Lower end**: valid for the mechanism. **Upper end**: valid for the mechanism if
        `support` is given or there are few outcomes, else only for the chosen partition. Outcomes
        that a pilot did not show count as revealing. The end is infinite if their probability may
        exceed `delta`.

    References
    ----------
    Dwork & Roth, Definition 3.6; further as in `max_divergence`.
    """
    check_delta(delta)
    counted = tally(p, q, confidence=confidence, n=n, seed=seed, support=support, method=method)
    found = Limits.of(counted, confidence, _log_ratio(delta))
    high = found.greatest_ratio() if delta == 0 else _greatest_epsilon(found, delta)
    value = _epsilon_of(found.value_p, found.value_q, delta)
    return estimate(
        f"approximate max divergence D∞(P‖Q) at δ = {delta:g}", value,
        _least_ratio(found, delta), high, counted, confidence, bounded=delta > 0,
    )  # fmt: skip


def hockey_stick(
    p: Sample,
    q: Sample,
    epsilon: float,
    *,
    confidence: float = 0.95,
    n: int | None = None,
    seed: int = 0,
    support: Sequence[Any] | None = None,
    method: Method = "fixed",
) -> Estimate:
    """Estimate the hockey-stick divergence sup P(E) − e^ε Q(E), the least δ at this ε.

    Parameters
    ----------
    p, q : array_like, sequence or callable
        See `max_divergence`, also for the keywords.
    epsilon : float
        In nats; may be negative.

    Returns
    -------
    Estimate
        A probability. **Lower end**: valid for the mechanism. **Upper end**: valid for the
        mechanism if `support` is given or there are few outcomes, else only for the chosen
        partition. Outcomes that a pilot did not show are one cell, and count as if P and Q shared
        none of them.

    References
    ----------
    Balle, Barthe & Gaboardi, "Privacy amplification by subsampling", NeurIPS 2018, Theorem 1;
    further as in `max_divergence`.
    """
    check_epsilon(epsilon)
    return _hockey_stick(
        p, q, epsilon, f"hockey-stick divergence of (P, Q) at ε = {epsilon:g}",
        confidence=confidence, n=n, seed=seed, support=support, method=method,
    )  # fmt: skip


def total_variation(
    p: Sample,
    q: Sample,
    *,
    confidence: float = 0.95,
    n: int | None = None,
    seed: int = 0,
    support: Sequence[Any] | None = None,
    method: Method = "fixed",
) -> Estimate:
    """Estimate the total variation distance sup P(E) − Q(E), the same in both directions.

    Parameters
    ----------
    p, q : array_like, sequence or callable
        See `max_divergence`, also for the keywords.

    Returns
    -------
    Estimate
        A probability; each end is valid as in `hockey_stick`, of which it is the case ε = 0.
    """
    return _hockey_stick(
        p, q, 0.0, "total variation distance of P and Q",
        confidence=confidence, n=n, seed=seed, support=support, method=method,
    )  # fmt: skip


def kl_divergence(
    p: Sample,
    q: Sample,
    *,
    confidence: float = 0.95,
    n: int | None = None,
    seed: int = 0,
    support: Sequence[Any] | None = None,
    method: Method = "fixed",
) -> Estimate:
    """Estimate the Kullback–Leibler divergence KL(P‖Q) = E_P log dP/dQ.

    Parameters
    ----------
    p, q : array_like, sequence or callable
        See `max_divergence`, also for the keywords.

    Returns
    -------
    Estimate
        In nats. **Lower end**: valid for the mechanism, since no partition has a greater
        divergence. **Upper end**: valid for the mechanism where `support` is given. Few outcomes
        without `support`: infinite, since only P may have an outcome that was not seen. Many
        outcomes: valid only for the chosen partition.

    Notes
    -----
    The lower end is the divergence of the least telling pair that the region and twelve nested
    events, chosen on other draws, leave possible (`dpaudit.estimates.region`).

    References
    ----------
    Kullback & Leibler (1951); data processing and Blackwell order: Liese & Vajda, "On divergences
    and informations in statistics and information theory", IEEE Trans. Inf. Theory 52 (2006).
    """
    counted = tally(p, q, confidence=confidence, n=n, seed=seed, support=support, method=method)
    found = Limits.of(counted, confidence)
    return estimate(
        "Kullback–Leibler divergence KL(P‖Q)", total(kl_term, found.value_p, found.value_q),
        max(found.least(kl_term), 0.0), found.region.greatest(kl_term), counted, confidence,
        bounded=False,
    )  # fmt: skip


def kl_term(p: Floats, q: Floats) -> Floats:
    """Return the terms p log p/q − p + q, which sum to KL(P‖Q) without cancellation."""
    from scipy.special import kl_div

    terms: Floats = kl_div(p, q)
    return terms


def _hockey_stick(p: Sample, q: Sample, epsilon: float, quantity: str, **options: Any) -> Estimate:
    confidence = options["confidence"]
    counted, factor = tally(p, q, **options), math.exp(epsilon)
    found = Limits.of(counted, confidence, lambda level, power: power - factor * level, mean=True)
    term = hockey_stick_term(epsilon)
    low = max(found.least(term), -math.expm1(epsilon), 0.0) + 0.0  # no -0.0
    if found.event is not None:
        low = max(low, rounded_down(found.pair_test(slope=factor).least_intercept(factor)))
    high = found.greatest_hockey_stick(epsilon)
    value = total(term, found.value_p, found.value_q)
    return estimate(
        quantity, value, low, high, counted, confidence, bounded=True, unit="probability"
    )


def _log_ratio(delta: float) -> Any:
    """Return log (P − δ) / Q of arrays (Q, P), −∞ where P ≤ δ."""

    def gain(level: Floats, power: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            above = np.log(np.maximum(power - delta, 0.0))
            result: Floats = np.where(power > delta, above - np.log(level), -np.inf)
        return result

    return gain


def _least_ratio(found: Limits, delta: float) -> float:
    """Return the lower end of sup log (P(E) − δ) / Q(E)."""
    level, power = found.hull()
    low = float(_log_ratio(delta)(level[1:], power[1:]).max())
    if found.event is not None:
        slope = found.pair_test(intercept=delta).least_slope(delta)
        low = max(low, math.log(slope) if slope > 0 else -math.inf)
    return max(rounded_down(low), math.log1p(-delta) if delta else 0.0)


def _greatest_epsilon(found: Limits, delta: float) -> float:
    """Return the least ε at which no pair in the region has a greater hockey-stick than δ."""

    def exceeds(epsilon: float) -> bool:
        return found.greatest_hockey_stick(epsilon) > delta

    low, step = math.log1p(-delta), 1.0
    if not exceeds(low):
        return low
    while exceeds(low + step):
        step *= 2
        if low + step > LARGEST_EPSILON:
            return math.inf
    return bisected(lambda reach: exceeds(low + reach), 0.0, step, 1e-4)[1] + low


def _epsilon_of(p: Floats, q: Floats, delta: float) -> float:
    """Return sup log (P(E) − δ) / Q(E) for known probabilities."""
    order = np.argsort(-p / q, kind="stable")
    return float(_log_ratio(delta)(np.cumsum(q[order]), np.cumsum(p[order])).max())
