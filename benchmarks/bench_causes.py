"""Whether an audit names the kind and the very line of what is wrong with code of others.

Each broken mechanism of `tests/wild/causes.py` is audited with the default options and at most
`--seconds`. Its first error is right where its id is one of the label's, and where its line is one
that the label has. Intervals are Wilson's at 95 %. The goals: 80 % of the refutations have a right
id, 70 % the very line.
"""

from __future__ import annotations

import linecache
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
from common import jobs_option, met, print_provenance, print_table, resumable, save_option
from statsmodels.stats.proportion import proportion_confint

import dpaudit
from tests.wild.causes import CAUSES

IDS, LINES = 0.8, 0.7


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one mechanism."""

    name: str
    verdict: str
    stated: str
    found: str
    line: str
    right_id: bool
    right_line: bool


def tried(name: str, seconds: float) -> dict[str, Any]:
    """Audit one mechanism."""
    [cause] = [cause for cause in CAUSES if cause.name == name]
    report = dpaudit.audit(
        cause.mechanism, cause.claim, cause.neighbors, max_seconds=seconds, progress=False
    )
    verdict, stated = report.verdict.name, "/".join(cause.ids)
    if verdict != "REFUTED":
        return asdict(Row(name, verdict, stated, "", "", right_id=False, right_line=False))
    error = report.findings[0]
    line = linecache.getline(error.file or "", error.line or 0).strip()
    right_line = any(part in line for part in cause.lines)
    return asdict(Row(name, verdict, stated, error.id, line, error.id in cause.ids, right_line))


@click.command(help=__doc__)
@jobs_option
@save_option
@click.option("--seconds", default=60.0, show_default=True, help="Of each audit.")
def main(jobs: int, save: Path | None, seconds: float) -> None:
    """Print the table and the shares."""
    print_provenance()
    names = [cause.name for cause in CAUSES]
    rows = [Row(**each) for each in resumable(partial(tried, seconds=seconds), names, jobs, save)]
    right = {True: "yes", False: "no"}
    print_table(
        ("mechanism", "verdict", "stated", "found", "line", "id", "line right"),
        [
            (r.name, r.verdict, r.stated, r.found, r.line[:50], right[r.right_id],
             right[r.right_line])
            for r in rows
        ],
    )  # fmt: skip
    refuted = [row for row in rows if row.verdict == "REFUTED"]
    print(f"\n{len(refuted)} of {len(rows)} refuted")
    for what, hits, goal in (
        ("id", sum(row.right_id for row in refuted), IDS),
        ("line", sum(row.right_line for row in refuted), LINES),
    ):
        low, high = proportion_confint(hits, len(refuted), method="wilson")
        share = hits / max(1, len(refuted))
        print(
            f"right {what}: {hits} of {len(refuted)}, {share:.0%} ({low:.0%} to {high:.0%}); "
            f"at least {goal:.0%}: {met(share >= goal)}"
        )


if __name__ == "__main__":
    main()
