"""Counts, sums, means and what is made of them: a bound on one record is a bound on the noise."""

from functools import partial

import numpy as np

from dpaudit import (
    AddRemove,
    ApproxDP,
    Audit,
    Categorical,
    GaussianDP,
    Integer,
    Pairs,
    PureDP,
    Real,
    ReplaceOne,
    Row,
)
from mechanisms.clipped_sum import clipped_sum
from mechanisms.count import count, count_distinct
from mechanisms.covariance import covariance
from mechanisms.flawed.count_accumulates import count_accumulates
from mechanisms.flawed.count_after_join import count_after_join
from mechanisms.flawed.count_distinct_per_user import count_distinct_per_user
from mechanisms.flawed.count_raises_on_empty import count_raises_on_empty
from mechanisms.flawed.count_suppresses_small import count_suppresses_small
from mechanisms.flawed.count_truncated_noise import count_truncated_noise
from mechanisms.flawed.count_zero_without_noise import count_zero_without_noise
from mechanisms.flawed.covariance_raw_means import covariance_raw_means
from mechanisms.flawed.k_means_data_centres import k_means_data_centres
from mechanisms.flawed.k_means_epsilon_each_round import k_means_epsilon_each_round
from mechanisms.flawed.linear_regression_private_denominator import (
    linear_regression_private_denominator,
)
from mechanisms.flawed.linear_regression_raw_x import linear_regression_raw_x
from mechanisms.flawed.mean_clip_after import mean_clip_after
from mechanisms.flawed.mean_data_bounds import mean_data_bounds
from mechanisms.flawed.mean_epsilon_twice import mean_epsilon_twice
from mechanisms.flawed.mean_forgets_removal import mean_forgets_removal
from mechanisms.flawed.mean_local_sensitivity import mean_local_sensitivity
from mechanisms.flawed.mean_raw_count import mean_raw_count
from mechanisms.flawed.principal_components_centred import principal_components_centred
from mechanisms.flawed.principal_components_unnormalized import principal_components_unnormalized
from mechanisms.flawed.sum_empirical_bound import sum_empirical_bound
from mechanisms.flawed.sum_minmax_nan import sum_minmax_nan
from mechanisms.flawed.sum_of_squares_same_sensitivity import sum_of_squares_same_sensitivity
from mechanisms.flawed.sum_one_sided_clip import sum_one_sided_clip
from mechanisms.flawed.sum_overflow import sum_overflow
from mechanisms.flawed.sum_parallel_replace import sum_parallel_replace
from mechanisms.flawed.sum_per_row_for_user import sum_per_row_for_user
from mechanisms.flawed.sum_range_sensitivity import sum_range_sensitivity
from mechanisms.flawed.sum_scaled_by_n import sum_scaled_by_n
from mechanisms.flawed.variance_local_sensitivity import variance_local_sensitivity
from mechanisms.k_means import k_means
from mechanisms.linear_regression import linear_regression
from mechanisms.mean import mean_private_size, mean_public_size
from mechanisms.principal_components import noisy_covariance, principal_components
from mechanisms.variance import variance

records = AddRemove(Real(0, 100), max_size=8)
unchecked = AddRemove(Real(0, 100, enforced=False, allow_nan=True, allow_infinity=True), max_size=8)
missing_values = AddRemove(Real(0, 100, allow_nan=True), max_size=8)
any_number = AddRemove(Real(0, 100, enforced=False), max_size=8)
far_from_zero = AddRemove(Real(100, 125), max_size=8)
billions = AddRemove(Integer(0, 10**9), max_size=16)
of_few_values = AddRemove(Integer(1, 5), max_size=8)
visit = Row(user=Integer(1, 9), item=Integer(1, 20), amount=Real(0, 100))
visits = AddRemove(visit, max_size=40)
visitors = AddRemove(visit, max_size=4, unit="user", rows_per_unit=5)

# Counts.
count_at_its_claim = Audit(count, PureDP(1.0), records, expect="VERIFIED", max_calls=32_000)
count_of_groups = Audit(
    partial(count, epsilon=0.5),
    PureDP(1.0),
    AddRemove(Real(0, 100), max_size=8, group=2),
    expect="VERIFIED",
    reason="group privacy: two records cost twice as much",
    max_calls=32_000,
)
distinct_values = Audit(
    count_distinct, PureDP(1.0), of_few_values, expect="VERIFIED", max_calls=32_000
)
distinct_values_replaced = Audit(
    count_distinct,
    PureDP(1.0),
    ReplaceOne(Integer(1, 5), size=5),
    expect="VERIFIED",
    max_calls=32_000,
)
distinct_items_of_visits = Audit(
    count_distinct_per_user,
    PureDP(1.0),
    visits,
    expect="VERIFIED",
    reason="a row has one item",
    max_calls=32_000,
)

