"""Tiers of calls: between them alone a limit of time ends the sampling."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, Pairs, PureDP, Real, Verdict
from dpaudit.statistical import race, tiers

VALUES = AddRemove(Real(0, 1), max_size=8)


def count(data, rng):
    return len(data) + rng.laplace(scale=1.0)


@pytest.fixture
def slow_count(monkeypatch):
    """A count of which each call takes 2 seconds, on a clock that else stands still."""
    seconds = [0.0]
    monkeypatch.setattr(race, "time", SimpleNamespace(monotonic=lambda: seconds[0]))

    def slow_count(data, rng):
        seconds[0] += 2.0
        return count(data, rng)

    return slow_count


def sampled(mechanism, neighbors=VALUES, **options):
    return dpaudit.audit(mechanism, PureDP(1.0), neighbors, engines=["statistical"], **options)


@pytest.mark.parametrize("calls", [1, 2, 1_999, 2_000, 4_000, 8_000, 12_500, 32_000, 1_000_000])
def test_tiers_grow_and_end_where_the_budget_does(calls):
    found = list(tiers.ends(calls))
    assert found[-1] == calls
    assert all(2 * before <= after for before, after in pairwise(found))
    assert found[0] == min(calls, tiers.FIRST) or calls < 2 * tiers.FIRST


def test_a_run_that_time_ended_is_repeated_by_its_last_complete_tier(monkeypatch, slow_count):
    monkeypatch.setattr(tiers, "FIRST", 400)
    options = {"max_calls": 50_000, "isolation": "none"}
    ended = sampled(slow_count, max_seconds=3_100.0, **options)
    [evidence] = ended.evidence
    [note] = [note for note in evidence.notes if "tier=1 repeats the run" in note]
    assert "(400 in all)" in note
    again = sampled(slow_count, tier=1, **options)
    assert again.calls == ended.calls
    assert again.epsilon == ended.epsilon
    assert again.detectable_epsilon == ended.detectable_epsilon
    assert again.evidence[0].pairs == evidence.pairs


def test_time_that_suffices_changes_nothing():
    options = {"max_calls": 9_000}
    one = sampled(count, max_seconds=600.0, **options)
    other = sampled(count, max_seconds=None, **options)
    assert one.evidence[0].pairs == other.evidence[0].pairs
    assert not any("tier" in note for note in one.evidence[0].notes)


def test_few_calls_are_spent_on_few_pairs():
    report = sampled(count, max_calls=500_000, tier=2)
    assert report.calls < 8_000 + 100
    assert report.verdict is Verdict.NOT_REFUTED
    assert report.pairs_tried == 3
    assert np.isfinite(report.detectable_epsilon)


def test_listed_pairs_are_tried_from_the_first_tier_on():
    listed = Pairs([(i, i + 1) for i in range(8)])
    report = sampled(lambda value, rng: int(rng.integers(2)), listed, max_calls=500_000, tier=1)
    assert report.pairs_tried == 8


def test_time_within_a_tier_is_told(monkeypatch, slow_count):
    monkeypatch.setattr(tiers, "FIRST", 100_000)
    report = sampled(slow_count, max_seconds=1_000.0, max_calls=300_000, isolation="none")
    assert any("the time ended within tier 1" in note for note in report.evidence[0].notes)


@pytest.mark.parametrize("tier", [0, -1, True, 1.5])
def test_a_tier_that_there_is_not_is_an_error(tier):
    with pytest.raises(ValueError, match="`tier` must be a positive integer or None"):
        sampled(count, tier=tier)
