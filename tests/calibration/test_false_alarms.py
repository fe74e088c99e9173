"""Mechanisms that keep their claim are refuted no more often than α says, and bounds hold.

`benchmarks/bench_false_alarms.py` runs the same with 2,000 audits at α = .05. The betting is
cautious, so that few alarms come even at the large α used here; the thresholds are what α allows.
"""

import math

import numpy as np
import pytest
from scipy.stats import binom

import dpaudit
from dpaudit import (
    AddRemove,
    AnyPair,
    ApproxDP,
    Categorical,
    GaussianDP,
    Integer,
    Pairs,
    PureDP,
    QueryAnswers,
    Real,
    RenyiDP,
    Verdict,
    ZeroConcentratedDP,
)
from mechanisms.gaussian import analytic_sigma
from mechanisms.geometric import geometric
from mechanisms.noisy_max import report_noisy_max_exponential
from mechanisms.randomized_response import k_randomized_response, randomized_response
from tests.sweeps import repeated

LEVEL = 0.2
AUDITS = repeated(4, full=10)
CALLS = 400
SURE = 1e-4


def laplace_sum(data, rng):
    return float(data.sum() + rng.laplace())


def gaussian_sum(data, rng):
    return float(data.sum() + rng.normal())


def calibrated_sum(data, rng):
    return float(data.sum() + rng.normal(scale=analytic_sigma(1.0, 1e-2)))


def laplace_vector(answers, rng):
    return answers + rng.laplace(scale=len(answers), size=len(answers))


def same_noise(answer, rng):
    return rng.normal() if rng.random() < 0.9 else None


def catastrophe(answer, rng):
    """With probability .05 the answer itself, which the other side never gives."""
    return 10 + answer if rng.random() < 0.05 else rng.normal()


def thousand_outcomes(answer, rng):
    return 2 * int(rng.integers(500)) + randomized_response(answer, rng)


NUMBERS = AddRemove(Real(0, 1), max_size=4)
AT_THEIR_CLAIM = {
    "Laplace": (laplace_sum, PureDP(1.0), NUMBERS),
    "Laplace vector": (laplace_vector, PureDP(1.0), QueryAnswers(3)),
    "randomized response": (
        randomized_response, PureDP(math.log(3)), AnyPair(Categorical([0, 1])),
    ),
    "report noisy max": (report_noisy_max_exponential, PureDP(1.0), QueryAnswers(4)),
    "geometric": (geometric, PureDP(1.0), AddRemove(Integer(0, 1), max_size=4)),
    "a thousand outcomes": (thousand_outcomes, PureDP(math.log(3)), Pairs([(0, 1)])),
    "a catastrophe of probability δ": (catastrophe, ApproxDP(0.1, 0.05), Pairs([(0, 1)])),
    "nothing at ε = 0": (same_noise, PureDP(0.0), Pairs([(0, 1), (0, 2)])),
    "Gaussian": (gaussian_sum, GaussianDP(1.0), NUMBERS),
    "Gaussian, (ε, δ)": (calibrated_sum, ApproxDP(1.0, 1e-2), NUMBERS),
    "Gaussian, order 2": (gaussian_sum, RenyiDP(2.0, 1.0), NUMBERS),
    "Gaussian, ρ": (gaussian_sum, ZeroConcentratedDP(0.5), NUMBERS),
}  # fmt: skip


@pytest.fixture(scope="module")
def reports():
    return {
        name: [
            dpaudit.audit(*case, alpha=LEVEL, max_calls=CALLS, seed=seed, engines=["statistical"])
            for seed in range(AUDITS)
        ]
        for name, case in AT_THEIR_CLAIM.items()
    }


def test_true_claims_are_refuted_no_more_often_than_alpha_says(reports):
    """H0: each of 48 audits, 120 in a full sweep, is refuted with probability at most .2. More
    than a binomial test at 1e-4 allows would come up with fresh seeds in less than one run of
    10,000."""
    found = [report for one in reports.values() for report in one]
    refuted = sum(report.verdict is Verdict.REFUTED for report in found)
    assert refuted <= binom.isf(SURE, len(found), LEVEL)


