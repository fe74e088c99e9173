"""How many steps each proof takes of those that it may take, and whether half of them suffice.

Every audit is given to the formal engine, with the budget of an audit. Steps are the same on every
machine; the seconds beside them are the processor's. The goal: nothing that this engine decides
takes more than half of its budget.
"""

from __future__ import annotations

import json
import time
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

    return {found.name: found.audit for found in collect([AUDITS]).audits if found.audit.claim}


def tried(name: str) -> Row:
    """Give one audit to the formal engine."""
    audit = audits()[name]
    began = time.process_time()
    subject, budget = Subject.of(audit.mechanism), Budget(max_calls=1)
    found = FormalEngine().examine(subject, audit.claim, audit.neighbors, budget)
    seconds = time.process_time() - began
    assert found.steps is not None
    assert found.steps_budget is not None
    return Row(
        name, str(found.verdict or Verdict.INCONCLUSIVE), found.steps, found.steps_budget, seconds
    )


@click.command()
@click.argument("names", nargs=-1)
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path), help="Rows, as JSON.")
@jobs_option
def main(names: tuple[str, ...], save: Path | None, jobs: int) -> None:
    """Print the steps of every proof; NAMES are parts of names, all audits unless given."""
    print_provenance()
    chosen = [name for name in audits() if not names or any(part in name for part in names)]
    rows = sorted(in_processes(tried, chosen, jobs), key=lambda row: row.share, reverse=True)
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
    if above:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
