"""Several engines in one audit: who is asked, with how much, and what their evidence makes."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, AnyPair, Pairs, PureDP, Real, Row, Verdict
from dpaudit.evidence import Budget, Evidence, Finding, ProofCheck, Suspect
from dpaudit.neighbors import Pair
from dpaudit.report.next_steps import next_steps
from dpaudit.report.text import summary
from dpaudit.statistical import StatisticalEngine
from dpaudit.statistical.conclude import TOO_FEW
from dpaudit.verdict import Report
from mechanisms.clipped_sum import clipped_sum
from mechanisms.flawed.laplace_half_scale import laplace_half_scale
from tests.sweeps import sampled

ROOT = Path(__file__).parents[2]
EVERYBODY = AddRemove(Real(0, 100))
ONE_APART = Pairs([(np.zeros(1), np.zeros(2)), (np.zeros(2), np.zeros(3))])


class Says:
    """An engine that says what it is told to, and remembers what it was given."""

    def __init__(self, evidence, name="said"):
        self.name, self.evidence = name, replace(evidence, engine=name)
        self.budget, self.suspects = Budget(), ()

    def examine(self, subject, claim, neighbors, budget, suspects=(), *, runner, progress=None):
        self.budget, self.suspects = budget, suspects
        return self.evidence


PROOF = Evidence(
    "",
    Verdict.VERIFIED,
    certificate=object(),
    assumptions=("numbers are real",),
    checked=ProofCheck(True),
)
NOTHING = Evidence("", None, "it does not know")
WRONG = Evidence("", Verdict.REFUTED, findings=(Finding("DPA104", "error", "an overflow"),))


def count(data, rng):
    return len(data) + rng.laplace(scale=1.0)


def round_and_release(data, rng):
    """Sound; the prover has no rule for hex()."""
    return float.fromhex((len(data) + rng.laplace(scale=1.0)).hex())


def audited(*engines, **options):
    return dpaudit.audit(count, PureDP(1.0), ONE_APART, engines=engines, **options)


def test_unless_named_all_engines_are_asked_and_none_traces_what_is_proved():
    report = dpaudit.audit(clipped_sum, PureDP(1.0), EVERYBODY, max_calls=20_000)
    assert [e.engine for e in report.evidence] == ["static", "formal", "statistical"]
    assert report.verdict is Verdict.VERIFIED
    assert report.certificate is not None
    report = dpaudit.audit(round_and_release, PureDP(1.0), EVERYBODY, max_calls=20_000)
    assert [e.engine for e in report.evidence] == ["static", "formal", "trace", "statistical"]


def test_a_proof_is_checked_with_a_tenth_of_the_calls_and_the_report_says_so():
    report = dpaudit.audit(clipped_sum, PureDP(1.0), EVERYBODY, max_calls=50_000)
    assert 0 < report.calls <= 5_000
    assert "5,000 of 50,000 calls" in report.summary()
    few = Says(NOTHING)
    audited(Says(PROOF), few, max_calls=3_000)
    assert few.budget.max_calls == 2_000
    audited(Says(PROOF), few, max_calls=500)
    assert few.budget.max_calls == 500


def test_after_a_refutation_nothing_is_drawn_but_what_confirmed_it():
    report = dpaudit.audit(laplace_half_scale, PureDP(1.0), AnyPair(Real(0, 1)))
    assert report.verdict is Verdict.REFUTED
    assert [e.engine for e in report.evidence] == ["static", "formal"]
    assert 0 < report.calls <= 20_100
    assert report.evidence[1].replay == "replayed"
    assert report.alpha_spent == 0
    assert 1.99 < report.epsilon <= 2
    assert "with confidence" not in report.summary()


def test_a_run_beats_a_proof_and_leaves_no_certificate():
    report = audited(Says(PROOF, "prover"), Says(WRONG, "runner"))
    assert report.verdict is Verdict.REFUTED
    assert report.certificate is None
    assert "numbers are real" not in report.assumptions
    assert "the prover engine proved the claim for real numbers" in report.summary()


def test_without_an_answer_all_calls_are_left_to_the_next():
    last = Says(NOTHING)
    audited(Says(NOTHING), last, max_calls=1_234)
    assert last.budget.max_calls == 1_234


def test_an_engine_that_is_named_twice_is_refused():
    with pytest.raises(ValueError, match="engine 'formal' is named more than once; name each once"):
        audited("formal", "statistical", "formal")


def test_time_is_shared_among_the_engines_to_come():
    first, last = Says(NOTHING), Says(NOTHING)
    audited(first, last, max_seconds=800.0)
    assert first.budget.max_seconds == pytest.approx(400.0, abs=50.0)
    assert last.budget.max_seconds == pytest.approx(800.0, abs=100.0)


def test_suspects_of_one_engine_reach_the_next():
    suspect = Suspect(Pair(np.zeros(1), np.zeros(2), "one more"))
    last = Says(NOTHING)
    audited(Says(replace(NOTHING, suspects=(suspect,))), last)
    assert last.suspects == (suspect,)


def test_a_suspect_takes_no_place_of_a_listed_pair():
    suspect = Suspect(Pair(np.zeros(5), np.zeros(6), "not listed"))
    report = audited(
        Says(replace(NOTHING, suspects=(suspect,))), StatisticalEngine(), max_calls=2_000
    )
    assert report.pairs_tried == 2


def test_a_suspect_is_tried_first():
    def leaks(data, rng):
        return rng.laplace() + 1000 * (5.0 in data)

    left, right = np.array([1.0, 5.0]), np.array([1.0])
    suspect = Suspect(Pair(left, right, "last of 2 records removed"))
    report = dpaudit.audit(
        leaks,
        PureDP(1.0),
        AddRemove(Real(0, 9)),
        engines=[Says(replace(NOTHING, suspects=(suspect,))), "statistical"],
        max_calls=20_000,
    )
    assert report.verdict is Verdict.REFUTED
    assert 5.0 in np.concatenate([report.witness.left, report.witness.right])


def test_a_fault_of_the_prover_does_not_end_the_audit(monkeypatch):
    def fails(*_):
        raise RecursionError("too deep")

    monkeypatch.setattr("dpaudit.formal.attempts.decided_by", fails)
    report = dpaudit.audit(count, PureDP(1.0), ONE_APART, max_calls=4_000)
    assert report.evidence[1].verdict is None
    assert "too deep" in report.evidence[1].reason
    assert report.evidence[-1].calls > 0


@pytest.mark.parametrize("package", sampled(["flint", "sympy"], 1))
def test_a_package_that_is_missing_leaves_the_other_engine(package):
    code = f"""