@pytest.mark.parametrize("name", AT_THEIR_CLAIM)
def test_no_true_claim_by_itself_is_refuted_more_often_than_alpha_says(reports, name):
    """H0 as above with 6 audits, or 10: fresh seeds fail less than once in 10,000 runs."""
    refuted = sum(report.verdict is Verdict.REFUTED for report in reports[name])
    assert refuted <= binom.isf(SURE, AUDITS, LEVEL)


def test_e_values_of_true_claims_have_mean_at_most_one(reports):
    """H0: E[e] ≤ 1. Four standard errors above one would come up less than once in 10,000 runs
    with fresh seeds, as far as the normal approximation goes."""
    values = np.exp([r.evidence[0].log_e_value for one in reports.values() for r in one])
    error = values.std(ddof=1) / math.sqrt(len(values))
    assert np.all(np.isfinite(values))
    assert values.mean() <= 1 + 4 * error


def test_error_probability_spent_never_exceeds_alpha(reports):
    spent = [report.alpha_spent for one in reports.values() for report in one]
    assert max(spent) <= LEVEL


def test_no_audit_makes_more_calls_than_it_may(reports):
    assert max(report.calls for one in reports.values() for report in one) <= CALLS


def laplace(answer, rng):
    return answer + rng.laplace()


def gaussian(answer, rng):
    return answer + rng.normal()


def four_answers(value, rng):
    return k_randomized_response(value, rng, k=4, epsilon=1.0)


# Claims below, at and above the truth; the last entry is the true parameter.
BOUNDED = {
    "Laplace, claimed .5": (laplace, PureDP(0.5), 1.0),
    "Laplace, claimed 0": (laplace, PureDP(0.0), 1.0),
    "Laplace, claimed 1": (laplace, PureDP(1.0), 1.0),
    "four answers, claimed .2": (four_answers, PureDP(0.2), 1.0),
    "four answers, claimed .9": (four_answers, PureDP(0.9), 1.0),
    "Gaussian, claimed μ = .5": (gaussian, GaussianDP(0.5), 1.0),
    "Gaussian, claimed order 2": (gaussian, RenyiDP(2.0, 0.4), 1.0),
}


@pytest.mark.parametrize("case", BOUNDED.values(), ids=BOUNDED)
def test_lower_bounds_exceed_the_truth_no_more_often_than_alpha_says(case):
    """H0: each of 4 bounds, or 10, exceeds the true parameter with probability at most .2. More
    than a binomial test at 1e-4 allows would come up with fresh seeds less than once in 10,000
    runs. A null check that rejects, as one in a hundred may at this level, leaves no bound."""
    mechanism, claim, truth = case
    over = 0
    for seed in range(AUDITS):
        report = dpaudit.audit(
            mechanism,
            claim,
            Pairs([(0, 1)]),
            alpha=LEVEL,
            max_calls=CALLS,
            seed=seed,
            engines=["statistical"],
        )
        assert report.confidence == pytest.approx(1 - LEVEL)
        bound = report.parameter_bound or 0.0
        over += bound > truth
        if claim.parameter[0] == "epsilon" and not claim.renyi_bounds():
            assert report.epsilon == bound
    assert over <= binom.isf(SURE, AUDITS, LEVEL)


def test_the_bound_on_epsilon_at_a_delta_holds_too():
    """H0: as above; Laplace noise has δ(.9) = 1 − e^(−.05) = .0488 at ε = .9, so a bound at that δ
    exceeds .9 with probability at most .2."""
    delta = -math.expm1(-0.05)
    over = 0
    for seed in range(AUDITS):
        report = dpaudit.audit(
            laplace,
            ApproxDP(0.5, delta),
            Pairs([(0, 1)]),
            alpha=LEVEL,
            max_calls=CALLS,
            seed=seed,
            engines=["statistical"],
        )
        over += report.epsilon > 0.9
    assert over <= binom.isf(SURE, AUDITS, LEVEL)
