"""Noisy counts: empty datasets are where they break."""

from functools import partial

from dpaudit import AddRemove, Audit, PureDP, Real
from mechanisms.count import count
from mechanisms.flawed.count_accumulates import count_accumulates
from mechanisms.flawed.count_raises_on_empty import count_raises_on_empty
from mechanisms.flawed.count_zero_without_noise import count_zero_without_noise

records = AddRemove(Real(0, 100), max_size=8)

at_its_claim = Audit(count, PureDP(1.0), records, max_calls=30_000)
two_records = Audit(
    partial(count, epsilon=0.5),
    PureDP(1.0),
    AddRemove(Real(0, 100), max_size=8, group=2),
    reason="group privacy: two records cost twice as much",
    max_calls=30_000,
)

raises_on_empty = Audit(count_raises_on_empty, PureDP(1.0), records, expect="DPA108")
zero_without_noise = Audit(count_zero_without_noise, PureDP(1.0), records, expect="DPA108")
accumulates = Audit(count_accumulates, PureDP(1.0), records, expect="DPA116")
