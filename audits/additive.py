"""Noise added to answers: Laplace, Gaussian and their discrete kin, and what breaks them."""

from fractions import Fraction
from functools import partial
from math import exp, inf, log, nextafter

import numpy as np

from dpaudit import (
    AddRemove,
    AnyPair,
    ApproxDP,
    Audit,
    Categorical,
    GaussianDP,
    Integer,
    Pairs,
    PureDP,
    QueryAnswers,
    Real,
    RenyiDP,
    ZeroConcentratedDP,
    vectorized,
)
from mechanisms.binomial import binomial
from mechanisms.discrete_gaussian import discrete_gaussian
from mechanisms.discrete_laplace import discrete_laplace
from mechanisms.flawed.binomial_too_few_coins import binomial_too_few_coins
from mechanisms.flawed.catastrophe import catastrophe
from mechanisms.flawed.discrete_gaussian_sigma_for_variance import (
    discrete_gaussian_sigma_for_variance,
)
from mechanisms.flawed.discrete_laplace_double_zero import discrete_laplace_double_zero
from mechanisms.flawed.gaussian_classical_large_epsilon import gaussian_classical_large_epsilon
from mechanisms.flawed.gaussian_deviation_for_variance import gaussian_deviation_for_variance
from mechanisms.flawed.gaussian_half_sigma import gaussian_half_sigma
from mechanisms.flawed.gaussian_linf_sensitivity import gaussian_linf_sensitivity
from mechanisms.flawed.gaussian_log_delta import gaussian_log_delta
from mechanisms.flawed.gaussian_scale_of_laplace import gaussian_scale_of_laplace
from mechanisms.flawed.geometric_int8_overflow import geometric_int8_overflow
from mechanisms.flawed.geometric_wrong_parameter import geometric_wrong_parameter
from mechanisms.flawed.laplace_base_ten import laplace_base_ten
from mechanisms.flawed.laplace_cast_to_int import laplace_cast_to_int
from mechanisms.flawed.laplace_deviation_for_scale import laplace_deviation_for_scale
from mechanisms.flawed.laplace_few_seeds import laplace_few_seeds
from mechanisms.flawed.laplace_fixed_seed import laplace_fixed_seed
from mechanisms.flawed.laplace_float import laplace_float
from mechanisms.flawed.laplace_half_scale import laplace_half_scale
from mechanisms.flawed.laplace_linf_sensitivity import laplace_linf_sensitivity
from mechanisms.flawed.laplace_one_sided import laplace_one_sided
from mechanisms.flawed.laplace_raw_cache import laplace_raw_cache
from mechanisms.flawed.laplace_redrawn import laplace_redrawn
from mechanisms.flawed.laplace_relative_noise import laplace_relative_noise
from mechanisms.flawed.laplace_repeated_seed import laplace_repeated_seed
from mechanisms.flawed.laplace_rounded_away import laplace_rounded_away
from mechanisms.flawed.laplace_seed_from_data import laplace_seed_from_data
from mechanisms.flawed.laplace_shared_noise import laplace_shared_noise
from mechanisms.flawed.laplace_truncated import laplace_truncated
from mechanisms.flawed.laplace_variance_for_scale import laplace_variance_for_scale
from mechanisms.flawed.snapping_without_rounding import snapping_without_rounding
from mechanisms.flawed.staircase_from_one import staircase_from_one
from mechanisms.flawed.truncated_geometric_rounded import truncated_geometric_rounded
from mechanisms.flawed.uniform_noise import uniform_noise
from mechanisms.gaussian import analytic_sigma, classical_sigma, gaussian, gaussian_many
from mechanisms.geometric import geometric
from mechanisms.laplace import laplace, laplace_many, laplace_vector
from mechanisms.snapping import snapping
from mechanisms.staircase import staircase
from mechanisms.truncated_geometric import truncated_geometric

one_answer = AnyPair(Real(0, 1))
zero_and_one = Pairs([(0.0, 1.0)])
one_integer = AnyPair(Integer(0, 1))
bits = AddRemove(Categorical([0, 1]), max_size=8)
many_bits = AddRemove(Categorical([0, 1]), max_size=128)
counts_up_to_five = Pairs([(count, count + 1) for count in range(5)])
vector_of_one = QueryAnswers(1)
five_answers_l1 = QueryAnswers(5, norm="l1")
five_answers_l2 = QueryAnswers(5, norm="l2")
all_may_move = QueryAnswers(5, norm="linf")
one_apart = Pairs([(np.zeros(1), np.ones(1))])
all_move = Pairs([(np.zeros(5), np.ones(5))])

