"""The mechanisms of StatDP and DP-Sniper: a sample of the benchmark that takes seconds.

Seeds are fixed. With a fresh seed the refutations, whose calls allowed are two to three times the
median over ten seeds or so, fail in below 2 % of runs; bounds above the truth and refuted sound
mechanisms have probability 1e-6 each. All rows: `benchmarks/bench_query_vectors.py`.
"""

import math
from functools import cache

import numpy as np
import pytest
from query_laws import LAWS, best_loss, information_limit, largest_loss
from query_vectors import EPSILON, ROWS, every, laplace_snapping, one

import dpaudit
from dpaudit import Pairs, PureDP, Verdict
from tests.sweeps import sampled

ALPHA = 1e-6
BY_NAME = {row.name: row for row in ROWS}
# Largest losses in closed form, on some pair of those that are published.
CLOSED = {
    "TruncatedGeometric": math.log(9 / 8),
    "ReportNoisyMax2": EPSILON,
    "Rappor": 0.30006,
    "OneTimeRappor": 6 * math.log((1 - 0.95 / 2) / (0.95 / 2)),
}
ROUNDED = {"SVT6": 0.4200, "ReportNoisyMax1": 0.0946, "SVT1": 0.0885, "SVT2": 0.0882}
# Least calls that refute 0.1-DP, from independent computations.
LIMITS = {
    "TruncatedGeometric": 351_000,
    "NoisyHist2": 22,
    "ReportNoisyMax3": 150_000,
    "ReportNoisyMax4": 88_000,
    "SVT4": 947_000,
    "SVT5": 864,
    "SVT6": 61_000,
    "Rappor": 35_000,
    "OneTimeRappor": 3_800,
    "PrefixSum": 2_000,
}


@cache
def laws(name):
    """Its output distributions on all pairs; on the last one where they are simulated."""
    pairs = BY_NAME[name].pairs
    simulated = {"SVT3", "NumericalSVT", "PrefixSum", "LaplaceParallel", "SVT34Parallel"}
    return [LAWS[name](pair) for pair in (pairs[-1:] if name in simulated else pairs)]


def audited(name, claimed, calls, seed=0, pairs=slice(None)):
    row = BY_NAME[name]
    return dpaudit.audit(
        row.mechanism,
        PureDP(claimed),
        Pairs(list(row.pairs[pairs])),
        alpha=ALPHA,
        max_calls=calls,
        seed=seed,
        engines=["statistical"],
    )


@pytest.mark.parametrize(
    ("name", "calls"),
    sampled(
        [
            ("TruncatedGeometric", 150_000),
            ("NoisyHist2", 200),
            ("ReportNoisyMax3", 150_000),
            ("ReportNoisyMax4", 200_000),
            ("SVT5", 10_000),
            ("PrefixSum", 16_000),
            ("OneTimeRappor", 12_000),
        ],
        3,
    ),
)
def test_broken_mechanisms_are_refuted_on_all_published_pairs(name, calls):
    report = audited(name, EPSILON, calls)
    assert report.verdict is Verdict.REFUTED
    assert EPSILON <= report.epsilon <= BY_NAME[name].true


@pytest.mark.parametrize("name", sampled(["Laplace", "ReportNoisyMax2", "SVT1"], 1))
def test_sound_mechanisms_are_not_refuted(name):
    report = audited(name, EPSILON, 40_000)
    assert report.verdict is not Verdict.REFUTED
    assert report.epsilon <= BY_NAME[name].true


def test_snapping_is_not_refuted():
    report = dpaudit.audit(
        laplace_snapping,
        PureDP(EPSILON),
        Pairs(list(BY_NAME["LaplaceSnapping"].pairs)),
        alpha=ALPHA,
        max_calls=4_000,
        seed=0,
        engines=["statistical"],
    )
    assert report.verdict is not Verdict.REFUTED


def test_nine_tenths_of_laplace_noise_are_proved_with_coupled_draws():
    report = audited("Laplace", 0.09, 400_000)
    assert report.verdict is Verdict.REFUTED
    assert 0.09 <= report.epsilon <= EPSILON


def test_an_output_of_one_side_alone_proves_a_loss_of_four():
    """Sparse vector without noise on the queries, on the pair where that is most likely."""
    report = audited("SVT5", 4.0, 400_000, pairs=slice(2, 3))
    assert report.verdict is Verdict.REFUTED
    assert report.epsilon >= 4.0


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_published_pairs_are_neighbors_and_outputs_come_one_a_row(row):
    for left, right in row.pairs:
        if "Rappor" not in row.name:
            assert np.abs(left - right).max() == 1.0
    outputs = row.mechanism(row.pairs[0][0], 3, np.random.default_rng(0))
    assert len(outputs) == 3


def test_an_answer_changes_or_every_answer_may():
    assert [int((a != b).sum()) for a, b in one(5)] == [1, 1]
    assert [int((a != b).sum()) for a, b in every(10)] == [1, 1, 10, 10, 10, 10, 10, 10]


@pytest.mark.parametrize("name", [*CLOSED, *ROUNDED])
def test_largest_losses_are_as_known(name):
    losses = [largest_loss(law) for law in laws(name)]
    if name in CLOSED:
        assert max(losses) == pytest.approx(CLOSED[name], abs=5e-6)
    else:
        assert max(losses) == pytest.approx(ROUNDED[name], abs=6e-5)


@pytest.mark.parametrize("name", ["ReportNoisyMax3", "ReportNoisyMax4", "SVT4", "SVT5", "SVT6",
                                  "NoisyHist2", "Laplace", "TruncatedGeometric"])  # fmt: skip
def test_best_losses_of_likely_events_are_as_published(name):
    found = max(best_loss(law) for law in laws(name))
    assert found == pytest.approx(BY_NAME[name].best, abs=1e-4)


@pytest.mark.parametrize("name", LIMITS)
def test_information_limits_agree_with_independent_computations(name):
    least = min(information_limit(law, EPSILON, ALPHA) for law in laws(name))
    assert least == pytest.approx(LIMITS[name], rel=0.02)


@pytest.mark.parametrize("name", LAWS)
def test_laws_are_distributions_and_sound_ones_have_no_limit(name):
    law = laws(name)[-1]
    for mass in law:
        assert mass.min() >= 0
        assert mass.sum() == pytest.approx(1.0, abs=1e-3)
    if not BY_NAME[name].broken:
        assert information_limit(law, EPSILON, ALPHA) == math.inf
