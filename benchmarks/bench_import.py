"""What importing dpaudit, and starting its reading commands, costs against importing NumPy alone.

Each is a fresh interpreter, by turns, in processor time; the median over the rounds. The goals, on
a quiet machine: every public name imported in less than half a second, and `dpaudit lint` (of an
empty file) and `dpaudit explain` done in .3 seconds.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys

import click
from common import met, print_provenance, print_table

COMMAND = """
import sys
from dpaudit.cli import main
sys.argv, sys.stdout = ["dpaudit", *{!r}], sys.stderr
try: main()
except SystemExit: sys.stdout = sys.__stdout__
"""
STATEMENTS = {
    "import numpy": "import numpy",
    "import dpaudit": "import dpaudit",
    "every public name": "import dpaudit\nfor name in dpaudit.__all__: getattr(dpaudit, name)",
    "dpaudit lint": COMMAND.format(["lint", os.devnull]),
    "dpaudit explain": COMMAND.format(["explain", "DPA103"]),
}
GOAL, GOAL_OF_COMMANDS = 0.5, 0.3


def seconds(statement: str) -> float:
    """Return the processor time that a fresh interpreter takes for a statement."""
    code = f"import time; start = time.process_time()\n{statement}\n"
    code += "print(time.process_time() - start)"
    return float(
        subprocess.check_output([sys.executable, "-c", code], text=True, stderr=subprocess.DEVNULL)
    )


@click.command(help=__doc__)
@click.option("--rounds", default=9, show_default=True)
def main(rounds: int) -> None:
    """Print the table."""
    print_provenance()
    times: dict[str, list[float]] = {name: [] for name in STATEMENTS}
    for _ in range(rounds):
        for name, statement in STATEMENTS.items():
            times[name].append(seconds(statement))
    medians = {name: statistics.median(each) for name, each in times.items()}
    base = medians["import numpy"]
    rows = [[name, f"{t:.3f}", f"{t / base:.1f}"] for name, t in medians.items()]
    print_table(["statement", "seconds", "times NumPy"], rows)
    slowest = max(medians["dpaudit lint"], medians["dpaudit explain"])
    print(f"\nthe commands within {GOAL_OF_COMMANDS} s: {met(slowest < GOAL_OF_COMMANDS)}")
    print(f"every public name within {GOAL} s: {met(medians['every public name'] < GOAL)}")


if __name__ == "__main__":
    main()