approximate = ApproxDP(1.0, 1e-5)
classical = partial(gaussian, sigma=classical_sigma(1.0, 1e-5))
analytic = partial(gaussian, sigma=analytic_sigma(1.0, 1e-5))
wide = partial(gaussian, sigma=2.0)
analytic_many = partial(gaussian_many, sigma=analytic_sigma(1.0, 1e-5))


def twenty_answers(answer: float, rng: np.random.Generator) -> np.ndarray:
    return laplace_vector(np.full(20, answer), rng, epsilon=0.005)


laplace_scalar = Audit(laplace, PureDP(1.0), one_answer, expect="VERIFIED", max_calls=32_000)
laplace_small_epsilon = Audit(
    partial(laplace, epsilon=0.1), PureDP(0.1), one_answer, expect="VERIFIED", max_calls=32_000
)
laplace_many_at_once = Audit(
    vectorized(laplace_many), PureDP(1.0), one_answer, expect="VERIFIED", max_calls=32_000
)
laplace_on_a_vector = Audit(
    laplace_vector, PureDP(1.0), five_answers_l1, expect="VERIFIED", max_calls=32_000
)
laplace_that_pays_for_all = Audit(
    partial(laplace_vector, sensitivity=5.0),
    PureDP(1.0),
    all_may_move,
    expect="VERIFIED",
    max_calls=32_000,
)
laplace_twenty_times_the_same = Audit(
    twenty_answers, PureDP(0.1), one_answer, expect="VERIFIED", max_calls=32_000
)
laplace_renyi = Audit(
    laplace,
    RenyiDP(order=2, epsilon=nextafter(log(2 / 3 * exp(1) + 1 / 3 * exp(-2)), inf)),
    one_answer,
    expect="VERIFIED",
    max_calls=32_000,
)
laplace_as_doubles = Audit(
    laplace,
    PureDP(1.0),
    one_answer,
    arithmetic="float",
    expect="REFUTED",
    reason="sound with real numbers; its low-order bits tell 0 and 1 apart",
)

half_scale = Audit(laplace_half_scale, PureDP(1.0), one_answer, expect="DPA106")
variance_for_scale = Audit(laplace_variance_for_scale, PureDP(4.0), one_answer, expect="DPA106")
variance_for_scale_at_two = Audit(
    partial(laplace_variance_for_scale, epsilon=2.0),
    PureDP(2.0),
    zero_and_one,
    expect="VERIFIED",
    reason="at ε = 2 the scale 2/ε² is 1/ε, what it should be",
    max_calls=32_000,
)
deviation_for_scale = Audit(laplace_deviation_for_scale, PureDP(1.0), one_answer, expect="DPA106")
logarithm_to_base_ten = Audit(laplace_base_ten, PureDP(1.0), one_answer, expect="DPA106")
logarithm_to_base_two = Audit(
    partial(laplace_base_ten, base=2.0),
    PureDP(log(2)),
    one_answer,
    reason="log₂ makes the noise larger, by 1/ln 2",
    max_calls=100_000,
)
one_sided = Audit(laplace_one_sided, PureDP(1.0), one_answer, expect="DPA106")
truncated = Audit(laplace_truncated, PureDP(1.0), one_answer, expect="DPA106")
uniform = Audit(uniform_noise, PureDP(1.0), one_answer, expect="DPA106")
redrawn = Audit(laplace_redrawn, PureDP(1.0), one_answer, expect="DPA106")
redrawn_with_twice_the_epsilon = Audit(
    laplace_redrawn,
    PureDP(2.0),
    zero_and_one,
    reason="the normalizers of neighbors differ by a factor of e^ε at most",
    max_calls=100_000,
)
noise_rounded_away = Audit(laplace_rounded_away, PureDP(1.0), one_answer, expect="DPA106")
noise_rounded_on_integers = Audit(
    laplace_rounded_away,
    PureDP(1.0),
    one_integer,
    expect="VERIFIED",
    reason="integers lie on the grid of the noise: rounding it is rounding the output",
    max_calls=32_000,
)
noise_cast_to_int = Audit(laplace_cast_to_int, PureDP(1.0), one_integer, expect="DPA106")
relative_noise = Audit(laplace_relative_noise, PureDP(1.0), one_answer, expect="DPA103")
reveals_once_in_a_hundred = Audit(catastrophe, PureDP(1.0), one_answer, expect="DPA102")
reveals_with_its_delta = Audit(
    catastrophe,
    ApproxDP(1.0, 0.01),
    one_answer,
    reason="δ = .01 is what the claim allows",
    expect="VERIFIED",
    max_calls=32_000,
)
linf_sensitivity = Audit(laplace_linf_sensitivity, PureDP(1.0), all_may_move, expect="DPA105")
shared_noise = Audit(laplace_shared_noise, PureDP(1.0), five_answers_l1, expect="DPA110")
repeated_seed = Audit(laplace_repeated_seed, PureDP(1.0), QueryAnswers(2), expect="DPA110")
fixed_seed = Audit(laplace_fixed_seed, PureDP(1.0), one_answer, expect="DPA110")
seed_from_data = Audit(laplace_seed_from_data, PureDP(1.0), one_answer, expect="DPA110")
few_seeds = Audit(laplace_few_seeds, PureDP(1.0), one_answer, expect="DPA110")
raw_cache = Audit(laplace_raw_cache, PureDP(1.0), one_answer, expect="DPA116")

