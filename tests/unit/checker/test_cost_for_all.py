"""Certificates by cost of claims for all positive values of a parameter."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, Real, Verdict
from dpaudit.checker import check
from dpaudit.checker.exact.exponential_fractions import Multiple
from dpaudit.checker.file import NotCheckedError, digest
from dpaudit.checker.rounding import is_torn
from mechanisms.clipped_sum import clipped_sum
from tests.proving import is_proved
from tests.sweeps import sampled

PEOPLE = AddRemove(Real(0, 100))


def two_answers(data, rng, epsilon=1.0):
    if epsilon <= 0:
        raise ValueError("epsilon must be positive")
    half = epsilon / 2
    total = np.clip(data, 0, 100).sum()
    return len(data) + rng.laplace(scale=1 / half), total + rng.laplace(scale=100 / half)


def spends_twice(data, rng, epsilon=1.0):
    total = np.clip(data, 0, 100).sum()
    return len(data) + rng.laplace(scale=1 / epsilon), total + rng.laplace(scale=100 / epsilon)


def squares(data, rng, epsilon=1.0):
    return len(data) + rng.laplace(scale=1 / epsilon**2)


def stops_at_two(data, rng, epsilon=1.0):
    return len(data) + rng.laplace(scale=1 / min(epsilon, 2.0))


@pytest.mark.parametrize(
    ("mechanism", "claim"),
    sampled(
        [
            (clipped_sum, "PureDP(epsilon)"),
            (clipped_sum, "PureDP(3 * epsilon)"),
            (two_answers, "PureDP(epsilon)"),
            (spends_twice, "PureDP(2 * epsilon)"),
        ],
        2,
    ),
)
def test_a_claim_that_holds_for_all_values_is_verified(mechanism, claim):
    report = dpaudit.verify(mechanism, claim, PEOPLE)
    assert report.verdict is Verdict.VERIFIED
    assert check(report.certificate.to_dict(), mechanism=mechanism).accepted


@pytest.mark.parametrize(
    ("mechanism", "claim"),
    [
        (spends_twice, "PureDP(epsilon)"),
        (spends_twice, "PureDP(1.99 * epsilon)"),
        (squares, "PureDP(epsilon)"),  # true up to 1 alone
        (stops_at_two, "PureDP(epsilon / 2)"),  # true from 4 on alone
    ],
)
def test_a_claim_that_holds_for_some_values_alone_is_not_verified(mechanism, claim):
    assert not is_proved(mechanism, claim, PEOPLE)


@pytest.fixture(scope="module")
def honest():
    return dpaudit.verify(two_answers, "PureDP(epsilon)", PEOPLE).certificate.to_dict()


def forged(honest, change):
    content = json.loads(json.dumps(honest))
    change(content)
    content["digest"] = digest({k: v for k, v in content.items() if k != "digest"})
    return check(content, mechanism=two_answers)


def claims(text, terms):
    def change(content):
        content["subject"]["claim"] = f"PureDP({text})"
        content["proof"]["claim"]["terms"] = [terms]

    return change


def is_told(key, value):
    return lambda content: content["proof"].__setitem__(key, value)


def release_costs(value):
    return lambda content: content["proof"]["releases"][0].__setitem__("epsilon", value)


FORGERIES = {
    "a smaller claim": claims("0.999 * epsilon", "0.999 * epsilon"),
    "a claim of a higher power": claims("epsilon ** 2", "epsilon ** 2"),
    "less is spent": is_told("spent", "epsilon*999/1000"),
    "less is allowed": is_told("allowed", "epsilon/2"),
    "a release costs less": release_costs("epsilon/3"),
    "a release costs nothing that is read": release_costs("the moon is cheese"),
    "the parameter is bounded": lambda content: content["assumptions"].__setitem__(
        2, "the parameter epsilon is 1"
    ),
    "one assumption more": lambda content: content["assumptions"].append("all is well"),
    "no parameter": lambda content: content["program"]["symbolic"].clear(),
}


def test_the_honest_certificate_is_accepted(honest):
    assert forged(honest, lambda content: None).accepted


@pytest.mark.parametrize("kind", FORGERIES)
def test_a_certificate_that_says_a_little_more_is_refused(honest, kind):
    assert not forged(honest, FORGERIES[kind]).accepted


def test_multiples_of_powers_are_what_they_are_at_every_value():
    half, inverse = Multiple(Fraction(1, 2)), Multiple(Fraction(3), -1)
    assert (half * inverse).fraction == Fraction(3, 2)
    assert (1 / half).factor == 2
    assert (half**3).degree == 3
    assert (half - half).fraction == 0
    assert (half + half - Multiple(Fraction(1))).fraction == 0
    assert (0 - half).sign() == -1


@pytest.mark.parametrize(
    "compute",
    [
        lambda m: m - 1,
        lambda m: m + m * m,
        lambda m: (m * m).exp(),
        lambda m: m ** Fraction(1, 2),
        lambda m: m.log(),
    ],
)
def test_what_depends_on_the_value_of_the_parameter_is_refused(compute):
    with pytest.raises(NotCheckedError):
        compute(Multiple(Fraction(2)))


def test_floats_whose_order_is_known_are_not_torn_and_others_are():
    from dpaudit.checker.cost.constants import constant
    from dpaudit.checker.rounding import with_double

    def number(value):
        return constant({"kind": "Constant", "place": "", "value": {"float": value.hex()}})

    one, bit, tenth = number(1.0), number(1e-12), number(0.1)
    limit = with_double("mul", one, with_double("add", 1, bit, one + bit), one * (1 + bit))
    assert not is_torn(one, limit)
    assert is_torn(one, one * (1 + bit))  # nobody knows the float of this product

    def plus(a, b):
        return with_double("add", a, b, a + b)

    fifth, third = number(0.2), number(0.3)
    assert is_torn(plus(plus(tenth, fifth), third), plus(tenth, plus(fifth, third)))
