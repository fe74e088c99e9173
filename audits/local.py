"""Local privacy, where each respondent randomizes and any two records are neighbors."""

from functools import partial
from math import log

import numpy as np

from dpaudit import AnyPair, Audit, Categorical, Integer, PureDP, Real, ReplaceOne, vectorized
from mechanisms.count_mean_sketch import count_mean_sketch
from mechanisms.duchi_mean import duchi_mean
from mechanisms.flawed.count_mean_sketch_one_entry import count_mean_sketch_one_entry
from mechanisms.flawed.duchi_mean_unclipped import duchi_mean_unclipped
from mechanisms.flawed.hadamard_response_column_from_value import (
    hadamard_response_column_from_value,
)
from mechanisms.flawed.local_hashing_resampled import local_hashing_resampled
from mechanisms.flawed.local_hashing_seed_from_value import local_hashing_seed_from_value
from mechanisms.flawed.optimized_unary_encoding_mixed import optimized_unary_encoding_mixed
from mechanisms.flawed.piecewise_mean_debug_build import piecewise_mean_debug_build
from mechanisms.flawed.piecewise_mean_wrong_c import piecewise_mean_wrong_c
from mechanisms.flawed.randomized_response_binary_weight import randomized_response_binary_weight
from mechanisms.flawed.randomized_response_dont_know import randomized_response_dont_know
from mechanisms.flawed.randomized_response_skips_missing import randomized_response_skips_missing
from mechanisms.flawed.randomized_response_user_seed import randomized_response_user_seed
from mechanisms.flawed.randomized_response_wrong_coin import randomized_response_wrong_coin
from mechanisms.flawed.rappor_without_memo import rappor_without_memo
from mechanisms.flawed.rappor_wrong_epsilon import rappor_wrong_epsilon
from mechanisms.flawed.unary_encoding_one_bit import unary_encoding_one_bit
from mechanisms.frequency_oracle import estimated_counts
from mechanisms.hadamard_response import hadamard_response, one_bit_hadamard
from mechanisms.local_hashing import hash_range, local_hashing, universal_hash
from mechanisms.optimized_unary_encoding import optimized_unary_encoding
from mechanisms.piecewise_mean import piecewise_mean
from mechanisms.randomized_response import (
    k_randomized_response,
    randomized_response,
    randomized_response_many,
)
from mechanisms.rappor import permanent_response, rappor, spent
from mechanisms.rappor_decoding import decoded_counts, estimated_bits
from mechanisms.unary_encoding import probabilities, unary_encoding

yes_or_no = AnyPair(Categorical([0, 1]))
yes_no_or_nothing = AnyPair(Categorical([0, 1], allow_missing=True))
four_values = AnyPair(Integer(0, 3))
ten_values = AnyPair(Integer(0, 9))
filters_eight_bits_apart = AnyPair(Categorical([1, 5]))
unit = AnyPair(Real(-1, 1))
any_number = AnyPair(Real(-1, 1, allow_nan=True, allow_infinity=True, enforced=False))
four_respondents = ReplaceOne(Integer(0, 3), 4)


def rounded_up(epsilon: float) -> float:
    """Return a claim that is true of the program's own floats, whose rounding `spent` has too."""
    return epsilon * (1 + 1e-14)


two_fair_coins = PureDP(log(3))
one_report = PureDP(rounded_up(spent(0.75, 0.45, 0.55)))
many_reports = PureDP(spent(0.9))


def hashes_that_fit(value: int, rng: np.random.Generator) -> tuple[bool, ...]:
    """Which values a report supports, all that a server uses."""
    a, b, y = local_hashing(value, rng)
    return tuple(universal_hash(a, b, v, hash_range(1.0)) == y for v in range(4))


def hashes_that_fit_resampled(value: int, rng: np.random.Generator) -> tuple[bool, ...]:
    a, b, y = local_hashing_resampled(value, rng)
    return tuple(universal_hash(a, b, v, hash_range(1.0)) == y for v in range(4))


def a_month_of_reports(value: int, rng: np.random.Generator) -> np.ndarray:
    """How often each bit was 1: the same information as 30 reports."""
    return rappor(value, rng, reports=30, f=0.9, p=0.25, q=0.75).sum(axis=0)


def a_month_without_memo(value: int, rng: np.random.Generator) -> np.ndarray:
    return rappor_without_memo(value, rng).sum(axis=0)


