"""Min-entropy leakage: how much likelier an observer guesses the input than without the output."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpaudit.claims import Claim
from dpaudit.estimates.estimate import Estimate
from dpaudit.estimates.information.allowed import leakage_allowed
from dpaudit.estimates.information.channel import (
    Channel,
    Floats,
    Source,
    read_channel,
    read_prior,
)

OUTWARD = 1e-12
STEPS = 400


def min_entropy_leakage(
    channel: Source,
    prior: ArrayLike | Mapping[Any, float] | None = None,
    *,
    inputs: Sequence[Any] | None = None,
    support: Sequence[Any] | None = None,
    claim: Claim | None = None,
    confidence: float = 0.95,
    n: int | None = None,
    seed: int = 0,
) -> Estimate:
    """Return the min-entropy leakage of a mechanism as a channel, in nats.

    Parameters
    ----------
    channel : array_like, mapping or callable
        A stochastic matrix, one input a row (the value is then exact); a mapping
        ``{input: outputs}``; or a mechanism ``(input)`` or ``(input, rng)``, with `inputs`.
    prior : array_like or mapping, optional
        Probabilities of the inputs, uniform unless given.
    inputs, support, confidence, n, seed
        As for `mutual_information`.
    claim : Claim, optional
        The estimate's ``bound`` is what it allows, every two inputs being neighbors.

    Returns
    -------
    Estimate
        ``ln(Σ_y max_x π_x W(y | x) / max_x π_x)``: the log of how much likelier the best guess is
        with the output than without. The lower end is always valid for the mechanism on these
        inputs (any rule of guessing is at most the best one). The upper end is valid for the
        mechanism if `support` is given or there are few outcomes. Outcomes that a pilot has not
        shown count as revealing their input. Otherwise it is valid only for the cells that one half
        of the draws chose.

    Raises
    ------
    ValueError
        Where the channel or the prior is none.

    References
    ----------
    Smith, "On the foundations of quantitative information flow", 2009; Alvim, Andrés,
    Chatzikokolakis, Degano & Palamidessi, "On the information leakage of differentially-private
    mechanisms", Journal of Computer Security 23 (2015).

    Examples
    --------
    >>> import dpaudit
    >>> flip = [[0.75, 0.25], [0.25, 0.75]]
    >>> found = min_entropy_leakage(flip, claim=dpaudit.PureDP(np.log(3)))
    >>> print(round(found.value, 6), round(found.bound, 6))
    0.405465 0.405465
    """
    read = read_channel(
        channel, inputs=inputs, support=support, confidence=confidence, n=n, seed=seed
    )
    weights = read_prior(prior, read)
    blind = float(weights.max())
    guess = float((weights[:, None] * read.matrix).max(axis=0).sum())
    value = max(0.0, math.log(guess / blind))
    if read.boxes is None:
        low, high = max(0.0, value - OUTWARD), value + OUTWARD
    else:
        least, most = _least(read, weights), _greatest(read, weights)
        low = max(0.0, math.log(least / blind) - OUTWARD) if least > 0 else 0.0
        high = math.log(max(most, blind) / blind) + OUTWARD
    bound = None if claim is None else leakage_allowed(claim, len(read.inputs))
    valid_for = read.valid_for("lower", "upper")
    return read.estimate("min-entropy leakage", value, low, high, confidence, valid_for, bound)


def _least(read: Channel, prior: Floats) -> float:
    """Return at most the best guess's probability: that of one rule; rounds down."""
    assert read.boxes is not None
    rule = (prior[:, None] * read.matrix).argmax(axis=0)
    hits = [float(box.least(rule == x)) for x, box in enumerate(read.boxes)]
    least = float(prior @ np.array(hits))
    guessed = read.guessed
    if guessed is None:
        return least
    rule = (prior[:, None] * guessed).argmax(axis=0)
    chosen = (rule == np.arange(len(prior))[:, None]).astype(float)
    return max(least, float(prior @ read.means(chosen)))


def _greatest(read: Channel, prior: Floats) -> float:
    """Return at least the best guess's probability, by the Lagrangian dual.

    For any λ_x, ``Σ λ_x + Σ_y max_x (a_xy − b_xy) + Σ_xy b_xy`` with a the greatest of
    (π_x − λ_x) w and b that of −λ_x w, over the limits of w, bounds the guess over the region; a
    few steps against the subgradient look for a good λ. Rounds up.
    """
    assert read.boxes is not None
    low = np.array([box.low for box in read.boxes])
    high = np.array([box.high for box in read.boxes])
    multipliers, best = np.zeros(len(prior)), 1.0
    for step in range(STEPS):
        bound, slope = _dual(multipliers, prior, low, high, read.other)
        best = min(best, bound)
        length = float(np.linalg.norm(slope))
        if length < 1e-12:
            break
        multipliers = multipliers - slope / length * float(prior.max()) / (2 + step)
    return min(1.0, best * (1 + OUTWARD))


def _dual(
    multipliers: Floats, prior: Floats, low: Floats, high: Floats, other: int | None
) -> tuple[float, Floats]:
    """Return the bound and its subgradient in the multipliers."""
    gain, cost = (prior - multipliers)[:, None], -multipliers[:, None]
    guessed = np.where(gain > 0, high, low)
    passed = np.where(cost > 0, high, low)
    a, b = gain * guessed, cost * passed
    winner = (a - b).argmax(axis=0)
    taken = winner == np.arange(len(prior))[:, None]
    if other is not None:
        taken[:, other] = True  # outcomes there may all be told apart
    value = float(multipliers.sum() + np.where(taken, a, b).sum())
    return value, 1.0 - np.where(taken, guessed, passed).sum(axis=1)
