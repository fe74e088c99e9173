"""Noisy sums: what bounds a record bounds the noise."""

from functools import partial

from dpaudit import AddRemove, Audit, PureDP, Real, ReplaceOne
from mechanisms.clipped_sum import clipped_sum
from mechanisms.flawed.sum_empirical_bound import sum_empirical_bound
from mechanisms.flawed.sum_minmax_nan import sum_minmax_nan
from mechanisms.flawed.sum_one_sided_clip import sum_one_sided_clip
from mechanisms.flawed.sum_range_sensitivity import sum_range_sensitivity

in_range = AddRemove(Real(0, 100), max_size=8)
unchecked = AddRemove(Real(0, 100, enforced=False, allow_nan=True, allow_infinity=True), max_size=8)
missing_values = AddRemove(Real(0, 100, allow_nan=True), max_size=8)
any_number = AddRemove(Real(0, 100, enforced=False), max_size=8)
far_from_zero = AddRemove(Real(100, 125), max_size=8)

at_its_claim = Audit(clipped_sum, PureDP(1.0), in_range, max_calls=30_000)
clip_holds_for_anything = Audit(clipped_sum, PureDP(1.0), unchecked, max_calls=30_000)
magnitude = Audit(
    partial(clipped_sum, low=100.0, high=125.0), PureDP(1.0), far_from_zero, max_calls=30_000
)
range_is_enough_to_replace = Audit(
    sum_range_sensitivity,
    PureDP(1.0),
    ReplaceOne(Real(100, 125), size=4),
    reason="a replaced record moves the sum by at most u − l",
    max_calls=30_000,
)

range_for_magnitude = Audit(sum_range_sensitivity, PureDP(1.0), far_from_zero, expect="DPA105")
one_sided_clip = Audit(sum_one_sided_clip, PureDP(1.0), any_number, expect="DPA104")
nan_through_the_clip = Audit(sum_minmax_nan, PureDP(1.0), missing_values, expect="DPA104")
empirical_bound = Audit(sum_empirical_bound, PureDP(1.0), in_range, expect="DPA103")
