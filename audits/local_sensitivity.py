"""Noise that follows the data: smooth sensitivity, tests of stability, sample and aggregate."""

from functools import partial

import numpy as np

from dpaudit import AddRemove, ApproxDP, Audit, Integer, Pairs, PureDP, Real, ReplaceOne
from mechanisms.distance_to_instability import noisy_distance
from mechanisms.flawed.ptr_forgets_removal import ptr_forgets_removal
from mechanisms.flawed.ptr_low_threshold import ptr_low_threshold
from mechanisms.flawed.ptr_overspent import ptr_overspent
from mechanisms.flawed.ptr_unnoised_test import ptr_unnoised_test
from mechanisms.flawed.sample_and_aggregate_by_position import sample_and_aggregate_by_position
from mechanisms.flawed.sample_and_aggregate_fewer_parts import sample_and_aggregate_fewer_parts
from mechanisms.flawed.smooth_median_at_zero import smooth_median_at_zero
from mechanisms.flawed.smooth_median_gaussian import smooth_median_gaussian
from mechanisms.flawed.smooth_median_large_epsilon import smooth_median_large_epsilon
from mechanisms.flawed.smooth_median_sample_range import smooth_median_sample_range
from mechanisms.flawed.smooth_median_without_end import smooth_median_without_end
from mechanisms.flawed.smooth_median_wrong_beta import smooth_median_wrong_beta
from mechanisms.flawed.stability_histogram_low_threshold import stability_histogram_low_threshold
from mechanisms.flawed.stability_histogram_threshold_before_noise import (
    stability_histogram_threshold_before_noise,
)
from mechanisms.flawed.stability_histogram_without_threshold import (
    stability_histogram_without_threshold,
)
from mechanisms.flawed.stable_mode_off_by_one import stable_mode_off_by_one
from mechanisms.local_sensitivity import mean_profile, sum_profile
from mechanisms.propose_test_release import propose_test_release
from mechanisms.sample_and_aggregate import sample_and_aggregate
from mechanisms.sample_and_aggregate_median import sample_and_aggregate_median
from mechanisms.smooth_median import smooth_median, smooth_median_cauchy
from mechanisms.smooth_sensitivity import noisy_smooth_sensitivity
from mechanisms.stability_histogram import stability_histogram
from mechanisms.stable_mode import stable_mode

records = AddRemove(Real(0, 100))
none_or_one = Pairs([(np.array([]), np.array([100.0]))])
near_the_threshold = AddRemove(Real(0, 100), max_size=23)
at_the_threshold = AddRemove(Real(0, 100), max_size=27)
ten_records = AddRemove(Real(0, 100), max_size=10)
ten_rows = ReplaceOne(Real(0, 100), size=10)
five_records = AddRemove(Real(0, 100), max_size=5)
values = AddRemove(Integer(0, 3))
four_values = AddRemove(Integer(0, 3), max_size=4)
claim = ApproxDP(1.0, 0.01)


def noisy_sum(data: np.ndarray, rng: np.random.Generator) -> float:
    """Scale the noise by A(sum, x, 0), which is the same for every x."""
    return float(data.sum()) + rng.laplace(scale=sum_profile(data, 0, 100)[0])


