"""Audits that pause after each tier say what those that do not pause say."""

import time
from types import SimpleNamespace

import numpy as np
import pytest

import dpaudit
import dpaudit.examination
from dpaudit import AddRemove, PureDP, Real, Verdict, tiers
from dpaudit.auditor import audit_in_stages
from dpaudit.evidence import Budget, Evidence
from dpaudit.staged import Continued, Limit, may_climb
from dpaudit.statistical import race

CLAIM = PureDP(1.0)
VALUES = AddRemove(Real(0, 1), max_size=4)
SYSTEM = np.random.default_rng(20261128)  # noise that no seed of dpaudit determines
SAID = ("verdict", "calls", "epsilon", "detectable_epsilon", "alpha_spent", "pairs_tried")


@pytest.fixture(autouse=True)
def short_tiers(monkeypatch):
    monkeypatch.setattr(tiers, "FIRST", 400)


def count(data, rng):
    return len(data) + rng.laplace(scale=1.0)


def scaled(data, rng, factor):
    return len(data) + rng.laplace(scale=factor)


def staged(mechanism, limit=None, **options):
    given = {"engines": ["statistical"], "max_calls": 7_000, "max_seconds": None, **options}
    return audit_in_stages(
        mechanism, CLAIM, VALUES, limit or Limit(), lambda progress: None, **given
    )


def said(report):
    told = [getattr(report, name) for name in SAID]
    return told, [(e.pairs, e.trail, e.notes, e.log_e_value) for e in report.evidence]


def straight(mechanism, **options):
    given = {"engines": ["statistical"], "max_calls": 7_000, "max_seconds": None, **options}
    return dpaudit.audit(mechanism, CLAIM, VALUES, progress=False, **given)


def test_each_stage_is_what_its_tier_repeats():
    found = list(staged(count))
    assert [(stage.tier, stage.tiers) for stage in found] == [(1, 3), (2, 3), (3, 3)]
    for stage in found:
        assert said(stage.report) == said(straight(count, tier=stage.tier))
    assert said(found[-1].report) == said(straight(count))
    assert [stage.more is None for stage in found] == [False, False, True]


def test_the_engines_before_sampling_run_once(monkeypatch):
    asked = []

    class Asked:
        name = "asked"

        def examine(self, *_, **__):
            asked.append(self.name)
            return dpaudit.evidence.Evidence("asked", None, calls=100)

    found = list(staged(count, engines=[Asked(), "statistical"]))
    assert len(found) == 3
    assert asked == ["asked"]
    assert found[-1].report.calls == 100 + found[-1].report.evidence[-1].calls <= 7_000


def test_no_call_is_made_twice_where_noise_takes_no_seed():
    """Repeated calls would be a second test of the claim, with draws of their own."""
    made = []

    def own_noise(data):
        made.append(1)
        return len(data) + SYSTEM.laplace(scale=1.0)

    *_, last = staged(own_noise)
    assert last.tier == 3
    # Not more than a whole audit makes, beside the trials of each stage's runner.
    assert len(made) <= last.report.calls


def test_an_engine_that_is_named_after_sampling_runs_before_it():
    """It spends error probability of which the next tiers of sampling must know."""
    found = list(staged(count, engines=["statistical", "trace"]))
    assert [stage.tier for stage in found] == [1, 2, 3]
    assert [each.engine for each in found[-1].report.evidence] == ["trace", "statistical"]
    assert found[-1].report.alpha_spent <= 1e-6


@pytest.mark.parametrize("factor", [[1.0, 2.0], [0.5, 1.0]])
def test_a_family_pauses_after_each_tier_of_all_its_rows(factor):
    """A fresh seed would change a verdict with probability at most 1e-6."""
    options = {"over": {"factor": factor}, "max_calls": 14_000}
    found = list(staged(scaled, **options))
    whole = straight(scaled, **options)
    last = found[-1].report
    assert last.verdict is whole.verdict
    assert [row.report.verdict for row in last.rows] == [r.report.verdict for r in whole.rows]
    assert [stage.tier for stage in found] == list(range(1, len(found) + 1))
    first = straight(scaled, tier=1, **options)
    assert said(found[0].report) == said(first)
    assert all(row.report.calls > 0 for row in found[0].report.rows)
    assert last.calls <= 14_000


@pytest.fixture
def slow(monkeypatch):
    """A count of which each call takes 2 seconds, on a clock that else stands still."""
    seconds = [time.monotonic()]  # processes that start have this clock too
    clock = SimpleNamespace(monotonic=lambda: seconds[0])
    for module in (race, dpaudit.examination, dpaudit.staged, dpaudit.family):
        monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(dpaudit.worker.deadline, "now", lambda: seconds[0])

    def slow(data, rng):
        seconds[0] += 2.0
        return count(data, rng)

    slow.began = seconds[0]
    return slow


def test_a_later_tier_that_the_limit_ends_is_left_out(slow):
    limit = Limit(slow.began + 5_000.0)
    made = staged(slow, limit)
    first = next(made)
    assert (first.tier, first.tiers) == (1, 3)
    assert 2_000 < first.more < 4_000
    limit.until = slow.began + 1_500.0
    assert next(made, None) is None


@pytest.mark.parametrize("until", [500.0, 1e-3])
def test_a_first_tier_that_the_limit_ends_is_none(slow, until):
    [stage] = staged(slow, Limit(slow.began + until))
    assert stage.tier == 0
    assert stage.more is not None


def test_a_limit_of_the_audit_itself_ends_it_as_ever(slow):
    found = list(staged(slow, max_seconds=3_500.0, max_calls=50_000))
    assert found[-1].more is None
    assert found[-1].tier < found[-1].tiers
    assert found[-1].report.verdict is not Verdict.REFUTED


def test_time_between_stages_is_not_spent(slow):
    made = staged(slow, max_seconds=100_000.0)
    first = next(made)
    race.time.monotonic.__closure__[0].cell_contents[0] += 1e6
    rest = list(made)
    assert rest[-1].tier == 3
    assert rest[-1].report.seconds < 1e5
    assert first.report.calls < rest[-1].report.calls


def test_a_refutation_is_the_last_stage():
    """A fresh seed would change the verdict with probability at most 1e-6."""
    found = list(staged(lambda data, rng: float(len(data))))
    assert len(found) == 1
    assert found[0].report.verdict is Verdict.REFUTED
    assert found[0].more is None


def test_an_engine_goes_on_only_in_a_later_tier():
    """Its share of the error probability in the first one is spent."""
    before = Evidence("trace", None, unfinished=True)
    engine = Continued(None, before)
    assert engine.examine(None, CLAIM, VALUES, Budget(tier=2), runner=None) is before


def test_nothing_follows_on_sampling_whose_refutation_was_taken_back():
    unfinished = Evidence("trace", None, unfinished=True)
    assert may_climb([], [unfinished, Evidence("statistical", Verdict.NOT_REFUTED)])
    assert not may_climb([], [unfinished, Evidence("statistical", None)])
