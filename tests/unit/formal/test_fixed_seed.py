"""Noise from seeds that the code sets is refuted; noise that may be random is not."""

import numpy as np
import pytest

from dpaudit import AddRemove, ApproxDP, GaussianDP, PureDP, Real, Verdict, verify
from tests.proving import is_proved
from tests.unit.formal.seeded_programs import Fixed, Random, Seeded, Unseeded

VALUES = AddRemove(Real(0, 100), max_size=6)
ONE = PureDP(np.nextafter(1.0, 2))


def functions(of):
    return [value for name, value in vars(of).items() if not name.startswith("__")]


def named(function):
    return function.__name__


@pytest.mark.parametrize("mechanism", functions(Fixed), ids=named)
def test_noise_from_a_seed_that_the_code_sets_is_refuted(mechanism):
    report = verify(mechanism, ONE, VALUES)
    assert report.verdict is Verdict.REFUTED, report.reason
    assert report.findings[0].id == "DPA110"


@pytest.mark.parametrize("claim", [ApproxDP(3.0, 0.5), GaussianDP(5.0)], ids=str)
def test_a_known_seed_breaks_weak_claims_too(claim):
    assert verify(Fixed.global_state, claim, VALUES).verdict is Verdict.REFUTED


def test_the_claim_that_allows_every_output_is_not_refuted_by_a_known_seed():
    claim = ApproxDP(1.0, 1.0 - 1e-16)
    assert not is_proved(Fixed.vector, claim, VALUES)


@pytest.mark.parametrize("mechanism", functions(Random), ids=named)
def test_noise_that_may_be_random_is_not_refuted_as_known(mechanism):
    assert verify(mechanism, ONE, VALUES).verdict is not Verdict.REFUTED


def test_generators_that_a_factory_of_a_field_makes_pay_if_nobody_seeds_them():
    def unseeded(data):
        return Unseeded(data).count()

    def seeded(data):
        return Seeded(data).count()

    report = verify(unseeded, ONE, VALUES)
    assert report.verdict is Verdict.VERIFIED, report.reason
    assert not is_proved(seeded, ONE, VALUES)