sum_with_its_local_sensitivity = Audit(
    noisy_sum, PureDP(1.0), records, expect="VERIFIED", max_calls=30_000
)
distance_of_the_median = Audit(
    noisy_distance, PureDP(1.0), records, expect="VERIFIED", max_calls=30_000
)
distance_of_the_mean = Audit(
    partial(noisy_distance, profile=mean_profile),
    PureDP(1.0),
    records,
    expect="VERIFIED",
    max_calls=30_000,
)
smooth_sensitivity_of_the_median = Audit(
    noisy_smooth_sensitivity, PureDP(1.0), records, expect="VERIFIED", max_calls=30_000
)
smooth_sensitivity_of_the_mean = Audit(
    partial(noisy_smooth_sensitivity, profile=mean_profile),
    PureDP(1.0),
    records,
    expect="VERIFIED",
    max_calls=30_000,
)
median_laplace = Audit(smooth_median, claim, records, expect="VERIFIED", max_calls=30_000)
median_cauchy = Audit(
    smooth_median_cauchy, PureDP(1.0), records, expect="VERIFIED", max_calls=30_000
)
tested_mean = Audit(
    propose_test_release, claim, near_the_threshold, expect="VERIFIED", max_calls=32_000
)
mode_if_stable = Audit(stable_mode, claim, values, max_calls=100_000)
mean_of_the_parts = Audit(
    partial(sample_and_aggregate, f=np.max),
    PureDP(1.0),
    records,
    expect="VERIFIED",
    max_calls=20_000,
)
parts_where_a_record_is_replaced = Audit(
    partial(sample_and_aggregate, f=np.max, epsilon=0.5),
    PureDP(1.0),
    ten_rows,
    reason="a replaced record touches two parts, .5 each",
    expect="VERIFIED",
    max_calls=20_000,
)
median_of_the_parts = Audit(
    partial(sample_and_aggregate_median, f=np.max), PureDP(1.0), records, max_calls=10_000
)
histogram_of_values = Audit(stability_histogram, claim, values, expect="VERIFIED", max_calls=30_000)

at_zero = Audit(smooth_median_at_zero, claim, records, expect="DPA103")
without_end = Audit(smooth_median_without_end, claim, records, expect="DPA103")
sample_range = Audit(smooth_median_sample_range, claim, records, expect="DPA103")
wrong_beta = Audit(smooth_median_wrong_beta, claim, records, expect="DPA103")
gaussian = Audit(smooth_median_gaussian, ApproxDP(1.0, 1e-4), none_or_one, expect="DPA106")
overspent = Audit(ptr_overspent, claim, near_the_threshold, expect="DPA107")
low_threshold = Audit(ptr_low_threshold, claim, records, expect="DPA106")
unnoised_test = Audit(ptr_unnoised_test, claim, at_the_threshold, expect="DPA108")
forgets_removal = Audit(ptr_forgets_removal, ApproxDP(4.0, 0.05), none_or_one, expect="DPA105")
off_by_one = Audit(stable_mode_off_by_one, claim, four_values, expect="DPA102")
by_position = Audit(
    partial(sample_and_aggregate_by_position, f=np.max), PureDP(1.0), ten_records, expect="DPA112"
)
fewer_parts = Audit(sample_and_aggregate_fewer_parts, PureDP(1.0), records, expect="DPA105")
threshold_without_the_record = Audit(
    stability_histogram_low_threshold, claim, values, expect="DPA106"
)
without_threshold = Audit(stability_histogram_without_threshold, claim, values, expect="DPA109")
threshold_before_noise = Audit(
    stability_histogram_threshold_before_noise, claim, five_records, expect="DPA109"
)

large_epsilon = Audit(
    smooth_median_large_epsilon,
    ApproxDP(20.0, 1e-6),
    records,
    expect="DPA106",
    reason="true δ(20) = 5.0e-6; no sampling shows it, the exact distribution on () and (50) does",
    max_calls=30_000,
)
large_epsilon_at_one = Audit(
    partial(smooth_median_large_epsilon, epsilon=1.0, delta=0.01),
    claim,
    records,
    reason="within the range of the theorem",
    expect="VERIFIED",
    max_calls=30_000,
)
half_each = Audit(
    partial(ptr_overspent, epsilon=0.5),
    claim,
    near_the_threshold,
    reason="test and answer spend .5 each",
    expect="VERIFIED",
    max_calls=32_000,
)
threshold_for_a_larger_delta = Audit(
    partial(ptr_low_threshold, delta=0.0008),
    claim,
    records,
    expect="VERIFIED",
    reason="passes at distance 0 with probability √(δ/8) = .01",
    max_calls=32_000,
)
by_position_with_public_size = Audit(
    partial(sample_and_aggregate_by_position, f=np.max),
    PureDP(1.0),
    ten_rows,
    reason="a replaced record moves no other",
    expect="VERIFIED",
    max_calls=20_000,
)
