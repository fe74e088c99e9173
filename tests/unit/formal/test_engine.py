"""What the formal engine says to those who ask: verdict, certificate, counterexample, reason."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dpaudit
from dpaudit import AddRemove, AnyPair, Categorical, PureDP, QueryAnswers, Real, Verdict
from dpaudit.formal.trial.affine import NotAffine
from dpaudit.formal.trial.calls import call
from dpaudit.formal.trial.path_choices import Oracle
from mechanisms.above_threshold import above_threshold
from mechanisms.clipped_sum import clipped_sum
from mechanisms.flawed.laplace_half_scale import laplace_half_scale
from mechanisms.flawed.svt_no_query_noise import svt_no_query_noise
from mechanisms.gap_sparse_vector import gap_sparse_vector
from mechanisms.mean import mean_private_size
from mechanisms.randomized_response import k_randomized_response, randomized_response

ROOT = Path(__file__).parents[3]
EVERYBODY = AddRemove(Real(0, 100))


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors", "kind"),
    [
        (mean_private_size, PureDP(1.0), EVERYBODY, "cost"),
        (gap_sparse_vector, PureDP(1.0), QueryAnswers(4), "alignment"),
        (k_randomized_response, PureDP(1.0), AnyPair(Categorical(range(4))), "exact"),
    ],
    ids=["cost", "alignment", "exact"],
)
def test_a_proof_comes_with_a_certificate_and_its_assumptions(mechanism, claim, neighbors, kind):
    report = dpaudit.verify(mechanism, claim, neighbors)
    assert report.verdict is Verdict.VERIFIED, report.reason
    assert report.certificate.to_dict()["kind"] == kind
    assert "numbers are real" in " ".join(report.assumptions)
    assert json.loads(json.dumps(report.to_dict()))["verdict"] == "VERIFIED"
    assert report.calls == 0


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors"),
    [
        (clipped_sum, PureDP(0.9), EVERYBODY),
        (randomized_response, PureDP(1.0), AnyPair(Categorical([0, 1]))),
        (laplace_half_scale, PureDP(1.0), AnyPair(Real(0, 1))),
        (svt_no_query_noise, PureDP(1.0), QueryAnswers(10)),
    ],
)
def test_a_refutation_comes_with_two_datasets_and_an_event(mechanism, claim, neighbors):
    report = dpaudit.verify(mechanism, claim, neighbors)
    assert report.verdict is Verdict.REFUTED, report.reason
    assert report.findings[0].level == "error"
    assert report.findings[0].engine == "formal"
    assert report.witness.event.words
    assert "Witness" in report.summary()


def test_the_line_that_stops_a_proof_is_named():
    def reads_a_file(data, rng):
        with open("/dev/null") as file:
            return len(file.read()) + rng.laplace()

    report = dpaudit.verify(reads_a_file, PureDP(1.0), EVERYBODY)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert re.search(r"test_engine\.py:\d+", report.reason)


@pytest.mark.parametrize("mechanism", [len, max, sum])
def test_what_has_no_source_is_inconclusive(mechanism):
    report = dpaudit.verify(mechanism, PureDP(1.0), EVERYBODY)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert report.reason


def test_proofs_about_real_numbers_do_not_answer_for_floats():
    report = dpaudit.audit(
        clipped_sum, PureDP(1.0), EVERYBODY, engines=["formal"], arithmetic="float"
    )
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "floats" in report.reason


@pytest.mark.parametrize("timeout", [0, -1.0, True, float("nan")])
def test_a_timeout_that_is_none_is_an_error(timeout):
    with pytest.raises(ValueError, match="`timeout` must be positive"):
        dpaudit.verify(clipped_sum, PureDP(1.0), EVERYBODY, timeout=timeout)


def test_a_moment_is_too_short_for_a_proof_and_never_a_pass():
    report = dpaudit.verify(above_threshold, PureDP(1.0), QueryAnswers(10), timeout=1e-9)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "1e-09 s of real time ended" in report.reason


def test_the_replay_of_a_counterexample_runs(tmp_path):
    report = dpaudit.verify(laplace_half_scale, PureDP(1.0), AnyPair(Real(0, 1)))
    script = tmp_path / "replay.py"
    script.write_text(report.witness.script(), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_command_line_verifies_and_writes_the_certificate(tmp_path):
    command = [sys.executable, "-m", "dpaudit", "verify"]
    claim = ["--claim", "PureDP(1.0)", "--neighbors", "AddRemove(Real(0, 100))"]
    file = tmp_path / "certificate.json"
    done = subprocess.run(
        [*command, "mechanisms.clipped_sum:clipped_sum", *claim, "--certificate", str(file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("VERIFIED")
    assert json.loads(file.read_text())["kind"] == "cost"
    missing = subprocess.run(
        [*command, "mechanisms.clipped_sum:clipped_sums", *claim],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert missing.returncode == 2


@pytest.mark.parametrize("name", ["posix._exit", "builtins.open", "method.to_csv", "shutil.rmtree"])
def test_what_does_more_than_compute_is_not_run_to_find_a_counterexample(name):
    with pytest.raises(NotAffine, match=r"more than compute|not known to be deterministic"):
        call(name, ["counts.csv"], {}, Oracle([]))
