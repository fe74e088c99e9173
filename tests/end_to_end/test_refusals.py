"""What commands say of what they cannot use: the fact, the value, the remedy, in a sentence."""

import sys

import pytest
from click.testing import CliRunner

from dpaudit.apart import one_line
from dpaudit.beacon.log import LogError
from dpaudit.cli import cli
from dpaudit.nights import NightsError

HOUSE = """
def noisy(data, rng):
    return len(data) + rng.laplace()
"""
AUDITS = """
from dpaudit import Audit, Pairs, PureDP
from refused_house import noisy

PAIRS = Pairs([([1.0], [1.0, 1.0])])
count = Audit(noisy, PureDP(1.0), PAIRS, engines=["statistical"], max_calls=200)
"""
ACCEPT = ("--reason", "known", "--until", "2999-01-01")


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "audits").mkdir()
    (tmp_path / "audits" / "counts.py").write_text(AUDITS)
    (tmp_path / "refused_house.py").write_text(HOUSE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "refused_house", raising=False)
    return tmp_path


def said(*arguments, code=2):
    done = CliRunner().invoke(cli, [*map(str, arguments)])
    assert done.exit_code == code, done.output
    return " ".join(done.output.split())


@pytest.mark.parametrize(
    "command",
    [
        ("compare", "-2", "-1"),
        ("baseline", *ACCEPT),
        ("review", "audits"),
        ("run", "--resume"),
        ("run", "--accumulate"),
        ("run", "--beacon", "abc"),
        ("audit", "refused_house:noisy", "--claim", "PureDP(1.0)", "--beacon", "abc",
         "--neighbors", "AddRemove(Real(0, 1))"),
    ],
    ids=lambda command: " ".join(command[:2]),
)  # fmt: skip
def test_a_file_in_the_place_of_the_store_is_named_before_anything_runs(project, command):
    (project / ".dpaudit").write_text("no folder")
    told = said(*command)
    assert "/.dpaudit is a file, where a folder is to be; move it away" in told
    assert "written" not in told


def test_a_log_that_is_no_database_is_named_before_anything_runs(project):
    (project / ".dpaudit").mkdir()
    (project / ".dpaudit" / "evidence.sqlite").write_text("no database " * 1_000)
    told = said("run", "--beacon", "abc")
    assert "evidence.sqlite cannot be used (file is not a database); put back what was" in told


@pytest.mark.parametrize("kind", [LogError, NightsError])
def test_errors_of_dpaudit_are_sentences_and_those_of_others_have_a_name(kind):
    assert one_line(kind("the log\nis gone")) == "the log is gone"
    assert one_line(kind()) == kind.__name__
    assert one_line(KeyError("a")) == "KeyError: 'a'"


def test_a_night_that_cannot_begin_is_told_in_a_sentence(project):
    assert "in 1 night" in said("run", "--accumulate", "--seed", "4", code=1)
    told = said("run", "--accumulate", "--seed", "4", code=3)
    assert "could not be completed: the seed 4 was used in night 1 of" in told


def test_nights_and_beacons_do_not_go_together_whatever_the_seed(project):
    for more in ((), ("--seed", "4")):
        told = said("run", "--accumulate", "--beacon", "abc", *more)
        assert "--accumulate adds to the evidence of earlier nights, and what --beacon" in told
        assert "leave one of them out" in told


def test_an_inconclusive_audit_under_a_beacon_says_what_the_engines_had(project):
    told = said("run", "--beacon", "abc", code=1)
    assert "the engines have 125 of the 200 calls and 0.75 of alpha" in told
    assert "a certificate has the rest. Raise max_calls, or run without --beacon" in told
    assert "of the 200 calls" not in said("run", code=1)


@pytest.mark.parametrize(
    ("command", "fact"),
    [
        (("compare", "x", "y"), "x cannot be used: it cannot be read (No such file or directory)"),
        (("compare", "bin.json", "y"), "bin.json cannot be used: it is no text in UTF-8 (byte 0)"),
        (("compare", "audits/counts.py", "y"), "audits/counts.py cannot be used: it is no JSON"),
        (("report", "bin.json", "--format", "html"), "it is no text in UTF-8 (byte 0)"),
        (("report", "audits", "--format", "html"), "it cannot be read (Is a directory)"),
        (("review", "audits", "--run", "x"), "--run x cannot be used: it cannot be read"),
        (("baseline", "x", *ACCEPT), "x cannot be used: it cannot be read"),
    ],
)
def test_what_is_no_run_is_refused_with_what_writes_one(project, command, fact):
    (project / "bin.json").write_bytes(b"\xff\xfe\x00")
    told = said(*command)
    assert fact in told
    assert 'give a file that "dpaudit run --json FILE" wrote' in told
    if command[0] != "report":
        assert "or the number of a stored run, such as -1" in told


def test_a_number_of_no_run_is_refused_with_those_that_there_are(project):
    assert "no run -1 has ended; there are none: dpaudit run makes them" in said("compare", -1, 1)
    assert not (project / ".dpaudit").exists()
    said("run", code=1)
    assert "77 cannot be used: no run 77 has ended; there are 1" in said("compare", -1, 77)


def test_files_of_another_kind_are_told_what_is_wanted(project):
    (project / "bin.json").write_bytes(b"\xff\xfe\x00")
    said("run", "--json", "run.json", code=1)
    assert "run.json is no file of Python; give a folder, or a file named *.py" in said(
        "lint", "run.json"
    )
    told = said("run", "--baseline", "bin.json")
    assert "is no text in UTF-8 (byte 0); dpaudit baseline writes one" in told
    assert "dpaudit baseline writes one" in said("run", "--baseline", "run.json")
    assert "the file is no text in UTF-8 (byte 0)" in said("check", "bin.json", code=3)
    assert "dpaudit list shows their names" in said("run", "--select", "another")


def test_a_script_without_an_ending_is_linted(project):
    (project / "release").write_text("#!/usr/bin/env python3\n" + HOUSE)
    assert "1 file" in said("lint", "release", code=0)
