"""What composed answers, streams, censuses and federated sums cost, from exact distributions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import comb, exp, inf, log, pi, sqrt

import numpy as np
import pytest
from scipy.special import gammaln, kve
from scipy.stats import binom, gamma

from dpaudit.claims import GaussianDP
from dpaudit.claims.composition import homogeneous_epsilon
from mechanisms.advanced_composition import optimal_epsilon, taught_epsilon
from mechanisms.census_release import census_release
from mechanisms.federated_averaging import clip_norm, federated_averaging
from mechanisms.flawed.differencing_attack import differencing_attack
from mechanisms.flawed.smart_sum_raw_blocks import smart_sum_raw_blocks
from mechanisms.flawed.tree_counter_shared_noise import tree_counter_shared_noise
from mechanisms.matrix_factorization import matrix_factorization, root
from mechanisms.parallel_composition import parallel_composition
from mechanisms.privacy_filter import privacy_filter
from mechanisms.privacy_odometer import privacy_odometer
from mechanisms.secure_aggregation import secure_aggregation
from mechanisms.sequential_composition import counts_above, sequential_composition
from mechanisms.smart_sum import smart_sum
from mechanisms.tree_counter import tree_counter
from tools.information import (
    gaussian_cells,
    gaussian_information_limit,
    hockey_stick,
    information_limit,
    largest_log_ratio,
    stated_epsilon,
    stated_limit,
)

Pair = tuple[np.ndarray, np.ndarray]
NONE = np.empty(0)


class Quiet(np.random.Generator):
    """A generator whose Laplace and Gaussian draws are all zero."""

    def __init__(self) -> None:
        super().__init__(np.random.PCG64(0))

    def laplace(self, loc=0.0, scale=1.0, size=None):  # type: ignore[no-untyped-def, override]
        return 0.0 if size is None else np.zeros(size)

    normal = laplace  # type: ignore[assignment]


def from_losses(chances: dict[float, float]) -> Pair:
    """Cells of equal loss: q = p e^(−loss) in each."""
    losses = np.array(sorted(chances))
    p = np.array([chances[loss] for loss in losses])
    return p, p * np.exp(-losses)


def laplaces(k: int, shift: float, cells: int = 400) -> Pair:
    """k Laplace answers, each of which moves by `shift` scales: cells of nearly equal loss."""
    edges = np.linspace(-shift, shift, cells + 1)
    one = np.zeros(2 * cells + 1)
    one[1::2] = np.diff(np.exp((edges - shift) / 2)) / 2
    one[-1], one[0] = 0.5, exp(-shift) / 2
    p = one
    for _ in range(k - 1):
        p = np.convolve(p, one)
    q = p * np.exp(-np.linspace(-k * shift, k * shift, len(p)))
    return p / p.sum(), q / q.sum()


def coins(k: int, epsilon: float) -> Pair:
    """k geometric answers that all move by 1: the loss of each is epsilon or −epsilon."""
    p = binom.pmf(np.arange(k + 1), k, 1 / (1 + exp(epsilon)))
    return p, p[::-1]


def mean_of_ten() -> Pair:
    """Ten Laplace answers, summed: a Bessel density, moved by 10."""
    x = np.linspace(-60, 70, 130_001) + 1e-9

    def density(z: np.ndarray) -> np.ndarray:
        size = np.abs(z)
        bessel = 9.5 * np.log(size) + np.log(kve(9.5, size)) - size
        value: np.ndarray = np.exp(bessel - log(pi) / 2 - 9.5 * log(2) - gammaln(10)) * 1e-3
        return value

    return density(x), density(x - 10)


def spread() -> Pair:
    """Sum of five |difference of two Laplace draws|, of scales 1 and ½: a mixture of gammas."""
    edges = np.append(np.linspace(0, 60, 20_001), inf)
    p, q = (
        sum(binom.pmf(i, 5, 0.5) * np.diff(gamma.cdf(edges / b, 5 + i)) for i in range(6))
        for b in (1.0, 0.5)
    )
    return p, q  # type: ignore[return-value]


def refunds() -> Pair:
    """Loss of the odometer with refunds on nobody against one, by steps and charged answers."""
    price, a = 0.25, exp(-0.25)
    finished: dict[float, float] = defaultdict(float)
    state = {(0, 0): 1.0}
    moves = ((1 / (1 + a), 0, 1, False), ((a - a**16) / (1 + a), 1, -1, False))
    for step in range(16):
        after: dict[tuple[int, int], float] = defaultdict(float)
        for (charged, net), weight in state.items():
            for chance, fee, sign, stop in (*moves, (a**16 / (1 + a), 1, -1, True)):
                if stop or charged + fee == 4 or step == 15:
                    finished[(net + sign) * price] += weight * chance
                else:
                    after[charged + fee, net + sign] += weight * chance
        state = after
    return from_losses(finished)


def analysis(halts: Callable[[list[float], float], bool]) -> Pair:
    """Loss of the bisecting analyst on nobody against one record of 100, which all counts see."""
    finished: dict[float, float] = defaultdict(float)

    def go(prices: list[float], small: bool, loss: float, weight: float) -> None:
        price = 0.5 if small else 0.25
        if halts(prices, price):
            finished[round(loss, 9)] += weight
            return
        a = exp(-price)
        for chance, sign, next_small in (
            (1 / (1 + a), 1, True),
            (a * (1 - a) / (1 + a), -1, True),
            (a * a / (1 + a), -1, False),
        ):
            go([*prices, price], next_small, loss + sign * price, weight * chance)

    go([], False, 0.0, 1.0)
    return from_losses(finished)


TRUTHS: list[tuple[str, float, Callable[[], Pair]]] = [
    ("partial_sum_half_scale", 0.0, lambda: laplaces(1, 2)),
    ("prefix_sums_all_move", 0.0, lambda: laplaces(10, 1, 200)),
    ("prefix_sums_fresh_noise", 0.0, lambda: laplaces(10, 1, 200)),
    ("sequential_without_split", 0.0, lambda: laplaces(3, 1)),
    ("sequential_one_more", 0.0, lambda: laplaces(3, 1 / 2)),
    ("parallel_replace_one", 0.0, lambda: laplaces(2, 1)),
    ("parallel_overlapping", 0.0, lambda: laplaces(2, 1)),
    ("tree_counter_missing_level", 0.0, lambda: laplaces(4, 1 / 3)),
    ("odometer_refunds", 0.0, refunds),
    ("filter_checks_late", 0.0, lambda: analysis(lambda paid, _: sum(paid) >= 1)),
    ("filter_fixed_price", 0.0, lambda: analysis(lambda paid, _: len(paid) == 4)),
    ("advanced_sqrt_k", 1e-5, lambda: coins(20, 1 / sqrt(20))),
    ("averaging_attack", 0.0, mean_of_ten),
    ("scale_inference", 0.0, spread),
]


@pytest.mark.parametrize(("name", "delta", "cells"), TRUTHS, ids=[name for name, *_ in TRUTHS])
def test_a_flawed_mechanism_states_its_information_limit(
    name: str, delta: float, cells: Callable[[], Pair]
) -> None:
    assert stated_limit(name) == pytest.approx(information_limit(*cells(), 1.0, delta), rel=0.02)


@pytest.mark.parametrize(
    ("name", "cells"),
    [(n, c) for n, delta, c in TRUTHS if not delta and n != "averaging_attack"],
    ids=[n for n, delta, _ in TRUTHS if not delta and n != "averaging_attack"],
)
def test_a_flawed_mechanism_states_its_true_epsilon(name: str, cells: Callable[[], Pair]) -> None:
    assert stated_epsilon(name) == pytest.approx(largest_log_ratio(*cells()), rel=1e-3)


def test_the_root_of_k_spends_what_its_file_states() -> None:
    assert stated_epsilon("advanced_sqrt_k") == pytest.approx(
        homogeneous_epsilon(1 / sqrt(20), 20, 1e-5), abs=5e-3
    )
    assert hockey_stick(*coins(20, 1 / sqrt(20)), 1.0) == pytest.approx(0.1266, abs=5e-5)


def test_averaging_ten_answers_loses_ten_epsilons_in_the_tail() -> None:
    x = 1e5

    def log_density(z: float) -> float:
        return 9.5 * log(z) + log(kve(9.5, z)) - z

    assert log_density(x) - log_density(x + 10) == pytest.approx(
        stated_epsilon("averaging_attack"), rel=1e-3
    )


@pytest.mark.parametrize(
    ("name", "mu"),
    [
        ("matrix_factorization_linf", float(np.linalg.norm(root(8)[:, 0]))),
        ("secure_aggregation_all_shares", sqrt(6 / 4)),
    ],
)
def test_too_little_gaussian_noise_states_its_mu_and_information_limit(
    name: str, mu: float
) -> None:
    module = __import__(f"mechanisms.flawed.{name}", fromlist=["__doc__"])
    edges = np.linspace(-6, 6 + mu, 121)
    limit = gaussian_information_limit(gaussian_cells(0, edges), gaussian_cells(mu, edges), 1.0)
    assert f"μ = {mu:.4f} where 1 is claimed" in (module.__doc__ or "")
    assert stated_limit(name) == pytest.approx(limit, rel=0.03)
    assert not GaussianDP(mu).implies(GaussianDP(1.0))


def test_a_privacy_filter_spends_its_budget_and_no_more_on_any_path() -> None:
    cells = analysis(lambda paid, price: sum(paid) + price > 1)
    assert largest_log_ratio(*cells) == pytest.approx(1.0)
    assert sum(cells[0]) == pytest.approx(1.0)
    assert sum(cells[1]) == pytest.approx(1.0)


def test_a_privacy_filter_halts_analysts_who_ask_for_too_much_or_for_nothing() -> None:
    rng = np.random.default_rng(0)
    for price, answers in ((1.5, 0), (0.4, 2), (0.1, 10), (-1.0, 0), (0.0, 0), (float("nan"), 0)):
        released = privacy_filter(NONE, rng, analyst=lambda past, epsilon, p=price: (0.0, p))  # type: ignore[misc]
        assert len(released) == answers


def test_no_odometer_reading_is_below_the_loss_of_its_transcript() -> None:
    price = Fraction(1, 4)
    for signs in product((1, -1), repeat=4):
        for length in range(1, 5):
            assert abs(sum(signs[:length])) * price <= length * price
    rng = np.random.default_rng(0)
    for count in (0, 3, 30, 100):
        transcript = privacy_odometer(np.full(count, 60.0), rng)
        assert [reading for _, reading in transcript] == [0.25, 0.5, 0.75, 1.0][: len(transcript)]
        assert all(answer < 16 for answer, _ in transcript[:-1])


@pytest.mark.parametrize(
    ("epsilon", "delta", "k"), [(1.0, 0.01, 20), (1.0, 1e-5, 100), (3, 0.1, 7)]
)
def test_the_optimal_share_spends_exactly_the_budget(epsilon: float, delta: float, k: int) -> None:
    share = optimal_epsilon(epsilon, delta, k)
    assert hockey_stick(*coins(k, share), epsilon) == pytest.approx(delta, rel=1e-6)
    assert homogeneous_epsilon(share, k, delta) == pytest.approx(epsilon, rel=1e-6)


def test_the_taught_share_is_smaller_than_the_optimal_one_and_at_times_than_an_equal_one() -> None:
    for epsilon, delta, k in ((1.0, 0.01, 20), (1.0, 1e-5, 100), (0.1, 1e-6, 500)):
        assert taught_epsilon(epsilon, delta, k) < optimal_epsilon(epsilon, delta, k)
    assert taught_epsilon(1.0, 1e-5, 10) < 1 / 10
    assert taught_epsilon(1.0, 1e-5, 100) > 1 / 100


def exact_coin_delta(k: int, ratio: Fraction, power: int) -> Fraction:
    """δ at epsilon = power · ε₀ of k coins with e^ε₀ = ratio, in rationals."""
    total = (1 + ratio) ** k
    return (
        sum(
            (
                comb(k, b) * max(Fraction(0), ratio ** (k - b) - ratio ** (power + b))
                for b in range(k + 1)
            ),
            Fraction(0),
        )
        / total
    )


def test_the_optimal_share_agrees_with_rational_arithmetic() -> None:
    delta = exact_coin_delta(9, Fraction(5, 4), 3)
    assert optimal_epsilon(3 * log(1.25), float(delta), 9) == pytest.approx(log(1.25), rel=1e-9)


def dyadic_columns(size: int) -> Iterator[list[tuple[int, int]]]:
    for i in range(size):
        yield [(j, i >> j) for j in range(size.bit_length()) if ((i >> j) + 1) << j <= size]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 16, 33])
def test_every_counter_returns_the_running_sums_where_noise_is_zero(size: int) -> None:
    stream = np.random.default_rng(size).integers(-3, 9, size).astype(float)
    for counter in (tree_counter, smart_sum, matrix_factorization):
        kept = stream.copy()
        assert counter(stream, Quiet()) == pytest.approx(np.cumsum(stream), abs=1e-9)
        assert np.array_equal(stream, kept)


@pytest.mark.parametrize("size", range(1, 40))
def test_an_entry_lies_in_at_most_as_many_blocks_as_the_tree_has_levels(size: int) -> None:
    assert max(map(len, dyadic_columns(size))) == size.bit_length()


@pytest.mark.parametrize("size", [1, 2, 8, 50])
def test_the_root_squared_is_the_matrix_of_running_sums(size: int) -> None:
    half = root(size)
    assert half @ half == pytest.approx(np.tril(np.ones((size, size))), abs=1e-12)
    columns = np.linalg.norm(half, axis=0)
    assert columns.argmax() == 0
    assert columns[0] ** 2 == pytest.approx(sum((comb(2 * j, j) / 4**j) ** 2 for j in range(size)))


def projected(answers: Sequence[int], cells: Sequence[int], alpha: float) -> float:
    """Chance of noisy cells with these differences to their mean, up to a constant."""
    return sum(
        alpha ** sum(abs(a + t - c) for a, c in zip(answers, cells, strict=True))
        for t in range(-80, 81)
    )


def test_a_census_with_known_totals_spends_epsilon_and_hardly_less() -> None:
    alpha = exp(-0.5)
    ratios = [
        log(projected(answers, (1, 0, 0), alpha) / projected(answers, (0, 1, 0), alpha))
        for answers in product(range(-9, 10), range(-9, 10), (0,))
    ]
    assert max(map(abs, ratios)) <= 1.0 + 1e-12
    assert max(ratios) > 0.99


def test_a_census_keeps_the_totals_of_its_states() -> None:
    people = np.array([(0, 1), (1, 2), (1, 0)], dtype=[("state", "i8"), ("group", "i8")])
    released = census_release(people, np.random.default_rng(0))
    assert released.sum(axis=1) == pytest.approx([1, 2])


def test_an_update_of_any_kind_is_brought_into_the_ball() -> None:
    for update in (
        [3.0, 4.0],
        [inf, 1.0],
        [-inf, inf],
        [float("nan"), 0.5],
        [1e308, -1e308],
        [1e-308, 0.0],
        [0.0, 0.0],
    ):
        clipped = clip_norm(np.array(update), 1.0)
        assert np.isfinite(clipped).all()
        assert np.linalg.norm(clipped) <= 1 + 1e-12


def test_noise_of_those_who_stay_has_the_variance_of_least_clients() -> None:
    """Four of six stay; a sample deviation off by 5 % would be seen once in 10⁹ fresh seeds."""
    rng = np.random.default_rng(0)
    released = [secure_aggregation(np.zeros(6), rng) for _ in range(8000)]
    assert np.std([r for r in released if r is not None]) == pytest.approx(1.0, rel=0.05)
    assert secure_aggregation(np.zeros(5), rng) is None


def test_records_beyond_all_bounds_and_missing_ones_fall_into_one_part_each() -> None:
    sums = parallel_composition(np.array([-5.0, 1e9, float("nan"), 30.0]), Quiet())
    assert sums == (0.0, 30.0, 0.0, 175.0)
    assert counts_above(np.array([float("nan"), 60.0])).tolist() == [1, 1, 0]


def test_every_mechanism_answers_about_nobody() -> None:
    rng = np.random.default_rng(0)
    assert len(sequential_composition(NONE, rng)) == 3
    assert len(parallel_composition(NONE, rng)) == 4
    assert [len(f(NONE, rng)) for f in (smart_sum, tree_counter, matrix_factorization)] == [0, 0, 0]
    assert federated_averaging(np.empty((0, 2)), rng).tolist() == [0.0, 0.0]
    assert secure_aggregation(NONE, rng) is None


def test_exact_parts_of_a_release_show() -> None:
    rng = np.random.default_rng(0)
    assert smart_sum_raw_blocks(np.array([1.0, 2.0, 3.0, 4.0]), rng)[2] == 6.0
    released = tree_counter_shared_noise(np.array([1.0, 2.0]), rng)
    assert released[1] - released[0] == pytest.approx(2.0)
    ill = np.array([(0, 1), (1, 1)], dtype=[("person", "i8"), ("ill", "i8")])
    assert [differencing_attack(ill, rng), differencing_attack(ill[1:], rng)] == [1, 0]
