"""Shannon's quantities of a mechanism: entropy and mutual information."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpaudit.claims import Claim
from dpaudit.estimates.checks import floats
from dpaudit.estimates.estimate import Estimate
from dpaudit.estimates.information.allowed import mutual_information_allowed
from dpaudit.estimates.information.channel import (
    Channel,
    Floats,
    Source,
    read_channel,
    read_prior,
    stochastic,
)
from dpaudit.estimates.information.extremes import (
    greatest_entropy,
    greatest_information,
    information,
    least_entropy,
    least_information,
    tangent,
)
from dpaudit.estimates.samples import Sample

OUTWARD = 1e-12  # relative; of exact channels


def entropy(
    outputs: Sample | None = None,
    *,
    probabilities: ArrayLike | None = None,
    support: Sequence[Any] | None = None,
    confidence: float = 0.95,
    n: int | None = None,
    seed: int = 0,
) -> Estimate:
    """Return the Shannon entropy of outputs, H(Y), in nats.

    Parameters
    ----------
    outputs : array_like, sequence or callable, optional
        Draws, or a callable that takes a `numpy.random.Generator` and returns one.
    probabilities : array_like, optional
        The distribution itself, instead of draws; the value is then exact.
    support : sequence, optional
        All outcomes that there are.
    confidence : float
    n : int, optional
        Draws from a callable.
    seed : int

    Returns
    -------
    Estimate
        With `support`, both ends are valid: the least and greatest entropy within simultaneous
        Clopper–Pearson limits of all outcomes. The upper end is at most the log of their number.
        Without it, the lower end is valid: outcomes that a pilot has not shown are one cell, and
        merging lowers entropy. The upper end is then infinite, since no sample bounds the entropy
        of unseen outcomes.

    Raises
    ------
    ValueError
        Where neither or both of `outputs` and `probabilities` are given, or an outcome lies outside
        `support`.

    References
    ----------
    Cover & Thomas, Elements of Information Theory, 2006, chapter 2; Clopper & Pearson 1934.

    Examples
    --------
    >>> round(entropy(probabilities=[0.5, 0.25, 0.25]).value, 4)
    1.0397
    """
    if (outputs is None) == (probabilities is None):
        both = "none of them" if outputs is None else "both"
        raise ValueError(f"one of `outputs` and `probabilities` is wanted, got {both}; pass one")
    source: Source
    if outputs is None:
        source = stochastic(
            np.atleast_2d(floats("probabilities", probabilities, "pass e.g. [0.5, 0.5]")),
            "probabilities",
        )
    else:
        source = {"outputs": outputs}
    read = read_channel(
        source,
        inputs=None,
        support=support,
        confidence=confidence,
        n=n,
        seed=seed,
        name="outputs",
    )
    from scipy.special import entr

    value = float(entr(read.matrix[0]).sum())
    if read.boxes is None:
        low, high = _around(value)
    else:
        low = least_entropy(read.boxes[0])
        high = math.inf
        if read.kind == "support":
            high = min(greatest_entropy(read.boxes[0]), math.log(read.sizes[1]))
    valid_for = read.valid_for("lower", "upper", other=False)
    if high == math.inf:
        valid_for = "lower end: valid for the mechanism; upper end: none (`support` is not known)"
    return read.estimate("entropy H(Y)", value, low, high, confidence, valid_for)


def mutual_information(
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
    """Return the mutual information of a mechanism's input and output, I(X; Y), in nats.

    Parameters
    ----------
    channel : array_like, mapping or callable
        A stochastic matrix, one input a row (the value is then exact); a mapping
        ``{input: outputs}``; or a mechanism ``(input)`` or ``(input, rng)``, with `inputs`.
    prior : array_like or mapping, optional
        Probabilities of the inputs, uniform unless given.
    inputs : sequence, optional
        The inputs of a mechanism.
    support : sequence, optional
        All outcomes that there are.
    claim : Claim, optional
        The estimate's ``bound`` is what it allows, every two inputs being neighbors.
    confidence : float
    n : int, optional
        Draws for each input from a callable.
    seed : int

    Returns
    -------
    Estimate
        From samples: the extremes over all channels within simultaneous Clopper–Pearson limits. The
        lower end is always valid for the mechanism on these inputs (merging outputs loses
        information, the data-processing inequality). The upper end is valid for the mechanism if
        `support` is given or there are few outcomes. Outcomes that a pilot has not shown count as
        revealing their input. Otherwise it is valid only for the cells that one half of the draws
        chose.

    Raises
    ------
    ValueError
        Where the channel or the prior is none.

    Notes
    -----
    The lower end is the least value of a convex function on a convex set, by alternating
    minimization, certified by a tangent. If a pilot chose the cells, half of the error goes to a
    tangent that it chose too. That is a mean, which needs no limits for single cells. Upper end:
    mean divergence of the rows from one distribution, greatest at corners.

    References
    ----------
    Csiszár & Tusnády, "Information geometry and alternating minimization procedures", 1984; Cuff &
    Yu, "Differential privacy as a mutual information constraint", CCS 2016.

    Examples
    --------
    >>> import dpaudit
    >>> flip = [[0.75, 0.25], [0.25, 0.75]]
    >>> print(mutual_information(flip, claim=dpaudit.PureDP(np.log(3))))
    mutual information I(X; Y): 0.130812 nats, 0.95 interval [0.130812, 0.130812]
      a claim allows at most 0.150869
      0 draws; exact channel of 2 inputs and 2 outputs
      both ends: the channel as given, up to rounding
    """
    read = read_channel(
        channel, inputs=inputs, support=support, confidence=confidence, n=n, seed=seed
    )
    weights = read_prior(prior, read)
    value, low, high = _information(read, weights)
    bound = None if claim is None else mutual_information_allowed(claim, len(read.inputs))
    valid_for = read.valid_for("lower", "upper")
    return read.estimate(
        "mutual information I(X; Y)", value, low, high, confidence, valid_for, bound
    )


def conditional_entropy(
    channel: Source,
    prior: ArrayLike | Mapping[Any, float] | None = None,
    *,
    inputs: Sequence[Any] | None = None,
    support: Sequence[Any] | None = None,
    confidence: float = 0.95,
    n: int | None = None,
    seed: int = 0,
) -> Estimate:
    """Return what an observer of the output does not know about the input, H(X | Y), in nats.

    Parameters
    ----------
    channel, prior, inputs, support, confidence, n, seed
        As for `mutual_information`.

    Returns
    -------
    Estimate
        H(X) − I(X; Y), H(X) being known from the prior. The upper end is always valid for the
        mechanism on these inputs, the lower end as the upper end of `mutual_information`.

    Raises
    ------
    ValueError
        Where the channel or the prior is none.

    Examples
    --------
    >>> round(conditional_entropy([[0.75, 0.25], [0.25, 0.75]]).value, 4)
    0.5623
    """
    read = read_channel(
        channel, inputs=inputs, support=support, confidence=confidence, n=n, seed=seed
    )
    weights = read_prior(prior, read)
    value, low, high = _information(read, weights)
    whole = float(-(weights[weights > 0] * np.log(weights[weights > 0])).sum())
    valid_for = read.valid_for("upper", "lower")
    return read.estimate(
        "conditional entropy H(X | Y)",
        max(0.0, whole - value),
        max(0.0, (whole - high) * (1 - OUTWARD)),
        max(0.0, (whole - low) * (1 + OUTWARD)),
        confidence,
        valid_for,
    )


def least_of(read: Channel, prior: Floats) -> float:
    """Return the least information over the limits, or by a tangent that the pilot chose."""
    assert read.boxes is not None
    low = least_information(prior, read.boxes)
    guessed = read.guessed
    if guessed is None:
        return low
    return max(low, float(prior @ read.means(tangent(prior, guessed))))


def _information(read: Channel, prior: Floats) -> tuple[float, float, float]:
    """Return the mutual information, estimated, at least and at most."""
    value = information(prior, read.matrix)
    if read.boxes is None:
        return (value, *_around(value))
    low = least_of(read, prior)
    high = greatest_information(prior, read.boxes)
    # an outcome that was not foreseen may reveal its input
    high += float(read.unseen @ prior) * math.log(len(read.inputs))
    used = prior[prior > 0]
    return value, low, min(high, float(-(used * np.log(used)).sum()) * (1 + OUTWARD))


def _around(value: float) -> tuple[float, float]:
    return max(0.0, value * (1 - OUTWARD) - 1e-15), value * (1 + OUTWARD) + 1e-15