count_raising_on_empty = Audit(count_raises_on_empty, PureDP(1.0), records, expect="DPA108")
count_zero_is_exact = Audit(count_zero_without_noise, PureDP(1.0), records, expect="DPA108")
count_hides_small_cells = Audit(count_suppresses_small, PureDP(1.0), records, expect="DPA108")
count_with_truncated_noise = Audit(count_truncated_noise, PureDP(1.0), records, expect="DPA106")
count_truncated_at_its_truth = Audit(
    count_truncated_noise,
    PureDP(1.6932),
    records,
    expect="VERIFIED",
    reason="1 + ln 2 is what truncated noise of scale 1 gives",
    max_calls=32_000,
)
count_of_earlier_calls = Audit(count_accumulates, PureDP(1.0), records, expect="DPA116")
count_of_matches = Audit(count_after_join, PureDP(1.0), of_few_values, expect="DPA105")
distinct_items_of_visitors = Audit(count_distinct_per_user, PureDP(1.0), visitors, expect="DPA105")

# Sums.
sum_at_its_claim = Audit(clipped_sum, PureDP(1.0), records, expect="VERIFIED", max_calls=32_000)
sum_of_anything = Audit(clipped_sum, PureDP(1.0), unchecked, expect="VERIFIED", max_calls=32_000)
sum_far_from_zero = Audit(
    partial(clipped_sum, low=100.0, high=125.0),
    PureDP(1.0),
    far_from_zero,
    expect="VERIFIED",
    max_calls=32_000,
)
sum_range_is_enough_to_replace = Audit(
    sum_range_sensitivity,
    PureDP(1.0),
    ReplaceOne(Real(100, 125), size=4),
    expect="VERIFIED",
    reason="a replaced record moves the sum by at most u − l",
    max_calls=32_000,
)
sum_of_visits = Audit(
    sum_per_row_for_user,
    PureDP(1.0),
    visits,
    expect="VERIFIED",
    reason="a row is one record",
    max_calls=32_000,
)
purchase = Row(group=Categorical(["a", "b"]), amount=Real(0, 100))
sums_of_groups_added = Audit(
    sum_parallel_replace,
    PureDP(1.0),
    AddRemove(purchase, max_size=8),
    expect="VERIFIED",
    reason="parallel composition: a record lies in one group",
    max_calls=32_000,
)

sum_range_for_magnitude = Audit(sum_range_sensitivity, PureDP(1.0), far_from_zero, expect="DPA105")
sum_clipped_on_one_side = Audit(sum_one_sided_clip, PureDP(1.0), any_number, expect="DPA104")
sum_with_nan = Audit(sum_minmax_nan, PureDP(1.0), missing_values, expect="DPA104")
sum_with_its_own_bound = Audit(sum_empirical_bound, PureDP(1.0), records, expect="DPA103")
sum_scaled_up = Audit(sum_scaled_by_n, PureDP(1.0), records, expect="DPA105")
sum_of_squares = Audit(sum_of_squares_same_sensitivity, PureDP(1.0), records, expect="DPA105")
sum_that_wraps = Audit(sum_overflow, PureDP(1.0), billions, expect="DPA104")
sum_of_visitors = Audit(sum_per_row_for_user, PureDP(1.0), visitors, expect="DPA105")
sums_of_groups_replaced = Audit(
    sum_parallel_replace, PureDP(1.0), ReplaceOne(purchase, size=4), expect="DPA107"
)

# Means.
five = ReplaceOne(Real(0, 100), size=5)
five_unchecked = ReplaceOne(
    Real(0, 100, enforced=False, allow_nan=True, allow_infinity=True), size=5
)

mean_of_five = Audit(mean_public_size, PureDP(1.0), five, expect="VERIFIED", max_calls=32_000)
mean_of_anything = Audit(
    mean_public_size, PureDP(1.0), five_unchecked, expect="VERIFIED", max_calls=32_000
)
mean_sum_over_count = Audit(
    mean_private_size, PureDP(1.0), unchecked, expect="VERIFIED", max_calls=32_000
)
mean_each_with_half_of_epsilon = Audit(
    partial(mean_epsilon_twice, epsilon=0.5),
    PureDP(1.0),
    records,
    expect="VERIFIED",
    reason="sum and count spend .5 each",
    max_calls=32_000,
)
mean_local_sensitivity_of_public_size = Audit(
    mean_local_sensitivity,
    PureDP(1.0),
    five,
    expect="VERIFIED",
    reason="where the size is public, (u − l)/n tells nothing",
    max_calls=32_000,
)
mean_clipped_after_in_range = Audit(
    mean_clip_after,
    PureDP(1.0),
    five,
    expect="VERIFIED",
    reason="the clip changes nothing where records lie in the range",
    max_calls=32_000,
)

