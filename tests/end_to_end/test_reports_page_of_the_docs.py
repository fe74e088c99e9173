"""Every command of docs/reports.md does what the page says."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "reports.md").read_text(encoding="utf-8")
COMMANDS = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.M | re.S)
    for line in block.splitlines()
]
MECHANISM = """
def dp_count(data, rng):
    return len(data) + rng.laplace(scale=0.1)
"""
AUDIT = """
from dpaudit import AddRemove, Audit, PureDP, Real
from mechanisms.counts import dp_count

leak = Audit(dp_count, PureDP(1.0), AddRemove(Real(0, 1), max_size=3), max_calls=3_000)
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    root = tmp_path_factory.mktemp("project")
    (root / "pyproject.toml").write_text("")
    for folder in ("mechanisms", "audits"):
        (root / folder).mkdir()
    (root / "mechanisms" / "__init__.py").write_text("")
    (root / "mechanisms" / "counts.py").write_text(MECHANISM)
    (root / "audits" / "counts.py").write_text(AUDIT)
    return root


def test_commands_write_what_they_say(project):
    assert COMMANDS[0] == "mkdir -p build"
    (project / "build").mkdir()
    assert len(COMMANDS[1:]) == 9
    for command in COMMANDS[1:]:
        words = shlex.split(command)
        assert words[0] == "dpaudit"
        done = subprocess.run(
            [sys.executable, "-m", *words],
            cwd=project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        found = 1 if words[1] in ("run", "lint") else 0
        assert done.returncode in (0, found), done.stderr
        for name in words[1:]:
            if name.startswith("build/"):
                assert (project / name).stat().st_size, command
        if words[-2:] == ["--format", "github"] and words[1] == "report":
            assert "file=mechanisms/counts.py,line=3," in done.stdout
    for name in ("dpaudit.sarif", "lint.sarif"):
        assert json.loads((project / "build" / name).read_text())["version"] == "2.1.0"
    assert "mechanisms/counts.py:3" in (project / "build" / "report.html").read_text()
