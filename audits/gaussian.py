"""The Gaussian mechanism, under every notion that it satisfies."""

from functools import partial

import numpy as np

from dpaudit import (
    ApproxDP,
    Audit,
    GaussianDP,
    Pairs,
    QueryAnswers,
    RenyiDP,
    ZeroConcentratedDP,
    vectorized,
)
from mechanisms.flawed.gaussian_half_sigma import gaussian_half_sigma
from mechanisms.flawed.gaussian_linf_sensitivity import gaussian_linf_sensitivity
from mechanisms.gaussian import analytic_sigma, classical_sigma, gaussian, gaussian_many

one_answer = QueryAnswers(1)
five_answers = QueryAnswers(5, norm="l2")
all_may_move = Pairs([(np.zeros(5), np.ones(5))])

claim = ApproxDP(1.0, 1e-5)
classical = partial(gaussian, sigma=classical_sigma(1.0, 1e-5))
analytic = partial(gaussian, sigma=analytic_sigma(1.0, 1e-5))
wide = partial(gaussian, sigma=2.0)
analytic_many = partial(gaussian_many, sigma=analytic_sigma(1.0, 1e-5))

classical_calibration = Audit(classical, claim, one_answer, max_calls=30_000)
analytic_calibration = Audit(analytic, claim, one_answer, max_calls=30_000)
analytic_vector = Audit(analytic, claim, five_answers, max_calls=30_000)
many_at_once = Audit(vectorized(analytic_many), claim, one_answer, max_calls=200_000)
gaussian_dp = Audit(wide, GaussianDP(0.5), one_answer, max_calls=30_000)
zero_concentrated = Audit(wide, ZeroConcentratedDP(0.125), one_answer, max_calls=30_000)
renyi = Audit(wide, RenyiDP(order=2, epsilon=0.25), one_answer, max_calls=30_000)

half_sigma = Audit(gaussian_half_sigma, claim, one_answer, expect="DPA106")
linf_sensitivity = Audit(gaussian_linf_sensitivity, claim, all_may_move, expect="DPA105")
half_the_mu = Audit(
    gaussian,
    GaussianDP(0.5),
    one_answer,
    expect="REFUTED",
    reason="sound noise, but μ is Δ/σ = 1",
)
