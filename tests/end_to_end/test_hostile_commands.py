"""Commands end with their verdict: whatever an import leaves running, and wherever output goes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
        timeout=60, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
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
@pytest.mark.parametrize("command", COMMANDS)
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
