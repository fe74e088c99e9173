"""Synthetic data, from a noisy histogram and from noisy answers to many queries."""

from functools import partial

from dpaudit import AddRemove, Audit, Integer, PureDP, ReplaceOne
from mechanisms.flawed.multiplicative_weights_epsilon_each_round import (
    multiplicative_weights_epsilon_each_round,
)
from mechanisms.flawed.multiplicative_weights_true_start import multiplicative_weights_true_start
from mechanisms.flawed.synthetic_histogram_add_one import synthetic_histogram_add_one
from mechanisms.flawed.synthetic_histogram_occurring_cells import (
    synthetic_histogram_occurring_cells,
)
from mechanisms.flawed.synthetic_histogram_private_size import synthetic_histogram_private_size
from mechanisms.flawed.synthetic_histogram_raw import synthetic_histogram_raw
from mechanisms.multiplicative_weights import multiplicative_weights
from mechanisms.synthetic_histogram import synthetic_histogram

five_cells = AddRemove(Integer(0, 4), max_size=8)
eight_cells = ReplaceOne(Integer(0, 7), size=10)

from_noisy_histogram = Audit(
    synthetic_histogram, PureDP(1.0), five_cells, expect="VERIFIED", max_calls=30_000
)
from_noisy_answers = Audit(
    partial(multiplicative_weights, rounds=2),
    PureDP(1.0),
    eight_cells,
    expect="VERIFIED",
    max_calls=10_000,
)

from_raw_histogram = Audit(synthetic_histogram_raw, PureDP(1.0), five_cells, expect="DPA102")
from_occurring_cells = Audit(
    synthetic_histogram_occurring_cells, PureDP(1.0), five_cells, expect="DPA109"
)
from_smoothed_histogram = Audit(
    synthetic_histogram_add_one, PureDP(1.0), five_cells, expect="DPA106"
)
as_many_as_real_ones = Audit(
    synthetic_histogram_private_size, PureDP(1.0), five_cells, expect="DPA109"
)
epsilon_each_round = Audit(
    multiplicative_weights_epsilon_each_round, PureDP(1.0), eight_cells, expect="DPA107"
)
true_start = Audit(multiplicative_weights_true_start, PureDP(1.0), eight_cells, expect="DPA101")
