"""Noisy histograms: the bins must not come from the data."""

from functools import partial

from dpaudit import AddRemove, Audit, Integer, PureDP, Real, ReplaceOne
from mechanisms.flawed.histogram_data_keys import histogram_data_keys
from mechanisms.flawed.histogram_data_range import histogram_data_range
from mechanisms.flawed.histogram_inverted_scale import histogram_inverted_scale
from mechanisms.flawed.histogram_replace import histogram_replace
from mechanisms.histogram import histogram

add_or_remove = AddRemove(Real(0, 100), max_size=16)
replace = ReplaceOne(Real(0, 100), size=5)
ratings = AddRemove(Integer(1, 5), max_size=8)

fixed_bins = Audit(histogram, PureDP(1.0), add_or_remove, max_calls=30_000)
fixed_bins_replace = Audit(
    partial(histogram, sensitivity=2.0), PureDP(1.0), replace, max_calls=30_000
)

pays_for_one_bin_of_two = Audit(histogram_replace, PureDP(1.0), replace, expect="DPA105")
bins_from_keys = Audit(histogram_data_keys, PureDP(1.0), ratings, expect="DPA109")
bins_from_range = Audit(histogram_data_range, PureDP(1.0), add_or_remove, expect="DPA109")
inverted_scale = Audit(histogram_inverted_scale, PureDP(0.1), add_or_remove, expect="DPA106")