def survey(data: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Estimated counts of four values from unary encodings."""
    p, q = probabilities(1.0)
    reports = np.array([unary_encoding(value, rng) for value in data])
    return estimated_counts(reports.sum(axis=0), len(data), p=p, q=q)


def decoded_survey(data: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Estimated counts of four values from RAPPOR reports."""
    reports = np.concatenate([rappor(value, rng) for value in data])
    return decoded_counts(estimated_bits(reports), range(4))


two_coins = Audit(
    randomized_response, two_fair_coins, yes_or_no, expect="VERIFIED", max_calls=32_000
)
two_coins_many_at_once = Audit(
    vectorized(randomized_response_many),
    two_fair_coins,
    yes_or_no,
    expect="VERIFIED",
    max_calls=32_000,
)
k_ary = Audit(k_randomized_response, PureDP(1.0), four_values, expect="VERIFIED", max_calls=32_000)
unary = Audit(unary_encoding, PureDP(1.0), four_values, expect="VERIFIED", max_calls=32_000)
optimized_unary = Audit(
    optimized_unary_encoding, PureDP(1.0), four_values, expect="VERIFIED", max_calls=32_000
)
hashing = Audit(local_hashing, PureDP(1.0), four_values, expect="VERIFIED", max_calls=32_000)
hashing_as_the_server_reads_it = Audit(hashes_that_fit, PureDP(1.0), four_values, max_calls=100_000)
rappor_once = Audit(
    permanent_response,
    PureDP(rounded_up(spent(0.95))),
    ten_values,
    expect="VERIFIED",
    max_calls=30_000,
)
rappor_one_report = Audit(rappor, one_report, ten_values, expect="VERIFIED", max_calls=30_000)
rappor_for_a_month = Audit(
    a_month_of_reports,
    many_reports,
    filters_eight_bits_apart,
    expect="VERIFIED",
    max_calls=30_000,
)
sketch = Audit(
    partial(count_mean_sketch, m=8), PureDP(1.0), four_values, expect="VERIFIED", max_calls=30_000
)
hadamard_column = Audit(
    hadamard_response, PureDP(1.0), four_values, expect="VERIFIED", max_calls=32_000
)
hadamard_bit = Audit(
    one_bit_hadamard, PureDP(1.0), four_values, expect="VERIFIED", max_calls=32_000
)
two_point_mean = Audit(duchi_mean, PureDP(1.0), any_number, expect="VERIFIED", max_calls=32_000)
piecewise = Audit(piecewise_mean, PureDP(1.0), any_number, expect="VERIFIED", max_calls=32_000)
survey_estimate = Audit(survey, PureDP(1.0), four_respondents, max_calls=50_000)
rappor_survey = Audit(decoded_survey, one_report, four_respondents, max_calls=10_000)

wrong_coin = Audit(randomized_response_wrong_coin, two_fair_coins, yes_or_no, expect="DPA106")
binary_weight = Audit(randomized_response_binary_weight, PureDP(1.0), four_values, expect="DPA106")
binary_weight_on_two_answers = Audit(
    partial(randomized_response_binary_weight, k=2),
    PureDP(1.0),
    yes_or_no,
    expect="VERIFIED",
    reason="for k = 2 the weights are the right ones",
    max_calls=32_000,
)
skips_missing = Audit(
    randomized_response_skips_missing, two_fair_coins, yes_no_or_nothing, expect="DPA109"
)
skips_missing_where_all_answer = Audit(
    randomized_response_skips_missing,
    two_fair_coins,
    yes_or_no,
    expect="VERIFIED",
    reason="nothing is missing",
    max_calls=32_000,
)
user_seed = Audit(randomized_response_user_seed, two_fair_coins, yes_or_no, expect="DPA110")
dont_know = Audit(randomized_response_dont_know, two_fair_coins, yes_or_no, expect="DPA102")
unary_pays_for_one_bit = Audit(unary_encoding_one_bit, PureDP(1.0), four_values, expect="DPA105")
unary_three_in_four = Audit(
    partial(unary_encoding_one_bit, epsilon=log(3)), PureDP(log(3)), four_values, expect="DPA105"
)
unary_one_bit_at_twice_the_claim = Audit(
    partial(unary_encoding_one_bit, k=2),
    PureDP(2.0),
    yes_or_no,
    expect="VERIFIED",
    reason="two bits of epsilon 1 each",
    max_calls=32_000,
)
unary_mixed = Audit(optimized_unary_encoding_mixed, PureDP(1.0), four_values, expect="DPA106")
rappor_once_at_a_tenth = Audit(rappor_wrong_epsilon, PureDP(0.1), ten_values, expect="DPA105")
rappor_report_at_a_tenth = Audit(
    partial(rappor_wrong_epsilon, f=0.75, p=0.45, q=0.55),
    PureDP(0.1),
    ten_values,
    expect="DPA105",
)
rappor_forgets = Audit(a_month_without_memo, many_reports, ten_values, expect="DPA107")
rappor_forgets_after_one_report = Audit(
    partial(rappor_without_memo, reports=1),
    PureDP(spent(0.9, 0.25, 0.75)),
    ten_values,
    expect="VERIFIED",
    reason="a single report needs no memory",
    max_calls=30_000,
)
hash_seed_from_value = Audit(
    local_hashing_seed_from_value, PureDP(1.0), four_values, expect="DPA110"
)
hash_resampled = Audit(hashes_that_fit_resampled, PureDP(1.0), four_values, expect="DPA106")
sketch_one_entry = Audit(count_mean_sketch_one_entry, PureDP(1.0), four_values, expect="DPA102")
hadamard_column_from_value = Audit(
    hadamard_response_column_from_value, PureDP(1.0), four_values, expect="DPA109"
)
two_point_mean_unclipped = Audit(duchi_mean_unclipped, PureDP(1.0), any_number, expect="DPA104")
two_point_mean_within_bounds = Audit(
    duchi_mean_unclipped,
    PureDP(1.0),
    unit,
    expect="VERIFIED",
    reason="numbers in [-1, 1] need no clip",
    max_calls=32_000,
)
piecewise_wrong_bound = Audit(piecewise_mean_wrong_c, PureDP(1.0), unit, expect="DPA106")
piecewise_debug_build = Audit(piecewise_mean_debug_build, PureDP(1.0), unit, expect="DPA102")
