"""Counts, sums, tables and fits: what their files state, from exact densities and enumerations."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable
from math import exp, inf, log, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import gamma, laplace, norm

from dpaudit import GaussianDP
from mechanisms.clipped_sum import clipped_sum
from mechanisms.contingency_table import contingency_table
from mechanisms.count import count, count_distinct
from mechanisms.covariance import covariance
from mechanisms.histogram import histogram
from mechanisms.k_means import CENTRES, centres_of, k_means
from mechanisms.linear_regression import linear_regression
from mechanisms.mean import mean_private_size, mean_public_size
from mechanisms.mode import mode
from mechanisms.principal_components import noisy_covariance, principal_components
from mechanisms.quantile import GRID, quantile, quantile_on_grid
from mechanisms.variance import variance
from tools.information import information_limit, largest_log_ratio, stated_epsilon, stated_limit

Cells = np.ndarray
Pair = tuple[Cells, Cells]
E = exp(-1)
SIGMA = 3.730632  # Gaussian noise of this size is (1, 1e-5)-differentially private


class Frozen:
    """A generator whose noise is 0: it shows the statistic, and keeps the scales it was given."""

    def __init__(self) -> None:
        self.scales: list[float] = []

    def laplace(self, scale: float, size: Any = None) -> Any:
        self.scales.append(scale)
        return np.zeros(size) if size is not None else 0.0

    def normal(self, scale: float, size: Any) -> Any:
        self.scales.append(scale)
        return np.zeros(size)


def table(*rows: tuple[float, ...]) -> np.ndarray:
    """Records with the columns x, y, z, as many as the rows have."""
    width = len(rows[0]) if rows else 2
    return np.array(list(rows), dtype=[(name, float) for name in "xyz"[:width]])


def laplace_cells(left: tuple[float, float], right: tuple[float, float], most: float) -> Pair:
    """Cell probabilities of Laplace noise with (location, scale) on each side."""
    edges = np.linspace(-most, most, 24_001)

    def cells(location: float, scale: float) -> Cells:
        below, above = laplace.cdf(edges, location, scale), laplace.sf(edges, location, scale)
        inner = np.where(edges[1:] <= location, np.diff(below), -np.diff(above))
        return np.concatenate([below[:1], inner, above[-1:]])

    return cells(*left), cells(*right)


def shift(distance: float) -> Pair:
    """Laplace noise of scale 1 that is moved."""
    return laplace_cells((0, 1), (distance, 1), 40 + 2 * distance)


def shifts(distances: list[float], scale: float) -> Pair:
    """Independent Laplace draws, each moved, as the distribution of their privacy loss."""
    p, reach, step = np.ones(1), 0.0, 0.01
    for distance in distances:
        loss = distance / scale
        k = round(loss / step)
        inside = np.diff(-np.exp(-np.linspace(0, loss, 2 * k)) / 2)
        p = np.convolve(p, np.concatenate([[exp(-loss) / 2], inside[::-1], [0.5]]))
        reach += loss
    q = p * np.exp(-np.linspace(-reach, reach, len(p)))
    return p / p.sum(), q / q.sum()


def gaussian_cells(mu: float) -> Pair:
    edges = np.linspace(-10, 10 + mu, 3001)
    p, q = (np.diff(np.concatenate([[0.0], norm.cdf(edges, m), [1.0]])) for m in (0, mu))
    return p, q


def gaussian_epsilon(mu: float, delta: float) -> float:
    """Balle & Wang 2018, Theorem 8, solved for epsilon."""

    def excess(epsilon: float) -> float:
        high, low = norm.cdf(mu / 2 - epsilon / mu), norm.cdf(-mu / 2 - epsilon / mu)
        return float(high - exp(epsilon) * low - delta)

    return float(brentq(excess, 0.0, 50.0))


def truncated_cells() -> Pair:
    def at(centre: int) -> Cells:
        z = np.abs(np.arange(-60, 62) - centre).astype(float)
        return np.where(z == 0, 1 - E, E**z * (1 - E) / 2)

    return at(0), at(1)


def argmax_cells(counts: tuple[int, ...], scale: float) -> Cells:
    x = np.linspace(-40, 50, 9001)
    parts = []
    for i, winner in enumerate(counts):
        others = [laplace.cdf(x, o, scale) for j, o in enumerate(counts) if j != i]
        parts.append((laplace.pdf(x, winner, scale) * np.prod(others, axis=0)).sum())
    cells: Cells = np.array(parts) / np.sum(parts)
    return cells


def spread_cells() -> Pair:
    """Σ |Y_j| of five shares whose noise has scale 1 and 1/2."""
    edges = np.linspace(0, 120, 12_001)
    p, q = (np.diff(np.append(gamma.cdf(edges, 5, scale=s), 1.0)) for s in (1.0, 0.5))
    return p, q


def reveal(probability: float) -> Pair:
    """An output that one side alone has, with this probability."""
    return np.array([1.0, 0.0]), np.array([1 - probability, probability])


def apart() -> Pair:
    """Outputs that tell the two sides for certain."""
    return np.array([1.0, 0.0]), np.array([0.0, 1.0])


def raw_x_cells() -> Pair:
    """No fit, or the mean 0 or .2 of x, on five (0, 0) and on four and a (1, 0)."""
    none = laplace.cdf(0, 0, 2.4), laplace.cdf(0, 0.8, 2.4)
    return np.array([none[0], 1 - none[0], 0.0]), np.array([none[1], 0.0, 1 - none[1]])


def four_to_one() -> float:
    """Pr[the 100] among candidates (0, 0, 0, 0, 100) with scores −2.5 (four times) and −1.5."""
    return exp(-0.75) / (4 * exp(-1.25) + exp(-0.75))


def pair_of_modes() -> Pair:
    return argmax_cells((3, 2, 0, 0, 0), 1), argmax_cells((4, 1, 0, 0, 0), 1)


TRUTHS: list[tuple[str, Callable[[], Pair]]] = [
    ("count_raises_on_empty", apart),
    ("count_zero_without_noise", apart),
    ("count_suppresses_small", apart),
    ("count_truncated_noise", truncated_cells),
    ("count_after_join", lambda: shift(15)),
    ("count_distinct_per_user", lambda: shift(5)),
    ("sum_empirical_bound", lambda: laplace_cells((0, 1), (100, 100), 3000)),
    ("sum_minmax_nan", apart),
    ("sum_range_sensitivity", lambda: shift(5)),
    ("sum_scaled_by_n", lambda: shift(10)),
    ("sum_of_squares_same_sensitivity", lambda: shift(100)),
    ("sum_overflow", lambda: shift((2**32 - 10**9) / 10**9)),
    ("sum_per_row_for_user", lambda: shift(5)),
    ("sum_parallel_replace", lambda: shifts([1, 1], 1)),
    ("mean_local_sensitivity", lambda: laplace_cells((0, 100), (50, 50), 1500)),
    ("mean_raw_count", apart),
    ("mean_forgets_removal", lambda: shift(1.5)),
    ("mean_clip_after", lambda: shift(5)),
    ("mean_data_bounds", apart),
    ("variance_local_sensitivity", lambda: laplace_cells((0.2, 0.2), (0.3, 0.1125), 8)),
    ("covariance_raw_means", apart),
    ("histogram_data_keys", apart),
    ("histogram_replace", lambda: shifts([1, 1], 1)),
    ("histogram_threshold_first", lambda: shift(3)),
    ("histogram_open_ended", apart),
    ("histogram_shares", spread_cells),
    ("contingency_occurring_cells", apart),
    ("quantile_data_candidates", lambda: reveal(four_to_one())),
    ("median_laplace_local_sensitivity", apart),
    ("maximum_local_sensitivity", apart),
    ("mode_noise_on_ties", lambda: reveal(0.5)),
    ("linear_regression_private_denominator", lambda: laplace_cells((0, 8), (1, 1), 300)),
    ("linear_regression_raw_x", raw_x_cells),
    ("k_means_epsilon_each_round", lambda: shifts([1] * 9, 3)),
    ("k_means_data_centres", lambda: shifts([16, 16, 14, 15, 15, 15], 9)),
]


@pytest.mark.parametrize(("name", "cells"), TRUTHS, ids=[name for name, _ in TRUTHS])
def test_a_flawed_mechanism_states_its_true_epsilon_and_information_limit(
    name: str, cells: Callable[[], Pair]
) -> None:
    p, q = cells()
    largest, stated = largest_log_ratio(p, q), stated_epsilon(name)
    if stated < inf:
        # cells of noise moved by whole scales: the ratio within a cell blurs it by .5 %
        assert largest == pytest.approx(stated, rel=5e-3)
    else:
        assert largest > 4
    assert stated_limit(name) == pytest.approx(information_limit(p, q, 1.0), rel=0.02)


def test_noise_of_the_inverse_scale_is_ten_where_a_tenth_is_claimed() -> None:
    p, q = laplace_cells((0, 0.1), (1, 0.1), 6)
    assert largest_log_ratio(p, q) == pytest.approx(
        stated_epsilon("histogram_inverted_scale"), 0.01
    )
    limit = information_limit(p, q, 0.1)
    assert stated_limit("histogram_inverted_scale") == pytest.approx(limit, rel=0.03)


@pytest.mark.parametrize(
    ("name", "mu"),
    [
        ("principal_components_unnormalized", sqrt(6) / SIGMA),
        ("principal_components_centred", 15 / 16 * 4 * sqrt(6) / 3 / SIGMA),
    ],
)
def test_a_flawed_covariance_matrix_states_its_true_epsilon_and_limit(name: str, mu: float) -> None:
    assert stated_epsilon(name) == pytest.approx(gaussian_epsilon(mu, 1e-5), abs=1e-3)
    limit = information_limit(*gaussian_cells(mu), 1.0, 1e-5)
    assert stated_limit(name) == pytest.approx(limit, rel=0.02)


def test_the_flawed_covariance_matrices_move_as_far_as_they_state() -> None:
    upper = np.triu_indices(3)
    few, one = table((-1, -1, -1)), table((1, 1, 1))
    for name, left, right, mu in (
        ("principal_components_unnormalized", one[:0], one, sqrt(6)),
        (
            "principal_components_centred",
            np.repeat(few, 15),
            np.append(np.repeat(few, 15), one),
            15 / 16 * 4 * sqrt(6) / 3,
        ),
    ):
        broken = flawed(name)
        moved = broken(right, Frozen()) - broken(left, Frozen())
        assert np.linalg.norm(moved[upper]) == pytest.approx(mu)


def test_the_mode_that_pays_for_one_change_states_its_worst_pairs() -> None:
    """All ways to move one of five records between two of five categories."""
    ratios = []
    for rest in itertools.product(range(5), repeat=5):
        if sum(rest) == 4 and list(rest[2:]) == sorted(rest[2:]):
            left, right = (rest[0] + 1, *rest[1:]), (rest[0], rest[1] + 1, *rest[2:])
            ratios.append(largest_log_ratio(argmax_cells(left, 1), argmax_cells(right, 1)))
    assert max(ratios) == pytest.approx(stated_epsilon("mode_replace"), abs=1e-3)
    assert stated_limit("mode_replace") == pytest.approx(
        information_limit(*pair_of_modes(), 1.0), rel=0.02
    )


def flawed(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(
        importlib.import_module(f"mechanisms.flawed.{name}"), name
    )
    return function


STRINGS = [("smokes", "U3"), ("cough", "U6")]
VISITS = [("user", int), ("item", int), ("amount", float)]
GROUPS = [("group", "U1"), ("amount", float)]


@pytest.mark.parametrize(
    ("name", "left", "right", "moved", "scale"),
    [
        ("count_after_join", np.full(7, 3), np.full(8, 3), 15, 1),
        ("sum_scaled_by_n", np.array([]), np.array([100.0]), 1000, 100),
        ("sum_of_squares_same_sensitivity", np.array([]), np.array([100.0]), 10_000, 100),
        ("sum_overflow", np.full(2, 10**9), np.full(3, 10**9), 10**9 - 2**32, 10**9),
        ("mean_forgets_removal", np.zeros(2), np.array([0.0, 100.0]), 50, 100 / 3),
        ("mean_clip_after", np.zeros(5), np.array([0, 0, 0, 0, 1e8]), 100, 20),
        (
            "count_distinct_per_user",
            np.array([], dtype=VISITS),
            np.array([(1, i, 0.0) for i in range(5)], dtype=VISITS),
            5,
            1,
        ),
        (
            "sum_per_row_for_user",
            np.array([], dtype=VISITS),
            np.array([(1, i, 100.0) for i in range(5)], dtype=VISITS),
            500,
            100,
        ),
        (
            "sum_parallel_replace",
            np.array([("b", 100.0)], dtype=GROUPS),
            np.array([("a", 100.0)], dtype=GROUPS),
            (100, -100),
            100,
        ),
    ],
)
def test_one_record_moves_a_flawed_answer_as_far_as_its_file_states(
    name: str, left: Any, right: Any, moved: Any, scale: float
) -> None:
    frozen, broken = Frozen(), flawed(name)
    difference = np.subtract(broken(right, frozen), broken(left, frozen))
    assert difference == pytest.approx(moved)
    assert frozen.scales == pytest.approx([scale] * len(frozen.scales))


def test_the_local_sensitivity_of_the_variance_is_that_of_a_search() -> None:
    broken = flawed("variance_local_sensitivity")
    steps = np.linspace(0, 1, 21)
    for data in ((0, 0, 0, 0, 1), (1, 0, 0, 0, 1), (0, 0.3, 0.35, 0.4, 1), (0.5,) * 5):
        frozen, x = Frozen(), np.array(data, dtype=float)
        here = broken(x, frozen)
        there = [broken(replaced(x, i, y), Frozen()) for i in range(5) for y in steps]
        assert frozen.scales[0] == pytest.approx(np.abs(np.array(there) - here).max(), rel=2e-3)


def replaced(data: np.ndarray, i: int, value: Any) -> np.ndarray:
    other = data.copy()
    other[i] = value
    return other


def test_the_variance_moves_by_its_stated_sensitivity_and_no_more() -> None:
    """All replacements in datasets of four records on a grid of five points."""
    grid, frozen, worst = np.linspace(0, 1, 5), Frozen(), 0.0
    for rest in itertools.combinations_with_replacement(grid, 3):
        values = [variance(np.array([*rest, x]), frozen) for x in grid]  # type: ignore[arg-type]
        worst = max(worst, max(values) - min(values))
    assert worst == pytest.approx(1 / 4, rel=1e-12)
    assert set(frozen.scales) == {1 / 4}


def test_the_covariance_moves_by_its_stated_sensitivity_and_no_more() -> None:
    """All replacements in datasets of three points on a grid of three by three."""
    grid = list(itertools.product((0.0, 0.5, 1.0), repeat=2))
    frozen, worst = Frozen(), 0.0
    for rest in itertools.combinations_with_replacement(grid, 2):
        values = [covariance(table(*rest, point), frozen) for point in grid]  # type: ignore[arg-type]
        worst = max(worst, max(values) - min(values))
    assert worst == pytest.approx(1 / 3, rel=1e-12)
    assert set(frozen.scales) == {1 / 3}


def test_the_statistics_of_a_regression_move_no_more_than_their_noise_pays_for() -> None:
    """ncov and nvar are n − 1 times variances and covariances; ȳ − αx̄ moves by (1 + |α|)/n."""
    frozen = Frozen()
    points = table((0, 0.2), (0.5, 0.3), (1, 0.9))
    slope, intercept = linear_regression(points, frozen)  # type: ignore[misc, arg-type]
    assert (slope, intercept) == pytest.approx(tuple(np.polyfit(points["x"], points["y"], 1)))
    assert frozen.scales == pytest.approx([2, 2, 1 + abs(slope)])
    corners = list(itertools.product((0.0, 1.0), repeat=2))
    for alpha in (-2.0, -0.5, 0.0, 1.5):
        ends = [(y - alpha * x) / 3 for x, y in corners]
        assert max(ends) - min(ends) == pytest.approx((1 + abs(alpha)) / 3)


def test_a_regression_on_one_record_or_none_says_nothing() -> None:
    rng = np.random.default_rng(50)
    assert linear_regression(table()[:0], rng) is None
    assert linear_regression(table((0.5, 0.5)), rng) is None


def quantile_density(data: np.ndarray, q: float, rate: float) -> Callable[[float], float]:
    """The density that the docstring states, by its normalized weights."""
    ends = np.array([0.0, *np.sort(data), 1.0])
    scores = np.abs(np.arange(len(data) + 1) - q * len(data))
    total = (np.diff(ends) * np.exp(-rate * scores)).sum()
    return lambda r: float(exp(-rate * abs((data < r).sum() - q * len(data))) / total)


@pytest.mark.parametrize(("q", "sensitivity"), [(0.5, 0.5), (0.75, 0.75), (0.1, 0.9)])
def test_the_quantile_loses_no_more_than_epsilon_when_a_record_is_added(
    q: float, sensitivity: float
) -> None:
    """Every dataset of up to four records on a grid, with every record added."""
    grid, points, worst = (0.0, 0.02, 0.98, 1.0), (0.01, 0.5, 0.99), 0.0
    for n in range(4):
        for data in itertools.combinations_with_replacement(grid, n):
            left = quantile_density(np.array(data), q, 1 / (2 * sensitivity))
            for extra in grid:
                right = quantile_density(np.array([*data, extra]), q, 1 / (2 * sensitivity))
                worst = max(worst, *(abs(log(left(r) / right(r))) for r in points))
    assert (0.8 if q == 0.5 else 0.5) < worst <= 1


def test_the_quantile_loses_no_more_than_epsilon_when_a_record_is_replaced() -> None:
    grid, points, worst = (0.0, 0.02, 0.5, 1.0), (0.01, 0.25, 0.75), 0.0
    for rest in itertools.combinations_with_replacement(grid, 3):
        densities = [quantile_density(np.array([*rest, x]), 0.5, 0.5) for x in grid]
        for left, right in itertools.combinations(densities, 2):
            worst = max(worst, *(abs(log(left(r) / right(r))) for r in points))
    assert 0.8 < worst <= 1


def test_the_median_on_a_grid_comes_close_to_epsilon_and_not_beyond() -> None:
    grid, worst = GRID[[0, 5, 20]], 0.0

    def cells(data: tuple[float, ...], points: np.ndarray) -> Cells:
        scores = np.abs(np.sort(data).searchsorted(points) - len(data) / 2)
        weights: Cells = np.exp(-scores) / np.exp(-scores).sum()
        return weights

    for n in range(5):
        for data in itertools.combinations_with_replacement(grid, n):
            for extra in grid:
                ratio = largest_log_ratio(cells(data, GRID), cells((*data, extra), GRID))
                worst = max(worst, ratio)
    assert 0.8 < worst <= 1


@pytest.mark.parametrize("over", ["interval", "grid"])
def test_quantiles_have_the_density_they_state(over: str) -> None:
    """4,000 draws in 3 or 4 cells within 5 standard errors: once in 10^5 fresh seeds."""
    data, rng = np.array([20.0, 20.0, 70.0]), np.random.default_rng(51)
    if over == "interval":
        edges, weights = [20.0, 70.0], [20 * exp(-0.75), 50 * exp(-0.25), 30 * exp(-0.75)]
        draws = [quantile(data, rng) for _ in range(4000)]
    else:
        # of the 21 points 5 lie up to 20, 10 up to 70 (their ranks are 0, 2, and 3 beyond)
        edges, weights = [22.0, 72.0], [5 * exp(-0.75), 10 * exp(-0.25), 6 * exp(-0.75)]
        draws = [quantile_on_grid(data, rng) for _ in range(4000)]
    expected = np.array(weights) / sum(weights)
    observed = np.bincount(np.searchsorted(edges, draws), minlength=3) / 4000
    assert np.all(np.abs(observed - expected) < 5 * np.sqrt(expected * (1 - expected) / 4000))


def test_a_quantile_falls_on_records_that_are_equal_with_probability_zero() -> None:
    rng = np.random.default_rng(52)
    assert all(0 <= quantile(np.full(100, 50.0), rng, epsilon=50.0) <= 100 for _ in range(50))
    assert all(0 <= quantile(np.full(9, np.nan), rng) <= 100 for _ in range(50))
    assert all(0 <= quantile(np.array([-inf, inf]), rng) <= 100 for _ in range(50))


def test_the_mode_loses_no_more_than_epsilon_when_a_record_is_added() -> None:
    """All counts of up to three in three categories; the loss grows towards 1 with the others."""
    worst = 0.0
    for counts in itertools.product(range(4), repeat=3):
        more = (counts[0] + 1, *counts[1:])
        worst = max(worst, largest_log_ratio(argmax_cells(counts, 1), argmax_cells(more, 1)))
    assert 0.85 < worst < 1


def test_one_round_of_clusters_costs_what_its_noise_pays_for() -> None:
    """The released sums and sizes move by d + 1 in the L1 norm at most."""
    corners = list(itertools.product((-1.0, 0.0, 1.0), repeat=2))

    def statistics(points: np.ndarray) -> np.ndarray:
        frozen = Frozen()
        path = k_means(points, frozen, rounds=1)  # type: ignore[arg-type]
        assert frozen.scales == [3.0]
        return path

    moves = [
        np.abs(statistics(table(*rest, extra)) - statistics(table(*rest)[: len(rest)])).sum()
        for rest in [(), *((c,) for c in corners), ((1.0, 1.0), (-1.0, -1.0))]
        for extra in corners
    ]
    assert max(moves) == pytest.approx(3)


def test_rounds_of_clusters_share_epsilon() -> None:
    frozen = Frozen()
    path = k_means(table((1, 1), (-1, -0.5)), frozen, rounds=4, epsilon=2.0)  # type: ignore[arg-type]
    assert frozen.scales == [6.0] * 4
    assert path.shape == (4, len(CENTRES), 3)
    assert np.array_equal(path, [[[-1, -0.5, 1], [1, 1, 1]]] * 4)
    assert np.array_equal(centres_of(path[-1]), [[-1, -0.5], [1, 1]])


def test_a_row_moves_the_covariance_matrix_by_one_at_most() -> None:
    """Random rows of any length, in the L2 norm of the entries j ≤ k; a unit vector reaches it."""
    rng, upper = np.random.default_rng(53), np.triu_indices(3)
    rows = [*rng.normal(size=(200, 3)), (1.0, 0.0, 0.0), (1e308, -1e308, 0.0), (np.nan, inf, 0.0)]
    moved = [noisy_covariance(table(tuple(row)), Frozen())[upper] for row in rows]  # type: ignore[arg-type]
    lengths = np.linalg.norm(moved, axis=1)
    assert np.all(lengths <= 1 + 1e-12)
    assert lengths.max() == pytest.approx(1)
    assert GaussianDP(1.0).delta(1.0) == pytest.approx(norm.cdf(-0.5) - exp(1) * norm.cdf(-1.5))


def test_components_are_orthonormal_and_sorted_by_what_they_capture() -> None:
    rows = table(*[(0.9, 0.3, 0.1), (-0.9, 0.3, -0.1)] * 500)
    rng = np.random.default_rng(54)
    vectors = principal_components(rows, rng, k=3, sigma=0.1)
    assert vectors @ vectors.T == pytest.approx(np.eye(3))
    assert abs(vectors[0, 0]) > 0.99
    assert abs(vectors[1, 1]) > 0.99


def test_every_sound_statistic_answers_on_nothing_and_on_anything() -> None:
    rng, anything = np.random.default_rng(55), np.array([np.nan, inf, -inf, 1e308, -1e308, 50.0])
    for data in (anything[:0], anything[:1], anything):
        before = data.copy()
        for statistic in (
            clipped_sum,
            mean_public_size,
            mean_private_size,
            variance,
            count_distinct,
        ):
            assert np.isfinite(statistic(data, rng))
        for chosen in (quantile, quantile_on_grid):
            assert 0 <= chosen(data, rng) <= 100
        assert np.all(np.isfinite(histogram(data, rng)))
        assert np.isfinite(count(data, rng))
        points = table(*zip(data, data[::-1], strict=True))
        assert np.isfinite(covariance(points, rng))
        linear_regression(points, rng)
        assert np.all(np.isfinite(noisy_covariance(points, rng)))
        assert np.all(np.isfinite(k_means(points, rng)))
        assert np.array_equal(before, data, equal_nan=True)


def test_a_category_that_is_not_listed_counts_nowhere() -> None:
    people = np.array([("no", "often"), ("maybe", "often"), ("yes", "?")], dtype=STRINGS)
    counts = contingency_table(people, Frozen())  # type: ignore[arg-type]
    assert counts.sum() == 1
    assert counts.shape == (2, 3)
    assert contingency_table(people[:0], Frozen()).sum() == 0  # type: ignore[arg-type]
    assert mode(np.array([9, 9, 9, 2]), Frozen()) == 2  # type: ignore[arg-type]
    assert mode(np.array([], dtype=int), Frozen()) == 1  # type: ignore[arg-type]
