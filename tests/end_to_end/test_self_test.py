"""`dpaudit run --self-test` names the audits that see nothing, and accuses no other."""

import json

import pytest
from click.testing import CliRunner

from dpaudit.cli import cli

MECHANISMS = """
import os
import dpaudit

def noisy_sum(data, rng):
    return data.clip(0, 100).sum() + rng.laplace(scale=100.0)

@dpaudit.vectorized
def many_sums(data, size, rng):
    return data.clip(0, 100).sum() + rng.laplace(scale=100.0, size=size)

def response(data, rng):
    return int(data) if rng.random() < 0.7 else 1 - int(data)

def without_the_sum(data, rng):
    noisy_sum(data, rng)
    return 0.0

def hidden(data):
    source = os.open("/dev/urandom", os.O_RDONLY)
    try:
        return data.sum() + int.from_bytes(os.read(source, 4), "little")
    finally:
        os.close(source)
"""
AUDITS = """
import dpaudit
from dpaudit import AddRemove, AnyPair, Audit, Integer, PureDP, Real, ReplaceOne
from house import *

people = AddRemove(Real(0, 100), max_size=6)
few = {"max_calls": 3_000, "alpha": 1e-3}

seeing = Audit(noisy_sum, PureDP(1.0), people, **few)
vector = Audit(many_sums, PureDP(1.0), people, **few)
coins = Audit(response, PureDP(1.0), AnyPair(Integer(0, 1)), **few)
loose = Audit(noisy_sum, PureDP(3.0), people, **few)
huge = Audit(noisy_sum, PureDP(60.0), people, **few)
huge_proved = Audit(noisy_sum, PureDP(60.0), people, expect="VERIFIED", **few)
clipped = Audit(noisy_sum, PureDP(1.0), ReplaceOne(Real(100, 200), size=3), **few)
constant = Audit(without_the_sum, PureDP(1.0), people, **few)
unseen = Audit(hidden, PureDP(1.0), people, **few)
flawed = Audit(noisy_sum, PureDP(0.1), people, expect="REFUTED", **few)
static = Audit(noisy_sum, PureDP(1.0), people, engines=["formal"], **few)
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """All audits of the file, tested once, some in processes: by name."""
    project = tmp_path_factory.mktemp("project")
    (project / "pyproject.toml").write_text("")
    (project / "audits").mkdir()
    (project / "audits" / "house_audits.py").write_text(AUDITS)
    (project / "house.py").write_text(MECHANISMS)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project)
        made = CliRunner().invoke(
            cli, ["run", "--self-test", "--jobs", "2", "--json", "found.json"]
        )
    found = json.loads((project / "found.json").read_text())
    assert made.exit_code == found["exit_code"] == 1, made.output
    return {each["name"].partition("::")[2]: each for each in found["self_test"]}, made.output


def sabotages(result):
    return [each["result"] for each in result["sabotages"]]


@pytest.mark.parametrize("name", ["seeing", "vector"])
def test_an_audit_with_a_tight_claim_sees_every_sabotage(results, name):
    """The seed is fixed; a fresh one misses a sabotage in less than 1 of 1,000 runs."""
    result = results[0][name]
    assert result["result"] == "SEES"
    assert sabotages(result) == ["caught", "caught", "caught"]


def test_noise_without_a_scale_is_repeated_instead(results):
    result = results[0]["coins"]
    assert result["result"] == "SEES"
    assert sabotages(result) == ["caught", "not tried", "not tried"]
    assert "it draws random" in result["sabotages"][1]["reason"]


def test_a_claim_that_leaves_room_for_half_the_noise_is_not_called_blind(results):
    result = results[0]["loose"]
    assert result["result"] == "SEES"
    assert sabotages(result) == ["caught", "missed", "missed"]
    assert result["sabotages"][1]["reason"] == "the claim may leave room for it"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("huge", "without noise the outputs differ"),
        ("clipped", "no output differs"),
        ("constant", "no output differs"),
    ],
)
def test_an_audit_that_cannot_see_missing_noise_is_blind(results, name, why):
    assert results[0][name]["result"] == "BLIND"
    assert why in results[0][name]["reason"]


def test_an_audit_that_demands_a_proof_is_told_that_draws_do_not_see(results):
    assert results[0]["huge_proved"]["result"] == "PROOF"


def test_noise_out_of_reach_and_engines_that_do_not_sample_are_undecided(results):
    assert results[0]["unseen"]["result"] == results[0]["static"]["result"] == "UNDECIDED"
    assert "can be intercepted" in results[0]["unseen"]["reason"]
    assert "do not sample" in results[0]["static"]["reason"]


def test_an_audit_that_expects_a_refutation_is_skipped(results):
    assert results[0]["flawed"]["result"] == "SKIPPED"
    assert "skipped     audits/house_audits.py::flawed: it expects REFUTED" in results[1]


@pytest.mark.parametrize(("selected", "code"), [("::seeing", 0), ("::static", 3), ("::flawed", 3)])
def test_the_exit_code_says_whether_all_see(tmp_path, monkeypatch, selected, code):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "audits").mkdir()
    (tmp_path / "audits" / "more_audits.py").write_text(AUDITS)
    (tmp_path / "house.py").write_text(MECHANISMS)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(
        cli, ["run", "--self-test", "--isolation", "none", "--select", selected]
    )
    assert done.exit_code == code, done.output


@pytest.mark.parametrize("option", [["--resume"], ["--report", "a.html"], ["--beacon", "x"]])
def test_options_that_store_or_report_verdicts_are_refused(tmp_path, monkeypatch, option):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ["run", "--self-test", *option])
    assert done.exit_code == 2
    assert f"leave {option[0]} out" in done.output
