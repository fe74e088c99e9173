"""The Gaussian DP parameter of two samples, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpaudit.estimates.estimate import Estimate, Interval
from dpaudit.estimates.limits import Limits
from dpaudit.estimates.proportions import Method, lower_limit, upper_limit
from dpaudit.estimates.samples import Sample
from dpaudit.estimates.split import Floats, Tally, tally
from dpaudit.estimates.wording import method_of, valid_for

OF_EVENT = 0.5  # of the error: for the event that the pilot finds most telling
SLOPES = np.linspace(-6.0, 6.0, 49)  # log-slopes of the lines above the trade-off
OUTWARD = 1e-9


def gdp_parameter(
    p: Sample,
    q: Sample,
    *,
    confidence: float = 0.95,
    n: int | None = None,
    seed: int = 0,
    support: Sequence[Any] | None = None,
    method: Method = "fixed",
) -> Estimate:
    """Estimate the least μ for which two distributions keep μ-Gaussian DP.

    That is the supremum of Φ⁻¹(P(E)) − Φ⁻¹(Q(E)) over all events E, the same in both directions.

    Parameters
    ----------
    p, q : array_like, sequence or callable
        See `max_divergence`, also for the keywords.

    Returns
    -------
    Estimate
        **Lower end**: valid for the mechanism, whose μ over all neighbors is no less. **Upper
        end**: of these two distributions only, not of other neighbors, and valid as in
        `max_divergence`; infinite where an outcome may reveal.

    Raises
    ------
    ValueError
        As in `max_divergence`.

    Notes
    -----
    Lower end: the greatest over events with limits for both probabilities, among them one that
    the pilot chose. Upper end: no event lies above the lines p = δ(ε) + e^ε q, with the greatest
    hockey-stick δ(ε) of the region. The region of μ-Gaussian DP is convex; so it holds all points
    below the lines when it holds the corners where they meet.

    References
    ----------
    J. Dong, A. Roth, W. Su. Gaussian differential privacy. JRSS B 84 (2022), Definition 2.6
    (μ-GDP) and Proposition 2.12 (lines above the trade-off). Clopper & Pearson (1934).
    """
    counted = tally(p, q, confidence=confidence, n=n, seed=seed, support=support, method=method)
    error = 1 - confidence
    of_event = OF_EVENT * error if counted.method == "fixed" and counted.has_pilot else 0.0
    found = Limits.of(counted, 1 - (error - of_event), mean=True)
    low = float(np.max(_distance(found.levels, found.powers), initial=0.0))
    if of_event:
        low = max(low, _chosen_event(counted, of_event))
    low = max(low - OUTWARD, 0.0)  # rounds down
    high = max(_greatest(found) + OUTWARD, low)  # rounds up
    level, power = np.cumsum(found.value_q), np.cumsum(found.value_p)
    value = float(np.max(_distance(level[:-1], power[:-1]), initial=0.0))
    return Estimate(
        value=min(max(value, low), high),
        confidence_interval=Interval(low, high),
        method=method_of(counted),
        n=counted.draws,
        quantity="Gaussian DP parameter μ of P and Q",
        confidence=confidence,
        valid_for=valid_for(counted, bounded=False),
        unit="",
    )


def _distance(level: Floats, power: Floats) -> Floats:
    """Return Φ⁻¹(power) − Φ⁻¹(level): how far apart Gaussians must be for such a test."""
    from scipy.special import ndtri

    trivial = (power <= 0) | (level >= 1)
    with np.errstate(invalid="ignore"):
        distance: Floats = np.where(trivial, -np.inf, ndtri(power) - ndtri(level))
    return distance


def _chosen_event(counted: Tally, error: float) -> float:
    """Return the distance that the event of some first cells proves; the pilot says how many."""
    first, second = np.cumsum(counted.pilot_p)[:-1], np.cumsum(counted.pilot_q)[:-1]
    if not len(first):
        return 0.0
    hope = _distance(*_limits(first, second, counted.pilot_p, counted.pilot_q, error))
    end = int(np.argmax(hope)) + 1
    one, two = np.array([counted.p[:end].sum()]), np.array([counted.q[:end].sum()])
    return float(_distance(*_limits(one, two, counted.p, counted.q, error))[0])


def _limits(
    one: Floats, two: Floats, counts_p: Floats, counts_q: Floats, error: float
) -> tuple[Floats, Floats]:
    """Return Q at most and P at least, each wrong with half of the error."""
    power = lower_limit(one, int(counts_p.sum()), error / 2)
    return upper_limit(two, int(counts_q.sum()), error / 2), power


def _greatest(found: Limits) -> float:
    """Return the greatest distance at the corners where the lines above all events meet."""
    region = found.region
    if region.other is not None:
        return float("inf")
    with np.errstate(divide="ignore"):
        steepest = float(np.max(region.p.high / np.maximum(region.q.low, 0.0)))
        flattest = float(np.min(region.p.low / region.q.high))
    if not np.isfinite(steepest) or flattest <= 0:
        return float("inf")  # an event of one cell may have probability 0 on one side alone
    inner = SLOPES[(np.exp(SLOPES) < steepest) & (np.exp(SLOPES) > flattest)]
    deltas = [found.greatest_hockey_stick(float(e), looks=len(SLOPES)) for e in inner]
    slopes = np.concatenate([[steepest], np.exp(inner), [flattest]])
    starts = np.concatenate([[0.0], deltas, [1.0 - flattest]])
    with np.errstate(divide="ignore", invalid="ignore"):
        meets = (starts[None, :] - starts[:, None]) / (slopes[:, None] - slopes[None, :])
    level = meets[np.isfinite(meets) & (meets > 0) & (meets < 1)]
    power = np.min(starts[:, None] + slopes[:, None] * level, axis=0)
    return float(np.max(_distance(level, np.clip(power, 0.0, 1.0)), initial=0.0))
