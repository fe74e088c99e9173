"""Noise added to answers: what the files state follows from the exact distributions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import copysign, e, exp, floor, frexp, inf, log, sqrt

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, laplace, norm

from dpaudit.claims import GaussianDP
from mechanisms.binomial import binomial, coins_needed, spends_at_most
from mechanisms.discrete_gaussian import discrete_gaussian, tight_delta
from mechanisms.discrete_laplace import bernoulli_exp, two_sided_geometric
from mechanisms.flawed.geometric_int8_overflow import geometric_int8_overflow
from mechanisms.flawed.laplace_few_seeds import laplace_few_seeds
from mechanisms.flawed.laplace_float import laplace_float
from mechanisms.flawed.laplace_raw_cache import laplace_raw_cache
from mechanisms.flawed.laplace_redrawn import laplace_redrawn
from mechanisms.flawed.laplace_repeated_seed import laplace_repeated_seed
from mechanisms.flawed.laplace_rounded_away import laplace_rounded_away
from mechanisms.flawed.laplace_seed_from_data import laplace_seed_from_data
from mechanisms.flawed.snapping_without_rounding import snapping_without_rounding
from mechanisms.gaussian import analytic_sigma, classical_sigma, gaussian
from mechanisms.laplace import laplace_vector
from mechanisms.snapping import snapping, uniform
from mechanisms.staircase import staircase
from mechanisms.truncated_geometric import distribution, truncated_geometric
from tools.information import (
    hockey_stick,
    information_limit,
    largest_log_ratio,
    reveal,
    stated_epsilon,
    stated_limit,
)

Pair = tuple[np.ndarray, np.ndarray]
Curve = Callable[[np.ndarray], np.ndarray]


def neighbors(
    below: Curve, above: Curve | None = None, reach: float = 25.0, cells: int = 10_000
) -> Pair:
    """Cells of noise around 0 and around 1, from both tails: differences near 1 lose digits.

    `below` is the distribution function, `above` one minus it (`below(-y)` if symmetric).
    """
    edges = np.linspace(-reach, reach, cells + 1)
    found = []
    for x in (0, 1):
        low = np.concatenate([[0.0], below(edges - x), [1.0]])
        high = np.concatenate([[1.0], above(edges - x) if above else below(x - edges), [0.0]])
        found.append(np.where(low[1:] < 0.5, np.diff(low), -np.diff(high)))
    return found[0], found[1]


def laplace_pair(scale: float) -> Pair:
    return neighbors(lambda y: laplace.cdf(y, scale=scale))


def gaussian_pair(sigma: float) -> Pair:
    return neighbors(lambda y: norm.cdf(y, scale=sigma))


def integers(weights: np.ndarray) -> Pair:
    """Integer noise with these probabilities, on an answer and on the next."""
    p = weights / weights.sum()
    return np.append(p, 0.0), np.insert(p, 0, 0.0)


def two_sided(alpha: float) -> np.ndarray:
    return alpha ** np.abs(np.arange(-300.0, 301.0))


def at_zero(weights: np.ndarray, factor: float) -> np.ndarray:
    changed = weights.copy()
    changed[len(weights) // 2] *= factor
    return changed


def redrawn(answer: float) -> np.ndarray:
    below = laplace.cdf(np.linspace(0, 100, 20_001), answer)
    cells: np.ndarray = np.diff(below) / (below[-1] - below[0])
    return cells


def clipped_laplace() -> Pair:
    """Noise clipped to [-3, 3]: cells of the continuous part, and the four atoms at its ends."""
    edges = np.linspace(-3, 4, 7001)
    middles = (edges[:-1] + edges[1:]) / 2
    p, q = (np.diff(laplace.cdf(edges, x)) * (np.abs(middles - x) < 3) for x in (0, 1))
    end = exp(-3) / 2
    return np.append(p, [end, end, 0, 0]), np.append(q, [0, 0, end, end])


def exponential_below(y: np.ndarray) -> np.ndarray:
    return -np.expm1(-np.maximum(y, 0))


def exponential_above(y: np.ndarray) -> np.ndarray:
    return np.exp(-np.maximum(y, 0))


def uniform_distribution(y: np.ndarray) -> np.ndarray:
    return np.clip((y + sqrt(6)) / (2 * sqrt(6)), 0, 1)


def staircase_distribution(epsilon: float, gamma: float, first: int = 0) -> Curve:
    """Distribution function of staircase noise with Δ = 1 and steps from `first` on."""
    b = exp(-epsilon)
    flat = gamma / (gamma + (1 - gamma) * b)

    def cdf(y: np.ndarray) -> np.ndarray:
        size = np.maximum(np.abs(y) - first, 0)
        step = np.floor(size + 1e-9)
        rest = np.maximum(size - step, 0)
        upper = flat + (1 - flat) * (rest - gamma) / max(1 - gamma, 1e-300)
        part = np.where(rest < gamma, flat * rest / max(gamma, 1e-300), upper)
        below = 1 - b**step + (1 - b) * b**step * part
        return (1 + np.sign(y) * below) / 2

    return cdf


def truncated_geometric_cells(count: int, k: int, n: int = 5) -> np.ndarray:
    cumulative, d = distribution(count, n, k)
    return np.diff([0.0, *(c / d for c in cumulative)])


def discrete_gaussian_weights(variance: float) -> np.ndarray:
    z = np.arange(-150, 151)
    weights: np.ndarray = np.exp(-(z**2) / (2 * variance))
    return weights


SIGMA = 3.730632
BEST = 1 / (1 + exp(0.5))
INTEGER_CAST = at_zero(two_sided(1 / e), 2.0)
PURE: list[tuple[str, float, Callable[[], Pair]]] = [
    ("catastrophe", 1.0, lambda: reveal(0.01)),
    ("laplace_half_scale", 1.0, lambda: laplace_pair(1 / 2)),
    ("laplace_fixed_seed", 1.0, lambda: reveal(1.0)),
    ("laplace_shared_noise", 1.0, lambda: reveal(1.0)),
    ("laplace_repeated_seed", 1.0, lambda: reveal(1.0)),
    ("laplace_seed_from_data", 1.0, lambda: reveal(1.0)),
    ("laplace_few_seeds", 1.0, lambda: reveal(1.0)),
    ("laplace_rounded_away", 1.0, lambda: reveal(1.0)),
    ("laplace_relative_noise", 1.0, lambda: reveal(1.0)),
    ("laplace_variance_for_scale", 4.0, lambda: laplace_pair(1 / 8)),
    ("laplace_deviation_for_scale", 1.0, lambda: laplace_pair(1 / sqrt(2))),
    ("laplace_base_ten", 1.0, lambda: laplace_pair(1 / log(10))),
    ("laplace_one_sided", 1.0, lambda: neighbors(exponential_below, exponential_above)),
    ("laplace_truncated", 1.0, clipped_laplace),
    ("uniform_noise", 1.0, lambda: neighbors(uniform_distribution)),
    ("laplace_redrawn", 1.0, lambda: (redrawn(0), redrawn(1))),
    ("laplace_cast_to_int", 1.0, lambda: integers(INTEGER_CAST)),
    ("discrete_laplace_double_zero", 1.0, lambda: integers(INTEGER_CAST)),
    ("geometric_wrong_parameter", 0.8, lambda: integers(two_sided(0.2))),
    (
        "truncated_geometric_rounded",
        0.1,
        lambda: (truncated_geometric_cells(2, 3), truncated_geometric_cells(3, 3)),
    ),
    ("staircase_from_one", 1.0, lambda: neighbors(staircase_distribution(1.0, BEST, first=1))),
]
APPROXIMATE: list[tuple[str, float, float, Callable[[], Pair]]] = [
    ("gaussian_half_sigma", 1.0, 1e-5, lambda: gaussian_pair(SIGMA / 2)),
    ("gaussian_linf_sensitivity", 1.0, 1e-5, lambda: gaussian_pair(SIGMA / sqrt(5))),
    ("gaussian_deviation_for_variance", 1.0, 1e-5, lambda: gaussian_pair(sqrt(SIGMA))),
    ("gaussian_scale_of_laplace", 1.0, 1e-5, lambda: gaussian_pair(1.0)),
    ("gaussian_log_delta", 6.0, 0.2, lambda: gaussian_pair(sqrt(2 * log(5)) / 6)),
    (
        "gaussian_classical_large_epsilon",
        10.0,
        1e-5,
        lambda: gaussian_pair(classical_sigma(10.0, 1e-5)),
    ),
    (
        "discrete_gaussian_sigma_for_variance",
        1.0,
        1e-5,
        lambda: integers(discrete_gaussian_weights(sqrt(14))),
    ),
    (
        "binomial_too_few_coins",
        1.0,
        1e-5,
        lambda: integers(binom.pmf(np.arange(17), 16, 0.5)),
    ),
]


@pytest.mark.parametrize(("name", "claimed", "cells"), PURE, ids=[name for name, *_ in PURE])
def test_a_flawed_mechanism_states_its_true_epsilon_and_information_limit(
    name: str, claimed: float, cells: Callable[[], Pair]
) -> None:
    p, q = cells()
    true = largest_log_ratio(p, q)
    assert true > 1.1 * claimed
    if stated_epsilon(name) == inf:
        assert true == inf
    else:
        assert true == pytest.approx(stated_epsilon(name), rel=4e-3)
    assert stated_limit(name) == pytest.approx(information_limit(p, q, claimed), rel=0.02)


@pytest.mark.parametrize(
    ("name", "claimed", "delta", "cells"), APPROXIMATE, ids=[name for name, *_ in APPROXIMATE]
)
def test_with_a_delta_a_flawed_mechanism_states_the_epsilon_at_which_its_delta_is_that(
    name: str, claimed: float, delta: float, cells: Callable[[], Pair]
) -> None:
    p, q = cells()
    assert hockey_stick(p, q, claimed) > delta
    if stated_epsilon(name) == inf:
        assert hockey_stick(p, q, 50.0) > delta
    else:
        true = brentq(lambda at: hockey_stick(p, q, at) - delta, claimed, 20.0)
        assert true == pytest.approx(stated_epsilon(name), rel=4e-3)
    limit = information_limit(p, q, claimed, delta)
    assert stated_limit(name) == pytest.approx(limit, rel=0.03)


def test_five_entries_that_all_move_cost_five_times_the_epsilon_of_one() -> None:
    """The sum over entries of |y_i| − |y_i − 1| is a sufficient statistic, and its law a sum."""
    one = laplace_pair(1.0)
    assert largest_log_ratio(*one) == pytest.approx(1.0, rel=1e-3)
    assert stated_epsilon("laplace_linf_sensitivity") == 5


def test_the_shorter_gaussian_formula_holds_where_most_people_use_it() -> None:
    def true_delta(sigma: float, epsilon: float) -> float:
        return float(GaussianDP(1 / sigma).delta(epsilon))

    for epsilon in (0.1, 0.5, 1.0, 2.0, 5.0):
        assert true_delta(sqrt(2 * log(1e5)) / epsilon, epsilon) < 1e-5
    assert true_delta(sqrt(2 * log(1e5)), 1.0) == pytest.approx(5.3e-8, rel=0.01)
    assert true_delta(sqrt(2 * log(100)) / 7, 7.0) == pytest.approx(0.0145, rel=0.01)
    assert true_delta(classical_sigma(10.0, 1e-5), 10.0) == pytest.approx(2.3e-5, rel=0.02)


def test_gaussian_noise_for_a_delta_has_no_pure_epsilon_that_sampling_could_refute() -> None:
    assert information_limit(*gaussian_pair(analytic_sigma(1.0, 1e-5)), 1.0) > 80e6


@pytest.mark.parametrize("k", [0, 1, 3, 5])
@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_the_truncated_geometric_mechanism_has_exactly_the_ratio_of_its_theorem(
    k: int, n: int
) -> None:
    ratios = []
    for count in range(n):
        (first, d), (second, _) = distribution(count, n, k), distribution(count + 1, n, k)
        p, q = (np.diff([0, *c]).tolist() for c in (first, second))
        assert sum(p) == sum(q) == d
        assert min(*p, *q) > 0
        ratios += [max(Fraction(a, b), Fraction(b, a)) for a, b in zip(p, q, strict=True)]
    assert max(ratios) == Fraction(2**k + 1, 2**k)


def test_the_truncated_geometric_mechanism_is_a_clamped_geometric_variable() -> None:
    alpha = Fraction(8, 9)
    cumulative, d = distribution(2, 5, 3)
    below = [alpha ** (2 - z) / (1 + alpha) for z in range(2)]
    above = [1 - alpha ** (z - 1) / (1 + alpha) for z in range(2, 5)]
    assert [Fraction(c, d) for c in cumulative] == [*below, *above, 1]


def test_a_count_outside_its_range_and_a_large_epsilon_are_taken_in() -> None:
    rng = np.random.default_rng(0)
    outputs = {truncated_geometric(c, rng, epsilon=9.0) for c in (-4, 0, 5, 77) for _ in range(99)}
    assert outputs <= set(range(6))


def test_staircase_noise_has_ratio_e_to_the_epsilon_for_every_gamma() -> None:
    for epsilon in (0.5, 1.0, 3.0):
        for gamma in (0.0, 0.2, 1 / (1 + exp(epsilon / 2)), 0.8, 1.0):
            # Cells of .001, so that steps at γ and at whole numbers are edges.
            rounded = round(gamma, 3)
            p, q = neighbors(staircase_distribution(epsilon, rounded), reach=3.0, cells=6_000)
            assert largest_log_ratio(p, q) == pytest.approx(epsilon, rel=1e-5)


def test_staircase_draws_follow_the_distribution_of_the_paper() -> None:
    """Largest gap of 20,000 draws above 2/√n: once in 1,500 fresh seeds (Kolmogorov)."""
    rng = np.random.default_rng(1)
    draws = np.sort([staircase(0.0, rng) for _ in range(20_000)])
    expected = staircase_distribution(1.0, BEST)(draws)
    assert np.abs(expected - np.arange(20_000) / 20_000).max() < 2 / sqrt(20_000)


def frequencies_match(draws: np.ndarray, weights: np.ndarray) -> bool:
    """Chi-squared of the values that are expected ten times, within six standard deviations."""
    p = weights / weights.sum()
    values = np.arange(len(p)) - len(p) // 2
    common = p * len(draws) >= 10
    seen = np.array([(draws == v).sum() for v in values[common]])
    expected = p[common] * len(draws)
    statistic, degrees = float(((seen - expected) ** 2 / expected).sum()), int(common.sum())
    return statistic < degrees + 6 * sqrt(2 * degrees)


@pytest.mark.parametrize("decay", [Fraction(1, 3), Fraction(1), Fraction(5, 2)])
def test_discrete_laplace_draws_have_exact_probabilities(decay: Fraction) -> None:
    """Fails for fewer than one fresh seed in 1,000 each."""
    rng = np.random.default_rng(2)
    draws = np.array([two_sided_geometric(decay, rng) for _ in range(10_000)])
    assert frequencies_match(draws, two_sided(exp(-decay)))


@pytest.mark.parametrize("variance", [Fraction(1, 2), Fraction(14), Fraction(399, 100)])
def test_discrete_gaussian_draws_have_exact_probabilities(variance: Fraction) -> None:
    """Fails for fewer than one fresh seed in 1,000 each."""
    rng = np.random.default_rng(3)
    draws = np.array([discrete_gaussian(0, rng, variance=variance) for _ in range(10_000)])
    assert frequencies_match(draws, discrete_gaussian_weights(float(variance)))


@pytest.mark.parametrize("gamma", [(0, 1), (1, 3), (1, 1), (7, 3)])
def test_a_coin_falls_with_the_exponential_of_a_rational(gamma: tuple[int, int]) -> None:
    """10,000 coins within 5 standard errors: once in 10^6 fresh seeds."""
    rng = np.random.default_rng(4)
    p = exp(-gamma[0] / gamma[1])
    heads = np.mean([bernoulli_exp(*gamma, rng) for _ in range(10_000)])
    assert abs(heads - p) <= 5 * sqrt(p * (1 - p) / 10_000)


@pytest.mark.parametrize("variance", [1.0, 14.0, 16.0])
def test_the_discrete_gaussian_keeps_its_delta_and_its_rho(variance: float) -> None:
    p, q = integers(discrete_gaussian_weights(variance))
    for epsilon in (0.5, 1.0, 2.0):
        assert tight_delta(epsilon, variance) == pytest.approx(
            hockey_stick(p, q, epsilon), rel=1e-6, abs=1e-15
        )
    both = (p > 1e-250) & (q > 1e-250)
    p, q = p[both], q[both]
    for order in (1.5, 2.0, 8.0):
        moment = np.exp(order * np.log(p) + (1 - order) * np.log(q)).sum()
        assert log(moment) / (order - 1) <= order / (2 * variance) * (1 + 1e-9)


def test_a_variance_of_14_suffices_for_the_claim_that_is_audited() -> None:
    assert tight_delta(1.0, 14.0) < 1e-5


@pytest.mark.parametrize("epsilon", [0.2, 0.5, 1.0, 2.0])
def test_coins_suffice_and_eight_fewer_do_not(epsilon: float) -> None:
    n = coins_needed(epsilon, 1e-5)
    for coins, enough in ((n, True), (n - 8, False)):
        p, q = integers(binom.pmf(np.arange(coins + 1), coins, 0.5))
        assert (hockey_stick(p, q, epsilon) <= 1e-5) is enough
        assert spends_at_most(1e-5, coins, epsilon) is enough


def test_binomial_noise_has_the_distribution_of_its_coins() -> None:
    """Fails for fewer than one fresh seed in 1,000."""
    rng = np.random.default_rng(5)
    draws = np.array([binomial(0, rng) for _ in range(10_000)])
    assert frequencies_match(draws, binom.pmf(np.arange(65), 64, 0.5))


def test_snapping_is_as_private_as_rounded_laplace_noise_on_every_pair_of_inputs() -> None:
    edges = np.arange(-10, 11) * 2.0 + 1.0
    for x in (0.0, 0.3, 0.99, 1.0):
        for y in (x - 1, x - 0.5, x + 1):
            p, q = (np.diff([0, *laplace.cdf(edges, at), 1]) for at in (x, y))
            assert largest_log_ratio(p, q) <= 1 + 1e-6


@pytest.mark.parametrize("epsilon", [0.1, 0.7, 1.0, 4.0])
def test_snapping_yields_multiples_of_lambda_within_its_bound(epsilon: float) -> None:
    rng = np.random.default_rng(6)
    outputs = [snapping(0.3, rng, epsilon=epsilon, bound=64.0) for _ in range(300)]
    step = 2.0 ** (frexp(1 / epsilon)[1])
    assert step >= 1 / epsilon
    assert all(y / step == floor(y / step) and abs(y) <= 64 for y in outputs)


def test_snapping_takes_in_every_double_and_has_one_zero() -> None:
    rng = np.random.default_rng(7)
    for answer in (np.nan, inf, -inf, 1e300, -0.0, 5e-324):
        assert abs(snapping(answer, rng)) <= 1024
    zeros = [y for y in (snapping(-0.4, rng) for _ in range(200)) if y == 0]
    assert zeros
    assert {copysign(1, y) for y in zeros} == {1.0}


def test_every_double_in_the_unit_interval_can_come_up() -> None:
    """1,000 draws below 2^-9 among 10^5 expected 195: none, never."""
    rng = np.random.default_rng(8)
    draws = np.array([uniform(rng) for _ in range(100_000)])
    assert 0 < draws.min() < draws.max() < 1
    assert abs(draws.mean() - 0.5) < 5 * sqrt(1 / 12 / 100_000)
    # Below 1/512 doubles are finer than 2^-61, which multiples of 2^-53 never are.
    assert np.any(np.ldexp(draws[draws < 2**-9], 60) % 1 != 0)


def grid_cells(mechanism: Callable[..., float], answer: float, draws: int) -> np.ndarray:
    """Frequencies of e in -54 or less, ..., -44 or more: outputs are odd multiples of 2^e."""
    rng = np.random.default_rng(9)
    outputs = (mechanism(answer, rng) for _ in range(draws))
    exponents = [1 - y.as_integer_ratio()[1].bit_length() for y in outputs]
    return np.bincount(np.clip(exponents, -54, -44) + 54, minlength=11) / draws


@pytest.mark.parametrize("mechanism", [laplace_float, snapping_without_rounding])
def test_the_grid_of_a_double_tells_zero_from_one_as_fast_as_is_stated(
    mechanism: Callable[..., float],
) -> None:
    """Within 5 % of the limit at 60,000 draws a side, some 6 standard errors."""
    p, q = (grid_cells(mechanism, x, 60_000) for x in (0.0, 1.0))
    assert p[0] > 0.25
    assert q[0] == 0
    limit = information_limit(p, q, 1.0)
    assert limit == pytest.approx(stated_limit(mechanism.__name__), rel=0.05)


def test_a_count_in_eight_bits_jumps_by_255() -> None:
    """Noise beyond 60 has probability e^-60."""
    rng = np.random.default_rng(10)
    assert abs(geometric_int8_overflow(np.ones(127, int), rng) - 127) < 60
    assert abs(geometric_int8_overflow(np.ones(128, int), rng) + 128) < 60
    assert abs(geometric_int8_overflow(np.zeros(0, int), rng)) < 60
    assert stated_epsilon("geometric_int8_overflow") == 127 + 128


def test_a_cache_of_raw_answers_serves_them_from_the_second_call_on() -> None:
    rng = np.random.default_rng(11)
    answer = 12345.678
    assert laplace_raw_cache(answer, rng) != answer
    assert laplace_raw_cache(answer, rng) == answer


def test_weak_randomness_shows_in_every_output() -> None:
    rng = np.random.default_rng(12)
    assert len({laplace_seed_from_data(0.25, rng) for _ in range(20)}) == 1
    outputs = [{laplace_few_seeds(x, rng) for _ in range(3000)} for x in (0.0, 1.0)]
    assert all(len(seen) <= 256 for seen in outputs)
    assert not outputs[0] & outputs[1]
    first, second = laplace_repeated_seed(np.array([3.0, 7.0]), rng)
    assert second - first == pytest.approx(4.0)


def test_noise_rounded_to_integers_leaves_the_digits_behind_the_point() -> None:
    rng = np.random.default_rng(13)
    assert {laplace_rounded_away(0.25, rng) % 1 for _ in range(200)} == {0.25}


def test_rounding_noise_on_integers_is_sound_and_casting_it_is_not() -> None:
    size = np.abs(np.arange(-40.0, 41.0))
    rounded = np.where(size > 0, np.sinh(0.5) * np.exp(-size), 1 - np.exp(-0.5))
    assert largest_log_ratio(*integers(rounded)) <= 1 + 1e-6
    cast = at_zero(two_sided(1 / e), 2.0)
    assert largest_log_ratio(*integers(cast)) == pytest.approx(1 + log(2), rel=1e-9)


def test_redrawing_costs_at_most_the_ratio_of_the_normalizers() -> None:
    assert largest_log_ratio(redrawn(0), redrawn(1)) == pytest.approx(1 + log(2 - 1 / e), rel=5e-3)
    assert 0 <= laplace_redrawn(0.0, np.random.default_rng(14)) <= 100


def test_no_answers_are_answered_with_none() -> None:
    rng = np.random.default_rng(15)
    for mechanism in (laplace_vector, gaussian, laplace_repeated_seed):
        assert mechanism(np.zeros(0), rng).shape == (0,)
