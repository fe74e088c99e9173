"""What mechanisms that learn, flawed and sound, state about themselves, from exact densities."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from math import e, exp, inf, log1p, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import binom, expon, laplace, norm

from dpaudit import GaussianDP, PureDP
from mechanisms.flawed.output_perturbation_free_intercept import output_perturbation_free_intercept
from mechanisms.multiplicative_weights import QUERIES, multiplicative_weights, updated
from mechanisms.noisy_gradient_descent import clipped, gradients, noisy_gradient_descent
from mechanisms.noisy_vote import confident_noisy_vote, counts, noisy_vote
from mechanisms.objective_perturbation import calibration, objective_perturbation
from mechanisms.output_perturbation import minimizer, output_perturbation, signed_rows
from mechanisms.subsampled_without_replacement import subsampled_without_replacement
from mechanisms.synthetic_histogram import cells_at, synthetic_histogram
from tools.information import (
    gaussian_information_limit,
    hockey_stick,
    information_limit,
    largest_log_ratio,
    stated_epsilon,
    stated_limit,
)

Cells = NDArray[np.float64]
Pair = tuple[Cells, Cells]

GRID = np.linspace(-60, 80, 28_001)
AMPLIFIED = log1p(0.2 * (e - 1))
TELLS: Pair = np.array([1.0, 0.0]), np.array([0.0, 1.0])


def masses(cdf: Callable[[Cells], Cells], edges: Cells = GRID) -> Cells:
    return np.diff(np.concatenate([[0.0], cdf(edges), [1.0]]))


def around(center: float, scale: float = 1.0, edges: Cells = GRID) -> Cells:
    """Cells of Laplace noise."""
    return masses(lambda t: laplace.cdf(t, center, scale), edges)


def normal(mean: float, edges: Cells, sigma: float = 1.0, power: int = 1) -> Cells:
    """Cells of the largest of several normal variables."""
    return masses(lambda t: norm.cdf(t, mean, sigma) ** power, edges)


def laplaces(weights: dict[float, float], scale: float = 1.0) -> Cells:
    """Cells of Laplace noise around centers that have these weights."""
    return np.sum([w * around(c, scale) for c, w in weights.items()], axis=0)


def shift(size: float) -> Pair:
    return laplaces({0: 1}), laplaces({size: 1})


def same_sample(releases: int) -> Pair:
    """Cells of Σ (|y_j| − |y_j − 1|), on which alone the odds depend."""
    ends = (np.linspace(-1, 1, 201)[1:] - 0.005 + 1) / 2
    out, kept = around(0, 1.0, ends), around(1, 1.0, ends)
    p, q = out, kept
    for _ in range(releases - 1):
        p, q = np.convolve(p, out), np.convolve(q, kept)
    return p, 0.8 * p + 0.2 * q


def seen(probability: float) -> Pair:
    """Whether a record shows that the other dataset does not have."""
    return np.array([1.0, 0.0]), np.array([1 - probability, probability])


@cache
def winner(held: tuple[int, ...], scale: float) -> Cells:
    centers = np.array(held, dtype=float)
    cdf = laplace.cdf(GRID[::10, None], centers, scale)
    pdf = laplace.pdf(GRID[::10, None], centers, scale)
    parts = [(pdf[:, j] * np.delete(cdf, j, axis=1).prod(axis=1)).sum() for j in range(len(held))]
    total: Cells = np.array(parts) / np.sum(parts)
    return total


def winner_and_count(held: tuple[int, ...]) -> Cells:
    edges, centers = np.linspace(0, 60, 6001), np.array(held, dtype=float)
    below = expon.cdf((edges[1:, None] + edges[:-1, None]) / 2, centers, 2.0)
    return np.concatenate(
        [
            np.diff(expon.cdf(edges, c, 2.0)) * np.delete(below, j, axis=1).prod(axis=1)
            for j, c in enumerate(centers)
        ]
    )


def fit(signed: tuple[float, ...], regularization: float) -> float:
    return float(minimizer(np.array(signed, dtype=float)[:, None], regularization)[0])


def moved(low: float, high: float, regularization: float, scale: float) -> Pair:
    """Laplace noise on two minimizers, in units of its scale."""
    left, right = (fit((0, 0, 0, 0, v), regularization) for v in (low, high))
    return shift(abs(left - right) / scale)


def tilted(
    signed: tuple[float, ...], tilt: Callable[[Cells], Cells], regularization: float, edges: Cells
) -> Cells:
    """Cells of the minimizer: it falls as b grows, and b is a function of it."""
    v = np.array(signed, dtype=float)[:, None]
    b = -len(v) * regularization * edges + (v * expit(-v * edges)).sum(axis=0)
    return masses(lambda t: 1 - tilt(t), b)  # type: ignore[arg-type]


def laplace_tilt(scale: float) -> Callable[[Cells], Cells]:
    return lambda b: laplace.cdf(b, 0, scale)


WIDE = np.concatenate([-np.geomspace(1e3, 1e-3, 800), np.geomspace(1e-3, 1e3, 800)])


def free_intercept() -> Pair:
    class Silent:
        def gamma(self, *_: float) -> float:
            return 0.0

        def normal(self, size: int) -> Cells:
            return np.ones(size)

    models = [
        output_perturbation_free_intercept(np.array([[0.0, 1]] * 4 + [[0, label]]), Silent())  # type: ignore[arg-type]
        for label in (1, -1)
    ]
    far = (models[0][-1] - models[1][-1]) * 5 / 2
    x, y = np.meshgrid(np.linspace(-20, 45, 326), np.linspace(-20, 20, 201))
    p, q = (np.exp(-np.hypot(x - center, y)).ravel() for center in (0, far))
    return p / p.sum(), q / q.sum()


PURE: list[tuple[str, float, float, Callable[[], Pair]]] = [
    ("subsampled_all_rows", AMPLIFIED, 1.0, lambda: shift(1)),
    ("subsampled_without_noise", AMPLIFIED, inf, lambda: seen(0.2)),
    ("subsampled_batch_size", AMPLIFIED, inf, lambda: seen(0.2)),
    ("subsampled_private_size", AMPLIFIED, 1.0, lambda: shift(1)),
    ("subsampled_first_rows", AMPLIFIED, 1.0, lambda: shift(1)),
    ("subsampled_same_sample", 4 * AMPLIFIED, 2.46, lambda: same_sample(4)),
    (
        "subsampled_fixed_size",
        AMPLIFIED,
        0.823,
        lambda: (laplaces({-2: 1}), laplaces({-2: 0.8, 0: 0.2})),
    ),
    (
        "subsampled_bootstrap",
        1.0,
        1.586,
        lambda: (laplaces({0: 1}), laplaces({k: binom.pmf(k, 10, 0.1) for k in range(11)})),
    ),
    ("output_perturbation_weak_regularization", 1.0, 3.37, lambda: moved(-1, 1, 0.1, 0.4)),
    ("output_perturbation_raw_features", 1.0, 3.71, lambda: moved(-20, 20, 10.0, 0.04)),
    ("output_perturbation_free_intercept", 1.0, 25.0, free_intercept),
    (
        "objective_perturbation_unconverged",
        1.0,
        4.30,
        lambda: moved(-1, 1, 1.0, 0.1 * 2 / (5 * calibration(1.0, 5, 1.0)[0])),
    ),
    (
        "objective_perturbation_without_jacobian",
        1.0,
        1.76,
        lambda: (
            tilted((0, -1), laplace_tilt(2.0), 0.02, WIDE),
            tilted((0, 0), laplace_tilt(2.0), 0.02, WIDE),
        ),
    ),
    (
        "noisy_vote_winner_count",
        1.0,
        inf,
        lambda: (winner_and_count((16, 0, 0, 0)), winner_and_count((15, 1, 0, 0))),
    ),
    ("noisy_vote_raw_check", 1.0, inf, lambda: TELLS),
    (
        "noisy_vote_overlapping_teachers",
        1.0,
        2.31,
        lambda: (winner((8, 0), 2.0), winner((5, 3), 2.0)),
    ),
    (
        "noisy_vote_teachers_by_position",
        1.0,
        2.90,
        lambda: (winner((4, 4), 2.0), winner((0, 8), 2.0)),
    ),
    ("synthetic_histogram_raw", 1.0, inf, lambda: seen(1 - (7 / 8) ** 10)),
    (
        "synthetic_histogram_add_one",
        1.0,
        5.108,
        lambda: (binom.pmf(range(11), 10, 0.2), binom.pmf(range(11), 10, 1 / 3)),
    ),
    ("synthetic_histogram_private_size", 1.0, inf, lambda: TELLS),
    ("multiplicative_weights_true_start", 1.0, inf, lambda: TELLS),
]


@pytest.mark.parametrize(("name", "claimed", "truth", "cells"), PURE, ids=[n for n, *_ in PURE])
def test_a_flawed_mechanism_states_its_true_epsilon_and_information_limit(
    name: str, claimed: float, truth: float, cells: Callable[[], Pair]
) -> None:
    p, q = cells()
    assert stated_epsilon(name) == truth
    assert largest_log_ratio(p, q) == pytest.approx(truth, rel=3e-3)
    assert stated_limit(name) == pytest.approx(information_limit(p, q, claimed), rel=0.02)


def test_the_vote_that_pays_for_one_count_is_worst_and_most_telling_on_different_votes() -> None:
    worst = winner((16, 0, 0, 0), 1.0), winner((15, 1, 0, 0), 1.0)
    telling = winner((8, 8, 0, 0), 1.0), winner((7, 9, 0, 0), 1.0)
    assert largest_log_ratio(*worst) == pytest.approx(
        stated_epsilon("noisy_vote_one_count"), rel=3e-3
    )
    limit = information_limit(*telling, 1.0)
    assert stated_limit("noisy_vote_one_count") == pytest.approx(limit, rel=0.02)


def test_cells_that_occur_tell_most_where_there_were_none() -> None:
    """The noise leaves the cell of a single record above 0 with probability 1 − 1/(2e)."""
    kept, elsewhere = 1 - exp(-1) / 2, 0.2**10
    p = np.array([elsewhere, 1 - elsewhere])
    q = kept * np.array([1.0, 0.0]) + (1 - kept) * p
    limit = information_limit(p, q, 1.0)
    assert stated_limit("synthetic_histogram_occurring_cells") == pytest.approx(limit, rel=0.02)
    assert stated_epsilon("synthetic_histogram_occurring_cells") == inf


def test_a_gaussian_tilt_has_no_finite_epsilon_and_the_limit_it_states() -> None:
    left, _ = calibration(1.0, 5, 1.0)
    epsilons = []
    for reach in (0.5, 1.0, 1.5):
        edges = np.linspace(-reach, reach, 2001)
        p, q = (
            tilted((0, 0, 0, 0, v), lambda b: norm.cdf(b, 0, left**-0.5), 1.0, edges)
            for v in (-1, 1)
        )
        epsilons.append(np.abs(np.log(p[0] / q[0])))
    assert epsilons == sorted(epsilons)
    assert epsilons[-1] > 7
    assert stated_epsilon("objective_perturbation_small_gaussian") == inf
    limit = information_limit(p, q, 1.0)
    assert stated_limit("objective_perturbation_small_gaussian") == pytest.approx(limit, rel=0.02)


LINE = np.linspace(-6, 12, 91)


def gaussians(apart: float) -> Pair:
    return normal(0, LINE), normal(apart, LINE)


def early_stopping() -> Pair:
    """The first iterate where the run ends there, and one cell for all longer runs.

    The loss of one record falls exactly if the first step went its way.
    """
    edges = np.linspace(-6 * sqrt(5), 0, 60)
    alone = np.concatenate([masses(lambda t: norm.cdf(t, 0, sqrt(5)), edges), [0.0]])
    ended = np.diff(np.concatenate([[0.0], norm.cdf(edges, 1, sqrt(5))]))
    return alone, np.concatenate([ended, [0.0, 1 - ended.sum()]])


GAUSSIAN: list[tuple[str, float, Callable[[], Pair]]] = [
    ("gradient_clipped_mean", 1.0, lambda: TELLS),
    ("gradient_unclipped", 1.0, lambda: TELLS),
    ("gradient_rate_times_noise", 1.0, lambda: gaussians(2)),
    ("gradient_noise_without_clip", 1.0, lambda: gaussians(2)),
    ("gradient_replace", 1.0, lambda: gaussians(2)),
    ("gradient_final_noise", 1.0, lambda: gaussians(2)),
    ("gradient_centered", 1.0, lambda: gaussians(4)),
    ("gradient_same_noise", sqrt(2), lambda: TELLS),
    ("gradient_raw_loss", 1.0, lambda: TELLS),
    ("gradient_median_clip", 1.0, lambda: TELLS),
    ("gradient_batch_mean", 1.0, lambda: (normal(1, LINE), normal(1, LINE, 0.5))),
    ("gradient_best_of_runs", 1.0, lambda: (normal(0, LINE), normal(1, LINE, power=10))),
    ("gradient_early_stopping", 1.0, early_stopping),
]


@pytest.mark.parametrize(("name", "mu", "cells"), GAUSSIAN, ids=[n for n, *_ in GAUSSIAN])
def test_a_flawed_descent_states_its_information_limit_against_gaussian_privacy(
    name: str, mu: float, cells: Callable[[], Pair]
) -> None:
    assert stated_limit(name) == pytest.approx(gaussian_information_limit(*cells(), mu), rel=0.03)


@pytest.mark.parametrize(
    ("name", "mu"),
    [
        ("gradient_clipped_mean", 8),
        ("gradient_centered", 4),
        ("gradient_rate_times_noise", 2),
        ("gradient_noise_without_clip", 2),
        ("gradient_replace", 2),
        ("gradient_final_noise", 2),
    ],
)
def test_a_flawed_descent_states_its_epsilon_at_a_small_delta(name: str, mu: float) -> None:
    epsilon = stated_epsilon(name)
    assert GaussianDP(mu).delta(1.01 * epsilon) < 1e-5 < GaussianDP(mu).delta(0.99 * epsilon)


def test_shuffled_batches_break_the_profile_of_poisson_samples() -> None:
    """Two batches; with the odd record the sums are (0, 2) or (2, 0), without it (2, 1)."""
    claimed = 0.2302
    axis = np.linspace(-4, 6, 101)
    n0, n1, n2 = (normal(m, axis, 0.5) for m in (0, 1, 2))
    without = np.outer(n2, n1).ravel()
    with_it = (np.outer(n0, n2) + np.outer(n2, n0)).ravel() / 2
    epsilon = stated_epsilon("gradient_shuffled")
    assert hockey_stick(without, with_it, epsilon) == pytest.approx(claimed, rel=0.01)
    limit = information_limit(without, with_it, 2.0, claimed)
    assert stated_limit("gradient_shuffled") == pytest.approx(limit, rel=0.02)


def test_the_profile_of_two_poisson_samples_is_the_one_that_is_claimed() -> None:
    accounting = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    step = accounting.from_gaussian_mechanism(
        0.5, sampling_prob=0.5, value_discretization_interval=1e-3
    )
    assert step.self_compose(2).get_delta_for_epsilon(2.0) == pytest.approx(0.2302, rel=1e-3)


def test_sampling_without_replacement_spends_what_its_theorem_says() -> None:
    spent = largest_log_ratio(laplaces({-2: 1}, 2.0), laplaces({-2: 0.8, 0: 0.2}, 2.0))
    assert spent == pytest.approx(
        PureDP(1.0).amplified(0.2, relation="replace-one").epsilon, rel=1e-3
    )


def test_the_noisy_vote_spends_almost_all_of_its_epsilon_on_sixteen_votes() -> None:
    losses = []
    for first, second in product(range(1, 17), range(16)):
        rest = 16 - first - second
        if rest >= 0:
            left = (first, second, rest // 2, rest - rest // 2)
            right = (first - 1, second + 1, *left[2:])
            losses.append(largest_log_ratio(winner(left, 2.0), winner(right, 2.0)))
    assert 0.92 < max(losses) < 1


@pytest.mark.parametrize(("n", "regularization"), [(5, 1.0), (5, 0.1), (2, 0.02), (1, 0.01)])
def test_objective_perturbation_keeps_its_epsilon_on_all_small_datasets(
    n: int, regularization: float
) -> None:
    left, more = calibration(1.0, n, regularization)
    values = (-1.0, -0.5, 0.0, 0.5, 1.0)
    for common in combinations_with_replacement(values[::2], n - 1):
        for pair in combinations(values, 2):
            p, q = (
                tilted((*common, v), laplace_tilt(2 / left), regularization + more, WIDE)
                for v in pair
            )
            assert largest_log_ratio(p, q) < 1


def test_the_minimizer_of_the_tilted_objective_has_the_density_of_its_change_of_variables() -> None:
    """Kolmogorov distance of 2,000 draws below 2.35/√2000: more once in 30,000 fresh seeds."""
    rng, rows = np.random.default_rng(40), np.array([[0.5, 1.0], [-1.0, 1.0], [0.2, -1.0]])
    left, more = calibration(1.0, 3, 0.5)
    draws = [objective_perturbation(rows, rng, regularization=0.5)[0] for _ in range(2000)]
    edges = np.quantile(draws, np.linspace(0.05, 0.95, 19))
    cells = tilted((0.5, -1.0, -0.2), laplace_tilt(2 / left), 0.5 + more, edges)
    assert np.abs(cells.cumsum()[:-1] - np.linspace(0.05, 0.95, 19)).max() < 2.35 / sqrt(2000)


def test_the_minimizer_moves_by_no_more_than_two_over_n_lambda() -> None:
    rng = np.random.default_rng(41)
    for _ in range(300):
        n, d, regularization = (
            int(rng.integers(1, 6)),
            int(rng.integers(1, 4)),
            10 ** rng.uniform(-3, 1),
        )
        rows = rng.normal(size=(n + 1, d + 1)) * 10 ** rng.uniform(-1, 2)
        left, right = (minimizer(signed_rows(r), regularization) for r in (rows[1:], rows[:-1]))
        assert np.linalg.norm(left - right) <= 2 / (n * regularization)


def test_the_minimizer_is_exact_to_rounding() -> None:
    rng = np.random.default_rng(42)
    for _ in range(300):
        n, d, regularization = (
            int(rng.integers(1, 9)),
            int(rng.integers(1, 4)),
            10 ** rng.uniform(-3, 1),
        )
        signed = signed_rows(rng.normal(size=(n, d + 1)) * 10 ** rng.uniform(-2, 3))
        tilt = rng.normal(size=d)
        f = minimizer(signed, regularization, tilt)
        slope = -signed.T @ expit(-signed @ f) / n + regularization * f + tilt
        assert np.abs(slope).max() < 1e-13 * (1 + np.abs(regularization * f).max())


def test_two_rounds_of_multiplicative_weights_keep_epsilon_and_with_twice_as_much_do_not() -> None:
    left, right = [0] * 5 + [7] * 5, [0] * 4 + [7] * 6
    assert largest_log_ratio(transcript(left, 1.0), transcript(right, 1.0)) < 1
    assert largest_log_ratio(transcript(left, 2.0), transcript(right, 2.0)) > 1.65


def transcript(data: list[int], epsilon: float) -> Cells:
    """Cells of two chosen queries and their noisy answers, which determine the output."""
    truth, scale = QUERIES @ np.bincount(data, minlength=8), 4 / epsilon
    edges = np.linspace(-3 * scale, len(data) + 3 * scale, 41)
    middles = np.concatenate([edges[:1], (edges[1:] + edges[:-1]) / 2, edges[-1:]])
    answers = [masses(lambda t, i=i: laplace.cdf(t, truth[i], scale), edges) for i in range(7)]  # type: ignore[misc]

    def choice(weights: Cells) -> Cells:
        odds = np.exp(epsilon / 8 * np.abs(QUERIES @ weights - truth))
        return np.asarray(odds / odds.sum())

    start, parts = np.full(8, len(data) / 8), []
    for i, first in enumerate(choice(start)):
        for mass, answer in zip(answers[i], middles, strict=True):
            second = choice(updated(start, QUERIES[i], float(answer), len(data)))
            parts += [first * mass * second[j] * answers[j] for j in range(7)]
    return np.concatenate(parts)


AWKWARD = np.array([[np.nan, 1], [np.inf, -np.inf], [1e308, 1e308], [-1e308, np.nan], [0, 0]])


@pytest.mark.parametrize("rows", [AWKWARD, AWKWARD[:0]], ids=["awkward", "empty"])
@pytest.mark.parametrize(
    "mechanism", [noisy_gradient_descent, output_perturbation, objective_perturbation]
)
def test_a_model_is_finite_on_any_rows(mechanism: Callable[..., Cells], rows: Cells) -> None:
    before, rng = rows.copy(), np.random.default_rng(43)
    assert all(np.isfinite(mechanism(rows, rng)).all() for _ in range(50))
    assert np.array_equal(before, rows, equal_nan=True)


def test_no_clipped_gradient_is_longer_than_the_bound() -> None:
    rows = np.vstack([AWKWARD, np.random.default_rng(44).normal(size=(50, 2)) * 100])
    for theta in (0.0, 1.0, -1e3):
        each = clipped(gradients(np.array([theta]), rows), 0.7)
        assert (np.linalg.norm(each, axis=1) <= 0.7 * (1 + 1e-12)).all()


def test_votes_and_records_outside_their_domain_count_for_none() -> None:
    rng = np.random.default_rng(45)
    assert counts(np.array([0, 9, -1, 3, 3]), 4).tolist() == [1, 0, 0, 2]
    assert synthetic_histogram(np.array([7, -2]), rng).max() <= 4
    assert multiplicative_weights(np.array([], dtype=int), rng).sum() == pytest.approx(1)
    assert noisy_vote(np.array([], dtype=int), rng) in range(4)
    assert np.isfinite(subsampled_without_replacement(np.array([np.nan, np.inf, -np.inf]), rng))


def test_a_histogram_of_zeros_is_drawn_from_uniformly() -> None:
    uniform = np.linspace(0, 1, 1000, endpoint=False)
    assert np.bincount(cells_at(uniform, np.zeros(5))).tolist() == [200] * 5
    assert np.bincount(cells_at(uniform, np.array([0.0, 2, 0, 3, 0]))).tolist() == [0, 400, 0, 600]


def test_teachers_without_consensus_get_no_answer() -> None:
    """Noise of standard deviation 2 would have to exceed 40: never."""
    rng = np.random.default_rng(46)
    votes = np.repeat([0, 1, 2, 3], [100, 4, 4, 4])
    assert confident_noisy_vote(votes, rng, threshold=50.0) == 0
    assert confident_noisy_vote(votes[90:], rng, threshold=60.0) == -1
