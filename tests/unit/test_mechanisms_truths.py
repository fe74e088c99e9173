"""What flawed mechanisms state about themselves is computed again from their densities."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from math import e, log

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import laplace

Pair = tuple[np.ndarray, np.ndarray]


def distance(p: np.ndarray, q: np.ndarray, epsilon: float) -> float:
    """Least Σ p ln(p/p') + q ln(q/q') over the pairs (p', q') that epsilon-DP allows.

    For multipliers (λ, 2 − λ) of the two normalizations each cell has a closed form; the concave
    dual in λ is maximized.
    """
    seen = (p + q) > 1e-200
    p, q, t = p[seen], q[seen], np.exp(epsilon)

    def dual(weight: float) -> float:
        other = 2 - weight
        high, low = p * other > t * q * weight, q * weight > t * p * other
        at_high, at_low = (p + q) / (weight * t + other), (p + q) / (weight + other * t)
        nearest_p = np.where(high, t * at_high, np.where(low, at_low, p / weight))
        nearest_q = np.where(high, at_high, np.where(low, t * at_low, q / other))
        divergence = sum(
            float((a[a > 0] * np.log(a[a > 0] / b[a > 0])).sum())
            for a, b in ((p, nearest_p), (q, nearest_q))
        )
        return divergence + float(weight * nearest_p.sum() + other * nearest_q.sum()) - 2

    found = minimize_scalar(lambda w: -dual(w), bounds=(0.02, 1.98), method="bounded")
    return -float(found.fun)


def laplace_cells(left: tuple[float, float], right: tuple[float, float]) -> Pair:
    """Cell probabilities of Laplace noise with (location, scale) on each side."""
    edges = np.linspace(-1500, 1500, 300_001)
    ends = np.array([0.0]), np.array([1.0])
    p, q = (
        np.diff(np.concatenate([ends[0], laplace.cdf(edges, *side), ends[1]]))
        for side in (left, right)
    )
    return p, q


def reveal(probability: float) -> Pair:
    """Each side shows itself with this probability, and else the two agree."""
    rest = 1 - probability
    return np.array([probability, 0, rest]), np.array([0, probability, rest])


def argmax_cells(answers: tuple[int, ...], scale: float) -> np.ndarray:
    x = np.linspace(-40, 40, 40_001)
    parts = []
    for i, winner in enumerate(answers):
        others = [laplace.cdf(x, o, scale) for j, o in enumerate(answers) if j != i]
        parts.append((laplace.pdf(x, winner, scale) * np.prod(others, axis=0)).sum())
    cells: np.ndarray = np.array(parts) / np.sum(parts)
    return cells


def maximum_cells(answers: tuple[int, ...], scale: float) -> np.ndarray:
    edges = np.linspace(-40, 60, 8001)
    below = np.prod([laplace.cdf(edges, a, scale) for a in answers], axis=0)
    return np.diff(np.concatenate([[0.0], below, [1.0]]))


def first_hit_cells(answers: tuple[int, ...], scales: tuple[float, float]) -> np.ndarray:
    """Index of the first hit (threshold 1), or none; by integration over the noisy threshold."""
    t = np.linspace(-80, 80, 16_001)
    remaining = laplace.pdf(t, 1, scales[0])
    remaining /= remaining.sum()
    cells = []
    for a in answers:
        hit = laplace.sf(t - a, 0, scales[1]) if scales[1] else (a >= t).astype(float)
        cells.append((remaining * hit).sum())
        remaining = remaining * (1 - hit)
    return np.array([*cells, remaining.sum()])


def softmax(scores: list[float]) -> np.ndarray:
    total: np.ndarray = np.exp(scores) / np.exp(scores).sum()
    return total


def geometric_cells(alpha: float) -> Pair:
    z = np.arange(-200, 202)
    return tuple((1 - alpha) / (1 + alpha) * alpha ** np.abs(z - s, dtype=float) for s in (0, 1))  # type: ignore[return-value]


def weights(k: int, truth: float) -> Pair:
    p = np.full(k, (1 - truth) / (k - 1))
    q = p.copy()
    p[0] = q[1] = truth
    return p, q


AMPLIFIED = log(1 + 0.2 * (e - 1))
HALF = (1,) * 5 + (0,) * 5

TRUTHS: list[tuple[str, float, float, Callable[[], Pair]]] = [
    ("catastrophe", 1.0, np.inf, lambda: reveal(0.01)),
    ("laplace_half_scale", 1.0, 2.0, lambda: laplace_cells((0, 0.5), (1, 0.5))),
    ("laplace_fixed_seed", 1.0, np.inf, lambda: reveal(1.0)),
    ("geometric_wrong_parameter", 0.8, log(5), lambda: geometric_cells(0.2)),
    (
        "exponential_without_two",
        1.0,
        1.4706,
        lambda: (softmax([0, 1, 1, 1]), softmax([1, 0, 0, 0])),
    ),
    ("randomized_response_wrong_coin", log(3), log(7), lambda: weights(2, 7 / 8)),
    ("randomized_response_binary_weight", 1.0, 1 + log(3), lambda: weights(4, e / (1 + e))),
    (
        "noisy_max_value",
        1.0,
        2.5,
        lambda: (maximum_cells((1,) * 5, 2), maximum_cells((2,) * 5, 2)),
    ),
    (
        "noisy_max_half_scale",
        1.0,
        1.759,
        lambda: (argmax_cells((0, 1, 1, 1, 1), 1), argmax_cells((1, 0, 0, 0, 0), 1)),
    ),
    (
        "svt_unbalanced",
        1.0,
        1.6595,
        lambda: (first_hit_cells(HALF, (4, 4 / 3)), first_hit_cells(HALF[::-1], (4, 4 / 3))),
    ),
    (
        "svt_no_query_noise",
        1.0,
        np.inf,
        lambda: (first_hit_cells((1,) * 10, (2, 0)), first_hit_cells((0,) * 9 + (2,), (2, 0))),
    ),
    ("sum_range_sensitivity", 1.0, 5.0, lambda: laplace_cells((0, 25), (125, 25))),
    ("mean_local_sensitivity", 1.0, 15.0, lambda: laplace_cells((0, 100), (50, 50))),
    ("subsampled_all_rows", AMPLIFIED, 1.0, lambda: laplace_cells((0, 1), (1, 1))),
    (
        "subsampled_without_noise",
        AMPLIFIED,
        np.inf,
        lambda: (np.array([1.0, 0.0]), np.array([0.8, 0.2])),
    ),
]


@pytest.mark.parametrize(
    ("name", "claimed", "truth", "cells"), TRUTHS, ids=[name for name, *_ in TRUTHS]
)
def test_a_flawed_mechanism_states_its_true_epsilon_and_information_limit(
    name: str, claimed: float, truth: float, cells: Callable[[], Pair]
) -> None:
    p, q = cells()
    seen = (p > 1e-12) | (q > 1e-12)
    with np.errstate(divide="ignore"):
        largest = float(np.abs(np.log(p[seen] / q[seen])).max())
    assert largest > 1.2 * claimed
    assert largest >= truth * (1 - 2e-3)

    documented = importlib.import_module(f"mechanisms.flawed.{name}").__doc__ or ""
    stated = re.search(r"Information limit: ([\d,]+) calls", documented)
    assert stated is not None
    limit = 2 * log(1e6) / distance(p, q, claimed)
    assert float(stated[1].replace(",", "")) == pytest.approx(limit, rel=0.02)
