"""Commands end with their verdict: whatever an import leaves running, and wherever output goes."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sweeps import sampled

ROOT = Path(__file__).parents[2]
NOUNS = ("--claim", "PureDP(1.0)", "--neighbors", "AddRemove(Real(0, 1), max_size=3)")
COMMANDS = {"audit": ("--max-calls", "500"), "verify": ()}
THREADS = {
    "one that sleeps": "threading.Thread(target=time.sleep, args=(600,)).start()",
    "one of an executor": "ThreadPoolExecutor(1).submit(time.sleep, 600)",
    "one that starts others": "def again():\n    time.sleep(0.05)\n"
    "    threading.Thread(target=again).start()\nagain()",
}


@pytest.fixture
def project(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'hostile'\n")
    return tmp_path


def dpaudit(folder, *words, output=subprocess.PIPE):
    return subprocess.run(
        [sys.executable, "-m", "dpaudit", *map(str, words)],
        cwd=folder, stdout=output, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
        timeout=600, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


@pytest.mark.parametrize("command", sampled(COMMANDS, 1))
@pytest.mark.parametrize("thread", THREADS)
def test_a_thread_that_an_import_starts_does_not_keep_the_command(project, thread, command):
    (project / "threads.py").write_text(
        "import threading, time\nfrom concurrent.futures import ThreadPoolExecutor\n"
        f"{THREADS[thread]}\n\n\ndef leak(data, rng):\n    return float(len(data))\n"
    )
    done = dpaudit(project, command, "threads:leak", *NOUNS, *COMMANDS[command])
    assert done.returncode == 1, done.stderr
    assert "REFUTED" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
@pytest.mark.parametrize("command", sampled(COMMANDS, 1))
@pytest.mark.parametrize("body", ["float(len(data))", "len(data) + rng.laplace(scale=1.0)"])
def test_a_verdict_that_cannot_be_written_is_no_pass_and_no_traceback(project, command, body):
    (project / "release.py").write_text(f"def release(data, rng):\n    return {body}\n")
    with Path("/dev/full").open("w") as full:
        done = dpaudit(project, command, "release:release", *NOUNS, *COMMANDS[command], output=full)
    assert done.returncode not in (0, 120), done.stderr
    assert "Traceback" not in done.stderr
    assert "No space left on device" in done.stderr


@pytest.mark.parametrize("command", ["run", "lint"])
def test_a_folder_that_cannot_be_searched_is_said_in_one_line(project, monkeypatch, command):
    from click.testing import CliRunner

    from dpaudit.cli import cli

    def refused(*_):
        raise OSError(22, "Invalid argument", "/proc/1/task/1/net")

    monkeypatch.setattr(Path, "rglob", refused)
    done = CliRunner().invoke(cli, [command, str(project)])
    assert done.exit_code == 2
    assert "cannot be searched (/proc/1/task/1/net: Invalid argument)" in done.output


def test_more_jobs_than_any_machine_has_are_refused(project):
    done = dpaudit(project, "audit", "release:release", *NOUNS, "--jobs", 100_000)
    assert done.returncode == 2
    assert "100000 is not in the range" in done.stderr


AUDITS = """\
import dpaudit

PEOPLE = dpaudit.AddRemove(dpaudit.Real(0, 1), max_size=3)


def count(data, rng):
    return len(data) + rng.laplace(scale=1.0)


def leak(data, rng):
    return float(len(data))


bad = dpaudit.Audit(leak, dpaudit.PureDP(1.0), PEOPLE)
good = dpaudit.Audit(count, dpaudit.PureDP(1.0), PEOPLE)
caught = dpaudit.Audit(leak, dpaudit.PureDP(1.0), PEOPLE, expect="DPA101")
"""
ODD = (None, True, -1, "", "x", "\x1b[31m", [], {}, [1], {"a": 1}, 10**30, "OK", "NOT_REFUTED")


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """A run that was stopped at its very end, and what it kept by the audit's name."""
    folder = tmp_path_factory.mktemp("stopped")
    (folder / "pyproject.toml").write_text("")
    (folder / "audits").mkdir()
    (folder / "audits" / "one.py").write_text(AUDITS)
    assert dpaudit(folder, "run", "--engines", "formal").returncode == 1
    base = sqlite3.connect(folder / ".dpaudit" / "runs.sqlite")
    base.execute("UPDATE runs SET ended = NULL, result = NULL")
    base.commit()
    rows = base.execute("SELECT name, result FROM audits").fetchall()
    base.close()
    return folder, {name.partition("::")[2]: json.loads(text) for name, text in rows}


def collected(folder):
    from dpaudit.collect import collect

    return {each.name.partition("::")[2]: each for each in collect([folder / "audits"]).audits}


def test_what_a_run_kept_is_taken_over_and_that_is_said(stopped):
    from dpaudit.recalled import is_usable

    folder, kept = stopped
    audits = collected(folder)
    for name, audit in audits.items():
        assert is_usable(audit, {**kept[name], "name": audit.name})
    done = dpaudit(folder, "run", "--engines", "formal", "--resume")
    assert done.returncode == 1
    assert "3 of 3 audits as the store has them" in done.stderr
    base = sqlite3.connect(folder / ".dpaudit" / "runs.sqlite")
    base.execute("UPDATE runs SET ended = NULL, result = NULL")
    forged = json.dumps({**kept["bad"], "status": "OK"})
    base.execute("UPDATE audits SET result = ? WHERE name LIKE '%::bad'", (forged,))
    base.commit()
    base.close()
    done = dpaudit(folder, "run", "--engines", "formal", "--resume")
    assert done.returncode == 2
    assert "::bad is no result of it; run without --resume" in done.stderr


def test_what_is_no_result_of_an_audit_is_not_taken_over(stopped):
    """Neither that of another audit, nor one of which a part is odd, where a part is read."""
    from dpaudit.outcome import Outcome, Status, row
    from dpaudit.recalled import is_usable

    folder, kept = stopped
    audits = collected(folder)
    for name, audit in audits.items():
        own = {**kept[name], "name": audit.name}
        for other in kept.keys() - {name}:
            assert not is_usable(audit, {**kept[other], "name": audit.name})
        for status in Status:
            said = {**own, "status": status.name}
            fits = {"bad": ("UNEXPECTED", "ACCEPTED"), "good": ("OK", "UNEXPECTED"),
                    "caught": ("OK", "UNEXPECTED", "ACCEPTED")}  # fmt: skip
            assert is_usable(audit, said) is (status.name in fits[name])
        for part, odd in ((part, odd) for part in own for odd in ODD):
            changed = [{**own, part: odd}]
            if part == "report":
                changed += [{**own, part: {**own[part], each: odd}} for each in own[part]]
            for each in filter(lambda each: is_usable(audit, each), changed):
                outcome = Outcome(audit, recalled=each)
                assert outcome.status.name in fits[name]
                assert row(outcome).found is not None
                assert "\x1b" not in outcome.said
