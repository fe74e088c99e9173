"""What the README says is true."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from dpaudit.collect import collect
from tools.verdict_table import PAGE, page, summary, written

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLE = re.search(r"Save this as `first.py`:\n\n```python\n(.*?)```", README, re.S)[1]


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """Run the first example as a reader would."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "first.py").write_text(EXAMPLE)
    return subprocess.run(
        [sys.executable, "-W", "error", "first.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_first_example_has_ten_lines_and_says_what_the_readme_says(said):
    assert len(EXAMPLE.strip().splitlines()) <= 10
    shown = README.partition("```text\n")[2].partition("```")[0]
    for line in shown.splitlines():
        start = line.partition("…")[0].rstrip()
        assert start in said


def test_command_of_the_readme_refutes_the_same_mechanism(tmp_path):
    import shlex

    (tmp_path / "first.py").write_text(EXAMPLE)
    command = re.search(r"^dpaudit (audit first:noisy_mean .*)$", README, re.M)[1]
    done = subprocess.run(
        [sys.executable, "-m", "dpaudit", *shlex.split(command)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout.startswith("REFUTED")
    assert done.stdout.count("Witness") == 1
    assert "DPA103" in done.stdout


def test_verdicts_are_what_the_audits_declare():
    found = collect([ROOT / "audits"])
    assert found.failures == ()
    assert written(README) == summary(found), "make readme"
    assert PAGE.read_text(encoding="utf-8") == page(found), "make readme"


def test_exit_codes_of_the_readme_are_those_of_the_command_line():
    from dpaudit.cli import cli

    for code in re.findall(r"^\| (\d+) \|", README, re.M):
        assert re.search(rf"\b{code}\b", cli.help)


def test_files_that_the_readme_links_to_exist():
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target
