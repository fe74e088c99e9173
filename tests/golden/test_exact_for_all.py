"""Exact distributions for all epsilon: finite mechanisms of the textbooks, proved and checked."""

import copy
from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpaudit
from dpaudit import AnyPair, Categorical, Integer, Pairs, Verdict
from dpaudit.checker.exact.exponential_fractions import Growing, Multiple, sign_beyond_one
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import NotCheckedError
from mechanisms.exponential import exponential
from mechanisms.flawed.randomized_response_binary_weight import randomized_response_binary_weight
from mechanisms.flawed.unary_encoding_one_bit import unary_encoding_one_bit
from mechanisms.optimized_unary_encoding import optimized_unary_encoding
from mechanisms.randomized_response import k_randomized_response
from mechanisms.unary_encoding import unary_encoding
from tests.checking import check
from tests.sweeps import sampled

FOUR = AnyPair(Categorical(range(4)))
SCORES = Pairs(
    [
        (np.array([0, 4, 4, 4]), np.array([1, 3, 3, 3])),
        (np.array([1, 0, 2, 0]), np.array([0, 1, 1, 1])),
    ]
)


def binary(bit, rng, *, epsilon):
    """Randomized response (Warner 1965)."""
    return bit if rng.random() < np.exp(epsilon) / (1 + np.exp(epsilon)) else 1 - bit


def clamped(count, rng, *, epsilon):
    """The geometric mechanism on 0..20 (Ghosh, Roughgarden & Sundararajan 2009)."""
    noise = rng.geometric(1 - np.exp(-epsilon)) - rng.geometric(1 - np.exp(-epsilon))
    return min(max(count + noise, 0), 20)


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors"),
    sampled(
        [
            (binary, "PureDP(epsilon)", AnyPair(Categorical([0, 1]))),
            (k_randomized_response, "PureDP(epsilon)", FOUR),
            (unary_encoding, "PureDP(epsilon)", FOUR),
            (optimized_unary_encoding, "PureDP(epsilon)", FOUR),
            (unary_encoding_one_bit, "PureDP(2 * epsilon)", FOUR),
        ],
        2,
    ),
)
def test_it_is_proved_for_every_epsilon_and_the_checker_agrees(mechanism, claim, neighbors):
    report = dpaudit.verify(mechanism, claim, neighbors, timeout=240)
    assert report.verdict is Verdict.VERIFIED, report.reason
    certificate = report.certificate.to_dict()
    assert certificate["proof"]["inequalities"]
    if mechanism.__module__.startswith("mechanisms."):
        checked = check(certificate, timeout=240)
        assert checked.accepted, checked.reason


def test_it_is_proved_for_every_epsilon():
    report = dpaudit.verify(exponential, "PureDP(epsilon)", SCORES, timeout=240)
    assert report.verdict is Verdict.VERIFIED, report.reason


def test_clamped_noise_for_every_epsilon_is_not_followed():
    steps = Pairs([(k, k + 1) for k in range(20)])
    report = dpaudit.verify(clamped, "PureDP(epsilon)", steps, timeout=240)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "test_exact_for_all.py" in report.reason


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors"),
    [
        (unary_encoding_one_bit, "PureDP(1.5 * epsilon)", FOUR),
        (unary_encoding, "PureDP(epsilon / 2)", FOUR),
        (randomized_response_binary_weight, "PureDP(epsilon)", AnyPair(Integer(0, 3))),
        (binary, "PureDP(0.75 * epsilon)", AnyPair(Categorical([0, 1]))),
        (exponential, "PureDP(epsilon / 2)", SCORES),
    ],
)
def test_less_than_the_truth_is_never_proved(mechanism, claim, neighbors):
    assert dpaudit.verify(mechanism, claim, neighbors, timeout=60).verdict < Verdict.VERIFIED


def test_a_claim_that_holds_at_some_epsilon_alone_is_not_proved():
    def fixed(bit, rng, *, epsilon):
        return bit if rng.random() < 0.75 else 1 - bit + 0 * int(epsilon > 0)

    neighbors = AnyPair(Categorical([0, 1]))
    assert dpaudit.verify(fixed, "PureDP(epsilon)", neighbors, timeout=60).verdict < (
        Verdict.VERIFIED
    )