import sys
sys.modules[{package!r}] = None
import numpy as np
import dpaudit
from dpaudit import Pairs, PureDP
from mechanisms.above_threshold import above_threshold
pair = Pairs([(np.zeros(3), np.ones(3))])
report = dpaudit.audit(above_threshold, PureDP(1.0), pair, max_calls=3_000)
_, proof, *_, run = report.evidence
assert proof.verdict is not dpaudit.Verdict.REFUTED
assert proof.verdict is not None or proof.reason, proof
assert run.calls > 0
print(proof.reason)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert package in done.stdout


def test_a_mechanism_of_data_frames_that_gets_arrays_is_told_of_the_container():
    def total(data, rng):
        return data.loc[:, "spend"].sum() + rng.laplace()

    people = AddRemove(Row(spend=Real(0, 1)), max_size=3)
    report = dpaudit.audit(total, PureDP(1.0), people, max_calls=200, engines=["statistical"])
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "no attribute 'loc'" in report.summary()
    assert 'container="pandas"' in report.summary()


@pytest.mark.parametrize(
    ("nats", "verdict"), [(13.7, Verdict.VERIFIED), (13.9, Verdict.INCONCLUSIVE)]
)
def test_a_proof_does_not_stand_against_runs_that_were_set_aside(nats, verdict):
    proved = dpaudit.verify(clipped_sum, PureDP(1.0), AddRemove(Real(0, 100)))
    assert proved.verdict is Verdict.VERIFIED
    run = Evidence("statistical", Verdict.INCONCLUSIVE, "it remembers", log_e_value=nats)
    both = replace(proved, evidence=(*proved.evidence, run), alpha=1e-6)
    assert both.verdict is verdict
    assert (both.certificate is None) == (verdict is Verdict.INCONCLUSIVE)


