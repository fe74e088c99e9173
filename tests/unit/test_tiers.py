"""Tiers of calls: between them alone a limit of time ends the sampling."""

import itertools
import time
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, Pairs, PureDP, Real, Verdict, examination, staged, tiers
from dpaudit.evidence import Budget, Evidence
from dpaudit.statistical import race
from dpaudit.subject import Subject
from dpaudit.trace import engine as trace
from dpaudit.trace import known_noise, search
from dpaudit.trace.steered import conclude
from dpaudit.worker import InPlace, WorkerError, deadline

VALUES = AddRemove(Real(0, 1), max_size=8)


def count(data, rng):
    return len(data) + rng.laplace(scale=1.0)


def stand_still(monkeypatch, now):
    """Give all that is limited by time another clock."""
    for module in (race, examination, staged, trace, known_noise, search, conclude):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=now))


@pytest.fixture
def slow_count(monkeypatch):
    """A count of which each call takes 2 seconds, on a clock that else stands still."""
    seconds = [time.monotonic()]
    stand_still(monkeypatch, lambda: seconds[0])

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
    [note] = [note for note in evidence.notes if "Use tier=1 to repeat the run" in note]
    assert "(400 in all)" in note
    again = sampled(slow_count, tier=1, **options)
    assert again.calls == ended.calls
    assert again.epsilon == ended.epsilon
    assert again.detectable_epsilon == ended.detectable_epsilon
    assert again.evidence[0].pairs == evidence.pairs


def rarely_raw(value, rng):
    return -1e6 - value if rng.random() < 1e-6 else value + rng.laplace(scale=2.0)


@pytest.fixture
def ticking(monkeypatch):
    """A clock that goes on by so many seconds whenever it is asked whether a call may begin."""
    clock = SimpleNamespace(now=1e6, step=0.0)

    def look():
        clock.now += clock.step
        return clock.now

    stand_still(monkeypatch, lambda: clock.now)
    monkeypatch.setattr(deadline, "now", look)
    return clock


def too_little(data, rng):
    return len(data) + rng.laplace(scale=0.9)


def half_the_noise(data, rng):
    return len(data) + rng.laplace(scale=0.5)


@pytest.mark.parametrize(
    ("mechanism", "seconds", "told"),
    [
        (count, 100.0, "the time ended the traces, after 49 calls"),
        (count, 1_500.0, "tier=1 may give another result"),
        (count, 4_400.0, "Use tier=1 to repeat the run"),
        (half_the_noise, 4_400.0, "noise was steered"),
    ],
)
def test_the_last_complete_tier_repeats_the_audit_whatever_the_time(
    monkeypatch, ticking, mechanism, seconds, told
):
    """Time ends it in the traces, after the first tier, or not before it is decided.

    Time that ends work before the sampling leaves the rest for it, and is told.
    """
    monkeypatch.setattr(tiers, "FIRST", 400)
    monkeypatch.setattr(conclude, "TIER_CALLS", 600)
    monkeypatch.setattr(trace, "FIRST_PAIRS", 8)
    tracing = trace.TraceEngine(pairs=16, share=0.4, followed=True)
    options = {"engines": [tracing, "statistical"], "max_calls": 3_200}
    given = mechanism, PureDP(1.0), VALUES
    ticking.step = 1.0
    ended = dpaudit.audit(*given, max_seconds=seconds, progress=False, **options)
    said = " ".join(note for evidence in ended.evidence for note in evidence.notes)
    assert told in said
    if seconds < 2_000.0:
        assert ended.evidence[0].cut_short
        assert ended.evidence[1].calls == (400 if seconds > 1_000.0 else ended.evidence[1].calls)
        return
    again = dpaudit.audit(*given, tier=1, max_seconds=None, progress=False, **options)
    assert again.verdict is ended.verdict
    assert again.epsilon == ended.epsilon
    assert str(again.witness) == str(ended.witness)
    assert again.detectable_epsilon == ended.detectable_epsilon


def test_steered_noise_of_all_tiers_has_no_more_alpha_than_is_booked_for_it():
    """At worst, the first tier began anew after all its tests, and .324 of α was left."""
    alpha, subject = 0.05, Subject.of(count)

    def attempts(tier, given):
        budget = Budget(alpha=given, max_calls=500_000, tier=tier, tiers=5)
        return conclude.Attempts(None, subject, PureDP(1.0), budget, confirming=0.4)

    first = attempts(1, 0.324 * alpha)
    later = [attempts(tier, trace.LATER_SHARE * alpha) for tier in range(2, 6)]
    assert first._ledger.alpha == pytest.approx(first.reserved / 2)
    assert sum(each._ledger.alpha for each in (first, *later)) <= first.reserved
    twice = attempts(1, 0.9 * alpha)  # tier 2 begins anew
    assert sum(each._ledger.alpha for each in (twice, later[0], *later)) <= twice.reserved


