"""A red run goes green by a baseline, and red again when its day has passed."""

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from dpaudit.cli import cli

MECHANISM = """
def leak(data, rng):
    return len(data)
"""
AUDITS = """
from dpaudit import Audit, Pairs, PureDP
from accepted_house import leak

raw = Audit(leak, PureDP(1.0), Pairs([([1.0], [1.0, 1.0])]), engines=["statistical"])
"""
FEW = ("--max-calls", "2000", "--isolation", "none")


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text('[tool.dpaudit]\nbaseline = "known.toml"\n')
    (tmp_path / "known.toml").write_text("")
    (tmp_path / "accepted_house.py").write_text(MECHANISM)
    (tmp_path / "audits").mkdir()
    (tmp_path / "audits" / "counts.py").write_text(AUDITS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def dpaudit(*arguments):
    return CliRunner().invoke(cli, arguments)


def test_a_known_finding_is_accepted_until_its_day(project):
    assert dpaudit("run", *FEW).exit_code == 1
    made = dpaudit("baseline", "--reason", "gone in May", "--until", "2999-05-31")
    assert made.exit_code == 0, made.output
    done = dpaudit("run", *FEW, "--json", "run.json")
    assert done.exit_code == 0, done.output
    assert "audits/counts.py::raw: accepted until 2999-05-31: gone in May" in done.output
    assert "1 audit: 0 as expected, 1 accepted" in done.output
    [audit] = json.loads((project / "run.json").read_text())["audits"]
    assert (audit["status"], audit["report"]["verdict"]) == ("ACCEPTED", "REFUTED")
    assert "better" in dpaudit("compare", "-2", "-1").output
    plugin = ("-p", "dpaudit.pytest_plugin", "-p", "no:cacheprovider", "--dpaudit-max-calls=2000")
    tests = subprocess.run(
        [sys.executable, "-m", "pytest", *plugin],
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert tests.returncode == 0, tests.stdout + tests.stderr
    assert "1 xfailed" in tests.stdout
    assert "\n1 audit: 1 accepted\n" in tests.stdout
    known = project / "known.toml"
    known.write_text(known.read_text().replace("2999", "2001"))
    late = dpaudit("run", *FEW)
    assert late.exit_code == 1
    assert "known.toml:1: error: the acceptance of " in late.output
    assert "1 UNEXPECTED" in late.output
    renewed = dpaudit("baseline", "--reason", "gone in June", "--until", "2999-06-30")
    assert renewed.output == "1 entry added to known.toml in the place of one that has expired\n"
    assert "2001" not in known.read_text()
    assert dpaudit("run", *FEW).exit_code == 0


def test_an_entry_that_has_expired_is_an_error_though_every_audit_is_as_expected(project):
    entry = '[[accept]]\naudit = "audits/counts.py::raw"\nids = ["DPA101"]\nreason = "x"\n'
    (project / "known.toml").write_text(entry + "until = 2001-01-01\n")
    declared = AUDITS.replace("engines", 'expect="REFUTED", engines')
    (project / "audits" / "counts.py").write_text(declared)
    done = dpaudit("run", *FEW)
    assert done.exit_code == 1
    assert "known.toml:1: error: the acceptance of DPA101 of audits/counts.py::raw" in done.output


def test_a_day_that_has_passed_is_refused_and_the_file_stays_as_it_is(project):
    assert dpaudit("run", *FEW).exit_code == 1
    late = dpaudit("baseline", "--reason", "gone in May", "--until", "2001-05-31")
    assert late.exit_code == 2
    assert "--until is the last day, and 2001-05-31 has passed; give a later one" in late.output
    assert (project / "known.toml").read_text() == ""


def test_the_hint_is_the_command_that_reads_the_file(project):
    found = {"findings": [{"file": "accepted_house.py", "line": 3, "id": "DPA101"}]}
    (project / "lint.json").write_text(json.dumps(found))
    given = ("baseline", "lint.json", "--reason", "x", "--until", "2999-05-31")
    other = dpaudit(*given, "--output", "my known.toml")
    used = "to use it, add --baseline 'my known.toml' to dpaudit lint PATH, or baseline = "
    assert f'added to my known.toml; {used}"my known.toml" to [tool.dpaudit]' in other.output
    assert dpaudit(*given).output.endswith("added to known.toml\n")  # the settings name it


def test_an_empty_beacon_is_refused(project):
    done = dpaudit("run", *FEW, "--beacon", " ")
    assert (done.exit_code, "--beacon is empty; give a public value" in done.output) == (2, True)


@pytest.mark.parametrize(
    "command",
    [
        ("run", *FEW),
        (
            "audit",
            "accepted_house:leak",
            "--claim",
            "PureDP(1.0)",
            "--neighbors",
            "AddRemove(Real(0, 1))",
        ),
    ],
    ids=["run", "audit"],
)
def test_a_beacon_and_a_seed_contradict_each_other(project, command):
    done = dpaudit(*command, "--beacon", "3f2a9c1", "--seed", "7")
    said = " ".join(done.output.split())
    assert done.exit_code == 2
    assert "--beacon derives the seed, and --seed 7 gives one; leave one of them out" in said
    assert not (project / ".dpaudit").exists()


def test_a_store_that_is_no_database_is_named_with_a_remedy(project):
    (project / ".dpaudit").mkdir()
    (project / ".dpaudit" / "runs.sqlite").write_text("no database " * 1_000)
    said = dpaudit("compare", "-2", "-1").output
    assert "runs.sqlite cannot be used (file is not a database); move it away" in " ".join(
        said.split()
    )


def test_an_entry_for_an_audit_that_is_mended_is_a_warning(project):
    entry = '[[accept]]\naudit = "audits/counts.py::raw"\nids = ["DPA101"]\nreason = "x"\n'
    (project / "known.toml").write_text(entry + "until = 2999-01-01\n")
    declared = AUDITS.replace("engines", 'expect="REFUTED", engines')
    (project / "audits" / "counts.py").write_text(declared)
    done = dpaudit("run", *FEW)
    assert done.exit_code == 0, done.output
    assert "known.toml:1: warning: DPA101 of audits/counts.py::raw was not found" in done.output


def test_an_entry_for_a_file_outside_of_the_repository_is_said_to_hold_here_only(project):
    found = {"findings": [{"file": "/elsewhere/house.py", "line": 3, "id": "DPA101"}]}
    (project / "lint.json").write_text(json.dumps(found))
    given = ("baseline", "lint.json", "--reason", "x", "--until", "2999-05-31")
    assert "so its entry holds on this machine only" in dpaudit(*given).output