mean_epsilon_for_each = Audit(mean_epsilon_twice, PureDP(1.0), records, expect="DPA107")
mean_scale_tells_size = Audit(mean_local_sensitivity, PureDP(1.0), records, expect="DPA103")
mean_with_raw_count = Audit(mean_raw_count, PureDP(1.0), records, expect="DPA101")
mean_without_removal = Audit(
    mean_forgets_removal, PureDP(1.0), ReplaceOne(Real(0, 100), size=2), expect="DPA105"
)
mean_clipped_after = Audit(
    mean_clip_after, PureDP(1.0), ReplaceOne(Real(0, 100, enforced=False), size=5), expect="DPA105"
)
mean_with_its_own_bounds = Audit(mean_data_bounds, PureDP(1.0), five, expect="DPA103")

# Variance, covariance, regression.
unit_five = ReplaceOne(Real(0, 1), size=5)
unit_five_unchecked = ReplaceOne(Real(0, 1, enforced=False, allow_nan=True), size=5)
point = Row(x=Real(0, 1), y=Real(0, 1))
five_points = ReplaceOne(point, size=5)
five_points_unchecked = ReplaceOne(
    Row(x=Real(0, 1, enforced=False, allow_nan=True), y=Real(0, 1, enforced=False)), size=5
)

variance_of_five = Audit(variance, PureDP(1.0), unit_five, expect="VERIFIED", max_calls=32_000)
variance_of_anything = Audit(
    variance, PureDP(1.0), unit_five_unchecked, expect="VERIFIED", max_calls=32_000
)
covariance_of_five = Audit(
    covariance, PureDP(1.0), five_points, expect="VERIFIED", max_calls=32_000
)
covariance_of_anything = Audit(
    covariance, PureDP(1.0), five_points_unchecked, expect="VERIFIED", max_calls=32_000
)
regression_of_five = Audit(
    linear_regression, PureDP(1.0), five_points, expect="VERIFIED", max_calls=32_000
)
regression_of_anything = Audit(
    linear_regression, PureDP(1.0), five_points_unchecked, expect="VERIFIED", max_calls=32_000
)

variance_scale_tells = Audit(variance_local_sensitivity, PureDP(1.0), unit_five, expect="DPA103")
covariance_with_raw_means = Audit(covariance_raw_means, PureDP(1.0), five_points, expect="DPA101")
regression_divides_noise = Audit(
    linear_regression_private_denominator, PureDP(1.0), five_points, expect="DPA103"
)
regression_on_raw_x = Audit(linear_regression_raw_x, PureDP(1.0), five_points, expect="DPA101")

# Principal components and clusters.
side = Real(-1, 1)
any_side = Real(-1, 1, enforced=False, allow_nan=True)
plane = AddRemove(Row(x=side, y=side), max_size=16)
plane_unchecked = AddRemove(Row(x=any_side, y=any_side), max_size=16)
space = AddRemove(Row(x=side, y=side, z=side), max_size=16)

# a unit vector of the axes moves the matrix farthest, from nothing and from itself
axis = np.array([(1.0, 0.0, 0.0)] * 2, dtype=[("x", float), ("y", float), ("z", float)])
along_an_axis = Pairs([(axis[:0], axis[:1]), (axis[:1], axis)])

covariance_matrix = Audit(
    noisy_covariance, GaussianDP(1.0), along_an_axis, expect="VERIFIED", max_calls=30_000
)
covariance_matrix_of_anything = Audit(
    partial(noisy_covariance, sigma=3.730632),
    ApproxDP(1.0, 1e-5),
    plane_unchecked,
    expect="VERIFIED",
    max_calls=30_000,
)
components = Audit(
    partial(principal_components, sigma=3.730632),
    ApproxDP(1.0, 1e-5),
    space,
    expect="VERIFIED",
    max_calls=10_000,
)
clusters = Audit(k_means, PureDP(1.0), plane, expect="VERIFIED", max_calls=10_000)
clusters_of_anything = Audit(
    k_means, PureDP(1.0), plane_unchecked, expect="VERIFIED", max_calls=10_000
)
clusters_epsilon_for_all_rounds = Audit(
    partial(k_means_epsilon_each_round, epsilon=1 / 3),
    PureDP(1.0),
    plane,
    reason="three rounds with a third each",
    expect="VERIFIED",
    max_calls=10_000,
)

components_of_long_rows = Audit(
    principal_components_unnormalized, ApproxDP(1.0, 1e-5), space, expect="DPA105"
)
components_of_centred_rows = Audit(
    principal_components_centred, ApproxDP(1.0, 1e-5), space, expect="DPA105"
)
clusters_started_at_points = Audit(k_means_data_centres, PureDP(1.0), plane, expect="DPA109")
clusters_epsilon_for_each_round = Audit(
    k_means_epsilon_each_round, PureDP(1.0), plane, expect="DPA107"
)
