"""Amplification by Poisson sampling, earned and unearned."""

from dpaudit import AddRemove, Audit, PureDP, Real
from mechanisms.flawed.subsampled_all_rows import subsampled_all_rows
from mechanisms.flawed.subsampled_without_noise import subsampled_without_noise
from mechanisms.subsampled import subsampled_count

records = AddRemove(Real(0, 100), max_size=8)
amplified = PureDP(1.0).amplified(0.2)

noisy_count_of_a_sample = Audit(subsampled_count, amplified, records, max_calls=30_000)

all_rows = Audit(subsampled_all_rows, amplified, records, expect="DPA115")
sampling_without_noise = Audit(subsampled_without_noise, amplified, records, expect="DPA102")
