"""Laplace noise cut towards zero: its price on integers, in both proofs by cost."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real, ReplaceOne, Verdict, ZeroConcentratedDP, verify
from mechanisms.flawed.count_truncated_noise import count_truncated_noise
from tests.checking import check
from tests.proving import is_proved
from tests.unit.checker.mutations import sealed

RECORDS = AddRemove(Real(0, 1))


def two_counts(data, rng):
    first = len(data) + int(rng.laplace(scale=2.0))
    return first, np.count_nonzero(data > 0.5) - int(rng.laplace(scale=2.0))


def of_five_records(data, rng):
    return 5 * len(data) + int(rng.laplace(scale=2.0))


def count_as_float(data, rng):
    return float(len(data) + float(int(rng.laplace())))


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors"),
    [
        (count_truncated_noise, PureDP(1.6932), RECORDS),
        (count_truncated_noise, PureDP(2.6932), AddRemove(Real(0, 1), group=2)),
        (two_counts, PureDP(2.3863), RECORDS),
        (two_counts, ZeroConcentratedDP(2.9), RECORDS),
        (of_five_records, PureDP(3.1932), RECORDS),
        (count_as_float, PureDP(1.6932), RECORDS),
        (count_truncated_noise, PureDP(0.1), ReplaceOne(Real(0, 1), 5)),
    ],
)
def test_truncated_noise_on_integers_is_proved_and_checked(mechanism, claim, neighbors):
    report = verify(mechanism, claim, neighbors)
    assert report.verdict is Verdict.VERIFIED, report.reason
    assert report.checked


@pytest.mark.parametrize("shift", [1, 2, 5])
@pytest.mark.parametrize("scale", [0.5, 1.0, 3.0])
def test_the_price_is_the_largest_loss_of_the_masses(shift, scale):
    r = math.exp(-1 / scale)

    def mass(k):
        return 1 - r if k == 0 else (1 - r) * r ** abs(k) / 2

    loss = max(math.log(mass(k) / mass(k - shift)) for k in range(-40, 41))

    def moved(data, rng):
        return shift * len(data) + int(rng.laplace(scale=scale))

    spent = verify(moved, PureDP(20.0), RECORDS).certificate.proof["spent"]
    assert loss == pytest.approx(float(Fraction(spent)), rel=1e-12)


def the_same_twice(data, rng):
    noise = rng.laplace()
    return len(data) + int(noise), len(data) + int(noise)


def cut_and_as_it_is(data, rng):
    noise = rng.laplace()
    return len(data) + int(noise), len(data) + noise


def cut_and_told(data, rng):
    noise = rng.laplace()
    return len(data) + noise, int(noise)


def on_a_sum_of_numbers(data, rng):
    return float(np.sum(data)) + int(rng.laplace())


def of_a_scale_too_small(data, rng):
    return len(data) + int(rng.laplace(scale=0.01))


def a_multiple(data, rng):
    return len(data) + 2 * int(rng.laplace())


def one_for_all_counts(data, rng):
    return np.array([len(data), np.count_nonzero(data > 0.5)]) + int(rng.laplace())


@pytest.mark.parametrize(
    "mechanism",
    [
        the_same_twice,
        cut_and_as_it_is,
        cut_and_told,
        on_a_sum_of_numbers,
        of_a_scale_too_small,
        a_multiple,
        one_for_all_counts,
    ],
)
def test_other_uses_are_not_proved(mechanism):
    assert not is_proved(mechanism, PureDP(200.0), RECORDS)


@pytest.mark.parametrize(
    ("mechanism", "claim"), [(count_truncated_noise, 1.693), (two_counts, 2.386)]
)
def test_a_smaller_claim_is_not_proved_nor_accepted(mechanism, claim):
    assert not is_proved(mechanism, PureDP(claim), RECORDS)
    found = verify(mechanism, PureDP(3.0), RECORDS).certificate.to_dict()
    smaller = PureDP(claim)
    found["subject"]["claim"], found["proof"]["claim"] = str(smaller), smaller.to_dict()
    assert not check(sealed(found)).accepted


def test_a_price_without_what_zero_costs_more_is_rejected():
    found = verify(count_truncated_noise, PureDP(1.6932), RECORDS).certificate.to_dict()
    found["proof"]["spent"] = found["proof"]["releases"][0]["epsilon"] = "1"
    result = check(sealed(found))
    assert not result.accepted
    assert result.decided
