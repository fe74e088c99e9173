"""Histograms, tables, quantiles and modes: what may come out must not come from the data."""

from functools import partial

from dpaudit import AddRemove, Audit, Categorical, Integer, PureDP, Real, ReplaceOne, Row
from mechanisms.contingency_table import COUGH, SMOKES, contingency_table
from mechanisms.flawed.contingency_occurring_cells import contingency_occurring_cells
from mechanisms.flawed.histogram_data_keys import histogram_data_keys
from mechanisms.flawed.histogram_data_range import histogram_data_range
from mechanisms.flawed.histogram_inverted_scale import histogram_inverted_scale
from mechanisms.flawed.histogram_open_ended import histogram_open_ended
from mechanisms.flawed.histogram_replace import histogram_replace
from mechanisms.flawed.histogram_shares import histogram_shares
from mechanisms.flawed.histogram_threshold_first import histogram_threshold_first
from mechanisms.flawed.maximum_local_sensitivity import maximum_local_sensitivity
from mechanisms.flawed.median_laplace_local_sensitivity import median_laplace_local_sensitivity
from mechanisms.flawed.mode_noise_on_ties import mode_noise_on_ties
from mechanisms.flawed.mode_replace import mode_replace
from mechanisms.flawed.quantile_data_candidates import quantile_data_candidates
from mechanisms.histogram import histogram
from mechanisms.mode import mode
from mechanisms.quantile import quantile, quantile_on_grid

records = AddRemove(Real(0, 100), max_size=16)
unchecked = AddRemove(Real(0, 100, enforced=False, allow_nan=True, allow_infinity=True), max_size=8)
five = ReplaceOne(Real(0, 100), size=5)
ratings = AddRemove(Integer(1, 5), max_size=8)
five_ratings = ReplaceOne(Integer(1, 5), size=5)
patient = Row(smokes=Categorical(SMOKES), cough=Categorical(COUGH))

fixed_bins = Audit(histogram, PureDP(1.0), records, expect="VERIFIED", max_calls=32_000)
fixed_bins_of_anything = Audit(
    histogram, PureDP(1.0), unchecked, expect="VERIFIED", max_calls=32_000
)
fixed_bins_replace = Audit(
    partial(histogram, sensitivity=2.0), PureDP(1.0), five, expect="VERIFIED", max_calls=32_000
)
bins_that_pay_for_adding = Audit(
    histogram_replace,
    PureDP(1.0),
    records,
    expect="VERIFIED",
    reason="a record that is added lies in one bin",
    max_calls=32_000,
)
shares_of_a_public_size = Audit(
    partial(histogram_shares, epsilon=0.5),
    PureDP(1.0),
    five,
    expect="VERIFIED",
    reason="the divisor is public, and two bins spend .5 each",
    max_calls=32_000,
)

pays_for_one_bin_of_two = Audit(histogram_replace, PureDP(1.0), five, expect="DPA105")
bins_from_keys = Audit(histogram_data_keys, PureDP(1.0), ratings, expect="DPA109")
bins_from_range = Audit(histogram_data_range, PureDP(1.0), records, expect="DPA109")
bins_up_to_the_largest = Audit(histogram_open_ended, PureDP(1.0), ratings, expect="DPA109")
inverted_scale = Audit(histogram_inverted_scale, PureDP(0.1), records, expect="DPA106")
small_bins_emptied_first = Audit(
    histogram_threshold_first, PureDP(1.0), AddRemove(Real(0, 100), max_size=3), expect="DPA105"
)
shares_of_a_private_size = Audit(histogram_shares, PureDP(1.0), records, expect="DPA103")

every_cell = Audit(
    contingency_table,
    PureDP(1.0),
    AddRemove(patient, max_size=8),
    expect="VERIFIED",
    max_calls=32_000,
)
every_cell_replace = Audit(
    partial(contingency_table, sensitivity=2.0),
    PureDP(1.0),
    ReplaceOne(patient, size=5),
    expect="VERIFIED",
    max_calls=32_000,
)
cells_that_occur = Audit(
    contingency_occurring_cells, PureDP(1.0), AddRemove(patient, max_size=8), expect="DPA109"
)

median_add_or_remove = Audit(
    partial(quantile, sensitivity=0.5),
    PureDP(1.0),
    unchecked,
    expect="VERIFIED",
    max_calls=30_000,
)
median_replace = Audit(quantile, PureDP(1.0), five, expect="VERIFIED", max_calls=30_000)
upper_quartile = Audit(
    partial(quantile, q=0.75, sensitivity=0.75),
    PureDP(1.0),
    records,
    expect="VERIFIED",
    max_calls=30_000,
)
median_on_grid = Audit(
    partial(quantile_on_grid, sensitivity=0.5),
    PureDP(1.0),
    unchecked,
    expect="VERIFIED",
    max_calls=32_000,
)
median_on_grid_replace = Audit(
    quantile_on_grid, PureDP(1.0), five, expect="VERIFIED", max_calls=32_000
)

median_among_the_records = Audit(quantile_data_candidates, PureDP(1.0), five, expect="DPA109")
median_scale_tells = Audit(median_laplace_local_sensitivity, PureDP(1.0), five, expect="DPA103")
maximum_scale_tells = Audit(maximum_local_sensitivity, PureDP(1.0), five, expect="DPA103")

most_frequent_rating = Audit(mode, PureDP(1.0), ratings, expect="VERIFIED", max_calls=32_000)
most_frequent_rating_replace = Audit(
    partial(mode, sensitivity=2.0), PureDP(1.0), five_ratings, expect="VERIFIED", max_calls=32_000
)
mode_that_pays_for_adding = Audit(
    mode_replace,
    PureDP(1.0),
    ratings,
    expect="VERIFIED",
    reason="counts that all move one way pay once",
    max_calls=32_000,
)

mode_random_on_ties = Audit(mode_noise_on_ties, PureDP(1.0), ratings, expect="DPA101")
mode_pays_for_one_of_two = Audit(mode_replace, PureDP(1.0), five_ratings, expect="DPA105")
