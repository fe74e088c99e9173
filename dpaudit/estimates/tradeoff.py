"""Curves with a band: the trade-off of errors, and the privacy profile."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpaudit.estimates.checks import LARGEST_EPSILON, curve
from dpaudit.estimates.estimate import Estimate, Interval
from dpaudit.estimates.limits import Limits, hockey_stick_term
from dpaudit.estimates.proportions import Method
from dpaudit.estimates.region import hull, total
from dpaudit.estimates.samples import Sample
from dpaudit.estimates.split import tally
from dpaudit.estimates.wording import method_of, valid_for

Floats = NDArray[np.float64]

ALPHAS = np.linspace(0.0, 1.0, 101)
EPSILONS = np.linspace(0.0, 4.0, 41)
SLOPES = np.linspace(-6.0, 6.0, 49)  # log-slopes of the lines that hold a trade-off from below


def tradeoff_curve(
    p: Sample,
    q: Sample,
    *,
    alphas: ArrayLike | None = None,
    confidence: float = 0.95,
    n: int | None = None,
    seed: int = 0,
    support: Sequence[Any] | None = None,
    method: Method = "fixed",
) -> Estimate:
    """Estimate the trade-off T(P, Q): the least miss rate β of a test of P against Q, at α.

    Parameters
    ----------
    p, q : array_like, sequence or callable
        Outputs on one dataset (the null hypothesis) and on its neighbor; see `max_divergence`,
        also for the keywords.
    alphas : array_like, optional
        Rates of false alarm in [0, 1]; 101 evenly spaced ones where None.

    Returns
    -------
    Estimate
        A curve over `alphas`, with a band that holds for all α at once. **Upper end** of β: valid
        for the mechanism, tests at least this good exist. **Lower end**: valid for the mechanism
        where `support` is given or the outcomes are few; else only for the chosen partition.

    Raises
    ------
    ValueError
        Where an α is not in [0, 1], or as in `max_divergence`.

    Notes
    -----
    Lower end: β(α) ≥ 1 − δ(ε) − e^ε α for every ε, with δ(ε) the hockey-stick of (Q, P) at most.

    References
    ----------
    Dong, Roth & Su, "Gaussian differential privacy", JRSS B 84 (2022), Definition 2.1 and
    Proposition 2.12 (trade-off and profile are dual).
    """
    at = curve("alphas", ALPHAS if alphas is None else alphas, "pass rates of false alarm")
    if not ((at >= 0) & (at <= 1)).all():
        raise ValueError(f"`alphas` must lie in [0, 1], got {alphas!r}; pass rates of false alarm")
    # The test's power is Q's, its level P's: the roles of the two samples change here.
    counted = tally(
        p, q, confidence=confidence, n=n, seed=seed, support=support, method=method
    ).swapped()
    found = Limits.of(counted, confidence, mean=True)
    high = np.clip(1 - np.interp(at, *found.hull()), 0.0, 1.0)
    low = np.zeros(len(at))
    for slope in SLOPES:
        delta = found.greatest_hockey_stick(float(slope), looks=len(SLOPES))
        low = np.maximum(low, 1 - delta - math.exp(slope) * at)
    low = np.minimum(low, high)
    value = 1 - np.interp(at, *_best_tests(found.value_p, found.value_q))
    return Estimate(
        value=np.clip(value, low, high),
        confidence_interval=Interval(low, high),
        method=method_of(counted),
        n=counted.draws,
        quantity="trade-off T(P, Q), miss rate β at false-alarm rate α",
        confidence=confidence,
        valid_for=_swapped(valid_for(counted, bounded=True)),
        unit="probability",
        at=at,
        axis="α",
    )


def privacy_profile(
    p: Sample,
    q: Sample,
    *,
    epsilons: ArrayLike | None = None,
    confidence: float = 0.95,
    n: int | None = None,
    seed: int = 0,
    support: Sequence[Any] | None = None,
    method: Method = "fixed",
) -> Estimate:
    """Estimate the privacy profile δ(ε) = sup P(E) − e^ε Q(E), over ε.

    Parameters
    ----------
    p, q : array_like, sequence or callable
        See `max_divergence`, also for the keywords.
    epsilons : array_like, optional
        In nats; 0 to 4 in steps of 0.1 where None.

    Returns
    -------
    Estimate
        A curve over `epsilons`, with a band that holds for all ε at once. Each end is valid as in
        `hockey_stick`.

    Raises
    ------
    ValueError
        Where an ε is not finite, or as in `max_divergence`.

    References
    ----------
    Balle, Barthe & Gaboardi, "Privacy profiles and amplification by subsampling", JPC 2020.
    """
    at = curve("epsilons", EPSILONS if epsilons is None else epsilons, "pass nats")
    if not (np.abs(at) <= LARGEST_EPSILON).all():
        raise ValueError(
            f"`epsilons` must be numbers from −{LARGEST_EPSILON:g} to {LARGEST_EPSILON:g}, "
            f"got {epsilons!r}; pass nats"
        )
    counted = tally(p, q, confidence=confidence, n=n, seed=seed, support=support, method=method)
    found = Limits.of(counted, confidence, mean=True)
    factor = np.exp(at)
    levels, powers = found.hull()
    low = np.clip((powers - factor[:, None] * levels).max(axis=1), 0.0, 1.0)
    high = np.array([found.greatest_hockey_stick(float(e), looks=len(at)) for e in at])
    high = np.maximum(high, low)
    value = [total(hockey_stick_term(float(e)), found.value_p, found.value_q) for e in at]
    return Estimate(
        value=np.clip(np.array(value), low, high),
        confidence_interval=Interval(low, high),
        method=method_of(counted),
        n=counted.draws,
        quantity="privacy profile δ(ε) of (P, Q)",
        confidence=confidence,
        valid_for=valid_for(counted, bounded=True),
        unit="probability",
        at=at,
        axis="ε (nats)",
    )


def _best_tests(p: Floats, q: Floats) -> tuple[Floats, Floats]:
    """Return the corners (Q, P) of the best tests between known probabilities."""
    order = np.argsort(-p / q, kind="stable")
    return hull(np.minimum(np.cumsum(q[order]), 1.0), np.minimum(np.cumsum(p[order]), 1.0))


def _swapped(said: str) -> str:
    """Return the words for a quantity that falls where divergences grow."""
    return (
        said.replace("lower end", "LOWER")
        .replace("upper end", "lower end")
        .replace("LOWER", "upper end")
    )
