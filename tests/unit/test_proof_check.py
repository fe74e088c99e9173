"""A proof counts as checked only where the checker accepted its certificate in the same run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, Audit, PureDP, Real, Verdict
from dpaudit.checker import check
from dpaudit.collect import CollectedAudit
from dpaudit.evidence import Evidence, ProofCheck
from dpaudit.outcome import Outcome, Status, row, run_to_dict
from dpaudit.report.audited import UNCHECKED
from dpaudit.report.html import report_fragment
from dpaudit.report.junit import run_junit
from dpaudit.report.markdown import run_markdown
from dpaudit.report.page.document import run_html
from dpaudit.report.sarif import run_sarif

ROOT = Path(__file__).parents[2]
PEOPLE = AddRemove(Real(0, 1))
CLAIM = PureDP(1.0)


def count(data, rng):
    return len(data) + rng.laplace(scale=1.0)


def total(data, rng):
    return data.clip(0, 1).sum() + rng.laplace(scale=1.0)


def two_counts(data, rng):
    return [len(data) + rng.laplace(scale=2.0), np.sum(data > 0.5) + rng.laplace(scale=2.0)]


class Altered:
    """A certificate as another prover may hand it out."""

    def __init__(self, content):
        self.content = content

    def to_dict(self):
        return self.content


class Hands:
    """An engine that proves what it is asked, with a certificate of its own."""

    name = "prover"

    def __init__(self, certificate):
        self.certificate = certificate

    def examine(self, subject, claim, neighbors, budget, suspects=(), *, runner, progress=None):
        return Evidence("prover", Verdict.VERIFIED, "proved", certificate=self.certificate)


def audited(certificate):
    return dpaudit.audit(count, CLAIM, PEOPLE, engines=[Hands(certificate)])


@pytest.mark.parametrize("mechanism", [count, total, two_counts])
def test_a_report_says_checked_exactly_where_the_checker_accepts_the_certificate(mechanism):
    report = dpaudit.verify(mechanism, CLAIM, PEOPLE)
    assert report.verdict is Verdict.VERIFIED
    assert report.checked is check(report.certificate.to_dict(), mechanism=mechanism).accepted
    [evidence] = report.evidence
    assert evidence.checked == ProofCheck(True, trusted=evidence.checked.trusted)
    assert "The independent checker accepted the certificate" in report.summary()


def test_no_forged_certificate_makes_a_report_say_checked():
    """Another statement, true or false, is put in its place, and the digest made to fit."""
    from dpaudit.checker.file import digest

    honest = dpaudit.verify(count, CLAIM, PEOPLE).certificate.to_dict()
    for name, others in {
        "claim": ["PureDP(0.5)", "PureDP(2.0)", "ApproxDP(1.0, 1e-05)", "GaussianDP(1.0)"],
        "neighbors": ["AddRemove(Real(0, 9), max_size=16)", "ReplaceOne(Real(0, 1), size=5)"],
    }.items():
        for other in others:
            forged = json.loads(json.dumps(honest))
            forged["subject"][name] = other
            forged["digest"] = digest({k: v for k, v in forged.items() if k != "digest"})
            report = audited(Altered(forged))
            assert report.checked is not True
            assert report.certificate is None or report.summary().startswith(UNCHECKED)


def test_a_certificate_that_the_checker_rejects_is_no_proof():
    from dpaudit.checker.file import digest

    forged = dpaudit.verify(count, CLAIM, PEOPLE).certificate.to_dict()
    forged["subject"]["claim"] = "PureDP(0.5)"
    forged["digest"] = digest({k: v for k, v in forged.items() if k != "digest"})
    report = audited(Altered(forged))
    assert report.verdict is Verdict.INCONCLUSIVE
    assert report.certificate is None
    assert report.checked is None
    assert "the checker rejected its certificate" in report.summary()
    assert "fault of dpaudit" in report.summary()


@pytest.mark.parametrize("certificate", [None, object(), Altered({"kind": "cost"}), Altered({})])
def test_a_certificate_that_nobody_can_check_never_counts_as_checked(certificate):
    report = audited(certificate)
    assert report.checked is not True
    if report.verdict is Verdict.VERIFIED:
        assert report.summary().startswith(UNCHECKED)


def _run(*, require_checked=False):
    declared = Audit(count, CLAIM, PEOPLE, expect="VERIFIED", require_checked=require_checked)
    outcome = Outcome(CollectedAudit("audits/a.py::count", declared), audited(None))
    return outcome, run_to_dict([outcome], (), 0)


@pytest.mark.parametrize("written", [run_sarif, run_html, run_markdown, run_junit])
def test_every_format_tells_a_proof_that_was_not_checked(written):
    _, run = _run()
    assert UNCHECKED in written(run) or '"dpaudit.checked" value="False"' in written(run)


def test_the_table_the_json_and_the_notebook_tell_a_proof_that_was_not_checked():
    outcome, run = _run()
    assert UNCHECKED in row(outcome).cells()
    [audit] = run["audits"]
    assert audit["report"]["verdict"] == "VERIFIED"
    assert audit["report"]["checked"] is False
    assert "no certificate" in audit["report"]["evidence"][0]["checked"]["reason"]
    assert UNCHECKED in report_fragment(outcome.report)


def test_sarif_has_a_result_for_a_proof_that_was_not_checked_and_none_for_one_that_was():
    _, run = _run()
    results = json.loads(run_sarif(run))["runs"][0]["results"]
    assert [(r["ruleId"], r["level"]) for r in results] == [("unchecked-proof", "warning")]
    proved = Outcome(
        CollectedAudit("audits/a.py::count", Audit(count, CLAIM, PEOPLE)),
        dpaudit.verify(count, CLAIM, PEOPLE),
    )
    assert json.loads(run_sarif(run_to_dict([proved], (), 0)))["runs"][0]["results"] == []


def test_a_proof_that_was_not_checked_is_unexpected_where_the_check_is_required():
    assert _run()[0].status is Status.OK
    assert _run(require_checked=True)[0].status is Status.UNEXPECTED
    declared = Audit(count, CLAIM, PEOPLE, expect="VERIFIED", require_checked=True)
    assert declared.met_by(dpaudit.verify(count, CLAIM, PEOPLE))
    assert declared.met_by(replace(audited(None), evidence=())) is False


@pytest.mark.parametrize("command", ["verify", "audit", "run"])
def test_the_option_makes_a_proof_that_was_not_checked_fail(tmp_path, command):
    """Alignments are checked by cvc5, which is hidden here."""
    (tmp_path / "cvc5.py").write_text("raise ModuleNotFoundError('cvc5 is hidden', name='cvc5')\n")
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'a'\n")
    (tmp_path / "above.py").write_text(
        "def first(q, rng, epsilon=1.0):\n"
        "    noisy = 0.5 + rng.laplace(scale=2 / epsilon)\n"
        "    for i in range(len(q)):\n"
        "        if q[i] + rng.laplace(scale=4 / epsilon) >= noisy:\n"
        "            return i\n"
        "    return -1\n"
    )
    (tmp_path / "audits.py").write_text(
        "from dpaudit import Audit, PureDP, QueryAnswers\n"
        "from above import first\n"
        "proved = Audit(first, PureDP(1.0), QueryAnswers(5), expect='VERIFIED', max_calls=3000)\n"
    )
    stated = ["above:first", "--claim", "PureDP(1.0)", "--neighbors", "QueryAnswers(5)"]
    arguments = {
        "verify": ["verify", *stated],
        "audit": ["audit", *stated, "--expect", "VERIFIED", "--max-calls", "3000"],
        "run": ["run", "audits.py"],
    }[command]

    def code(*more):
        path = os.pathsep.join([str(tmp_path), str(ROOT)])
        done = subprocess.run(
            [sys.executable, "-m", "dpaudit", *arguments, *more],
            cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True,
        )  # fmt: skip
        assert UNCHECKED in done.stdout, done.stdout + done.stderr
        return done.returncode

    assert code() == 0
    assert code("--require-checked") == 1
