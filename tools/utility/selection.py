"""How well selection and sparse vectors choose: exact probabilities for small inputs."""

from __future__ import annotations

from math import exp

import numpy as np
from numpy.typing import NDArray

from mechanisms.above_threshold import above_threshold
from mechanisms.adaptive_sparse_vector import adaptive_sparse_vector
from mechanisms.exponential import exponential
from mechanisms.exponential_laplace import exponential_laplace
from mechanisms.exponential_segments import exponential_segments
from mechanisms.gap_sparse_vector import gap_sparse_vector
from mechanisms.noisy_max import report_noisy_max
from mechanisms.numeric_sparse_vector import numeric_sparse_vector
from mechanisms.permute_and_flip import permute_and_flip
from mechanisms.sparse_vector import sparse_vector_refreshed
from mechanisms.top_k import top_k
from tools.utility import Utility

Rng = np.random.Generator

SCORES: NDArray[np.float64] = np.array([3.0, 2.0, 1.0, 0.0])
ONE_BEST: NDArray[np.float64] = np.array([1.0, 0.0, 0.0, 0.0, 0.0])
TWO: NDArray[np.float64] = np.array([1.0, 0.0])
RECORDS: NDArray[np.float64] = np.linspace(0.5, 99.5, 100)
BELOW, ABOVE = 2.0, 1e4  # distances from the threshold
HITS = 2


def exponential_loss(epsilon: float, rng: Rng) -> float:
    """Return how far the chosen score lies below the best."""
    return float(SCORES.max() - SCORES[exponential(SCORES, rng, epsilon=epsilon)])


def exponential_expected(epsilon: float) -> float:
    """Return Σ w_r (max u − u_r) / Σ w_r with w_r = exp(ε u_r / 2)."""
    weights = np.exp(epsilon * (SCORES - SCORES.max()) / 2)
    return float(weights @ (SCORES.max() - SCORES) / weights.sum())


def reals_loss(epsilon: float, rng: Rng) -> float:
    """Return the squared error of the exponential mechanism over the reals."""
    return exponential_laplace(0.0, rng, epsilon=epsilon) ** 2


def reals_expected(epsilon: float) -> float:
    """Return the variance of Lap(2/ε)."""
    return 8 / epsilon**2


def median_loss(epsilon: float, rng: Rng) -> float:
    """Return how far the rank of the answer lies from the median's."""
    answer = exponential_segments(RECORDS, rng, epsilon=epsilon)
    return abs(float((answer > RECORDS).sum()) - len(RECORDS) / 2)


def median_expected(epsilon: float) -> float:
    """Return the mean over segments, each weighted by its length times exp(ε u)."""
    n = len(RECORDS)
    distances = np.abs(np.arange(n + 1) - n / 2)
    lengths = np.diff(np.concatenate([[0.0], RECORDS, [100.0]]))
    weights = lengths * np.exp(-epsilon * distances)
    return float(weights @ distances / weights.sum())


def flip_loss(epsilon: float, rng: Rng) -> float:
    """Return how far the chosen score lies below the best, of one best and four alike."""
    return float(ONE_BEST.max() - ONE_BEST[permute_and_flip(ONE_BEST, rng, epsilon=epsilon)])


def flip_expected(epsilon: float) -> float:
    """Return g (1 − (1 − (1 − p)^k) / (kp)) for a gap g and p = exp(−εg/2)."""
    k, gap = len(ONE_BEST), float(ONE_BEST.max())
    p = exp(-epsilon * gap / 2)
    return gap * (1 - (1 - (1 - p) ** k) / (k * p))


def noisy_max_loss(epsilon: float, rng: Rng) -> float:
    """Return how far the chosen answer lies below the better of two."""
    return float(TWO.max() - TWO[report_noisy_max(TWO, rng, epsilon=epsilon)])


def noisy_max_expected(epsilon: float) -> float:
    """Return g (2 + t) e^(−t) / 4 for a gap g and t = εg/2."""
    gap = float(TWO.max())
    t = epsilon * gap / 2
    return gap * (2 + t) * exp(-t) / 4


def top_k_loss(epsilon: float, rng: Rng) -> float:
    """Return 0 where the three best come in their order, else 1."""
    return float(top_k(SCORES, rng, epsilon=epsilon) != (0, 1, 2))


def top_k_expected(epsilon: float) -> float:
    """Return one minus the product of three exponential mechanisms' chances."""
    weights = np.exp(epsilon * (SCORES - SCORES.max()) / 6)
    return 1 - float(np.prod([weights[i] / weights[i:].sum() for i in range(3)]))


