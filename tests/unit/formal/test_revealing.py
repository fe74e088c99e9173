"""What leaves as it is, but seldom, is paid by delta; what leaves more often is not."""

from functools import partial

import numpy as np
import pytest

import dpaudit
from dpaudit import (
    AddRemove,
    AnyPair,
    ApproxDP,
    Integer,
    PureDP,
    Real,
    ReplaceOne,
    Row,
    Verdict,
)
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.engine import certificate_of
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from dpaudit.subject import Subject
from mechanisms.flawed.catastrophe import catastrophe
from mechanisms.nonprivate.sampling import sampling
from tests.checking import check
from tests.unit.checker.forged import forged

answer = AnyPair(Real(0, 1))
numbers = AddRemove(Real(0, 1))
people = AddRemove(Row(age=Integer(20, 79), pay=Integer(0, 9)))


def proved(mechanism, claim, neighbors):
    subject = Subject.of(mechanism)
    program = lift(subject)
    proof = prove_by_cost(program, claim, neighbors)
    return certificate_of(subject, claim, neighbors, program, proof).to_dict()


def either_of_two_coins(data, rng):
    if rng.random() < 0.01:
        return data.sum()
    if rng.random() >= 0.99:
        return len(data)
    return data.sum() + rng.laplace()


def both_of_two_coins(data, rng):
    one, other = rng.random() < 0.1, rng.random() < 0.1
    if one and other:
        return data.sum()
    return data.sum() + rng.laplace()


def after_a_release(data, rng):
    first = data.sum() + rng.laplace(scale=2.0)
    if first > 10.0 and rng.random() < 0.01:
        return data.sum()
    return first, len(data) + rng.laplace(scale=2.0)


def sample_of_a_released_rate(data, rng):
    size = len(data) + rng.laplace(scale=2.0)
    if size > 100.0:
        return size, data[rng.random(len(data)) < 0.001]
    return size, data[rng.random(len(data)) < 0.01]


HOLDS = [
    (sample_of_a_released_rate, ApproxDP(1.0, 0.01), people),
    (catastrophe, ApproxDP(1.0, 0.01), answer),
    (partial(catastrophe, delta=0.25), ApproxDP(1.0, 0.25), answer),
    (partial(sampling, rate=0.001), ApproxDP(1.0, 0.001), people),
    (partial(sampling, rate=0.001), ApproxDP(1e-9, 0.001), people),
]


# Proved over the reals; what rounding does to sums that are revealed, or hidden, is not known.
ROUNDED = [
    (either_of_two_coins, ApproxDP(1.0, 0.02), numbers),
    (both_of_two_coins, ApproxDP(1.0, 0.0101), numbers),
    (after_a_release, ApproxDP(1.0, 0.01), numbers),
]


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), ROUNDED)
def test_sums_that_are_revealed_seldom_are_proved_over_the_reals_alone(mechanism, claim, neighbors):
    found = check(proved(mechanism, claim, neighbors))
    assert not found.accepted
    assert "the proof is of real numbers, not of floats" in found.reason


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), HOLDS)
def test_what_is_seldom_revealed_is_paid_by_delta(mechanism, claim, neighbors):
    assert check(proved(mechanism, claim, neighbors)).accepted


def more_often_than_not(data, rng):
    if rng.random() > 0.01:
        return data.sum()
    return data.sum() + rng.laplace()


def one_coin_for_each_of_ten(data, rng):
    for _ in range(10):
        if rng.random() < 0.01:
            return data.sum()
    return data.sum() + rng.laplace()


def coin_of_private_chance(data, rng):
    if rng.random() < data.sum() / 1000:
        return len(data)
    return data.sum() + rng.laplace()


def one_draw_for_two_coins(data, rng):
    u = rng.random()
    if u > 0.99:
        return data.sum()
    if u < 0.01:
        return data.sum()
    return data.sum() + rng.laplace()


def released_coin_chooses(data, rng):
    noisy = data.sum() + rng.laplace(scale=1.0)
    if noisy < -50.0:
        return data.sum()
    return noisy


