"""How long the linter takes, and how often it is right on code of others.

Time: for 100,000 lines of installed libraries and of this project, in processor time of one
process. The goal: less than 20 seconds.

Right: errors in the source of the mechanisms of `tests/wild` (`cases.py`, `causes.py`), one a
mechanism and kind. An error is right where the mechanism is broken and the label's ids have its
id, or one that it lists as fitting. Precision is the part of the errors that are right, recall the
part of broken mechanisms with a right error. Intervals are Wilson's at 95 %. The goals: 95 % and
60 %. The same is measured on respellings of these mechanisms (`tests/respelling`): of each, up to
`--respelled` rewrites that apply, drawn at random, of which those count that give the same outputs
with the same draws, or outputs of the same form where they draw otherwise.
"""

from __future__ import annotations

import ast
import importlib.util
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np
from common import met, print_provenance, print_table, seed_option
from statsmodels.stats.proportion import proportion_confint

from dpaudit.evidence import Budget, Finding
from dpaudit.static import StaticEngine
from dpaudit.static.lint import lint
from dpaudit.subject import Subject
from tests.respelling.rewrite import reached
from tests.respelling.rewrites import REWRITES
from tests.respelling.trial import Original, kept, loaded
from tests.wild.cases import CASES
from tests.wild.causes import CAUSES
from tools.mutation import definition_of, source_of

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


def errors_of(mechanism: Callable[..., Any], wired: Any) -> list[Finding]:
    """Return the errors in the source of a mechanism, one of each id."""
    budget = Budget(1e-6, 1, None, 0, "real")
    subject = Subject.of(mechanism)
    found = StaticEngine().examine(subject, wired.claim, wired.neighbors, budget).findings
    return list({f.id: f for f in found if f.level == "error"}.values())


def found_as_written() -> Iterator[tuple[str, list[Finding], tuple[str, ...]]]:
    """Yield the name of each mechanism, the errors in it, and the ids of the label."""
    for name, wired, ids in labelled():
        yield name, errors_of(wired.mechanism, wired), ids


def found_respelled(most: int, seed: int) -> Iterator[tuple[str, list[Finding], tuple[str, ...]]]:
    """Yield the same of respelled mechanisms that are functions of a file."""
    rng = np.random.default_rng(seed)
    for name, wired, ids in labelled():
        original = original_of(name, wired)
        left = most if original is not None else 0
        for index in rng.permutation(len(REWRITES)):
            rewrite = REWRITES[index]
            tree = rewrite(original.tree, original.entry) if original is not None and left else None
            if tree is None or original is None:
                continue
            with loaded(original, tree) as mechanism:
                if kept(original, mechanism, rewrite.same):
                    left -= 1
                    yield f"{name}, {rewrite.name}", errors_of(mechanism, wired), ids


def original_of(name: str, wired: Any) -> Original | None:
    """Return a mechanism with the part of its file that it needs, None where it has none."""
    function = definition_of(wired.mechanism)
    entry = getattr(function, "__qualname__", "<")
    if "<" in entry or "." in entry or "programs" not in function.__module__:
        return None
    tree = ast.parse(source_of(function) or "")
    others = [n for n in tree.body if not isinstance(n, ast.FunctionDef)]
    used = {n.id for node in others for n in ast.walk(node) if isinstance(n, ast.Name)}
    needed = [f for name in {entry, *used} for f in reached(tree, name)]
    tree.body = [n for n in tree.body if n in others or n in needed]
    given = name, wired.mechanism, wired.claim, wired.neighbors
    return Original(*given, False, tree, entry, sound=False)


def print_accuracy(of: str, found: Iterator[tuple[str, list[Finding], tuple[str, ...]]]) -> None:
    """Print precision and recall, and what is missed or wrong."""
    right = wrong = hit = broken = 0
    for name, errors, ids in found:
        fits = [bool({error.id, *error.also} & set(ids)) for error in errors]
        right, wrong = right + sum(fits), wrong + fits.count(False)
        broken, hit = broken + bool(ids), hit + any(fits)
        if False in fits or (ids and not any(fits)):
            told = ", ".join(f"{e.id}:{e.line}" for e in errors) or "nothing"
            print(f"{name}: {told}; the label is {'/'.join(ids) or 'sound'}")
    for what, hits, all_of, goal in (
        (f"precision {of}", right, right + wrong, PRECISION),
        (f"recall {of}", hit, broken, RECALL),
    ):
        low, high = proportion_confint(hits, all_of, method="wilson")
        share = f"{hits} of {all_of}, {hits / all_of:.0%} ({low:.0%} to {high:.0%})"
        print(f"{what}: {share}; at least {goal:.0%}: {met(hits / all_of >= goal)}", flush=True)


@click.command(help=__doc__)
@seed_option
@click.option("--accuracy", is_flag=True, help="Only how often it is right.")
@click.option("--respelled", default=3, show_default=True, help="Rewrites of each mechanism.")
@click.option("--all", "everything", is_flag=True, help="Read every function.")
@click.argument("packages", nargs=-1)
def main(
    packages: tuple[str, ...], everything: bool, accuracy: bool, respelled: int, seed: int
) -> None:
    """Print the table, and what is missed or wrong."""
    print_provenance()
    print_accuracy("as written", found_as_written())
    if respelled:
        print_accuracy("respelled", found_respelled(respelled, seed))
    if accuracy:
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


if __name__ == "__main__":
    main()
