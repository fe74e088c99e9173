"""Rényi claims that no event refutes are refuted by bets on learned functions.

Two Gaussians at distance 1 have the divergence 1 of order 2; their most telling event alone has
.662. Seeds are fixed. With 8 other seeds a listed pair took 20,000 to 44,000 calls, so that a
fresh seed fails in less than 1 % of runs. Where pairs are proposed, eight share the calls before
one is played: of 36 runs with sizes from 1 to 16, 4 had not refuted after 100,000 calls.
"""

import pytest

import dpaudit
from dpaudit import AddRemove, Pairs, Real, RenyiDP, Verdict
from tests.sweeps import sampled

CLAIM = RenyiDP(2.0, 0.8)


def gaussian(answer, rng):
    return answer + rng.normal()


def noisy_count(data, rng):
    return len(data) + rng.normal()


@pytest.mark.parametrize("seed", sampled([1, 2, 3], 1))
def test_a_gaussian_at_distance_one_is_refuted_on_a_listed_pair(seed):
    report = dpaudit.audit(
        gaussian, CLAIM, Pairs([(0.0, 1.0)]), max_calls=100_000, seed=seed, engines=["statistical"]
    )
    assert report.verdict is Verdict.REFUTED, report.summary()
    assert 0.8 <= report.parameter_bound <= 1.0


@pytest.mark.parametrize("seed", sampled([1, 2, 3], 1))
def test_a_gaussian_at_distance_one_is_refuted_on_proposed_pairs(seed):
    neighbors = AddRemove(Real(0, 1))
    report = dpaudit.audit(
        noisy_count, CLAIM, neighbors, max_calls=300_000, seed=seed, engines=["statistical"]
    )
    assert report.verdict is Verdict.REFUTED, report.summary()
    assert 0.8 <= report.parameter_bound <= 1.0


@pytest.mark.parametrize("seed", sampled([1, 2], 1))
def test_a_gaussian_exactly_at_its_claim_is_not_refuted(seed):
    """False alarms occur in one of a million runs."""
    report = dpaudit.audit(
        gaussian,
        RenyiDP(2.0, 1.0),
        Pairs([(0.0, 1.0)]),
        max_calls=100_000,
        seed=seed,
        engines=["statistical"],
    )
    assert report.verdict is Verdict.NOT_REFUTED
    assert report.parameter_bound <= 1.0
