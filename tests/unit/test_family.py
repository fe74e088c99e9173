"""Families: how the verdicts, the evidence and the calls of their rows combine."""

import json
import math

import numpy as np
import pytest

import dpaudit
from benchmarks.fair_families import PAIR, Game, played
from dpaudit import AddRemove, ApproxDP, Audit, PureDP, QueryAnswers, Real, Verdict
from dpaudit.collect import CollectedAudit
from dpaudit.evidence import Budget, Evidence
from dpaudit.family import family_of
from dpaudit.outcome import Outcome, run_to_dict
from dpaudit.report.formats import RUN_FORMATS
from dpaudit.statistical import StatisticalEngine
from dpaudit.verdict import Report
from mechanisms.clipped_sum import clipped_sum
from mechanisms.flawed.gaussian_classical_large_epsilon import gaussian_classical_large_epsilon

PROOF = ("static", "formal")


@dpaudit.vectorized
def noisy(data, size, rng, epsilon=1.0, factor=1.0):
    return data + rng.laplace(scale=1 / (epsilon * factor), size=size)


FEW = 720  # calls for four rows: each starts with less than it takes to ask fresh processes


def sampled(over, calls=FEW, **options):
    options = {"engines": ["statistical"], "alpha": 1e-3, "progress": False, **options}
    return dpaudit.audit(noisy, PureDP, PAIR, over=over, max_calls=calls, **options)


def stated(values, alpha, set_aside=()):
    """Audit a family whose rows have these e-values."""

    def audit_one(mechanism, claim, neighbors, engines, budget, *, heard):
        held, number = engines[-1].held, mechanism.keywords["number"]
        if held.race is None:
            held.hold(Game(budget, 0.5, None, math.log(values[number])))
        held.race.set_aside = number in set_aside
        won = held.race.pooled >= held.race.target and not held.race.set_aside
        verdict = Verdict.REFUTED if won else Verdict.NOT_REFUTED
        return Report("row", claim, "", (), (Evidence("statistical", verdict, calls=1),))

    def row(data, *, number):
        raise AssertionError(data, number)

    return family_of(
        row,
        PureDP(1.0),
        PAIR,
        {"number": range(len(values))},
        budget=Budget(alpha, 10 * len(values)),
        engines=lambda: [StatisticalEngine()],
        audit_one=audit_one,
        heard=None,
    ).whole()


def verdicts(report):
    return [row.report.verdict for row in report.rows]


def test_a_family_is_verified_where_every_row_is():
    sums = {"epsilon": [0.5, 2.0]}
    report = dpaudit.audit(
        clipped_sum, PureDP, AddRemove(Real(0, 100)), over=sums, engines=PROOF, progress=False
    )
    assert report.verdict is Verdict.VERIFIED
    assert verdicts(report) == [Verdict.VERIFIED] * 2


def test_one_row_without_a_proof_leaves_the_family_without_one():
    report = dpaudit.audit(
        clipped_sum,
        lambda epsilon, slack: PureDP(epsilon * slack),
        AddRemove(Real(0, 100)),
        over={"epsilon": [1.0], "slack": [1.0, 1.0 - 1e-12]},
        engines=PROOF,
        progress=False,
    )
    assert verdicts(report)[0] is Verdict.VERIFIED
    assert report.verdict is verdicts(report)[1] < Verdict.VERIFIED


def test_a_counterexample_at_one_setting_refutes_the_family_and_names_it():
    report = dpaudit.audit(
        gaussian_classical_large_epsilon,
        lambda epsilon: ApproxDP(epsilon, 1e-5),
        QueryAnswers(1),
        over={"epsilon": [1.0, 10.0]},
        engines=PROOF,
        progress=False,
    )
    assert verdicts(report) == [Verdict.VERIFIED, Verdict.REFUTED]
    assert report.verdict is Verdict.REFUTED
    error = report.findings[0]
    assert (error.id, error.level) == ("DPA106", "error")
    assert error.message.startswith("with epsilon=10.0: ")
    assert str(report.claim) == "ApproxDP(10.0, 1e-05)"
    assert "2 settings: 1 REFUTED (epsilon=10.0), 1 VERIFIED." in report.summary()
    assert not report.contradiction


