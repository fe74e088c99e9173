"""Divergences of samples of any kind: values inside their intervals, honest words."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpaudit.estimates.divergences import (
    approximate_max_divergence,
    hockey_stick,
    kl_divergence,
    max_divergence,
    total_variation,
)
from dpaudit.estimates.split import tally
from dpaudit.estimates.tradeoff import privacy_profile, tradeoff_curve
from dpaudit.outputs import Raised

ESTIMATES = {
    "max": max_divergence,
    "approximate": lambda p, q, **o: approximate_max_divergence(p, q, 0.01, **o),
    "hockey stick": lambda p, q, **o: hockey_stick(p, q, 0.5, **o),
    "total variation": total_variation,
    "KL": kl_divergence,
    "trade-off": lambda p, q, **o: tradeoff_curve(p, q, alphas=[0.0, 0.1, 0.5, 1.0], **o),
    "profile": lambda p, q, **o: privacy_profile(p, q, epsilons=[-1.0, 0.0, 1.0], **o),
}
BROKEN = Raised(ValueError("negative"))
SAMPLES = {
    "one draw": ([1], [1]),
    "one draw, apart": ([1], [2]),
    "strings": (["a", "b"] * 30, ["a"] * 60),
    "NaN": ([math.nan] * 40, [1.0] * 40),
    "tuples": ([(1, "a")] * 35, [(2, "b"), (1, "a")] * 20),
    "exceptions": ([BROKEN] * 50 + [0.0] * 3, [0.0] * 50),
    "None": ([None] * 3, [None] * 2),
    "constant": ([0] * 500, [0] * 300),
    "floats": (list(np.linspace(0, 1, 77)), list(np.linspace(0, 2, 50))),
    "mixed": ([math.nan, math.inf, 0.5, "x", None] * 20, [0.5, 1.5, -math.inf] * 40),
    "vectors": (np.ones((60, 3)) * np.arange(60)[:, None], np.zeros((60, 3))),
}


@pytest.mark.parametrize("method", ["fixed", "anytime"])
@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("name", ESTIMATES)
def test_every_value_lies_in_its_interval(name, sample, method):
    estimate = ESTIMATES[name](*SAMPLES[sample], method=method)
    low, high = estimate.confidence_interval
    assert np.all(np.isfinite(low))
    assert np.all(low <= estimate.value)
    assert np.all(estimate.value <= high)
    assert estimate.n == sum(map(len, SAMPLES[sample]))
    assert "hold" in str(estimate)


def responses(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random(n) < 0.75, rng.random(n) < 0.25


def test_randomized_response_is_bounded_on_both_sides_where_its_outcomes_are_named():
    found = max_divergence(*responses(20_000), support=[False, True])
    low, high = found.confidence_interval
    assert 1.05 < low < math.log(3) < high < 1.15
    assert "both ends hold for the mechanism" in found.valid_for


def test_without_named_outcomes_the_upper_end_of_a_ratio_is_infinite_and_says_why():
    for estimate in (max_divergence, kl_divergence):
        found = estimate(*responses(2000))
        assert found.confidence_interval.high == math.inf
        assert "`support`" in found.valid_for


def test_without_named_outcomes_hockey_sticks_stay_bounded():
    low, high = total_variation(*responses(20_000)).confidence_interval
    assert 0.48 < low < 0.5 < high < 0.52


def test_an_outcome_outside_the_named_ones_is_refused():
    with pytest.raises(ValueError, match="support"):
        max_divergence([1, 2, 3], [1, 2], support=[1, 2])


def test_continuous_outputs_bound_the_mechanism_below_and_the_partition_above():
    rng = np.random.default_rng(0)
    found = max_divergence(rng.laplace(size=20_000), rng.laplace(1, size=20_000))
    low, high = found.confidence_interval
    assert 0.88 < low < 1 < high
    assert "only for the chosen partition" in found.valid_for


def test_the_upper_end_of_a_divergence_is_the_lower_end_of_a_trade_off():
    rng = np.random.default_rng(0)
    found = tradeoff_curve(rng.laplace(size=300), rng.laplace(1, size=300))
    assert "lower end only for the chosen partition" in found.valid_for


def test_vectors_are_told_apart_by_a_learned_score():
    rng = np.random.default_rng(0)
    found = total_variation(rng.normal(size=(4000, 4)), rng.normal(0.5, size=(4000, 4)))
    assert 0.3 < found.confidence_interval.low < 0.3829  # 2Φ(1/2) − 1


def test_divergences_are_directed():
    p, q = [0] * 500 + [1] * 500, [0] * 1000
    assert max_divergence(p, q, support=[0, 1]).confidence_interval.low > 2
    assert max_divergence(q, p, support=[0, 1]).confidence_interval.high < 1


def test_curves_agree_with_their_points_at_either_end():
    curve = tradeoff_curve(*responses(5000), alphas=[0.0, 1.0], support=[False, True])
    assert curve.value.tolist() == [1.0, 0.0]
    profile = privacy_profile(*responses(5000), epsilons=[0.0], support=[False, True])
    point = total_variation(*responses(5000), support=[False, True])
    assert profile.value[0] == pytest.approx(point.value, abs=1e-3)


def test_callables_are_drawn_from():
    found = total_variation(
        lambda rng: rng.random() < 0.9, lambda rng: rng.random() < 0.1, n=500, seed=3
    )
    assert found.n == 1000
    assert found.confidence_interval.low > 0.6


def test_the_order_of_fixed_draws_says_nothing_and_the_seed_decides_the_split():
    p, q = responses(3000)
    found = max_divergence(p, q, seed=1)
    assert found.confidence_interval == max_divergence(p, q, seed=1).confidence_interval
    assert found.confidence_interval != max_divergence(p, q, seed=2).confidence_interval
    # Sorted draws would make a head of the sample a false picture of it.
    low, high = total_variation(np.sort(p), np.sort(q)).confidence_interval
    assert low < 0.5 < high


def test_what_chose_the_cells_is_not_counted_in_them():
    rng = np.random.default_rng(0)
    counted = tally(
        rng.normal(size=2000), rng.normal(size=1000), confidence=0.95, n=None, seed=0,
        support=None, method="fixed",
    )  # fmt: skip
    assert counted.kind == "partition"
    assert counted.p.sum() == counted.pilot_p.sum() == 1000
    assert counted.all_p.sum() == 1000


def test_every_epoch_of_anytime_cells_has_its_own_part_of_the_error():
    parts = {}
    for n in (1, 2, 3, 7, 8, 15, 63, 64, 255, 256, 257, 10_000):
        draws = ([0, 1] * n)[:n]
        counted = tally(
            draws, draws, confidence=0.95, n=None, seed=0, support=None, method="anytime"
        )
        parts.setdefault(counted.pilot_p.sum(), set()).add(counted.share)
    assert all(len(shares) == 1 for shares in parts.values())
    spent = [share for shares in parts.values() for share in shares]
    assert len(set(spent)) == len(parts) == 5  # no epoch pays for another one's cells
    assert sum(spent) < 1


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: max_divergence([], [1]), "no output"),
        (lambda: max_divergence([1], [1], confidence=1.0), "confidence"),
        (lambda: max_divergence([1], [1], method="bayes"), "method"),
        (lambda: approximate_max_divergence([1], [1], 1.0), "delta"),
        (lambda: hockey_stick([1], [1], math.nan), "epsilon"),
        (lambda: tradeoff_curve([1], [1], alphas=[2.0]), "alphas"),
        (lambda: privacy_profile([1], [1], epsilons=[math.inf]), "epsilons"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_remedy(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_what_would_be_read_as_columns_keys_or_without_repeats_is_refused():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"one": [0.0] * 50, "two": [1.0] * 50})
    for sample in (frame, {"one": 0.0, "two": 1.0}, {0.0, 1.0}):
        with pytest.raises(TypeError, match="one output a draw"):
            total_variation(sample, [0.0, 1.0])
    assert total_variation(frame.to_numpy(), frame.to_numpy()).n == 100
    assert total_variation(frame["one"], frame["two"], support={0.0, 1.0}).n == 100
