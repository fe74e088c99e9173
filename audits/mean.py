"""Noisy means: everything hangs on whether the number of records is public."""

from functools import partial

from dpaudit import AddRemove, Audit, PureDP, Real, ReplaceOne
from mechanisms.flawed.mean_epsilon_twice import mean_epsilon_twice
from mechanisms.flawed.mean_local_sensitivity import mean_local_sensitivity
from mechanisms.flawed.mean_raw_count import mean_raw_count
from mechanisms.mean import mean_private_size, mean_public_size

public_size = ReplaceOne(Real(0, 100), size=5)
private_size = AddRemove(Real(0, 100), max_size=8)

of_five = Audit(mean_public_size, PureDP(1.0), public_size, max_calls=30_000)
sum_over_count = Audit(mean_private_size, PureDP(1.0), private_size, max_calls=30_000)
each_with_all_of_epsilon = Audit(
    partial(mean_epsilon_twice, epsilon=0.5),
    PureDP(1.0),
    private_size,
    reason="sum and count spend .5 each",
    max_calls=30_000,
)

epsilon_twice = Audit(mean_epsilon_twice, PureDP(1.0), private_size, expect="DPA107")
local_sensitivity = Audit(mean_local_sensitivity, PureDP(1.0), private_size, expect="DPA103")
raw_count = Audit(mean_raw_count, PureDP(1.0), private_size, expect="DPA101")
