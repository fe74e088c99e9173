"""Mechanisms whose noise follows the data: closed forms by brute force, privacy by integration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations_with_replacement, product
from math import e, exp, inf, log, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.stats import cauchy, laplace, norm

from mechanisms.distance_to_instability import distance_to_instability
from mechanisms.flawed.sample_and_aggregate_by_position import sample_and_aggregate_by_position
from mechanisms.local_sensitivity import mean_profile, median_profile, sum_profile
from mechanisms.propose_test_release import mean, propose_test_release
from mechanisms.sample_and_aggregate import part_estimates, part_of
from mechanisms.sample_and_aggregate_median import sample_and_aggregate_median
from mechanisms.smooth_median import median, smooth_median, smooth_median_cauchy
from mechanisms.smooth_sensitivity import smooth_sensitivity
from mechanisms.stability_histogram import stability_histogram
from mechanisms.stable_mode import distance_to_another_mode, stable_mode
from tools.information import (
    hockey_stick,
    information_limit,
    largest_log_ratio,
    stated_epsilon,
    stated_limit,
)

Data = tuple[float, ...]
Pair = tuple[np.ndarray, np.ndarray]

LOW, HIGH = -20.0, 100.0
GRID = (-20.0, 10.0, 100.0)
LARGEST = 8  # records of the datasets that are enumerated
STATISTICS: dict[str, tuple[Callable[..., float], Callable[..., np.ndarray]]] = {
    "sum": (lambda x, low, high: float(x.sum()), sum_profile),
    "mean": (mean, mean_profile),
    "median": (median, median_profile),
}

each_statistic = pytest.mark.parametrize("name", STATISTICS)


def datasets(largest: int) -> list[Data]:
    return [x for n in range(largest + 1) for x in combinations_with_replacement(GRID, n)]


def around(x: Data) -> Iterator[Data]:
    """Datasets with one record more or less, in order."""
    yield from (tuple(sorted((*x, z))) for z in GRID)
    yield from {x[:i] + x[i + 1 :] for i in range(len(x))}


@cache
def local(name: str, x: Data) -> float:
    f = STATISTICS[name][0]
    here = f(np.array(x), LOW, HIGH)
    return max(abs(here - f(np.array(y), LOW, HIGH)) for y in around(x))


@cache
def by_brute_force(name: str, x: Data) -> tuple[float, ...]:
    """A(f, x, k) for k = 0, ..., n: the largest local sensitivity among all datasets that near."""
    ball, found = {x}, [local(name, x)]
    for _ in x:
        ball |= {z for y in ball for z in around(y)}
        found.append(max(local(name, y) for y in ball))
    return tuple(found)


def profile(name: str, x: Data) -> np.ndarray:
    return STATISTICS[name][1](np.array(x), LOW, HIGH)


@pytest.mark.parametrize("name", ["sum", "median"])
def test_local_sensitivity_at_distance_k_is_what_enumeration_finds(name: str) -> None:
    for x in datasets(LARGEST // 2):
        assert profile(name, x) == pytest.approx(by_brute_force(name, x))


def test_local_sensitivity_of_the_mean_is_the_largest_that_enumeration_finds_for_its_size() -> None:
    for n in range(LARGEST // 2 + 1):
        found = np.array(
            [by_brute_force("mean", x) for x in combinations_with_replacement(GRID, n)]
        )
        assert profile("mean", (0.0,) * n) == pytest.approx(found.max(axis=0))


@each_statistic
def test_a_profile_ends_at_the_global_sensitivity_and_never_falls(name: str) -> None:
    largest = max(local(name, x) for x in datasets(LARGEST // 2))
    for x in datasets(LARGEST // 2):
        assert profile(name, x)[-1] == pytest.approx(largest)
        assert (np.diff(profile(name, x)) >= 0).all()


@pytest.mark.parametrize("name", ["sum", "median"])
@pytest.mark.parametrize("bound", [1.0, 29.0, 31.0, 95.0, 119.0, 121.0])
def test_the_distance_is_that_of_the_nearest_dataset_above_the_bound(
    name: str, bound: float
) -> None:
    for x in datasets(LARGEST // 2):
        steps = [k for k, found in enumerate(by_brute_force(name, x)) if found > bound]
        assert distance_to_instability(profile(name, x), bound) == min(steps, default=inf)


@pytest.mark.parametrize("name", ["sum", "median"])
@pytest.mark.parametrize("beta", [0.01, 0.3, 2.0])
def test_smooth_sensitivity_is_the_discounted_maximum(name: str, beta: float) -> None:
    for x in datasets(LARGEST // 2):
        brute = max(a * exp(-beta * k) for k, a in enumerate(by_brute_force(name, x)))
        assert smooth_sensitivity(profile(name, x), beta) == pytest.approx(brute)


@each_statistic
def test_distance_moves_by_one_and_smooth_sensitivity_by_beta_between_neighbors(name: str) -> None:
    for x in datasets(LARGEST - 1):
        for y in around(x):
            for bound in (10.0, 29.0, 31.0, 50.0, 121.0):
                both = [distance_to_instability(profile(name, z), bound) for z in (x, y)]
                assert both[0] == both[1] or abs(both[0] - both[1]) == 1
            ratio = smooth_sensitivity(profile(name, x), 0.3)
            ratio /= smooth_sensitivity(profile(name, y), 0.3)
            assert abs(log(ratio)) <= 0.3 + 1e-9
            moved = abs(
                STATISTICS[name][0](np.array(x), LOW, HIGH)
                - STATISTICS[name][0](np.array(y), LOW, HIGH)
            )
            assert moved <= smooth_sensitivity(profile(name, x), 0.3) + 1e-9


def test_the_maximum_of_the_mean_is_at_the_far_end_for_few_records() -> None:
    """Twenty records, δ = 1/n²: e^(−βk)/(n − k) is convex, and largest at k = n − 1."""
    beta = 1 / (2 * log(2 * 20**2))
    at = np.exp(-beta * np.arange(21)) * mean_profile(np.zeros(20), 0.0, 1.0)
    assert at.argmax() == 19
    assert at[19] > 4 * at[0]


def test_removing_a_record_moves_the_mean_more_than_the_taught_local_sensitivity() -> None:
    data, without = np.array([0.0, 10.0]), np.array([10.0])
    assert abs(mean(data, 0.0, 10.0) - mean(without, 0.0, 10.0)) == 5.0
    assert 10 / 3 < 5.0 <= mean_profile(data, 0.0, 10.0)[0]


# Privacy


def cells(left: tuple[float, float], right: tuple[float, float], noise: Any = laplace) -> Pair:
    """Cell probabilities of noise with (location, scale) on each side, fine near both."""
    grid = np.geomspace(1e-7, 60 if noise is not cauchy else 1e7, 2000)
    grid = np.concatenate([-grid[::-1], [0], grid])
    between = np.linspace(left[0], right[0], 2001)
    edges = np.unique(
        np.concatenate([*(at + scale * grid for at, scale in (left, right)), between])
    )

    def side(at: float, scale: float) -> np.ndarray:
        below, above = noise.cdf(edges, at, scale), noise.sf(edges, at, scale)
        inner = np.where(edges[:-1] >= at, above[:-1] - above[1:], below[1:] - below[:-1])
        result: np.ndarray = np.concatenate([[below[0]], inner, [above[-1]]])
        return result

    return side(*left), side(*right)


def after_test(passes: tuple[float, float], pair: Pair) -> Pair:
    """⊥ unless the test passes, with these probabilities on the two sides."""
    p, q = (np.concatenate([[1 - r], r * side]) for r, side in zip(passes, pair, strict=True))
    return p, q


def passing(distance: float, scale: float, threshold: float) -> float:
    return float(laplace.sf(threshold - distance, 0, scale))


def median_law(
    x: Data, epsilon: float, beta: float, factor: float = 2.0, high: float = 100.0
) -> tuple[float, float]:
    data = np.array(x, dtype=float)
    smooth = smooth_sensitivity(median_profile(data, 0.0, high), beta)
    return median(data, 0.0, high), factor * smooth / epsilon


def smallest_epsilon(p: np.ndarray, q: np.ndarray, delta: float) -> float:
    low, high = 0.0, 100.0
    if hockey_stick(p, q, high) > delta:
        return inf
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if hockey_stick(p, q, middle) > delta else (low, middle)
    return high


SMALL = [x for n in range(4) for x in combinations_with_replacement((0.0, 50.0, 100.0), n)]
NEIGHBORS = [(x, tuple(sorted((*x, z)))) for x in SMALL for z in (0.0, 50.0, 100.0)]


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
@pytest.mark.parametrize("delta", [0.01, 1e-6])
def test_the_smooth_median_holds_epsilon_and_delta(epsilon: float, delta: float) -> None:
    beta = epsilon / (2 * log(2 / delta))
    for x, y in NEIGHBORS:
        p, q = cells(median_law(x, epsilon, beta), median_law(y, epsilon, beta))
        assert hockey_stick(p, q, epsilon) <= delta


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 5.0])
def test_the_smooth_median_with_cauchy_noise_holds_epsilon_alone(epsilon: float) -> None:
    for x, y in NEIGHBORS:
        laws = (median_law(z, epsilon, epsilon / 6, factor=6.0) for z in (x, y))
        p, q = cells(*laws, noise=cauchy)
        assert largest_log_ratio(p, q) <= epsilon * (1 + 1e-6)


def test_the_median_of_the_parts_holds_epsilon_when_one_part_changes() -> None:
    for z in product((0.0, 50.0, 100.0), repeat=3):
        for new in (0.0, 50.0, 100.0):
            laws = (
                median_law(tuple(sorted(parts)), 0.5, 0.5 / 6, factor=6.0)
                for parts in (z, (new, *z[1:]))
            )
            p, q = cells(*laws, noise=cauchy)
            assert largest_log_ratio(p, q) <= 1 + 1e-6


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.01), (4.0, 0.05), (0.5, 1e-4)])
@pytest.mark.parametrize("bound", [5.0, 20.0, 50.0])
def test_propose_test_release_spends_epsilon_and_exactly_delta(
    epsilon: float, delta: float, bound: float
) -> None:
    worst = 0.0
    for n in range(1, 60):
        threshold, spent = 2 * log(1 / (2 * delta)) / epsilon, []
        for size in (n, n - 1):
            distance = distance_to_instability(mean_profile(np.zeros(size), 0.0, 100.0), bound)
            spent.append(passing(distance, 2 / epsilon, threshold))
        scale = 2 * bound / epsilon
        p, q = after_test((spent[0], spent[1]), cells((100 / n, scale), (0.0, scale)))
        worst = max(worst, hockey_stick(p, q, epsilon))
    assert worst <= delta * (1 + 1e-9)
    if bound == 5.0 and epsilon >= 1:
        assert worst > 0.98 * delta


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_the_stable_mode_spends_exactly_delta(epsilon: float) -> None:
    delta, worst = 0.01, 0.0
    for counts in product(range(5), repeat=3):
        for more in range(3):
            sides = []
            for c in (np.array(counts), np.array(counts) + (np.arange(3) == more)):
                shown = passing(
                    distance_to_another_mode(c) - 1, 1 / epsilon, log(1 / (2 * delta)) / epsilon
                )
                sides.append(np.append(shown * (np.arange(3) == c.argmax()), 1 - shown))
            worst = max(worst, hockey_stick(sides[0], sides[1], epsilon))
    assert worst == pytest.approx(delta)


def test_the_distance_to_another_mode_is_what_enumeration_finds() -> None:
    for counts in product(range(4), repeat=3):
        here, mode, steps = np.array(counts), int(np.argmax(counts)), 0
        ball = {counts}
        while all(int(np.argmax(c)) == mode for c in ball):
            moved = {
                tuple(np.array(c) + sign * (np.arange(3) == j))
                for c in ball
                for j in range(3)
                for sign in (1, -1)
            }
            ball |= {c for c in moved if min(c) >= 0}
            steps += 1
        assert distance_to_another_mode(here) == steps


def test_one_record_changes_one_part_and_replacing_one_changes_two() -> None:
    rng = np.random.default_rng(30)
    for _ in range(200):
        data = rng.uniform(-50, 150, size=rng.integers(1, 12))
        before = part_estimates(data, np.max, 5, 0, 0.0, 100.0)
        for i in range(len(data)):
            after = part_estimates(np.delete(data, i), np.max, 5, 0, 0.0, 100.0)
            assert np.count_nonzero(before != after) <= 1
            assert abs(before.mean() - after.mean()) <= 20.0
        data[0] = rng.uniform(0, 100)
        replaced = part_estimates(data, np.max, 5, 0, 0.0, 100.0)
        assert np.count_nonzero(before != replaced) <= 2


def test_parts_are_even_and_depend_on_the_record_and_the_key_alone() -> None:
    data = np.arange(10_000.0)
    part = part_of(data, 5, key=0)
    assert np.abs(np.bincount(part) - 2000).max() < 200
    assert np.array_equal(part_of(data[::-1], 5, key=0), part[::-1])
    assert np.mean(part_of(data, 5, key=1) == part) < 0.25
    assert part_of(np.array([-0.0]), 5, key=0) == part_of(np.array([0.0]), 5, key=0)


def test_a_value_that_one_record_has_shows_with_probability_delta() -> None:
    """A binomial count at 5 standard errors: fails once in a million fresh seeds."""
    rng, n, delta = np.random.default_rng(31), 20_000, 0.05
    shown = sum(bool(stability_histogram(np.array([3.0]), rng, delta=delta)) for _ in range(n))
    assert abs(shown - n * delta) < 5 * sqrt(n * delta * (1 - delta))
    assert passing(1, 1, 1 + log(1 / (2 * delta))) == pytest.approx(delta)


# Flawed twins


def revealed(left: float, right: float) -> Pair:
    """Each side shows an output of its own with these probabilities, and else they agree."""
    return np.array([left, 0, 1 - left]), np.array([0, right, 1 - right])


def shown(epsilon: float, distance: float, threshold: float) -> float:
    return passing(distance, 1 / epsilon, threshold / epsilon)


def overspent() -> Pair:
    passes = (passing(4, 1, log(50)), passing(3, 1, log(50)))
    return after_test(passes, cells((100 / 23, 5), (0, 5)))


def low_threshold() -> Pair:
    passes = passing(0, 2, log(200))
    assert passes == pytest.approx(sqrt(0.01 / 8))
    return after_test((passes, passes), cells((0, 10), (100, 10)))


def forgets_removal() -> Pair:
    passes = (passing(0, 0.5, log(10) / 2), passing(1, 0.5, log(10) / 2))
    return after_test(passes, cells((0, 25), (100, 25)))


def of_medians(x: Data, y: Data, beta: float, noise: Any = laplace) -> Pair:
    return cells(median_law(x, 1.0, beta), median_law(y, 1.0, beta), noise)


TRUTHS: list[tuple[str, float, float, Callable[[], Pair]]] = [
    ("smooth_median_at_zero", 1.0, 0.01, lambda: revealed(1.0, 1.0)),
    ("smooth_median_without_end", 1.0, 0.01, lambda: revealed(1.0, 1.0)),
    ("smooth_median_sample_range", 1.0, 0.01, lambda: revealed(1.0, 1.0)),
    ("smooth_median_wrong_beta", 1.0, 0.01, lambda: of_medians((), (0.0,), 1.0)),
    (
        "smooth_median_gaussian",
        1.0,
        1e-4,
        lambda: of_medians((), (100.0,), 1 / (2 * log(2e4)), norm),
    ),
    ("ptr_overspent", 1.0, 0.01, overspent),
    ("ptr_low_threshold", 1.0, 0.01, low_threshold),
    ("ptr_unnoised_test", 1.0, 0.01, lambda: revealed(1.0, 1.0)),
    ("ptr_forgets_removal", 4.0, 0.05, forgets_removal),
    (
        "stable_mode_off_by_one",
        1.0,
        0.01,
        lambda: revealed(shown(1, 1, log(50)), shown(1, 1, log(50))),
    ),
    ("sample_and_aggregate_by_position", 1.0, 0.0, lambda: cells((40, 20), (80, 20))),
    ("sample_and_aggregate_fewer_parts", 1.0, 0.0, lambda: cells((50, 20), (100, 20))),
    (
        "stability_histogram_low_threshold",
        1.0,
        0.01,
        lambda: revealed(0.0, shown(1, 1, log(50))),
    ),
    (
        "stability_histogram_without_threshold",
        1.0,
        0.01,
        lambda: revealed(0.0, 1 - exp(-1) / 2),
    ),
    ("stability_histogram_threshold_before_noise", 1.0, 0.01, lambda: revealed(1.0, 1.0)),
]


@pytest.mark.parametrize(
    ("name", "claimed", "delta", "pair"), TRUTHS, ids=[name for name, *_ in TRUTHS]
)
def test_a_flawed_twin_states_its_true_epsilon_and_information_limit(
    name: str, claimed: float, delta: float, pair: Callable[[], Pair]
) -> None:
    p, q = pair()
    truth = smallest_epsilon(p, q, delta) if delta else largest_log_ratio(p, q)
    assert truth > 1.2 * claimed
    assert stated_epsilon(name) == pytest.approx(truth, rel=3e-3)
    assert stated_limit(name) == pytest.approx(information_limit(p, q, claimed, delta), rel=0.02)


@pytest.mark.parametrize(
    ("pair", "epsilon", "stated"),
    [
        (lambda: of_medians((), (0.0,), 1.0), 1.0, 0.197),
        (lambda: of_medians((), (100.0,), 1 / (2 * log(2e4)), norm), 1.0, 0.00683),
        (overspent, 1.0, 0.190),
        (low_threshold, 1.0, 0.0350),
        (forgets_removal, 4.0, 0.234),
        (lambda: revealed(0.01 * e, 0.01 * e), 1.0, 0.0272),
    ],
)
def test_the_deltas_that_flawed_twins_state(
    pair: Callable[[], Pair], epsilon: float, stated: float
) -> None:
    assert hockey_stick(*pair(), epsilon) == pytest.approx(stated, rel=5e-3)


def test_taught_propose_test_release_reaches_a_delta_of_nearly_a_quarter() -> None:
    """Test and answer with ε = 1 each, the answer shifted by the whole bound."""
    grid = np.linspace(-1, 2, 301)
    shifted = cells((0, 1), (1, 1))
    deltas = [
        hockey_stick(*after_test((passing(s, 1, 0), passing(s - 1, 1, 0)), shifted), 1.0)
        for s in grid
    ]
    assert max(deltas) == pytest.approx(0.238, abs=5e-4)


def test_the_smooth_median_fails_for_large_epsilon_and_no_sample_shows_it() -> None:
    beta = 20 / (2 * log(2e6))
    p, q = cells(median_law((), 20.0, beta), median_law((50.0,), 20.0, beta))
    assert hockey_stick(p, q, 20.0) == pytest.approx(5.0e-6, rel=5e-3)
    assert smallest_epsilon(p, q, 1e-6) == pytest.approx(21.6, rel=1e-3)
    assert stated_epsilon("smooth_median_large_epsilon") == 21.6
    assert stated_limit("smooth_median_large_epsilon") == inf
    assert information_limit(p, q, 20.0, 1e-6) > 1e12


def test_chunks_by_position_move_together_when_one_record_leaves() -> None:
    data = np.tile(np.repeat([0.0, 100.0], 2), 3)[:10]
    quiet = {"f": np.max, "epsilon": 1e12}
    rng = np.random.default_rng(0)
    assert sample_and_aggregate_by_position(data, rng, **quiet) == pytest.approx(40)
    assert sample_and_aggregate_by_position(data[1:], rng, **quiet) == pytest.approx(80)
    many = np.tile(np.repeat([20.0, 80.0], 2), 50)
    quiet |= {"parts": 100}
    moved = [sample_and_aggregate_by_position(x, rng, **quiet) for x in (many, many[1:])]
    assert abs(moved[0] - moved[1]) > 25.0 > 100 / 100


def test_missing_and_infinite_records_count_as_the_bounds() -> None:
    rng = np.random.default_rng(32)
    wild = np.array([np.nan, np.inf, -np.inf, -0.0])
    tame = np.array([0.0, 100.0, 0.0, 0.0])
    assert np.array_equal(median_profile(wild, 0.0, 100.0), median_profile(tame, 0.0, 100.0))
    assert mean(wild, 0.0, 100.0) == 25.0
    for mechanism in (smooth_median, smooth_median_cauchy, sample_and_aggregate_median):
        assert np.isfinite(mechanism(wild, rng))
    assert mean(np.array([]), 17.0, 43.0) == median(np.array([]), 17.0, 43.0) == 17.0


def test_nothing_is_shown_where_the_test_fails() -> None:
    rng = np.random.default_rng(33)
    assert {propose_test_release(np.array([]), rng, delta=1e-9) for _ in range(200)} == {None}
    assert {stable_mode(np.array([0, 1]), rng, delta=1e-9) for _ in range(200)} == {None}
    assert all(stability_histogram(np.array([3.0]), rng, delta=1e-9) == {} for _ in range(200))


def test_zero_and_minus_zero_are_one_value() -> None:
    shown = stability_histogram(np.array([-0.0] * 20 + [0.0] * 20), np.random.default_rng(34))
    assert [repr(value) for value in shown] == ["0.0"]
