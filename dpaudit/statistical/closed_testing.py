"""Closed testing of averages: which of several hypotheses are refuted together.

E-values are averaged over every set of hypotheses, and one of them is refuted where the average
over each set that holds it reaches 1/α. The averages that matter are those with the smallest of
the others, so that sorting replaces the search over all sets.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


def log_mean(logs: Sequence[float]) -> float:
    """Return the log of the mean of e-values, the e-value of all hypotheses together.

    Parameters
    ----------
    logs : sequence of float
        Logs of e-values.
    """
    return float(np.logaddexp.reduce(np.asarray(logs, dtype=float))) - math.log(len(logs))


def log_needed(others: Sequence[float], alpha: float) -> float:
    """Return the log e-value from which closed testing refutes one of several hypotheses.

    Parameters
    ----------
    others : sequence of float
        Logs of the e-values of the other hypotheses that are not refuted yet; ``-inf`` for one
        without evidence. A hypothesis that was refuted is left out.
    alpha : float
        Probability that any true hypothesis of the family is ever refuted.

    Returns
    -------
    float
        Between log 1/α, which a hypothesis alone needs, and log m/α, the Bonferroni correction
        over the m that are left.

    References
    ----------
    Vovk, V., & Wang, R. (2021). E-values: calibration, combination and applications. *Annals of
    Statistics* 49(3).

    Examples
    --------
    >>> alone, none = log_needed([], 0.05), log_needed([-math.inf] * 3, 0.05)
    >>> round(math.exp(alone)), round(math.exp(none))
    (20, 80)
    >>> round(math.exp(log_needed([math.log(20)] * 3, 0.05)))  # the others have reached 1/α
    20
    """
    # In units of 1/α, and no more than what pays for every set: larger values change nothing.
    scaled = np.clip(np.sort(np.asarray(others, dtype=float)) + math.log(alpha), None, 700.0)
    have = np.concatenate([[0.0], np.cumsum(np.exp(scaled))])
    missing = np.arange(1, len(have) + 1) - have
    return float(math.log(max(missing.max(), 1.0))) - math.log(alpha)
