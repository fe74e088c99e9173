"""The sparse vector technique in its forms, and the variants of it that are not private."""

from functools import partial

import numpy as np

from dpaudit import Audit, Pairs, PureDP, QueryAnswers
from mechanisms.above_threshold import above_threshold
from mechanisms.adaptive_sparse_vector import adaptive_sparse_vector
from mechanisms.flawed.svt_adaptive_value import svt_adaptive_value
from mechanisms.flawed.svt_exact_threshold import svt_exact_threshold
from mechanisms.flawed.svt_gap_value import svt_gap_value
from mechanisms.flawed.svt_half_noise import svt_half_noise
from mechanisms.flawed.svt_half_noise_no_stop import svt_half_noise_no_stop
from mechanisms.flawed.svt_no_query_noise import svt_no_query_noise
from mechanisms.flawed.svt_no_stop import svt_no_stop
from mechanisms.flawed.svt_pays_for_one_hit import svt_pays_for_one_hit
from mechanisms.flawed.svt_releases_comparison import svt_releases_comparison
from mechanisms.flawed.svt_reuses_threshold_noise import svt_reuses_threshold_noise
from mechanisms.flawed.svt_side_by_side import svt_side_by_side
from mechanisms.flawed.svt_unbalanced import svt_unbalanced
from mechanisms.gap_sparse_vector import gap_sparse_vector
from mechanisms.numeric_sparse_vector import numeric_sparse_vector
from mechanisms.sparse_vector import sparse_vector, sparse_vector_refreshed

answers = QueryAnswers(10)
twenty = QueryAnswers(20)
ones = np.ones(10)
halves = np.repeat([1.0, 0.0], 5)
halves_of_twenty = np.repeat([1.0, 0.0], 10)
all_fall = Pairs([(ones, np.zeros(10))])
halves_part = Pairs([(ones, 2 * halves)])
halves_swap = Pairs([(halves, halves[::-1])])
halves_of_twenty_swap = Pairs([(halves_of_twenty, halves_of_twenty[::-1])])

first_hit = Audit(above_threshold, PureDP(1.0), answers, expect="VERIFIED", max_calls=32_000)
two_hits = Audit(sparse_vector, PureDP(1.0), answers, expect="VERIFIED", max_calls=30_000)
two_hits_refreshed = Audit(
    sparse_vector_refreshed, PureDP(1.0), answers, expect="VERIFIED", max_calls=30_000
)
numeric = Audit(numeric_sparse_vector, PureDP(1.0), answers, expect="VERIFIED", max_calls=30_000)
gap = Audit(gap_sparse_vector, PureDP(1.0), answers, expect="VERIFIED", max_calls=30_000)
adaptive = Audit(adaptive_sparse_vector, PureDP(1.0), answers, expect="VERIFIED", max_calls=30_000)

no_query_noise = Audit(svt_no_query_noise, PureDP(1.0), answers, expect="DPA108")
exact_threshold = Audit(svt_exact_threshold, PureDP(1.0), all_fall, expect="DPA107")
unbalanced = Audit(svt_unbalanced, PureDP(1.0), halves_swap, expect="DPA106")
half_noise = Audit(svt_half_noise, PureDP(1.0), halves_swap, expect="DPA106")
enough_for_monotone_answers = Audit(
    svt_half_noise,
    PureDP(1.0),
    QueryAnswers(10, monotone=True),
    expect="VERIFIED",
    reason="answers that all move one way move with the threshold (Lyu, Su & Li 2017)",
    max_calls=30_000,
)
no_stop = Audit(svt_no_stop, PureDP(1.0), twenty, expect="DPA107")
half_noise_no_stop = Audit(svt_half_noise_no_stop, PureDP(1.0), answers, expect="DPA107")
pays_for_one_hit = Audit(svt_pays_for_one_hit, PureDP(1.0), halves_swap, expect="DPA107")
releases_comparison = Audit(svt_releases_comparison, PureDP(1.0), halves_part, expect="DPA107")
reuses_threshold_noise = Audit(
    svt_reuses_threshold_noise, PureDP(1.0), halves_swap, expect="DPA110"
)
side_by_side = Audit(svt_side_by_side, PureDP(1.0), halves_part, expect="DPA107")
value_for_gap = Audit(
    partial(svt_gap_value, epsilon=2.0), PureDP(2.0), halves_of_twenty_swap, expect="DPA107"
)
adaptive_value = Audit(
    svt_adaptive_value,
    PureDP(1.0),
    answers,
    expect="DPA107",
    reason="true ε 3.5, on answers that rarely come out; sampling needs 6.3 million calls, the "
    "source none",
    max_calls=30_000,
)
