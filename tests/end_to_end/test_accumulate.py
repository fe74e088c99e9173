"""`dpaudit run --accumulate` as users run it: night after night, killed, changed, two at a time."""

import json
import os
import shlex
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

MECHANISMS = """
import time

def count(data, rng):
    time.sleep({pause})
    return len(data) + rng.laplace()

def other(data, rng):
    return len(data) + rng.laplace()
"""
AUDITS = """
from dpaudit import Audit, Pairs, PureDP
from house import count, other

PAIRS = Pairs([([1.0], [1.0, 1.0])])
first, second = (
    Audit(m, PureDP(1.0), PAIRS, alpha=1e-3, engines=["statistical"], expect="INCONCLUSIVE")
    for m in (count, other)
)
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "audits").mkdir()
    (tmp_path / "audits" / "counts.py").write_text(AUDITS)
    write(tmp_path, 0.0)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(project, pause):
    (project / "house.py").write_text(MECHANISMS.format(pause=pause))


def start(*arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "dpaudit", "run", "--accumulate", *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip


def night(*arguments):
    process = start("--json", "night.json", *arguments)
    out, err = process.communicate(timeout=600)
    return process.returncode, out, err


def found(project, name):
    audits = json.loads((project / "night.json").read_text())["audits"]
    [audit] = [each for each in audits if each["name"].endswith(name)]
    return audit


def evidence(project, name):
    return found(project, name)["report"]["evidence"][0]


def committed(project):
    """Return (night, calls) of the nights of the first audit."""
    [file] = (project / ".dpaudit" / "nights").glob("*first*.sqlite")
    base = sqlite3.connect(file)
    rows = base.execute("SELECT number, calls FROM nights ORDER BY number").fetchall()
    base.close()
    return rows


def test_nights_add_up_two_at_a_time_until_the_code_changes(project):
    for number in (1, 2):
        code, out, err = night("--jobs", "2", "--max-calls", "120")
        assert code == 0, out + err
        assert out.count(f"in {number} night") == 2
    for name in ("first", "second"):
        assert evidence(project, name)["nights"]["number"] == 2
        assert 200 <= evidence(project, name)["calls"] <= 240
    used = evidence(project, "first")["seed"]
    code, out, err = night("--select", "first", "--seed", str(used))
    assert code == 3
    assert f"the seed {used} was used in night 2 of audits/counts.py::first" in out
    write(project, 0.0001)
    code, out, err = night("--select", "first", "--max-calls", "120")
    assert code == 0, out + err
    now = evidence(project, "first")
    assert (now["nights"]["number"], now["calls"] <= 120) == (1, True)
    assert any("the code and mechanism changed since the last night" in n for n in now["notes"])


def test_a_night_that_is_killed_counts_at_its_last_committed_batch(project):
    write(project, 0.002)
    process = start("--select", "first", "--max-calls", "100000")
    while True:
        assert process.poll() is None, process.communicate()
        time.sleep(0.2)
        files = list((project / ".dpaudit" / "nights").glob("*first*"))  # locked, not to be read
        if sum(file.stat().st_size for file in files) > 200_000:
            break
    code, out, _ = night("--select", "first", "--max-calls", "100")
    assert code == 3
    assert "another run accumulates evidence on audits/counts.py::first now" in out
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    [(_, before)] = committed(project)
    assert before >= 32
    code, out, err = night("--select", "first", "--max-calls", "100")
    assert code == 0, out + err
    now = evidence(project, "first")
    assert now["nights"]["number"] == 2
    assert now["calls"] == before + now["nights"]["calls"]
    assert now["nights"]["calls"] > 0


def test_what_does_not_go_together_is_refused(project):
    process = start("--resume")
    _, err = process.communicate(timeout=600)
    assert (process.returncode, "leave --resume out" in err) == (2, True)
    code, _, err = night("--beacon", "a coin")
    assert (code, "leave one of them out" in err) == (2, True)
    (project / ".dpaudit").write_text("no folder")
    code, _, err = night()
    assert code == 2
    assert "is a file, where a folder is to be; move it away" in " ".join(err.split())


def test_a_night_that_is_stopped_says_how_to_go_on_and_does(project):
    write(project, 0.002)
    options = ["--select", "first", "--certificates", "proofs"]
    process = start(*options, "--seed", "7", "--max-calls", "100000")
    while not list((project / ".dpaudit" / "nights").glob("*first*")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    process.terminate()
    out, err = process.communicate(timeout=600)
    assert process.returncode == 130, err
    said, _, command = out.splitlines()[-1].partition(": ")
    assert said == "to continue this run"
    program, subcommand, *again = shlex.split(command)
    assert (program, subcommand) == ("dpaudit", "run")
    # The seed may be used up, and a night takes no --resume.
    assert sorted(again) == sorted(["--accumulate", *options, "--max-calls", "100000"])
    again[again.index("100000")] = "100"
    again.remove("--accumulate")  # start says it
    process = start(*again)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err


def test_a_seed_of_a_plain_run_is_no_new_one(project):
    plain = [sys.executable, "-m", "dpaudit", "run", "--select", "second", "--max-calls", "60"]
    subprocess.run([*plain, "--seed", "7"], check=False, capture_output=True, timeout=600)
    code, out, _ = night("--select", "second", "--seed", "7")
    assert code == 3
    assert "the seed 7 was used in a run that is stored of audits/counts.py::second" in out