def test_a_later_tier_that_begins_anew_counts_what_was_spent_before_once():
    """Else the sampling would go on with another α, which it refuses."""
    before = Evidence("trace", None, calls=100, alpha_spent=1e-7)
    engine = staged.Continued(trace.TraceEngine(), before)
    first, second = replace(before, calls=130), replace(before, calls=150)
    both = examination._both(first, second, engine)
    assert (both.calls, both.alpha_spent) == (180, 1e-7)
    both = examination._both(first, second, engine.engine)
    assert (both.calls, both.alpha_spent) == (280, 2e-7)


def test_draws_for_a_suspicion_that_time_ended_are_noted(monkeypatch, ticking):
    monkeypatch.setattr(conclude, "CALLS_SHARE", 0.0)
    ticking.step = 1.0
    options = {"max_calls": 50_000, "engines": ["trace"], "progress": False}
    report = dpaudit.audit(too_little, PureDP(1.0), VALUES, max_seconds=900.0, **options)
    [evidence] = report.evidence
    assert report.verdict is not Verdict.REFUTED
    assert evidence.cut_short
    assert any("that were to confirm a suspicion" in note for note in evidence.notes)


def test_time_that_suffices_changes_nothing():
    options = {"max_calls": 9_000}
    one = sampled(count, max_seconds=600.0, **options)
    other = sampled(count, max_seconds=None, **options)
    assert one.evidence[0].pairs == other.evidence[0].pairs
    assert not any("tier" in note for note in one.evidence[0].notes)


def test_time_that_just_suffices_changes_nothing(monkeypatch, slow_count):
    """Batches have the sizes that they have without a limit, though one call in ten is slow."""
    options = {"max_calls": 9_000, "isolation": "none"}
    carry_out = race.Race.carry_out

    def with_slow_calls(self, entry, tasks):
        self.slowest = 20.0
        return carry_out(self, entry, tasks)

    monkeypatch.setattr(race.Race, "carry_out", with_slow_calls)
    other = sampled(slow_count, max_seconds=None, **options)
    one = sampled(slow_count, max_seconds=1.5 * other.evidence[0].seconds, **options)
    assert timeless(one) == timeless(other)


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


def test_time_that_ends_a_later_tier_leaves_the_result_of_the_last_complete_one(
    monkeypatch, slow_count
):
    """The calls become slow within the third tier, after some of it was drawn."""
    monkeypatch.setattr(tiers, "FIRST", 400)
    options = {"max_calls": 50_000, "alpha": 1e-3}
    ended = sampled(grows_slow(slow_count, after=2_500), max_seconds=20_000.0, **options)
    [evidence] = ended.evidence
    [note] = [note for note in evidence.notes if "the time ended within tier 3" in note]
    assert "This is the result of tier 2 (1,600 calls in all). Use tier=2 to repeat it" in note
    again = sampled(slow_count, tier=2, max_seconds=None, **options)
    assert timeless(ended) == timeless(again)


def test_traces_of_a_tier_that_time_ends_are_left_out_with_its_sampling(monkeypatch, slow_count):
    """Else the tier that the note names would not repeat the calls and the pairs of the report."""
    monkeypatch.setattr(tiers, "FIRST", 400)
    monkeypatch.setattr(conclude, "CALLS_SHARE", 0.0)
    monkeypatch.setattr(trace, "FIRST_PAIRS", 4)
    tracing = trace.TraceEngine(pairs=16, share=0.4, followed=True)
    options = {"engines": [tracing, "statistical"], "max_calls": 8_000, "progress": False}
    given = PureDP(1.0), VALUES
    ended = dpaudit.audit(grows_slow(slow_count, 700), *given, max_seconds=40_000.0, **options)
    traced, drawn = ended.evidence
    assert any("Use tier=1 to repeat it" in note for note in drawn.notes)
    again = dpaudit.audit(slow_count, *given, max_seconds=None, tier=1, **options)
    assert traced.pairs_tried == 4
    assert (traced.calls, traced.reason) == (again.evidence[0].calls, again.evidence[0].reason)
    assert ended.calls == again.calls


