"""Claims for all values of a parameter."""

import re

import pytest

import dpaudit
from dpaudit import AddRemove, AnyPair, Categorical, PureDP, QueryAnswers, Real, Verdict
from dpaudit.claims.symbolic import SymbolicClaim
from mechanisms.flawed.geometric_wrong_parameter import geometric_wrong_parameter
from mechanisms.flawed.laplace_half_scale import laplace_half_scale
from mechanisms.flawed.mean_epsilon_twice import mean_epsilon_twice
from mechanisms.gaussian import gaussian
from mechanisms.geometric import geometric
from mechanisms.laplace import laplace
from mechanisms.mean import mean_private_size

EVERYBODY = AddRemove(Real(0, 100))
BITS = AddRemove(Categorical([0, 1]))
ONE = AnyPair(Real(0, 1))


def noisy_total(data, rng, *, epsilon):
    return data.clip(0, 100).sum() + rng.laplace(scale=100 / epsilon)


def scaled_total(data, rng, *, bound, epsilon):
    return data.clip(-bound, bound).sum() + rng.laplace(scale=bound / epsilon)


def noisy_answers(answers, rng, *, sigma):
    return answers + rng.normal(scale=sigma, size=len(answers))


def first_above(answers, rng, *, epsilon, threshold):
    noisy = threshold + rng.laplace(scale=8.0)
    for number, answer in enumerate(answers):
        if answer + rng.laplace(scale=16.0) >= noisy:
            return number
    return epsilon


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors"),
    [
        (noisy_total, "PureDP(epsilon)", EVERYBODY),
        (mean_private_size, "PureDP(epsilon)", EVERYBODY),
        (mean_epsilon_twice, "PureDP(2 * epsilon)", EVERYBODY),
        (laplace_half_scale, "PureDP(epsilon=2 * epsilon)", ONE),
    ],
)
def test_a_claim_is_proved_for_all_positive_values(mechanism, claim, neighbors):
    report = dpaudit.verify(mechanism, claim, neighbors)
    assert report.verdict is Verdict.VERIFIED, report.reason
    for symbol in SymbolicClaim.of(claim).symbols:
        assert f"the parameter {symbol} is positive" in report.assumptions
    assert report.certificate.to_dict()["subject"]["claim"] == str(SymbolicClaim.of(claim))
    assert "is proved under the assumptions" in report.summary()
    assert report.to_dict()["claim_text"] == str(SymbolicClaim.of(claim))


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors"),
    [
        (mean_epsilon_twice, "PureDP(1.999 * epsilon)", EVERYBODY),
        (laplace_half_scale, "PureDP(epsilon)", ONE),
        (noisy_total, "PureDP(epsilon**2)", EVERYBODY),
        (laplace, "ZeroConcentratedDP(epsilon / 2)", ONE),
        (noisy_answers, "GaussianDP(0.999 / sigma)", QueryAnswers(1)),
        (geometric_wrong_parameter, "PureDP(2 * epsilon)", BITS),
        (scaled_total, "PureDP(epsilon / bound)", EVERYBODY),
    ],
)
def test_what_fails_at_some_value_is_never_proved(mechanism, claim, neighbors):
    assert dpaudit.verify(mechanism, claim, neighbors, timeout=20).verdict < Verdict.VERIFIED


def test_a_claim_that_is_false_at_a_value_is_refuted_there():
    report = dpaudit.verify(laplace_half_scale, "PureDP(epsilon)", ONE)
    assert report.verdict is Verdict.REFUTED
    assert "at epsilon = 1" in report.reason
    assert report.witness.claim == PureDP(1.0)


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors"),
    [
        (geometric, "PureDP(epsilon)", BITS),
        (laplace, "ApproxDP(epsilon, epsilon)", ONE),
        (laplace, "ZeroConcentratedDP(epsilon**2 / 2)", ONE),
        (noisy_answers, "GaussianDP(1 / sigma)", QueryAnswers(1)),
        (noisy_answers, "RenyiDP(2, 1 / sigma**2)", QueryAnswers(1)),
        (gaussian, "GaussianDP(3 / sigma)", QueryAnswers(9)),
        (scaled_total, "PureDP(epsilon)", EVERYBODY),  # with another parameter that is free
    ],
)
def test_a_claim_for_all_values_that_is_not_followed_is_named(mechanism, claim, neighbors):
    report = dpaudit.verify(mechanism, claim, neighbors)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert re.search("for all its parameters|for all values of|depends on the", report.reason)


def test_a_condition_on_the_claimed_parameter_itself_is_no_proof():
    report = dpaudit.verify(geometric_wrong_parameter, "PureDP(9 * epsilon)", BITS, timeout=20)
    assert report.verdict < Verdict.VERIFIED


def test_a_parameter_with_the_name_of_a_symbol_of_the_prover_is_refused():
    def total(data, rng, *, n):
        return data.clip(0, 1).sum() + rng.laplace(scale=1 / n)

    report = dpaudit.verify(total, "PureDP(n)", EVERYBODY)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "a symbolic parameter named n" in report.reason


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        ("PureDP(epsilon / threshold)", "no alignment was found"),
        ("PureDP(epsilon ** 0.5)", "epsilon**0.5 is no fraction of polynomials"),
    ],
)
def test_a_formula_that_is_out_of_reach_is_a_reason_and_no_fault(claim, why):
    report = dpaudit.verify(first_above, claim, QueryAnswers(4))
    assert report.verdict is Verdict.INCONCLUSIVE
    assert why in report.reason
    assert "failed" not in report.reason


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("PureDP(1.0)", "names no parameter"),
        ("PureDP(epsilon, 1)", "there is PureDP\\(epsilon\\)"),
        ("ExactDP(epsilon)", "there is PureDP, ApproxDP"),
        ("PureDP(log(epsilon))", "no formula"),
        ("PureDP(epsilon if epsilon else 1)", "no formula"),
        ("PureDP(True * epsilon)", "no formula"),
        ("epsilon", "is no claim"),
        ("PureDP(", "is no claim"),
        ("PureDP(eps)", "names `eps`, which is no parameter"),
    ],
)
def test_a_text_that_is_no_claim_is_refused_with_the_remedy(text, message):
    with pytest.raises(ValueError, match=message):
        dpaudit.verify(noisy_total, text, EVERYBODY)


def test_a_claim_at_values_is_the_claim_itself():
    assert SymbolicClaim.of("PureDP(2 * a / b - -1)").at({"a": 3.0, "b": 4.0}) == PureDP(2.5)