def crossing(distance: float, one: float, other: float) -> float:
    """Return Pr[Lap(one) − Lap(other) ≥ distance], by convolution, for two different scales."""
    return (one**2 * exp(-distance / one) - other**2 * exp(-distance / other)) / (
        2 * (one**2 - other**2)
    )


def above_threshold_loss(epsilon: float, rng: Rng) -> float:
    """Return 1 where an answer below the threshold is reported above it."""
    return float(above_threshold(np.array([-BELOW]), rng, epsilon=epsilon, threshold=0.0)[0])


def above_threshold_expected(epsilon: float) -> float:
    """Return the chance that Lap(4/ε) and Lap(2/ε) bridge the distance."""
    return crossing(BELOW, 4 / epsilon, 2 / epsilon)


def sparse_vector_loss(epsilon: float, rng: Rng) -> float:
    """Return 1 where an answer below the threshold is reported above it."""
    answers = np.array([-BELOW])
    return float(
        sparse_vector_refreshed(answers, rng, epsilon=epsilon, hits=HITS, threshold=0.0)[0]
    )


def sparse_vector_expected(epsilon: float) -> float:
    """Return the chance that Lap(4c/ε) and Lap(2c/ε) bridge the distance."""
    return crossing(BELOW, 4 * HITS / epsilon, 2 * HITS / epsilon)


def numeric_loss(epsilon: float, rng: Rng) -> float:
    """Return the squared error of an answer far above the threshold."""
    answers = np.array([ABOVE])
    (released,) = numeric_sparse_vector(answers, rng, epsilon=epsilon, hits=HITS, threshold=0.0)
    return (float(released) - ABOVE) ** 2


def numeric_expected(epsilon: float) -> float:
    """Return the variance of Lap(3c/ε)."""
    return 18 * HITS**2 / epsilon**2


def gap_loss(epsilon: float, rng: Rng) -> float:
    """Return the squared error of the gap of an answer far above the threshold."""
    answers = np.array([ABOVE])
    (gap,) = gap_sparse_vector(answers, rng, epsilon=epsilon, hits=HITS, threshold=0.0)
    return (float(gap) - ABOVE) ** 2


def gap_expected(epsilon: float) -> float:
    """Return the variances of Lap(2/ε) and Lap(4c/ε) together."""
    return (8 + 32 * HITS**2) / epsilon**2


def adaptive_loss(epsilon: float, rng: Rng) -> float:
    """Return the squared error of the gap of an answer far above the margin."""
    answers = np.array([ABOVE])
    (gap,) = adaptive_sparse_vector(answers, rng, epsilon=epsilon, hits=HITS, threshold=0.0)
    return (float(gap) - ABOVE) ** 2


def adaptive_expected(epsilon: float) -> float:
    """Return the variances of Lap(2/ε) and Lap(8c/ε) together."""
    return (8 + 128 * HITS**2) / epsilon**2


LOST = "score lost against the best"
FALSE_ALARM = "false alarm on an answer 2 below the threshold"

UTILITIES: tuple[Utility, ...] = (
    Utility(
        "exponential",
        LOST,
        exponential_loss,
        exponential_expected,
        "McSherry & Talwar 2007, its definition",
    ),
    Utility(
        "exponential_laplace",
        "squared error",
        reals_loss,
        reals_expected,
        "the variance of Laplace noise",
    ),
    Utility(
        "exponential_segments",
        "distance of the chosen rank from the median's",
        median_loss,
        median_expected,
        "McSherry & Talwar 2007, its definition",
    ),
    Utility("permute_and_flip", LOST, flip_loss, flip_expected, "McKenna & Sheldon 2020"),
    Utility(
        "noisy_max",
        LOST,
        noisy_max_loss,
        noisy_max_expected,
        "the difference of two Laplace variables",
    ),
    Utility(
        "top_k",
        "the three best are not in order",
        top_k_loss,
        top_k_expected,
        "Durfee & Rogers 2019: k exponential mechanisms in turn",
    ),
    Utility(
        "above_threshold",
        FALSE_ALARM,
        above_threshold_loss,
        above_threshold_expected,
        "the difference of two Laplace variables",
    ),
    Utility(
        "sparse_vector",
        FALSE_ALARM,
        sparse_vector_loss,
        sparse_vector_expected,
        "the difference of two Laplace variables",
    ),
    Utility(
        "numeric_sparse_vector",
        "squared error of a released answer",
        numeric_loss,
        numeric_expected,
        "the variance of Laplace noise",
    ),
    Utility(
        "gap_sparse_vector",
        "squared error of a released gap",
        gap_loss,
        gap_expected,
        "the variance of Laplace noise, twice",
    ),
    Utility(
        "adaptive_sparse_vector",
        "squared error of a released gap",
        adaptive_loss,
        adaptive_expected,
        "the variance of Laplace noise, twice",
    ),
)