def grows_slow(mechanism, after):
    """Return a mechanism of which later calls take as long as 25."""
    calls = itertools.count()

    def count(data, rng):
        for _ in range(24 if next(calls) > after else 0):
            mechanism(data, np.random.default_rng(0))
        return mechanism(data, rng)

    count.__name__ = mechanism.__name__
    count.__qualname__, count.__module__ = mechanism.__qualname__, mechanism.__module__
    return count


def timeless(report):
    [evidence] = report.evidence
    told = (report.verdict, report.calls, report.epsilon, report.parameter_bound)
    seen = (report.detectable_epsilon, report.alpha_spent, report.pairs_tried)
    return told, seen, evidence.pairs, evidence.trail, evidence.log_e_value, evidence.detectable


def test_time_that_ends_the_first_tier_decides_nothing(monkeypatch, slow_count):
    monkeypatch.setattr(tiers, "FIRST", 100_000)
    report = sampled(slow_count, max_seconds=1_000.0, max_calls=300_000)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "the time ended within the first tier of calls" in report.reason


def test_a_tier_that_made_all_its_calls_counts_though_the_last_ones_took_too_long(slow_count):
    options = {"max_calls": 400, "alpha": 1e-3}
    ended = sampled(grows_slow(slow_count, after=390), max_seconds=900.0, **options)
    assert ended.evidence[0].calls == 400
    again = sampled(slow_count, max_seconds=None, **options)
    assert timeless(ended) == timeless(again)


def grows_fast(monkeypatch, takes):
    """Return a mechanism whose call number `i` takes ``takes(i)`` seconds; 4 is the slowest."""
    seconds, calls, carry_out = [time.monotonic()], itertools.count(), race.Race.carry_out
    stand_still(monkeypatch, lambda: seconds[0])

    def with_slow_calls(self, entry, tasks):
        self.slowest = 4.0
        return carry_out(self, entry, tasks)

    monkeypatch.setattr(race.Race, "carry_out", with_slow_calls)

    def fast_count(data, rng):
        seconds[0] += takes(next(calls))
        return count(data, rng)

    return fast_count


def test_a_first_tier_of_smaller_batches_is_not_said_to_lack_calls(monkeypatch):
    mechanism = grows_fast(monkeypatch, lambda call: 4.0 if call < 200 else 0.5)
    report = sampled(mechanism, max_seconds=1_100.0, max_calls=400)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert report.calls == 400
    assert "a batch of the first tier of calls, which was made smaller" in report.reason
    assert "made its 400 calls" in report.reason


def test_a_later_tier_of_smaller_batches_is_left_out_and_said_so(monkeypatch):
    monkeypatch.setattr(tiers, "FIRST", 400)
    mechanism = grows_fast(
        monkeypatch, lambda call: (2.0, 4.0, 0.01)[(call > 400) + (call > 1_200)]
    )
    report = sampled(mechanism, max_seconds=4_050.0, max_calls=1_600)
    assert report.calls == 400
    [note] = [note for note in report.evidence[0].notes if "a batch of tier 2 of calls" in note]
    assert "Its 1,200 calls found no violation" in note


def test_a_refutation_within_a_tier_that_time_ends_stands(monkeypatch, slow_count):
    """A fresh seed would change the verdict with probability at most 1e-6."""
    monkeypatch.setattr(tiers, "FIRST", 100_000)

    def raw(data, rng):
        slow_count(data, rng)
        return float(len(data))

    report = sampled(raw, max_seconds=1_000.0, max_calls=300_000)
    assert report.verdict is Verdict.REFUTED
    assert report.calls < 500


def test_a_call_that_was_stopped_leaves_no_verdict(monkeypatch, slow_count):
    """It may be one that never ends, on which of two datasets nobody knows."""
    monkeypatch.setattr(tiers, "FIRST", 400)
    run, batches = InPlace.run, itertools.count()

    def stopped(self, tasks):
        if next(batches) > 60:
            raise WorkerError("late", deadline.STOPPED)
        return run(self, tasks)

    monkeypatch.setattr(InPlace, "run", stopped)
    report = sampled(slow_count, max_seconds=1e9, max_calls=300_000)
    assert report.calls > 400
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "Look for an endless loop" in report.reason


def test_too_few_calls_name_the_option_that_ended_them():
    reason = sampled(count, tier=1).reason
    assert reason.endswith("raise tier or alpha")
    assert sampled(count, max_calls=2_000).reason.endswith("raise max_calls or alpha")


@pytest.mark.parametrize("tier", [0, -1, True, 1.5])
def test_a_tier_that_there_is_not_is_an_error(tier):
    with pytest.raises(ValueError, match="`tier` must be a positive integer or None"):
        sampled(count, tier=tier)
