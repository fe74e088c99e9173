"""Leaks that hide from learned events: rare outputs, long vectors, parities, a single pair."""

from functools import partial
from math import log

import numpy as np

from dpaudit import AddRemove, AnyPair, Audit, Categorical, Integer, Pairs, PureDP, Real
from mechanisms.flawed.count_spares_one_record import TEST_ACCOUNT, count_spares_one_record
from mechanisms.flawed.count_type_of_column import count_type_of_column
from mechanisms.flawed.discrete_laplace_masked_zero import discrete_laplace_masked_zero
from mechanisms.flawed.histogram_sorted_by_count import histogram_sorted_by_count
from mechanisms.flawed.laplace_tail_sign import laplace_tail_sign
from mechanisms.flawed.randomized_response_among_decoys import randomized_response_among_decoys
from mechanisms.flawed.randomized_response_hidden_parity import (
    PLACES,
    randomized_response_hidden_parity,
)
from mechanisms.flawed.randomized_response_parity import randomized_response_parity
from mechanisms.flawed.randomized_response_rare_code import randomized_response_rare_code

yes_or_no = AnyPair(Categorical([0, 1]))
around_zero = Pairs([(-0.5, 0.5)])
minus_one_to_one = AnyPair(Integer(-1, 1))
accounts = AddRemove(Integer(0, 999_999_999), max_size=8)
ages = AddRemove(Real(0, 100), max_size=8)
answers = AddRemove(Categorical([1, 2], allow_missing=True), max_size=8)
the_test_account = Pairs([(np.array([TEST_ACCOUNT]), np.zeros(0, dtype=np.int64))])

two_fair_coins = PureDP(log(3))


def parity_at_known_places(bit: int, rng: np.random.Generator) -> int:
    """What someone reads who knows the places: post-processing, so the claim covers it."""
    coins = randomized_response_hidden_parity(bit, rng)
    return int(coins[list(PLACES)].sum() % 2)


tail_takes_its_sign_from_the_answer = Audit(
    laplace_tail_sign, PureDP(1.0), around_zero, expect="DPA106", max_calls=400_000
)
rare_code = Audit(
    randomized_response_rare_code, two_fair_coins, yes_or_no, expect="DPA106", max_calls=500_000
)
rare_code_from_fair_coins = Audit(
    partial(randomized_response_rare_code, truth=0.75),
    two_fair_coins,
    yes_or_no,
    expect="VERIFIED",
    reason="retries that are right 3 times in 4 keep ln 3: which output is a retry tells nothing",
    max_calls=32_000,
)
among_decoys = Audit(
    randomized_response_among_decoys, two_fair_coins, yes_or_no, expect="DPA106", max_calls=100_000
)
parity_of_four = Audit(
    randomized_response_parity, two_fair_coins, yes_or_no, expect="DPA106", max_calls=100_000
)
parity_of_twelve = Audit(
    partial(randomized_response_parity, shares=12),
    two_fair_coins,
    yes_or_no,
    expect="DPA106",
    max_calls=100_000,
)
parity_of_forty = Audit(
    partial(randomized_response_parity, shares=40),
    two_fair_coins,
    yes_or_no,
    expect="DPA106",
    max_calls=100_000,
)
parity_of_three_of_five = Audit(
    partial(randomized_response_hidden_parity, size=5, places=(0, 2, 3)),
    two_fair_coins,
    yes_or_no,
    expect="DPA106",
    max_calls=100_000,
)
parity_of_known_places = Audit(
    parity_at_known_places, two_fair_coins, yes_or_no, expect="DPA106", max_calls=50_000
)
parity_of_six_unknown_of_forty = Audit(
    randomized_response_hidden_parity,
    two_fair_coins,
    yes_or_no,
    reason="true ε ln 9; to find the six places is to learn a parity with noise",
    max_calls=100_000,
)
test_account_named = Audit(
    count_spares_one_record, PureDP(1.0), the_test_account, expect="DPA108", max_calls=10_000
)
test_account_searched = Audit(
    count_spares_one_record,
    PureDP(1.0),
    accounts,
    reason="true ε infinite, on pairs with one id of a thousand million, which no search meets",
    max_calls=100_000,
)
bins_in_order_of_raw_counts = Audit(
    histogram_sorted_by_count, PureDP(1.0), ages, expect="DPA109", max_calls=50_000
)
type_of_column = Audit(
    count_type_of_column, PureDP(1.0), answers, expect="DPA109", max_calls=100_000
)
type_of_complete_column = Audit(
    count_type_of_column,
    PureDP(1.0),
    AddRemove(Categorical([1, 2]), max_size=8),
    expect="VERIFIED",
    reason="nothing is missing, so that all counts are integers",
    max_calls=32_000,
)
sign_of_zero = Audit(
    discrete_laplace_masked_zero,
    PureDP(1.0),
    minus_one_to_one,
    reason="with real numbers there is one zero, and masking is post-processing; floats have two",
    max_calls=50_000,
)
sign_of_zero_as_doubles = Audit(
    discrete_laplace_masked_zero,
    PureDP(1.0),
    minus_one_to_one,
    arithmetic="float",
    expect="DPA111",
    max_calls=50_000,
)
