"""How long the linter takes, and how often it is right on code of others.

Time: for 100,000 lines of installed libraries and of this project, in processor time of one
process. The goal: less than 20 seconds.

Right: errors in the source of the mechanisms of `tests/wild` (`cases.py`, `causes.py`), one a
mechanism and kind. An error is right where the mechanism is broken and the label's ids have its
id, or one that it lists as fitting. Precision is the part of the errors that are right, recall the
part of broken mechanisms with a right error. Intervals are Wilson's at 95 %. The goals: 95 % and
60 %.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from common import met, print_provenance, print_table
from statsmodels.stats.proportion import proportion_confint

from dpaudit.evidence import Budget, Finding
from dpaudit.static import StaticEngine
from dpaudit.static.lint import lint
from dpaudit.subject import Subject
from tests.wild.cases import CASES
from tests.wild.causes import CAUSES

GOAL = 20.0
PRECISION, RECALL = 0.95, 0.6
ROOT = Path(__file__).parents[1]


def folder_of(package: str) -> Path:
    """Return where a package is installed, without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise click.UsageError(f"{package} is not installed")
    return Path(spec.origin).parent


def labelled() -> Iterator[tuple[str, Any, tuple[str, ...]]]:
    """Yield name, wiring and the ids of the label, none where the claim holds."""
    for case in CASES:
        yield case.name, case, () if isinstance(case.label, str) else case.label.ids
    for cause in CAUSES:
        yield cause.name, cause, cause.ids


def errors_of(wired: Any) -> list[Finding]:
    """Return the errors in the source of a mechanism, one of each id."""
    budget = Budget(1e-6, 1, None, 0, "real")
    subject = Subject.of(wired.mechanism)
    found = StaticEngine().examine(subject, wired.claim, wired.neighbors, budget).findings
    return list({f.id: f for f in found if f.level == "error"}.values())


def print_accuracy(*, detail: bool) -> None:
    """Print precision and recall; in detail also what is missed or wrong."""
    right = wrong = hit = broken = 0
    for name, wired, ids in labelled():
        errors = errors_of(wired)
        fits = [bool({error.id, *error.also} & set(ids)) for error in errors]
        right, wrong = right + sum(fits), wrong + fits.count(False)
        broken, hit = broken + bool(ids), hit + any(fits)
        if detail and (False in fits or (ids and not any(fits))):
            told = ", ".join(f"{e.id}:{e.line}" for e in errors) or "nothing"
            print(f"{name}: {told}; the label is {'/'.join(ids) or 'sound'}")
    for what, hits, of, goal in (
        ("precision", right, right + wrong, PRECISION),
        ("recall", hit, broken, RECALL),
    ):
        low, high = proportion_confint(hits, of, method="wilson")
        share = f"{hits} of {of}, {hits / of:.0%} ({low:.0%} to {high:.0%})"
        print(f"{what}: {share}; at least {goal:.0%}: {met(hits / of >= goal)}")


@click.command(help=__doc__)
@click.option("--accuracy", is_flag=True, help="Only how often it is right, with what is wrong.")
@click.option("--all", "everything", is_flag=True, help="Read every function.")
@click.argument("packages", nargs=-1)
def main(packages: tuple[str, ...], everything: bool, accuracy: bool) -> None:
    """Print the table."""
    print_provenance()
    if accuracy:
        print_accuracy(detail=True)
        return
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
    print_accuracy(detail=False)


if __name__ == "__main__":
    main()
