"""What the pytest plugin costs: in a suite without audits, and around 500 audits.

Each is a fresh interpreter, by turns, in its processor time; the median over the rounds. The
audits have an engine that answers at once, so that the rest is the plugin's.
The goals: at most 5 % in a suite without audits, and less than 3 s for collecting, running,
reporting and writing the JUnit file of 500 audits, above what 500 tests take.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import click
from common import met, print_provenance, print_table

AUDITS = 500
GOAL_NOTHING, GOAL_AUDITS = 1.05, 3.0
TESTS = """
import pytest

@pytest.mark.parametrize("number", range(500))
def test_number(number):
    assert number >= 0
"""
DECLARED = """
from dpaudit import Audit, Pairs, PureDP, Verdict
from dpaudit.evidence import Evidence

class AtOnce:
    name = "at once"

    def examine(self, *nouns, **others):
        return Evidence("at once", Verdict.NOT_REFUTED, detectable_epsilon=1.5)

def release(data, rng):
    return rng.laplace()

nouns = release, PureDP(1.0), Pairs([([1.0], [1.0, 1.0])])
audits = [Audit(*nouns, engines=[AtOnce()]) for _ in range(500)]
"""
PLUGIN = ("-p", "dpaudit.pytest_plugin")
RUNS = {
    "500 tests, without the plugin": ("tests",),
    "500 tests, with it": (*PLUGIN, "tests"),
    "500 audits": (*PLUGIN, "audits"),
}


def seconds(folder: Path, arguments: tuple[str, ...]) -> float:
    """Return the processor time of a fresh pytest."""
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--junitxml", "junit.xml", *arguments],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@click.command(help=__doc__)
@click.option("--rounds", default=9, show_default=True)
def main(rounds: int) -> None:
    """Print the table."""
    print_provenance()
    times: dict[str, list[float]] = {name: [] for name in RUNS}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for place, text in (("tests/test_numbers.py", TESTS), ("audits/many.py", DECLARED)):
            (folder / place).parent.mkdir()
            (folder / place).write_text(text)
        (folder / "pyproject.toml").write_text("")
        for _ in range(rounds):
            for run, arguments in RUNS.items():
                times[run].append(seconds(folder, arguments))
    medians = {run: statistics.median(each) for run, each in times.items()}
    bare, beside, audits = medians.values()
    print_table(
        ["run", "seconds", "times the first"],
        [[run, f"{t:.3f}", f"{t / bare:.2f}"] for run, t in medians.items()],
    )
    print(f"\nwithout audits at most 5 % more: {met(beside / bare <= GOAL_NOTHING)}")
    print(f"{AUDITS} audits within {GOAL_AUDITS} s: {met(audits - bare < GOAL_AUDITS)}")


if __name__ == "__main__":
    main()
