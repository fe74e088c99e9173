"""How long the linter takes for 100,000 lines of installed libraries and of this project.

In processor time of one process. The goal: less than 20 seconds for 100,000 lines.
"""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path

import click
from common import met, print_provenance, print_table

from dpaudit.static.lint import lint

GOAL = 20.0
ROOT = Path(__file__).parents[1]


def folder_of(package: str) -> Path:
    """Return where a package is installed, without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise click.UsageError(f"{package} is not installed")
    return Path(spec.origin).parent


@click.command(help=__doc__)
@click.option("--all", "everything", is_flag=True, help="Read every function.")
@click.argument("packages", nargs=-1)
def main(packages: tuple[str, ...], everything: bool) -> None:
    """Print the table."""
    print_provenance()
    places = [folder_of(package) for package in packages or ("sklearn", "statsmodels")]
    rows, rates = [], []
    for place in (*places, ROOT / "mechanisms"):
        began = time.process_time()
        report = lint([place], everything=everything)
        spent = time.process_time() - began
        rates.append(1e5 * spent / report.lines)
        counted = (report.lines, report.functions, len(report.findings), len(report.failures))
        row = [place.name, *(f"{number:,}" for number in counted), f"{spent:.1f}"]
        rows.append([*row, f"{rates[-1]:.1f}"])
    header = ["folder", "lines", "functions", "findings", "failures", "seconds", "per 100,000"]
    print_table(header, rows)
    of_libraries = max(rates[: len(places)])
    print(f"\n100,000 lines of a library within {GOAL:g} s: {met(of_libraries < GOAL)}")


if __name__ == "__main__":
    main()
