"""`dpaudit run --cache` and `--changed-since`, as a command in processes of its own."""

import json
import subprocess
import sys

import pytest

HOUSE = """
from scale import SCALE

def count(data, rng):
    return len(data) + rng.laplace(scale=SCALE)
"""
OTHER = """
def other(data, rng):
    with open("rate.txt") as file:
        scale = float(file.read())
    return len(data) + rng.laplace(scale=scale)
"""
AUDIT = """
from dpaudit import Audit, Pairs, PureDP
from {module} import {name}

audit = Audit({name}, PureDP(1.0), Pairs([([1.0], [1.0, 1.0])]),
              max_calls=1_000, alpha=1e-2, engines=["statistical"])
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / ".gitignore").write_text("kept\n.dpaudit\n__pycache__\n*.json\n")
    (tmp_path / "audits").mkdir()
    for module, name in (("house", "count"), ("elsewhere", "other")):
        (tmp_path / "audits" / f"{name}s.py").write_text(AUDIT.format(module=module, name=name))
    (tmp_path / "house.py").write_text(HOUSE)
    (tmp_path / "elsewhere.py").write_text(OTHER)
    (tmp_path / "scale.py").write_text("SCALE = 1.0\n")
    (tmp_path / "rate.txt").write_text("1.0")
    return tmp_path


def run(project, *options):
    """Return the exit code, what was said, and which audits were cached and which ran."""
    done = subprocess.run(
        [sys.executable, "-m", "dpaudit", "run", *options, "--json", "run.json"],
        cwd=project, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    audits = json.loads((project / "run.json").read_text())["audits"]
    cached = {each["name"].partition("/")[2]: "cached" in each for each in audits}
    return done.returncode, done.stdout + done.stderr, cached


def test_audits_run_again_when_what_they_depend_on_has_changed(project):
    """The seed is fixed; a fresh one refutes the noise of a tenth in all but 1 of 10,000 runs."""
    first, second = "counts.py::audit", "others.py::audit"
    assert run(project, "--cache", "kept", "--jobs", "2")[2] == {first: False, second: False}
    code, said, cached = run(project, "--cache", "kept")
    assert (code, cached) == (0, {first: True, second: True})
    assert "ok (cached)" in said
    (project / "rate.txt").write_text("0.1")
    code, said, cached = run(project, "--cache", "kept")
    assert (code, cached) == (1, {first: True, second: False})
    (project / "rate.txt").write_text("1.0")
    (project / "scale.py").write_text("SCALE = 0.1\n")
    code, said, cached = run(project, "--cache", "kept")
    assert (code, cached) == (1, {first: False, second: False})  # its saved pair is new
    assert run(project, "--cache", "kept")[2] == {first: False, second: True}


def test_only_audits_that_may_have_changed_run(project):
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        names = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", *names, *arguments], cwd=project, check=True, capture_output=True)
    code, said, ran = run(project, "--changed-since", "HEAD")
    assert (code, ran) == (0, {})
    assert "0 changed files; 0 of 2 audits may depend on them" in said
    (project / "scale.py").write_text("SCALE = 1.5\n")
    assert list(run(project, "--changed-since", "HEAD")[2]) == ["counts.py::audit"]
    done = subprocess.run(
        [sys.executable, "-m", "dpaudit", "run", "--changed-since", "nowhere"],
        cwd=project, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "git does not say what has changed" in done.stderr


@pytest.mark.parametrize("option", [["--resume"], ["--accumulate"], ["--certificates", "proofs"]])
def test_options_that_need_every_audit_to_run_are_refused_with_a_cache(project, option):
    done = subprocess.run(
        [sys.executable, "-m", "dpaudit", "run", "--cache", "kept", *option],
        cwd=project, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "--cache runs no audit again" in done.stderr
