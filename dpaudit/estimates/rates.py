"""Epsilon from the error rates of one test: what true and false positives say."""

from __future__ import annotations

import math

import numpy as np

from dpaudit.claims.validation import real
from dpaudit.estimates.checks import check_confidence, check_delta
from dpaudit.estimates.estimate import Interval
from dpaudit.estimates.proportions import Method, check_method, limits


def epsilon_from_rates(
    true_positives: int,
    false_negatives: int,
    false_positives: int,
    true_negatives: int,
    *,
    delta: float = 0.0,
    confidence: float = 0.95,
    method: Method = "fixed",
) -> Interval:
    """Return limits for the epsilon that the error rates of one test show, in both directions.

    Parameters
    ----------
    true_positives, false_negatives : int
        Draws of the one dataset, inside and outside the event.
    false_positives, true_negatives : int
        Draws of the other dataset.
    delta : float
        In [0, 1).
    confidence : float
        Of **each end alone**; both at once hold with ``2 * confidence - 1``.
    method : {"fixed", "anytime"}

    Returns
    -------
    Interval
        ``low``: valid for the mechanism, which has at least this ε at this `delta`; 0 of a test
        that is worse than chance. ``high``: valid only for this test; the ε of the event and its
        complement is at most this.

    Raises
    ------
    ValueError
        Where a count is negative or no whole number, a dataset has no draw, or `delta` or
        `confidence` is out of range.

    Notes
    -----
    Each rate gets half of an end's error. The test must have been fixed before these draws.

    References
    ----------
    Nasr et al., "Adversary instantiation", IEEE S&P 2021, Section 4. Kairouz, Oh & Viswanath,
    "The composition theorem for differential privacy", ICML 2015, Theorem 2.1.

    Examples
    --------
    >>> print("{:.6f} {:.6f}".format(*epsilon_from_rates(900, 100, 100, 900)))
    1.989706 2.414080
    """
    check_confidence(confidence)
    check_method(method)
    tp, fn, fp, tn = (
        _validated(name, count)
        for name, count in (
            ("true_positives", true_positives),
            ("false_negatives", false_negatives),
            ("false_positives", false_positives),
            ("true_negatives", true_negatives),
        )
    )
    check_delta(delta)
    if tp + fn == 0 or fp + tn == 0:
        raise ValueError(
            f"each dataset needs a draw, got {tp + fn} and {fp + tn}; pass the counts of a test"
        )
    tail = (1 - confidence) / 2
    miss_low, miss_high = (float(end) for end in limits(fn, tp + fn, tail, method))
    alarm_low, alarm_high = (float(end) for end in limits(fp, fp + tn, tail, method))
    # Each ratio falls in both rates, so that it is least at their upper limits.
    low = max(_epsilon(miss_high, alarm_high, delta), _epsilon(alarm_high, miss_high, delta))
    high = max(
        _epsilon(miss_low, alarm_low, delta),
        _epsilon(alarm_low, miss_low, delta),
        # The other way round: what is missed is 1 − miss of a test that is worse than chance.
        _epsilon(1 - miss_high, 1 - alarm_high, delta),
        _epsilon(1 - alarm_high, 1 - miss_high, delta),
    )
    return Interval(max(low, 0.0), max(high, 0.0))


def _epsilon(miss: float, alarm: float, delta: float) -> float:
    """Return log (1 − δ − miss) / alarm; −∞ where the numerator is not positive."""
    above = 1 - delta - miss
    if above <= 0:
        return -math.inf
    return math.log(above / alarm) if alarm > 0 else math.inf


def _validated(name: str, count: int) -> int:
    number = real(name, count, "pass a count")
    if number < 0 or number != np.floor(number) or np.isinf(number):
        raise ValueError(f"`{name}` must be a whole number from 0, got {count!r}; pass a count")
    return int(count)