def normal_for_a_coin(data, rng):
    if rng.normal() < 0.01:
        return data.sum()
    return data.sum() + rng.laplace()


def sample_and_the_rest(data, rng):
    taken = rng.random(len(data)) < 0.01
    return data[taken], data[rng.random(len(data)) < 0.02]


def sample_by_value(data, rng):
    return data[rng.random(len(data)) < 0.01], data[data > 0.5]


def mixed_with_all_records(data, rng):
    sample = data[rng.random(len(data)) < 0.01]
    return sample.sum() + data.sum()


FALSE = [
    (sample_of_a_released_rate, ApproxDP(1.0, 0.009), people),
    (sample_of_a_released_rate, ApproxDP(0.4, 0.01), people),
    (catastrophe, PureDP(1.0), answer),
    (catastrophe, ApproxDP(1.0, 0.0099), answer),
    (partial(catastrophe, epsilon=1.1), ApproxDP(1.0, 0.01), answer),
    (either_of_two_coins, ApproxDP(1.0, 0.0195), numbers),
    (both_of_two_coins, ApproxDP(1.0, 0.0099), numbers),
    (more_often_than_not, ApproxDP(1.0, 0.5), numbers),
    (one_coin_for_each_of_ten, ApproxDP(1.0, 0.05), numbers),
    (coin_of_private_chance, ApproxDP(1.0, 0.1), numbers),
    (one_draw_for_two_coins, ApproxDP(1.0, 0.015), numbers),
    (released_coin_chooses, ApproxDP(1.0, 0.01), numbers),
    (normal_for_a_coin, ApproxDP(1.0, 0.1), numbers),
    (sampling, ApproxDP(1.0, 0.19), people),
    (partial(sampling, rate=0.001), PureDP(1.0), people),
    (partial(sampling, rate=0.001), ApproxDP(1.0, 0.001), ReplaceOne(Real(0, 1), size=3)),
    (partial(sampling, rate=0.01), ApproxDP(1.0, 0.01), AddRemove(Real(0, 1), group=2)),
    (sample_and_the_rest, ApproxDP(1.0, 0.025), numbers),
    (sample_by_value, ApproxDP(1.0, 0.5), numbers),
    (mixed_with_all_records, ApproxDP(1.0, 0.5), numbers),
]


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), FALSE)
def test_what_is_revealed_more_often_is_neither_proved_nor_accepted(mechanism, claim, neighbors):
    with pytest.raises(Unsupported):
        prove_by_cost(lift(Subject.of(mechanism)), claim, neighbors)
    assert not check(forged(mechanism, claim, neighbors)).accepted


def test_a_certificate_that_tells_of_less_delta_is_rejected():
    certificate = proved(catastrophe, ApproxDP(1.0, 0.01), answer)
    certificate["proof"]["spent"] = "(1, 1/1000)"
    checked = check(certificate)
    assert not checked.accepted


def test_a_catastrophe_without_a_delta_is_refuted_as_before():
    report = dpaudit.verify(catastrophe, PureDP(1.0), answer)
    assert report.verdict is Verdict.REFUTED
    assert [finding.id for finding in report.findings] == ["DPA102"]


def test_a_sample_never_shows_more_than_its_share():
    # Pr[M(D') in S] − Pr[M(D) in S] where S says that the record is there.
    rng, hits = np.random.default_rng(0), 0
    for _ in range(4000):
        hits += 1.0 in sampling(np.array([0.0, 1.0]), rng, rate=0.1)
    assert abs(hits / 4000 - 0.1) < 0.03


def test_a_generator_that_is_released_is_no_proof():
    """Its state shows how many numbers were drawn."""

    def mechanism(data, rng):
        rng.random(len(data))
        return rng

    def pair(data, rng):
        rng.random(len(data))
        return 0.0, rng

    for released in (mechanism, pair):
        report = dpaudit.verify(released, PureDP(1.0), AddRemove(Real(0, 1)))
        assert report.verdict is Verdict.INCONCLUSIVE
        assert "the output is a generator" in report.reason
