"""Selection: the exponential mechanism in its forms, permute-and-flip, noisy max, top-k."""

import numpy as np
from numpy.typing import NDArray

from dpaudit import AddRemove, AnyPair, Audit, Integer, PureDP, QueryAnswers, Real
from mechanisms.exponential import exponential
from mechanisms.exponential_laplace import exponential_laplace
from mechanisms.exponential_segments import exponential_segments
from mechanisms.flawed.exponential_empirical_score_range import exponential_empirical_score_range
from mechanisms.flawed.exponential_private_candidates import exponential_private_candidates
from mechanisms.flawed.exponential_segments_data_range import exponential_segments_data_range
from mechanisms.flawed.exponential_segments_without_length import (
    exponential_segments_without_length,
)
from mechanisms.flawed.exponential_without_two import exponential_without_two
from mechanisms.flawed.exponential_wrong_score_sensitivity import (
    exponential_wrong_score_sensitivity,
)
from mechanisms.flawed.noisy_max_half_scale import noisy_max_half_scale
from mechanisms.flawed.noisy_max_shared_noise import noisy_max_shared_noise
from mechanisms.flawed.noisy_max_value import noisy_max_value
from mechanisms.flawed.noisy_max_value_exponential import noisy_max_value_exponential
from mechanisms.flawed.noisy_max_wrong_tail import noisy_max_wrong_tail
from mechanisms.flawed.permute_and_flip_gives_up import permute_and_flip_gives_up
from mechanisms.flawed.top_k_pays_once import top_k_pays_once
from mechanisms.noisy_max import (
    report_noisy_max,
    report_noisy_max_exponential,
    report_noisy_max_gumbel,
)
from mechanisms.permute_and_flip import permute_and_flip
from mechanisms.top_k import top_k

three = QueryAnswers(3)
four = QueryAnswers(4)
five = QueryAnswers(5)
one_answer = AnyPair(Real(0, 1))
numbers = AddRemove(Real(0, 100))
bids = AddRemove(Integer(1, 5))


def auction_price(data: NDArray[np.int64], rng: np.random.Generator) -> float:
    """Return the price of an auction; one bid moves the revenue by 5 at most."""
    return exponential_wrong_score_sensitivity(data, rng, sensitivity=5.0)


exponential_of_scores = Audit(exponential, PureDP(1.0), four, expect="VERIFIED", max_calls=32_000)
exponential_over_the_reals = Audit(
    exponential_laplace, PureDP(0.5), one_answer, expect="VERIFIED", max_calls=32_000
)
median_by_segments = Audit(
    exponential_segments, PureDP(1.0), numbers, expect="VERIFIED", max_calls=30_000
)
permute_then_flip = Audit(permute_and_flip, PureDP(1.0), four, expect="VERIFIED", max_calls=32_000)
noisy_max_laplace = Audit(report_noisy_max, PureDP(1.0), five, expect="VERIFIED", max_calls=32_000)
noisy_max_exponential = Audit(
    report_noisy_max_exponential, PureDP(1.0), five, expect="VERIFIED", max_calls=32_000
)
noisy_max_gumbel = Audit(
    report_noisy_max_gumbel, PureDP(1.0), five, expect="VERIFIED", max_calls=32_000
)
top_three = Audit(top_k, PureDP(1.0), four, expect="VERIFIED", max_calls=32_000)
price_of_an_auction = Audit(
    auction_price,
    PureDP(1.0),
    bids,
    expect="VERIFIED",
    reason="the revenue at a price moves by that price, 5 at most",
    max_calls=32_000,
)

without_the_two = Audit(exponential_without_two, PureDP(1.0), four, expect="DPA106")
enough_for_monotone_scores = Audit(
    exponential_without_two,
    PureDP(1.0),
    QueryAnswers(4, monotone=True),
    expect="VERIFIED",
    reason="scores that all move one way need no 2 (Dwork & Roth 2014, after Theorem 3.10)",
    max_calls=32_000,
)
private_candidates = Audit(
    exponential_private_candidates,
    PureDP(1.0),
    AddRemove(Integer(0, 9), max_size=8),
    expect="DPA109",
)
weighted_score = Audit(exponential_wrong_score_sensitivity, PureDP(1.0), bids, expect="DPA105")
scaled_by_largest_bid = Audit(exponential_empirical_score_range, PureDP(1.0), bids, expect="DPA103")
interval_of_the_records = Audit(
    exponential_segments_data_range, PureDP(1.0), numbers, expect="DPA109"
)
segments_all_alike = Audit(
    exponential_segments_without_length, PureDP(1.0), numbers, expect="DPA109"
)
flips_that_give_up = Audit(permute_and_flip_gives_up, PureDP(1.0), three, expect="DPA108")
maximum_itself = Audit(noisy_max_value, PureDP(1.0), five, expect="DPA107")
maximum_above_all = Audit(noisy_max_value_exponential, PureDP(1.0), five, expect="DPA107")
half_the_noise = Audit(noisy_max_half_scale, PureDP(1.0), five, expect="DPA106")
enough_for_monotone_answers = Audit(
    noisy_max_half_scale,
    PureDP(1.0),
    QueryAnswers(5, monotone=True),
    expect="VERIFIED",
    reason="counts of the same records all move one way (Dwork & Roth 2014, Claim 3.9)",
    max_calls=32_000,
)
one_noise_for_all = Audit(noisy_max_shared_noise, PureDP(1.0), five, expect="DPA110")
tail_on_the_wrong_side = Audit(noisy_max_wrong_tail, PureDP(1.0), five, expect="DPA106")
order_for_the_price_of_one = Audit(top_k_pays_once, PureDP(1.0), four, expect="DPA107")
