"""`--arithmetic` of `dpaudit run` and `dpaudit audit`."""

import json
from pathlib import Path

from click.testing import CliRunner

from dpaudit.cli import cli

AUDITS = """
from dpaudit import AddRemove, Audit, PureDP, Real

def count(data, rng):
    return len(data) + rng.laplace()

counts = Audit(
    count, PureDP(1.0), AddRemove(Real(0, 1), max_size=3), engines=["statistical"], max_calls=8_000
)
"""


def test_the_command_line_asks_for_float_arithmetic(tmp_path, monkeypatch):
    """The seed is fixed; a sound mechanism would be refuted with probability at most 1e-6."""
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text("")
    Path("audits").mkdir()
    Path("audits/counts.py").write_text(AUDITS)
    made = CliRunner().invoke(cli, ["run", "--arithmetic", "float", "--json", "float.json"])
    [audit] = json.loads(Path("float.json").read_text())["audits"]
    assert (made.exit_code, audit["report"]["verdict"]) == (1, "REFUTED")
    assert audit["options"]["arithmetic"] == "float"
