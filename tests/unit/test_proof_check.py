"""A report says VERIFIED only where the checker accepted the certificate in the same run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, PureDP, Real, Verdict
from dpaudit.checker import check
from dpaudit.checker.file import digest
from dpaudit.evidence import Evidence, ProofCheck
from tests.sweeps import sampled

ROOT = Path(__file__).parents[2]
PEOPLE = AddRemove(Real(0, 1))
CLAIM = PureDP(1.0)


def count(data, rng):
    return len(data) + rng.laplace(scale=1.0)


def total(data, rng):
    return data.clip(0, 1).sum() + rng.laplace(scale=1.0)


def two_counts(data, rng):
    return [len(data) + rng.laplace(scale=2.0), np.sum(data > 0.5) + rng.laplace(scale=2.0)]


def count_by_keyword(data, epsilon=1.0, *, rng):
    return len(data) + rng.laplace(scale=1.0 / epsilon)


def count_by_name(data, epsilon=1.0, rng=None):
    rng = np.random.default_rng() if rng is None else rng
    return len(data) + rng.laplace(scale=1.0 / epsilon)


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


@pytest.mark.parametrize("mechanism", [count, total, two_counts, count_by_keyword, count_by_name])
def test_what_is_verified_has_a_certificate_that_the_checker_accepts(mechanism):
    report = dpaudit.verify(mechanism, CLAIM, PEOPLE)
    assert report.verdict is Verdict.VERIFIED
    assert report.checked
    assert check(report.certificate.to_dict(), mechanism=mechanism).accepted
    [evidence] = report.evidence
    assert evidence.checked == ProofCheck(True, trusted=evidence.checked.trusted)
    assert "The checker accepted the certificate" in report.summary()


def test_no_forged_certificate_is_verified():
    """Another statement, true or false, is put in its place, and the digest made to fit."""
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
            assert report.verdict is Verdict.INCONCLUSIVE
            assert report.certificate is None
            assert report.checked is None


def test_a_certificate_that_the_checker_rejects_is_a_fault_that_the_report_names():
    forged = dpaudit.verify(count, CLAIM, PEOPLE).certificate.to_dict()
    forged["subject"]["claim"] = "PureDP(0.5)"
    forged["digest"] = digest({k: v for k, v in forged.items() if k != "digest"})
    report = audited(Altered(forged))
    assert "the checker rejected its certificate" in report.summary()
    assert "fault of dpaudit" in report.summary()


@pytest.mark.parametrize("certificate", [None, object(), Altered({"kind": "cost"}), Altered({})])
def test_a_certificate_that_nobody_can_check_is_no_proof(certificate):
    report = audited(certificate)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert report.certificate is None


@pytest.mark.parametrize("command", sampled(["verify", "audit", "run"], 2))
def test_without_the_solver_that_checks_it_a_proof_is_none(tmp_path, command):
    """Alignments are checked by cvc5, which is hidden here."""
    (tmp_path / "cvc5.py").write_text("raise ModuleNotFoundError('cvc5 is hidden', name='cvc5')\n")
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'a'\n")
    (tmp_path / "above.py").write_text(
        "def first(q, rng, epsilon=1.0):\n"
        "    noisy = 0.5 + rng.laplace(scale=2 / epsilon)\n"
        "    for i in range(len(q)):\n"
        "        value = q[i] + rng.laplace(scale=4 / epsilon)\n"
        "        if value >= noisy:\n"
        "            return i, value - noisy\n"
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
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-m", "dpaudit", *arguments],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    assert "VERIFIED, " not in done.stdout
    if command == "verify":
        assert "cvc5 is not installed" in done.stdout
