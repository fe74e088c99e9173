"""Run the tests that a change can break, the nearest first, within a budget of processor time.

What changed is asked of git: against the commit that the branch left main at, and on main against
what is not committed, or else the last commit; untracked files count. The source graph says which
files of tests use what changed, and over how many steps. They are taken nearest first, and of those
that are as near the cheapest first, as tools/durations.json has recorded them, until the budget is
spent. Nothing else is collected.
"""

from __future__ import annotations

import ast
import resource
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from tools.durations import recorded
from tools.source_graph import source_graph

ROOT = Path(__file__).parents[1]
UNKNOWN = 15.0  # seconds of a file without a record


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a file of tests: one expensive test, or the rest.

    Parameters
    ----------
    file : str
    test : str
        Empty for the rest.
    steps : int
        How far the file is from the nearest change.
    seconds : float
        Of processor time.
    """

    file: str
    test: str
    steps: int
    seconds: float


def changed_files(root: Path) -> list[str]:
    """Return the files that differ from main, or on main from the last commit.

    Parameters
    ----------
    root : Path

    Returns
    -------
    list of str
        Paths relative to the root; some may be gone.
    """

    def git(*arguments: str) -> list[str]:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
        return done.stdout.splitlines()

    new = git("ls-files", "--others", "--exclude-standard")
    head, left = git("rev-parse", "HEAD"), git("merge-base", "HEAD", "main")
    if left in ([], head):
        left = head if new or git("diff", "--name-only", "HEAD") else ["HEAD~1"]
    return sorted({*new, *git("diff", "--name-only", *left)})


def parts(distances: Mapping[str, int], durations: Mapping[str, Mapping[str, float]]) -> list[Part]:
    """Return the tests that changes reach, in the order in which they are worth running.

    Parameters
    ----------
    distances : mapping of str to int
        Of files to the nearest changed one.
    durations : mapping of str to mapping of str to float
        Processor seconds of the tests of each file, as they are recorded.

    Returns
    -------
    list of Part
    """
    found = [
        Part(file, test, steps, seconds)
        for file, steps in distances.items()
        if file.endswith(".py") and Path(file).name.startswith("test_")
        for test, seconds in durations.get(file, {"": UNKNOWN}).items()
    ]
    return sorted(found, key=lambda part: (part.steps, part.seconds, part.file, part.test))


def within(budget: float, candidates: Iterable[Part]) -> list[Part]:
    """Return the candidates, in order, that the budget still pays for.

    Parameters
    ----------
    budget : float
        Seconds of processor time.
    candidates : iterable of Part

    Returns
    -------
    list of Part
    """
    chosen = []
    for part in candidates:
        if part.seconds <= budget:
            chosen.append(part)
            budget -= part.seconds
    return chosen


def arguments(
    root: Path, chosen: Iterable[Part], durations: Mapping[str, Mapping[str, float]]
) -> list[str]:
    """Return what pytest is to be given, so that it runs these parts.

    Parameters
    ----------
    root : Path
    chosen : iterable of Part
    durations : mapping of str to mapping of str to float

    Returns
    -------
    list of str
        Files, and tests of files of which a part is left out.
    """
    wanted: dict[str, set[str]] = {}
    for part in chosen:
        wanted.setdefault(part.file, set()).add(part.test)
    found = []
    for file, tests in wanted.items():
        missing = durations.get(file, {}).keys() - tests
        if not missing:
            found.append(file)
            continue
        body = ast.parse((root / file).read_text(encoding="utf-8")).body
        names = [node.name for node in body if isinstance(node, ast.FunctionDef)]
        rest = [n for n in names if n.startswith("test_") and n not in durations[file]]
        found += [f"{file}::{name}" for name in (*(rest if "" in tests else ()), *tests - {""})]
    return found


@click.command()
@click.option("--budget", default=120.0, show_default=True, help="Processor seconds of tests.")
@click.option("--list", "listing", is_flag=True, help="Say what would run, and run nothing.")
def main(budget: float, listing: bool) -> None:
    """Run the tests that what changed can break."""
    changed = changed_files(ROOT)
    durations = recorded()
    distances = source_graph(ROOT, changed).distances(changed)
    reached = parts(distances, durations)
    chosen = within(budget, reached)
    doctests = [f for f in changed if f.startswith("dpaudit/") and f.endswith(".py")]
    targets = [f for f in doctests if (ROOT / f).exists()] + [
        t for t in arguments(ROOT, chosen, durations) if (ROOT / t.partition("::")[0]).exists()
    ]
    click.echo(
        f"{len(changed)} changed files reach {len({p.file for p in reached})} files of tests, "
        f"{sum(p.seconds for p in reached):.0f} processor seconds; run here: "
        f"{len({p.file for p in chosen})} files, {sum(p.seconds for p in chosen):.0f} seconds"
    )
    if listing or not targets:
        click.echo("\n".join(targets))
        return
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-n", "2", *targets], cwd=ROOT)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    click.echo(f"{used.ru_utime + used.ru_stime:.0f} processor seconds; all tests: make test")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
