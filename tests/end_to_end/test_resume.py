"""A run that is killed has lost nothing that it had finished, and goes on."""

import json
import os
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from dpaudit.cli import cli
from dpaudit.store import FILE, FOLDER, Store, StoreError

MECHANISMS = """
import os
import time

def fast(data, rng):
    return len(data) + rng.laplace()

def slow(data, rng):
    time.sleep({pause})
    return len(data) + rng.laplace()
"""
AUDITS = """
from dpaudit import Audit, Pairs, PureDP
from house import fast, slow

PAIRS = Pairs([([1.0], [1.0, 1.0])])
first, second = (
    Audit(m, PureDP({epsilon}), PAIRS, max_calls=3_000, alpha=1e-3, engines=["statistical"])
    for m in (fast, slow)
)
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "audits").mkdir()
    (tmp_path / "audits" / "counts.py").write_text(AUDITS.format(epsilon=1.0))
    write(tmp_path, 0.0)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(project, pause):
    (project / "house.py").write_text(MECHANISMS.format(pause=pause))


def start(*arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "dpaudit", "run", *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip


def finished(project):
    base = sqlite3.connect(project / FOLDER / FILE)
    try:
        return base.execute("SELECT name FROM audits").fetchall()
    except sqlite3.OperationalError:  # the file is there before its tables are
        return []
    finally:
        base.close()


def killed_in_the_second(project):
    process = start()
    while not (project / FOLDER / FILE).exists() or not finished(project):
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def resume(*arguments):
    process = start("--resume", *arguments)
    out, err = process.communicate(timeout=600)
    return process.returncode, out, err


def timeless(value):
    if isinstance(value, dict):
        return {k: timeless(v) for k, v in value.items() if k not in ("seconds", "provenance")}
    return list(map(timeless, value)) if isinstance(value, list) else value


def timeless_text(output):
    """Return what was printed without seconds, and without the widths that they give."""
    return [re.sub(r"\d+\.\d+(?: s|(?=  \S*$))|\d+ ms|  +", " ", x) for x in output.splitlines()]


def test_a_killed_run_goes_on_and_says_what_one_without_a_break_says(project):
    write(project, 0.001)
    killed_in_the_second(project)
    code, out, err = resume("--json", "resumed.json")
    assert code == 0, err
    assert "counts.py::first" not in err  # it was not run again
    assert "2 audits: 2 as expected; 6,000 calls" in out  # a single call makes no pair
    done = start("--json", "whole.json")
    done.communicate(timeout=600)
    resumed, whole = (json.loads((project / f"{n}.json").read_text()) for n in ("resumed", "whole"))
    assert timeless(resumed) == timeless(whole)
    compared = CliRunner().invoke(cli, ["compare", "1", "-1"])
    assert (compared.exit_code, compared.output) == (0, "2 audits: 2 same\n")
    start("--select", "first").communicate(timeout=600)
    compared = CliRunner().invoke(cli, ["compare", "-2", "-1"])
    assert (compared.exit_code, compared.output.splitlines()) == (
        0,
        [
            "other  audits/counts.py::second: not run: the new run was not asked for it",
            "2 audits: 1 other, 1 same",
        ],
    )


@pytest.mark.skipif(sys.platform == "win32", reason="nothing frees semaphores there")
def test_what_a_killed_run_leaves_is_freed_without_a_word(project):
    """Its workers and the tracker of its semaphores outlive it, and hold what it printed to."""
    place = str(project / "running")  # files would be kept away from the folder
    marked = f"os.path.lexists({place!r}) or os.symlink('/', {place!r}); time.sleep"
    (project / "house.py").write_text(MECHANISMS.format(pause=0.02).replace("time.sleep", marked))
    process = start()
    while not (project / "running").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    process.kill()
    _, err = process.communicate(timeout=600)
    assert "leaked semaphore" not in err


def test_a_run_of_other_code_or_options_does_not_go_on(project):
    write(project, 0.001)
    killed_in_the_second(project)
    code, _, err = resume("--max-calls", "900")
    said = "was asked otherwise: max_calls not given, now 900; repeat its command"
    assert (code, said in " ".join(err.split())) == (2, True)
    code, _, err = resume("--seed", "5")
    assert (code, "seed not given, now 5; repeat" in " ".join(err.split())) == (2, True)
    write(project, 0.002)
    code, _, err = resume()
    said = "house.py has changed since that run began, and its audits may depend on it"
    assert (code, said in " ".join(err.split())) == (2, True)


def test_a_file_that_no_audit_depends_on_is_in_the_way_of_no_run(project):
    write(project, 0.001)
    killed_in_the_second(project)
    (project / "notes.py").write_text("import math\n")
    code, _, err = resume()
    assert code == 0, err


def test_a_run_that_ended_does_not_go_on(project):
    process = start("--select", "first")
    process.communicate(timeout=600)
    code, _, err = resume("--select", "first")
    assert code == 2
    assert "the last run has ended" in err


def test_a_store_of_another_layout_is_left_alone_and_the_run_goes_without(project):
    Store(project).close()
    base = sqlite3.connect(project / FOLDER / FILE)
    base.execute("PRAGMA user_version = 99")
    base.close()
    with pytest.raises(StoreError, match="has layout 99"):
        Store(project)
    process = start("--select", "first")
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0
    assert "nothing is stored" in err
    assert "1 as expected" in out


def test_a_run_that_is_stopped_says_how_to_go_on_and_does(project):
    write(project, 0.002)
    options = ["audits", "--select", "*counts*", "--seed", "7", "--engines", "statistical"]
    process = start(*options, "--scripts", "scripts", "--timeout", "60")
    while not (project / FOLDER / FILE).exists() or not finished(project):
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    process.terminate()
    out, err = process.communicate(timeout=600)
    assert process.returncode == 130, err
    said, _, command = out.splitlines()[-1].partition(": ")
    assert said == "to continue this run"
    program, subcommand, flag, *again = shlex.split(command)
    assert (program, subcommand, flag) == ("dpaudit", "run", "--resume")
    assert sorted(again) == sorted([*options, "--timeout", "60.0"])  # scripts are not kept
    code, out, err = resume(*again)
    assert code == 0, err
    assert "2 audits: 2 as expected" in out
    assert "to continue" not in out


def test_a_run_that_is_stored_nowhere_does_not_say_that_it_can_go_on(project):
    (project / FOLDER).write_text("in the way")
    write(project, 0.002)
    process = start("--select", "slow")
    assert "nothing is stored" in process.stderr.readline()
    time.sleep(2.0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 130, err
    assert "to continue" not in out


def test_what_is_recalled_is_laid_out_as_in_a_run_without_a_break(project):
    """Fixed seeds: both audits are refuted, whatever the break."""
    (project / "audits" / "counts.py").write_text(AUDITS.format(epsilon=0.1))
    write(project, 0.02)
    killed_in_the_second(project)
    code, resumed, err = resume("--json", "resumed.json")
    assert code == 1, err
    assert "counts.py::first" not in err  # it was not run again
    shutil.rmtree(project / ".dpaudit" / "examples")  # pairs that the run above saved
    whole = start("--json", "whole.json").communicate(timeout=600)[0]
    assert resumed.count("Witness") == 2
    assert timeless_text(resumed) == timeless_text(whole)
    read, stored = (json.loads((project / f"{n}.json").read_text()) for n in ("resumed", "whole"))
    assert timeless(read) == timeless(stored) == timeless(Store(project).result(1))


def test_a_run_that_is_not_there_is_named(project):
    done = CliRunner().invoke(cli, ["compare", "1", "2"])
    assert done.exit_code == 2
    assert "no run 1 has ended; there are none" in done.output
