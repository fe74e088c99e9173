"""Running sums of a stream, one entry of which is private."""

from math import inf, nextafter

import numpy as np

from dpaudit import Audit, GaussianDP, Pairs, PureDP, QueryAnswers
from mechanisms.flawed.matrix_factorization_linf import matrix_factorization_linf
from mechanisms.flawed.partial_sum_half_scale import partial_sum_half_scale
from mechanisms.flawed.prefix_sums_all_move import prefix_sums_all_move
from mechanisms.flawed.prefix_sums_fresh_noise import prefix_sums_fresh_noise
from mechanisms.flawed.smart_sum_raw_blocks import smart_sum_raw_blocks
from mechanisms.flawed.tree_counter_missing_level import tree_counter_missing_level
from mechanisms.flawed.tree_counter_shared_noise import tree_counter_shared_noise
from mechanisms.matrix_factorization import matrix_factorization
from mechanisms.prefix_sums import partial_sum, prefix_sums
from mechanisms.smart_sum import smart_sum
from mechanisms.tree_counter import tree_counter

eight = QueryAnswers(8, norm="l0")
ten = QueryAnswers(10, norm="l0")
first_moves = Pairs([(np.ones(8), np.array([2.0, 1, 1, 1, 1, 1, 1, 1]))])
all_of_ten = QueryAnswers(10, norm="linf")

sum_of_all = Audit(partial_sum, PureDP(1.0), ten, expect="VERIFIED", max_calls=32_000)
noise_first = Audit(prefix_sums, PureDP(1.0), ten, expect="VERIFIED", max_calls=32_000)
two_levels = Audit(smart_sum, PureDP(1.0), ten, expect="VERIFIED", max_calls=30_000)
binary_tree = Audit(tree_counter, PureDP(1.0), eight, expect="VERIFIED", max_calls=30_000)
square_root = Audit(matrix_factorization, GaussianDP(1.0), eight, max_calls=30_000)

half_of_the_noise = Audit(partial_sum_half_scale, PureDP(1.0), ten, expect="DPA106")
all_entries_move = Audit(prefix_sums_all_move, PureDP(1.0), all_of_ten, expect="DPA105")
one_entry_moves = Audit(
    prefix_sums_all_move,
    PureDP(1.0),
    ten,
    expect="VERIFIED",
    reason="noise on each entry pays for one that changes",
    max_calls=30_000,
)
raw_sum_kept = Audit(prefix_sums_fresh_noise, PureDP(1.0), ten, expect="DPA107")
blocks_without_noise = Audit(smart_sum_raw_blocks, PureDP(1.0), ten, expect="DPA101")
missing_level = Audit(tree_counter_missing_level, PureDP(1.0), first_moves, expect="DPA107")
missing_level_paid_for = Audit(
    tree_counter_missing_level,
    PureDP(nextafter(4 / 3, inf)),  # the double lies below 4/3
    eight,
    expect="VERIFIED",
    reason="four levels of a third each",
    max_calls=30_000,
)
one_noise_for_all_blocks = Audit(tree_counter_shared_noise, PureDP(1.0), eight, expect="DPA110")
wrong_norm = Audit(matrix_factorization_linf, GaussianDP(1.0), eight, expect="DPA105")
