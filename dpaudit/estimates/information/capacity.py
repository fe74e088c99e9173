"""The capacity of a mechanism as a channel, by the iteration of Blahut and Arimoto."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.claims import Claim
from dpaudit.estimates.estimate import Estimate
from dpaudit.estimates.information.allowed import mutual_information_allowed
from dpaudit.estimates.information.channel import Channel, Floats, Source, read_channel
from dpaudit.estimates.information.extremes import (
    centers,
    divergences,
    greatest_capacity,
    least_information,
    tangent,
)

STEPS = 20_000
ROUGHLY = 1e-5  # nats, for priors of estimated channels: any prior gives valid ends
OUTWARD = 1e-12


def channel_capacity(
    channel: Source,
    *,
    inputs: Sequence[Any] | None = None,
    support: Sequence[Any] | None = None,
    claim: Claim | None = None,
    confidence: float = 0.95,
    n: int | None = None,
    seed: int = 0,
    tolerance: float = 1e-9,
) -> Estimate:
    """Return the capacity of a mechanism as a channel: the most information over all priors.

    Parameters
    ----------
    channel, inputs, support, claim, confidence, n, seed
        As for `mutual_information`.
    tolerance : float
        Of the iteration for an exact channel, in nats.

    Returns
    -------
    Estimate
        Of an exact channel: between the bounds that the iteration itself certifies, closer than
        `tolerance` unless it was stopped. From samples, the lower end is the least information over
        the limits, at the prior that the estimated channel prefers. It is valid for the mechanism
        on these inputs. The upper end is the largest divergence of any row from one distribution.
        It is valid as that of `mutual_information`.

    Raises
    ------
    ValueError
        Where the channel is none.

    References
    ----------
    Blahut, "Computation of channel capacity and rate-distortion functions", 1972; Arimoto, "An
    algorithm for computing the capacity of arbitrary discrete memoryless channels", 1972.

    Examples
    --------
    >>> erased = [[0.7, 0.0, 0.3], [0.0, 0.7, 0.3]]
    >>> print(round(channel_capacity(erased).value / np.log(2), 6))
    0.7
    """
    read = read_channel(
        channel, inputs=inputs, support=support, confidence=confidence, n=n, seed=seed
    )
    v, _ = read.sizes
    found = blahut_arimoto(read.matrix, tolerance if read.boxes is None else ROUGHLY)
    if read.boxes is None:
        value, low, high = found.low, found.low, found.high
        return _capacity(read, value, low, high, confidence, claim)
    middle = blahut_arimoto(centers(read.boxes), ROUGHLY)
    low = max(least_information(prior, read.boxes) for prior in (found.prior, middle.prior))
    guessed = read.guessed
    if guessed is not None:
        prior = blahut_arimoto(guessed, ROUGHLY).prior
        low = max(low, float(prior @ read.means(tangent(prior, guessed))))
    high = greatest_capacity(middle.prior, read.boxes) + float(read.unseen.max()) * math.log(v)
    high = min(high, math.log(v))
    return _capacity(read, found.low, low, high, confidence, claim)


def _capacity(
    read: Channel, value: float, low: float, high: float, confidence: float, claim: Claim | None
) -> Estimate:
    bound = None if claim is None else mutual_information_allowed(claim, len(read.inputs))
    valid_for = read.valid_for("lower", "upper")
    return read.estimate("channel capacity", value, low, high, confidence, valid_for, bound)


@dataclass(frozen=True, slots=True, eq=False)
class Capacity:
    """Bounds for a capacity, in nats, and the prior reached.

    Attributes
    ----------
    low, high : float
    prior : ndarray, shape (v,)
    """

    low: float
    high: float
    prior: Floats


def blahut_arimoto(matrix: Floats, tolerance: float) -> Capacity:
    """Return bounds for the capacity that differ by at most `tolerance` unless steps run out.

    Parameters
    ----------
    matrix : ndarray, shape (v, k)
        Stochastic.
    tolerance : float
        In nats.

    Raises
    ------
    ValueError
        Where `tolerance` is not positive.

    Notes
    -----
    With c_x = exp D(W_x ‖ πW) a step sets π_x ∝ π_x c_x, and before each step
    ``ln Σ π_x c_x ≤ C ≤ ln max c_x`` (Blahut 1972, Theorem 2 and its corollary).
    """
    if not tolerance > 0:
        raise ValueError(f"`tolerance` must be positive, got {tolerance!r}; pass e.g. 1e-9")
    prior = np.full(len(matrix), 1 / len(matrix))
    low, high = 0.0, np.inf
    for _ in range(STEPS):
        distance = divergences(matrix, prior @ matrix)
        top = float(distance.max())
        weights = prior * np.exp(distance - top)
        low = max(low, top + float(np.log(weights.sum())))
        high = min(high, top)
        if high - low <= tolerance:
            break
        prior = weights / weights.sum()
    return Capacity(max(0.0, low * (1 - OUTWARD) - 1e-15), high * (1 + OUTWARD) + 1e-15, prior)
