"""The documented assumptions of the statistical engine name tests that exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "docs/statistics.md").read_text().split("## What each stream assumes")[1]
ROWS = [line for line in TABLE.split("\n## ")[0].splitlines() if line.startswith("| ")][2:]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_each_stream_has_a_guard_that_exists(row):
    guards = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", row)
    assert guards
    for file, name in guards:
        tree = ast.parse((ROOT / file).read_text())
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
