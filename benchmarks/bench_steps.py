"""How many steps each proof takes of those that it may take, and whether half of them suffice.

Every audit is given to the formal engine, with the budget of an audit. Steps are the same on every
machine; the seconds beside them are the processor's. The goal: nothing that this engine decides
takes more than half of its budget. With `--busy 8` all of it runs on one core beside eight busy
loops, and with `--against` verdicts and steps are compared with those of another run.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import click
from common import in_processes, jobs_option, met, print_provenance, print_table

from dpaudit.evidence import Budget, Verdict
from dpaudit.formal.engine import FormalEngine
from dpaudit.subject import Subject

MOST = 0.5  # of the budget


@dataclass(frozen=True, slots=True)
class Row:
    """What one proof took."""

    name: str
    verdict: str
    steps: int
    budget: int
    seconds: float

    @property
    def share(self) -> float:
        """Of the budget."""
        return self.steps / self.budget


@cache
def audits() -> dict[str, Any]:
    """Return the audits of mechanisms by their names."""
    from dpaudit.collect import collect
    from tools.declared import AUDITS

    every = [found for found in collect([AUDITS]).audits if found.audit.over is None]
    return {found.name: found.audit for found in every if found.audit.claim}


def tried(name: str) -> Row:
    """Give one audit to the formal engine."""
    audit = audits()[name]
    began = time.process_time()
    subject, budget = Subject.of(audit.mechanism), Budget()
    found = FormalEngine().examine(subject, audit.claim, audit.neighbors, budget)
    seconds = time.process_time() - began
    assert found.steps is not None
    assert found.steps_budget is not None
    return Row(
        name, str(found.verdict or Verdict.INCONCLUSIVE), found.steps, found.steps_budget, seconds
    )


@contextlib.contextmanager
def beside(loops: int) -> Iterator[None]:
    """Run on the first core that is allowed, beside so many busy loops; anywhere beside none."""
    if not loops:
        yield
        return
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    context = multiprocessing.get_context("fork")
    busy = [context.Process(target=_spin, daemon=True) for _ in range(loops)]
    for process in busy:
        process.start()
    try:
        yield
    finally:
        for process in busy:
            process.kill()


def _spin() -> None:
    while True:
        pass


def differences(rows: list[Row], path: Path) -> list[str]:
    """Return the names whose verdict or steps are others than in a saved run."""
    saved = {row["name"]: row for row in json.loads(path.read_text(encoding="utf-8"))}
    common = [row for row in rows if row.name in saved]
    return [
        row.name
        for row in common
        if (row.verdict, row.steps) != (saved[row.name]["verdict"], saved[row.name]["steps"])
    ]


@click.command()
@click.argument("names", nargs=-1)
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path), help="Rows, as JSON.")
@click.option("--against", type=click.Path(exists=True, path_type=Path), help="A saved run.")
@click.option("--busy", default=0, help="Loops that run on the same core.")
@click.option("--expected", type=str, help="Only audits that expect this verdict.")
@jobs_option
def main(
    names: tuple[str, ...], save: Path | None, against: Path | None, busy: int,
    expected: str | None, jobs: int,
) -> None:  # fmt: skip
    """Print the steps of every proof; NAMES are parts of names, all audits unless given."""
    print_provenance()
    chosen = [
        name
        for name, audit in audits().items()
        if (not names or any(part in name for part in names))
        and expected in (None, str(audit.expect))
    ]
    with beside(busy):
        found = in_processes(tried, chosen, jobs)
    rows = sorted(found, key=lambda row: row.share, reverse=True)
    print_table(
        ("audit", "verdict", "steps", "share", "seconds"),
        [(r.name, r.verdict, f"{r.steps:,}", f"{r.share:.3f}", f"{r.seconds:.2f}") for r in rows],
    )
    if save is not None:
        save.write_text(json.dumps([asdict(row) for row in rows], indent=1), encoding="utf-8")
    decided = [row for row in rows if row.verdict != "INCONCLUSIVE"]
    above = [row.name for row in decided if row.share > MOST]
    print(f"{len(decided)} of {len(rows)} decided; {sum(r.seconds for r in rows):.0f} s in all")
    print(f"at most half of the budget: {met(not above)} {' '.join(above)}")
    other = [] if against is None else differences(rows, against)
    if against is not None:
        print(f"verdicts and steps as in {against.name}: {met(not other)} {' '.join(other)}")
    if above or other:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
