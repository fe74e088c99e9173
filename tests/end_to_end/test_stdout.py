"""What goes to stdout by the name - is whole, whatever mechanisms print there."""

import ast
import json
import os
import subprocess
import sys

import pytest

from tests.sweeps import sampled

LOUD = """
import atexit, ctypes, os, subprocess, sys, threading
{loud}
def count(data, rng):
    return len(data) + rng.laplace()

def raw(data, rng):
    {loud}
    return float(len(data))
"""
WAYS = {
    "print": "print('loud')",
    "a partial line": "sys.stdout.write('{')",
    "the first stdout": "sys.__stdout__.write('loud'), sys.__stdout__.flush()",
    "the descriptor": "os.write(1, b'loud')",
    "a child": "subprocess.run([sys.executable, '-c', 'print(1)'])",
    "native code": "ctypes.CDLL(None).puts(b'loud')",
    "a thread": "threading.Thread(target=os.write, args=(1, b'loud')).start()",
    "the end": "atexit.register(os.write, 1, b'loud'), atexit.register(print, 'loud')",
}
AUDITS = """
from dpaudit import Audit, AddRemove, PureDP, Real
from loud_house import count, raw
print("loud")
NEIGHBORS = AddRemove(Real(0, 1), max_size=3)
first = Audit(count, PureDP(1.0), NEIGHBORS, max_calls=2_000)
second = Audit(raw, PureDP(1.0), NEIGHBORS, max_calls=2_000, engines=["statistical"])
"""
NOUNS = ("--claim", "PureDP(1.0)", "--neighbors", "AddRemove(Real(0, 1), max_size=3)")
RAW = ("audit", "loud_house:raw", *NOUNS, "--engines", "statistical", "--max-calls", "2000")


@pytest.fixture
def project(tmp_path):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "audits").mkdir()
    (tmp_path / "audits" / "all.py").write_text(AUDITS)
    return tmp_path


def written(project, way, *command):
    (project / "loud_house.py").write_text(LOUD.format(loud=WAYS[way]))
    done = subprocess.run(
        [sys.executable, "-m", "dpaudit", *command],
        cwd=project,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.mark.parametrize("way", sampled(WAYS, 1))
def test_json_on_stdout_is_json_however_mechanisms_print(project, way):
    found = json.loads(written(project, way, *RAW, "--json", "-"))
    assert found["audits"][0]["report"]["verdict"] == "REFUTED"


def test_a_run_on_stdout_is_json_whose_audit_files_print(project):
    found = json.loads(written(project, "the descriptor", "run", "--json", "-", "--jobs", "2"))
    assert [a["report"]["verdict"] for a in found["audits"]] == ["VERIFIED", "REFUTED"]


@pytest.mark.parametrize("way", sampled(["print", "the descriptor", "the end"], 1))
def test_scripts_certificates_and_diffs_on_stdout_are_whole(project, way):
    assert ast.parse(written(project, way, *RAW, "--script", "-")).body
    proof = ("verify", "loud_house:count", *NOUNS, "--certificate", "-")
    assert json.loads(written(project, way, *proof))["kind"] == "cost"
    fix = ("verify", "loud_house:count", "--claim", "PureDP(0.5)", *NOUNS[2:], "--fix")
    assert written(project, way, *fix).startswith("--- ")


def test_two_outputs_do_not_share_stdout(project):
    (project / "loud_house.py").write_text(LOUD.format(loud="0"))
    done = subprocess.run(
        [sys.executable, "-m", "dpaudit", *RAW, "--json", "-", "--script", "-"],
        cwd=project, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "2 outputs are to go to stdout (-), which holds one; give files" in done.stderr


ENDS = [
    "import os; os._exit(0)", "import os; os._exit(1)", "import posix; posix._exit(0)",
    "import os\nclass A:\n    os._exit(130)",
    "import os; os.execv('/bin/true', ['true'])", "import os; os.execlp('true', 'true')",
]  # fmt: skip


@pytest.mark.parametrize("body", sampled(ENDS, 2))
@pytest.mark.parametrize("command", ["audit", "verify", "run", "list", "check"])
def test_a_module_that_ends_the_process_is_named_with_its_line(project, body, command):
    (project / "loud_house.py").write_text(body)
    given = {
        "run": ("run",),
        "list": ("list",),
        "check": ("check", "pyproject.toml", "--mechanism", "loud_house:count"),
    }.get(command, (command, "loud_house:count", *NOUNS))
    done = subprocess.run(
        [sys.executable, "-m", "dpaudit", *given],
        cwd=project, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 3, done.stdout + done.stderr
    assert "error: os._exit(" in done.stderr or "error: os.exec of" in done.stderr
    assert f"loud_house.py:{len(body.splitlines())}, which ends dpaudit" in done.stderr
    assert "Remove the call from what is imported, or put it under if __name__" in done.stderr