snapping_real = Audit(snapping, PureDP(1.0), one_answer, max_calls=10_000)
snapping_as_doubles = Audit(snapping, PureDP(1.0), one_answer, arithmetic="float", max_calls=10_000)
snapping_small_epsilon = Audit(
    partial(snapping, epsilon=0.1), PureDP(0.1), one_answer, arithmetic="float", max_calls=10_000
)

low_order_bits = Audit(laplace_float, PureDP(1.0), one_answer, arithmetic="float", expect="DPA111")
low_order_bits_ignored = Audit(
    laplace_float,
    PureDP(1.0),
    one_answer,
    reason="with real numbers this is the Laplace mechanism",
    max_calls=100_000,
)
snapping_that_only_clamps = Audit(
    snapping_without_rounding, PureDP(1.0), one_answer, arithmetic="float", expect="DPA111"
)

geometric_count = Audit(geometric, PureDP(1.0), bits, expect="VERIFIED", max_calls=32_000)
discrete_laplace_exact = Audit(
    discrete_laplace, PureDP(1.0), one_integer, expect="VERIFIED", max_calls=32_000
)
discrete_laplace_small_epsilon = Audit(
    partial(discrete_laplace, epsilon=Fraction(1, 10)),
    PureDP(0.1),
    one_integer,
    expect="VERIFIED",
    max_calls=32_000,
)
discrete_laplace_of_sums = Audit(
    partial(discrete_laplace, sensitivity=3),
    PureDP(1.0),
    AnyPair(Integer(0, 3)),
    expect="VERIFIED",
    max_calls=32_000,
)
truncated_geometric_count = Audit(
    truncated_geometric, PureDP(log(3 / 2)), counts_up_to_five, expect="VERIFIED", max_calls=32_000
)
truncated_geometric_small_epsilon = Audit(
    partial(truncated_geometric, epsilon=0.1),
    PureDP(nextafter(log(33 / 32), inf)),  # `log` rounds down
    counts_up_to_five,
    expect="VERIFIED",
    max_calls=32_000,
)

wrong_parameter = Audit(geometric_wrong_parameter, PureDP(0.8), bits, expect="DPA106")
wrong_parameter_at_its_true_epsilon = Audit(
    partial(geometric_wrong_parameter, epsilon=0.5),
    PureDP(nextafter(log(2), inf)),  # `log` rounds down
    bits,
    expect="VERIFIED",
    reason="α = 1 − .5 = e^(−ln 2), so the code keeps ln 2 where it was meant to keep .5",
    max_calls=32_000,
)
count_in_eight_bits = Audit(geometric_int8_overflow, PureDP(1.0), many_bits, expect="DPA104")
count_in_eight_bits_of_few_records = Audit(
    geometric_int8_overflow,
    PureDP(1.0),
    bits,
    expect="VERIFIED",
    reason="eight records do not overflow",
    max_calls=32_000,
)
zero_counted_twice = Audit(discrete_laplace_double_zero, PureDP(1.0), one_integer, expect="DPA106")
truncated_geometric_natural_log = Audit(
    truncated_geometric_rounded, PureDP(0.1), counts_up_to_five, expect="DPA106"
)
truncated_geometric_natural_log_at_its_true_epsilon = Audit(
    truncated_geometric_rounded,
    PureDP(log(9 / 8)),
    counts_up_to_five,
    expect="VERIFIED",
    reason="k = 3 gives ln(1 + 1/8)",
    max_calls=32_000,
)