def test_half_of_the_calls_are_even_and_no_more_are_made_than_are_allowed():
    report = sampled({"epsilon": [0.5, 1.0, 2.0, 4.0]})
    assert min(row.report.calls for row in report.rows) >= FEW // 8
    assert report.calls == sum(row.report.calls for row in report.rows) <= FEW
    assert report.alpha_spent <= report.alpha == 1e-3
    assert len({row.report.seed for row in report.rows}) == 4
    assert report.verdict is min(verdicts(report))


def test_the_row_that_is_false_is_refuted_with_calls_of_the_uneven_half():
    """The seed is one of 20 that all do so."""
    report = sampled({"epsilon": [0.5, 1.0], "factor": [1.0, 4.0]})
    false = [row.report.verdict for row in report.rows if row.setting["factor"] > 1]
    assert Verdict.REFUTED in false
    true = [row.report.verdict for row in report.rows if row.setting["factor"] == 1]
    assert Verdict.REFUTED not in true
    assert report.verdict is Verdict.REFUTED


def test_a_race_that_goes_on_has_all_calls_and_the_evidence_that_it_had():
    for seed in range(20):
        report = played(seed, (0.5, 0.6), alpha=1e-9, calls=400)
        for row in report.rows:
            assert row.report.evidence[0].calls == row.report.calls
            assert row.report.evidence[0].log_e_value == row.log_e_value
    assert max(row.report.calls for row in report.rows) > 100  # beyond the even part


def test_evidence_that_suffices_beside_that_of_others_refutes_rows_that_are_not_alone():
    """Each has less than Bonferroni's 2/α and more than 1/α."""
    report = stated([30.0, 25.0], alpha=0.05)
    assert verdicts(report) == [Verdict.REFUTED] * 2


def test_rows_refute_a_family_together_where_none_is_refuted_alone():
    """The average is 20.7; the first two and the third by themselves have less than 20."""
    report = stated([24.0, 24.0, 14.0], alpha=0.05)
    assert verdicts(report) == [Verdict.NOT_REFUTED] * 3
    assert report.verdict is Verdict.REFUTED
    assert report.evidence[-1].engine == "family"
    assert "no setting does alone" in report.summary()
    assert "of no single setting suffices" in report.findings[0].message


def test_evidence_that_is_set_aside_counts_for_nothing():
    report = stated([24.0, 24.0, 14.0], alpha=0.05, set_aside={2})
    assert report.verdict is Verdict.NOT_REFUTED
    assert report.rows[2].log_e_value == -math.inf


def test_equal_seeds_give_equal_families():
    one, other = (sampled({"epsilon": [0.5, 1.0]}, FEW // 2, seed=7) for _ in range(2))
    assert [r.log_e_value for r in one.rows] == [r.log_e_value for r in other.rows]


def test_a_report_has_a_row_for_each_setting_in_every_format():
    audit = Audit(noisy, PureDP, PAIR, over={"epsilon": [0.5, 1.0]}, engines=["statistical"])
    report = audit.run(max_calls=FEW // 2, progress=False)
    outcome = Outcome(CollectedAudit("audits/a.py::family", audit), report)
    kept = outcome.to_dict()
    assert kept["claim"] == "PureDP(epsilon)"
    assert not kept["not_made"]
    settings = json.loads(json.dumps(kept["report"]))["settings"]
    assert [row["setting"] for row in settings] == ["epsilon=0.5", "epsilon=1.0"]
    assert sum(row["decides"] for row in settings) == 1
    run = run_to_dict([outcome], (), 0)
    for told in (RUN_FORMATS["html"](run), report._repr_html_(), report.summary()):
        assert "epsilon=0.5" in told


@pytest.mark.parametrize("option", ["beacon", "accumulate"])
def test_what_goes_on_with_one_setting_at_a_time_is_refused(option):
    audit = Audit(noisy, PureDP, PAIR, over={"epsilon": [1.0]})
    with pytest.raises(ValueError, match="declare an audit for each setting"):
        audit.run(**{option: np.random.default_rng(0)})