def test_verify_names_its_own_limits_and_only_options_that_it_has(monkeypatch):
    """No draw decides: no time is left for the first tier of calls."""
    monkeypatch.setattr("dpaudit.auditor.SAMPLE_SECONDS", 0.3)
    monkeypatch.setattr("dpaudit.auditor.SEARCH_SECONDS", 0.5)

    def slow(data, rng):
        time.sleep(0.002)
        return float.fromhex((len(data) + rng.laplace(scale=1.0)).hex())

    report = dpaudit.verify(slow, PureDP(1.0), EVERYBODY, progress=False)
    assert report.verdict is Verdict.INCONCLUSIVE
    said = summary(report, script="dpaudit verify with --script FILE")
    assert "Sampling had 0.3 seconds here, which ended it" in said
    assert "`dpaudit audit` with its default engines samples more" in said
    for lacking in ("max-calls", "max_calls", "max_seconds", "tier="):
        assert lacking not in said


@pytest.mark.parametrize(
    ("changes", "advised"),
    [
        ({"reason": f"2,000 calls on 2 pairs {TOO_FEW}"}, "Raise --max-calls, or change"),
        ({"reason": "the time ended", "cut_short": True}, "Allow more time, or change"),
        ({"reason": "part of the output was not looked at"}, "Change what the reasons name"),
    ],
)
def test_an_inconclusive_audit_advises_what_its_reason_allows(changes, advised):
    undecided = Evidence("statistical", Verdict.INCONCLUSIVE, **changes)
    report = Report("m:f", PureDP(1.0), "", (), (undecided,))
    assert next_steps(report, command=True)[0].startswith(f"This is not a pass. {advised}")


@pytest.mark.parametrize(
    ("neighbors", "id", "said"),
    [
        ('ReplaceOne(Row(x=Real(0, 1), team=Categorical(["a", "b"])))', "DPA103", True),
        ('ReplaceOne(Row(x=Real(0, 1), team=Categorical(["a", "b"])))', "DPA105", False),
        ('ReplaceOne(Row(team=Categorical(["a", "b"])), invariant="team:sizes")', "DPA103", False),
        ("ReplaceOne(Real(0, 1))", "DPA103", False),
    ],
)
def test_the_next_steps_name_the_invariant_of_groups_whose_sizes_may_be_public(neighbors, id, said):
    for verdict, level in ((Verdict.REFUTED, "error"), (Verdict.INCONCLUSIVE, "note")):
        found = Evidence("trace", verdict, findings=(Finding(id, level, "the noise"),))
        report = Report("m:f", PureDP(1.0), neighbors, (), (found,))
        steps = " ".join(next_steps(report, command=True))
        assert ('`ReplaceOne(…, invariant="team:sizes")`' in steps) is said


@pytest.mark.parametrize(
    ("isolation", "timeout", "stopped"),
    [("process", None, 100.0), ("process", 500.0, 500.0), ("none", None, None)],
)
def test_verify_stops_an_endless_call_in_a_worker_process(monkeypatch, isolation, timeout, stopped):
    given = {}

    def audit(*_, **options):
        given.update(options)
        return Report("m:f", PureDP(1.0), "", (), (NOTHING,))

    monkeypatch.setattr("dpaudit.auditor.audit", audit)
    dpaudit.verify(count, PureDP(1.0), EVERYBODY, timeout=timeout, isolation=isolation)
    assert given["timeout"] == stopped