staircase_best_gamma = Audit(
    staircase, PureDP(1.0), one_answer, expect="VERIFIED", max_calls=32_000
)
staircase_other_gamma = Audit(
    partial(staircase, gamma=0.8),
    PureDP(1.0),
    one_answer,
    expect="VERIFIED",
    reason="every γ in [0, 1] keeps ε; the best one has the least error",
    max_calls=32_000,
)
geometric_step_from_one = Audit(staircase_from_one, PureDP(1.0), one_answer, expect="DPA106")

classical_calibration = Audit(
    classical, approximate, vector_of_one, expect="VERIFIED", max_calls=32_000
)
analytic_calibration = Audit(
    analytic, approximate, vector_of_one, expect="VERIFIED", max_calls=32_000
)
analytic_vector = Audit(analytic, approximate, five_answers_l2, expect="VERIFIED", max_calls=32_000)
analytic_many_at_once = Audit(
    vectorized(analytic_many), approximate, vector_of_one, expect="VERIFIED", max_calls=32_000
)
gaussian_dp = Audit(wide, GaussianDP(0.5), vector_of_one, expect="VERIFIED", max_calls=32_000)
gaussian_zero_concentrated = Audit(
    wide, ZeroConcentratedDP(0.125), vector_of_one, expect="VERIFIED", max_calls=30_000
)
gaussian_renyi = Audit(
    wide, RenyiDP(order=2, epsilon=0.25), vector_of_one, expect="VERIFIED", max_calls=30_000
)
gaussian_without_delta = Audit(
    analytic,
    PureDP(1.0),
    vector_of_one,
    expect="DPA106",
    reason="true ε infinite, with δ(1) = 1e-5; sampling needs 85 million calls, the source none",
    max_calls=100_000,
)
discrete_gaussian_zero_concentrated = Audit(
    partial(discrete_gaussian, variance=Fraction(4)),
    ZeroConcentratedDP(1 / 8),
    one_integer,
    expect="VERIFIED",
    max_calls=10_000,
)
discrete_gaussian_approximate = Audit(
    partial(discrete_gaussian, variance=Fraction(14)),
    approximate,
    one_integer,
    expect="VERIFIED",
    max_calls=10_000,
)
binomial_exact = Audit(binomial, approximate, one_integer, expect="VERIFIED", max_calls=30_000)
binomial_small_epsilon = Audit(
    partial(binomial, epsilon=0.1), ApproxDP(0.1, 1e-5), one_integer, max_calls=30_000
)

half_sigma = Audit(gaussian_half_sigma, approximate, vector_of_one, expect="DPA106")
gaussian_linf = Audit(gaussian_linf_sensitivity, approximate, all_move, expect="DPA105")
half_the_mu = Audit(
    gaussian,
    GaussianDP(0.5),
    vector_of_one,
    expect="REFUTED",
    reason="sound noise, but μ is Δ/σ = 1",
)
deviation_for_variance = Audit(
    gaussian_deviation_for_variance, approximate, one_apart, expect="DPA106"
)
scale_of_laplace = Audit(gaussian_scale_of_laplace, approximate, vector_of_one, expect="DPA106")
log_delta_where_it_fails = Audit(gaussian_log_delta, ApproxDP(6.0, 0.2), one_apart, expect="DPA106")
log_delta_at_small_epsilon = Audit(
    partial(gaussian_log_delta, epsilon=1.0, delta=1e-5),
    approximate,
    vector_of_one,
    expect="VERIFIED",
    reason="by the exact formula δ(1) is 5.3e-8: the 1.25 is not needed here",
    max_calls=32_000,
)
classical_in_its_range = Audit(
    partial(gaussian_classical_large_epsilon, epsilon=1.0),
    approximate,
    vector_of_one,
    expect="VERIFIED",
    reason="sound for ε ≤ 1",
    max_calls=32_000,
)
classical_out_of_its_range = Audit(
    gaussian_classical_large_epsilon,
    ApproxDP(10.0, 1e-5),
    vector_of_one,
    expect="DPA106",
    reason="true δ(10) = 2.3e-5; sampling needs 158,000 million calls, the source none",
    max_calls=30_000,
)
sigma_for_variance = Audit(
    discrete_gaussian_sigma_for_variance, approximate, one_integer, expect="DPA106"
)
too_few_coins = Audit(binomial_too_few_coins, approximate, one_integer, expect="DPA106")