def test_every_changed_field_of_the_proof_is_rejected():
    report = dpaudit.verify(k_randomized_response, "PureDP(epsilon)", FOUR, timeout=240)
    from dpaudit.checker.file import digest

    original = report.certificate.to_dict()
    assert check(original, timeout=240).accepted

    def rejected(change):
        changed = copy.deepcopy(original)
        change(changed)
        changed["program_hash"] = digest(changed["program"])
        changed["digest"] = digest({k: v for k, v in changed.items() if k != "digest"})
        return not check(changed, timeout=240).accepted

    proof = original["proof"]
    assert rejected(lambda c: c["subject"].update(claim="PureDP(epsilon / 2)"))
    assert rejected(lambda c: c["proof"].update(datasets=proof["datasets"] + 1))
    assert rejected(lambda c: c["proof"].update(pairs=proof["pairs"] - 1))
    assert rejected(lambda c: c["proof"]["inequalities"].pop())
    assert rejected(lambda c: c["proof"]["inequalities"][0][1].reverse())
    assert rejected(lambda c: c["proof"]["inequalities"][0].__setitem__(0, "3"))
    assert rejected(lambda c: c["proof"]["claim"].update(terms=["epsilon / 2"]))
    assert rejected(lambda c: c["proof"]["assumptions"].pop())
    assert rejected(lambda c: c["program"].update(symbolic=[]))
    assert rejected(lambda c: c["assumptions"].pop())


# --- signs beyond 1


POLYNOMIALS = st.lists(st.integers(-6, 6), min_size=1, max_size=7).filter(lambda c: c[-1] != 0)


@given(POLYNOMIALS)
def test_a_sign_beyond_one_is_the_sign_at_every_point(coefficients):
    """By Descartes' rule; points from 1 to 10^6."""
    points = [Fraction(1) + Fraction(k, 7) ** 3 for k in range(1, 60)] + [Fraction(10**6)]
    values = [sum(c * x**i for i, c in enumerate(coefficients)) for x in points]
    try:
        sign = sign_beyond_one(coefficients)
    except NotCheckedError:
        complex_roots = flint.fmpz_poly(coefficients).complex_roots()
        near = [r for r, _ in complex_roots if abs(float(r.imag)) < 1e-3 and float(r.real) > 0.999]
        signs = {(v > 0) - (v < 0) for v in values}
        assert near or len(signs) > 1  # it gives up beside a root
    else:
        assert all((v > 0) - (v < 0) == sign for v in values)


@pytest.mark.parametrize(
    ("coefficients", "sign"),
    [
        ([-1, 1], 1),
        ([1, -1], -1),
        ([-1, 0, 1], 1),
        ([1, -2, 1], 1),
        ([-1, 3, -3, 1], 1),
        ([5], 1),
        ([1, 0, 1], 1),
        ([0, 0, -2], -1),
        ([101, -20, 1], 1),
    ],
)
def test_roots_at_one_and_below_do_not_count(coefficients, sign):
    assert sign_beyond_one(coefficients) == sign


@pytest.mark.parametrize("coefficients", [[-2, 1], [4, -4, 1], [-6, 11, -6, 1], [100, -20, 1]])
def test_a_root_beyond_one_leaves_the_sign_open(coefficients):
    with pytest.raises(NotCheckedError):
        sign_beyond_one(coefficients)


def test_numbers_of_a_parameter_do_not_mix_with_powers_of_e():
    grown = Multiple(Fraction(1)).exp()
    assert isinstance(grown, Growing)
    assert (grown - 1).sign() == 1
    assert Multiple(Fraction(1, 2)).exp() ** 2 == grown
    assert (Multiple(Fraction(1)) / Multiple(Fraction(2))).fraction == Fraction(1, 2)
    for undecided in (
        lambda: grown + Number(Fraction(1)).exp(),
        lambda: grown > 2,
        lambda: Multiple(Fraction(1)) + 1,
        lambda: Multiple(Fraction(1)) * grown,
        lambda: Multiple(Fraction(1)) > 1,
    ):
        with pytest.raises(NotCheckedError):
            undecided()
