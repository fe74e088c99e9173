"""The geometric mechanism: noisy counts that stay integers."""

from functools import partial
from math import log

from dpaudit import AddRemove, Audit, Categorical, PureDP
from mechanisms.flawed.geometric_wrong_parameter import geometric_wrong_parameter
from mechanisms.geometric import geometric

bits = AddRemove(Categorical([0, 1]), max_size=8)

at_its_claim = Audit(geometric, PureDP(1.0), bits, max_calls=30_000)
wrong_parameter = Audit(geometric_wrong_parameter, PureDP(0.8), bits, expect="DPA106")
its_true_epsilon = Audit(
    partial(geometric_wrong_parameter, epsilon=0.5),
    PureDP(log(2)),
    bits,
    reason="α = 1 − .5 = e^(−ln 2), so the code keeps ln 2 where it was meant to keep .5",
    max_calls=30_000,
)
