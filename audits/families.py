"""Families: one mechanism at several settings, under one error probability."""

from dpaudit import AddRemove, ApproxDP, Audit, PureDP, QueryAnswers, Real
from mechanisms.clipped_sum import clipped_sum
from mechanisms.flawed.gaussian_classical_large_epsilon import gaussian_classical_large_epsilon


def to_the_bound(high: float) -> AddRemove:
    """Return neighbors whose records reach as far as the clip."""
    return AddRemove(Real(0, high), max_size=8)


clipped_sum_at_six_settings = Audit(
    clipped_sum,
    PureDP,
    to_the_bound,
    over={"epsilon": [0.1, 1.0, 8.0], "high": [1.0, 100.0]},
    expect="VERIFIED",
    max_calls=60_000,
)


def at_delta(epsilon: float) -> ApproxDP:
    """Return the claim that the calibration makes."""
    return ApproxDP(epsilon, 1e-5)


classical_formula_at_three_epsilons = Audit(
    gaussian_classical_large_epsilon,
    at_delta,
    QueryAnswers(1, distance=1.0),
    over={"epsilon": [0.1, 1.0, 10.0]},
    expect="DPA106",
    reason="the theorem ends at ε = 1: of three settings, ε = 10 alone is false",
    max_calls=60_000,
)
