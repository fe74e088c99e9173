"""Federated averaging with clients that trust nobody: each clips and blurs its own update.

    client:  M(u) = u min(1, C/‖u‖₂) + N(0, σ² I),    σ = 2C/μ
    server:  mean of the reports

Theorem: each report is μ-Gaussian DP for its client, whatever the others and the server do (Dong,
Roth & Su 2019; averaging of updates: McMahan et al. 2017); the mean is a post-processing.
Sensitivity: 2C in the L2 norm, the diameter of the ball that all updates are brought into.
Relation: any two updates, infinite and missing entries included (local privacy).
Utility: the mean of n reports has variance σ²/n an entry, and no bias if no update exceeds C.
"""

import numpy as np
from numpy.typing import NDArray


def clip_norm(update: NDArray[np.float64], clip: float) -> NDArray[np.float64]:
    """Return the update, shortened to length `clip` where it is longer; missing entries are 0."""
    finite = np.nan_to_num(update, posinf=1e100, neginf=-1e100).clip(-1e100, 1e100)
    length = float(np.linalg.norm(finite))
    return finite * (clip / length) if length > clip else finite


def federated_client(
    update: NDArray[np.float64], rng: np.random.Generator, *, clip: float = 1.0, mu: float = 1.0
) -> NDArray[np.float64]:
    """Return what one client sends."""
    return clip_norm(update, clip) + rng.normal(scale=2 * clip / mu, size=len(update))


def federated_averaging(
    updates: NDArray[np.float64], rng: np.random.Generator, *, clip: float = 1.0, mu: float = 1.0
) -> NDArray[np.float64]:
    """Return the mean of what all clients send; updates have shape (n, d)."""
    reports = [federated_client(update, rng, clip=clip, mu=mu) for update in updates]
    return np.sum(reports, axis=0) / max(1, len(reports)) + np.zeros(updates.shape[1])
