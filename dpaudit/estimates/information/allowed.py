"""What a privacy claim lets an observer learn about one record, all else known."""

from __future__ import annotations

import math

import numpy as np

from dpaudit.claims import Claim, GaussianDP, PureDP, RenyiDP, ZeroConcentratedDP
from dpaudit.estimates.checks import check_claim

OUTWARD = 1e-12


def mutual_information_allowed(claim: Claim, inputs: int | None = None) -> float:
    """Return how much information a channel that keeps a claim transmits at most, in nats.

    Parameters
    ----------
    claim : Claim
        Every two inputs are neighbors under it (one record is replaced, or local privacy).
    inputs : int, optional
        v, the number of inputs; claims that are not a bound on a Kullback–Leibler divergence say
        nothing without it.

    Returns
    -------
    float
        A bound for every prior, so on the capacity too; rounded up, perhaps infinite.

    Notes
    -----
    The least of those that apply:

    - PureDP(ε): ``min(ε²/8, ε)``. Given an output, the posterior is the prior tilted by a
      log-likelihood of range ε at most, and Hoeffding's lemma bounds their divergence by ε²/8.
      `sharpest_information` is a little less.
    - zCDP(ρ): ρ; GaussianDP(μ): μ²/2; RenyiDP(α, ε) with α ≥ 1: ε. Information is at most the
      mean, over two inputs, of the divergence between their outputs, by convexity.
    - Any claim: ``δ(0) ln v``: δ(0) bounds the total variation between any two rows, which is
      Dobrushin's contraction coefficient.

    References
    ----------
    Cuff & Yu, "Differential privacy as a mutual information constraint", CCS 2016; Bun & Steinke,
    "Concentrated differential privacy", TCC 2016; Polyanskiy & Wu, "Strong data-processing
    inequalities for channels and Bayesian networks", 2017 (Dobrushin's coefficient).

    Examples
    --------
    >>> mutual_information_allowed(PureDP(1.0))
    0.125...
    """
    check_claim("claim", claim)
    bounds = [math.inf]
    if isinstance(claim, PureDP):
        bounds += [claim.epsilon**2 / 8, claim.epsilon]
    if isinstance(claim, ZeroConcentratedDP):
        bounds.append(claim.rho)
    if isinstance(claim, GaussianDP):
        bounds.append(claim.mu**2 / 2)
    if isinstance(claim, RenyiDP) and claim.order >= 1:
        bounds.append(claim.epsilon)
    if inputs is not None and not isinstance(claim, PureDP):
        bounds.append(float(np.asarray(claim.delta(0.0))) * math.log(inputs))
    return min(bounds) * (1 + OUTWARD)  # rounds up


def sharpest_information(epsilon: float) -> float:
    """Return the supremum of the information of all ε-DP channels, over priors and alphabets.

    Parameters
    ----------
    epsilon : float
        In nats.

    Returns
    -------
    float
        ``a − 1 − ln a`` with ``a = ε / (1 − e^(−ε))``, in nats; below both ε²/8 and ε.

    Raises
    ------
    ValueError
        Where epsilon is negative.

    Notes
    -----
    Given an output, likelihoods lie between b and e^ε b. The divergence of the posterior from the
    prior is greatest where they are either, on a share w of the prior: with Z = 1 + w(e^ε − 1) it
    is ``ε e^ε w / Z − ln Z``, greatest at Z = a. Subset selection over ever more inputs, of which a
    share w is in the subset, has this divergence at every output, so that nothing less bounds all.
    """
    if not epsilon >= 0:
        raise ValueError(f"`epsilon` must be at least 0, got {epsilon!r}")
    if epsilon < 1e-2:
        return epsilon**2 / 8 - epsilon**4 / 576  # the difference below would cancel
    a = epsilon / -math.expm1(-epsilon)
    return a - 1 - math.log(a)


def leakage_allowed(claim: Claim, inputs: int) -> float:
    """Return how much min-entropy leakage a channel that keeps a claim has at most, in nats.

    Parameters
    ----------
    claim : Claim
        Every two inputs are neighbors under it.
    inputs : int
        v, the number of inputs.

    Returns
    -------
    float
        A bound for every prior, rounded up.

    Notes
    -----
    Leakage is greatest for the uniform prior (Braun, Chatzikokolakis & Palamidessi 2009), where it
    is the log of ``s = Σ_x W(A_x | x)``, A_x the outputs for which x is guessed. Each row x gives
    ``Σ_x' e^(−ε) (W(A_x' | x') − δ) ≤ 1`` over x' ≠ x, its own term without the discount; their sum
    is ``s ≤ v (e^ε + (v − 1) δ) / (e^ε + v − 1)``. With δ = 0 that is the bound of Alvim et al.,
    ``ln(v e^ε / (v − 1 + e^ε))``, which k-ary randomized response attains.

    References
    ----------
    Alvim, Andrés, Chatzikokolakis, Degano & Palamidessi, "On the information leakage of
    differentially-private mechanisms", Journal of Computer Security 23 (2015).

    Examples
    --------
    >>> round(leakage_allowed(PureDP(1.0), 2), 6)
    0.379885
    """
    if inputs < 1:
        raise ValueError(f"`inputs` must be at least 1, got {inputs}")
    check_claim("claim", claim)
    epsilons = np.append(claim.log_slopes(), 0.0)
    deltas = np.asarray(claim.delta(epsilons), dtype=float)
    odds = np.exp(np.minimum(epsilons, 700.0))
    guessed = inputs * (odds + (inputs - 1) * deltas) / (odds + inputs - 1)
    best = min(float(guessed.min()), float(inputs))
    return math.log(best) * (1 + OUTWARD)  # rounds up
