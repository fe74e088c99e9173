"""How dpaudit does on the wild set: mechanisms as ordinary people write them, labelled by hand.

Each case of `tests/wild` is given to `verify` and to `audit` with their default options and at most
`--seconds` each. A verdict is right where a broken mechanism is REFUTED, and where a sound one
is VERIFIED (`verify`) or not refuted (`audit`: VERIFIED or NOT REFUTED). INCONCLUSIVE decides
nothing. Intervals are Wilson's at 95 %.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
from common import jobs_option, print_provenance, print_table, resumable, save_option
from statsmodels.stats.proportion import proportion_confint

import dpaudit
from dpaudit import Verdict
from tests.wild.cases import CASES

_WRONG = {True: Verdict.REFUTED, False: Verdict.VERIFIED}


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one case."""

    name: str
    sound: bool
    verified: str
    audited: str
    right_id: bool
    right_line: bool


def tried(name: str, seconds: float) -> dict[str, Any]:
    """Verify and audit one case."""
    [case] = [case for case in CASES if case.name == name]
    proof = dpaudit.verify(case.mechanism, case.claim, case.neighbors, timeout=seconds)
    report = dpaudit.audit(case.mechanism, case.claim, case.neighbors, max_seconds=seconds)
    errors = [finding for finding in report.findings if finding.level == "error"]
    ids, line = False, False
    if not case.sound and report.verdict is Verdict.REFUTED:
        ids = any(error.id in case.label.ids for error in errors)
        line = any(case.label.cause in _line_of(error) for error in errors)
    return asdict(Row(name, case.sound, proof.verdict.name, report.verdict.name, ids, line))


def _line_of(finding: dpaudit.evidence.Finding) -> str:
    if finding.file is None or finding.line is None or not Path(finding.file).is_file():
        return ""
    return Path(finding.file).read_text(encoding="utf-8").splitlines()[finding.line - 1]


def _share(what: str, hits: int, of: int) -> tuple[str, str]:
    low, high = proportion_confint(hits, of, method="wilson") if of else (0.0, 1.0)
    return what, f"{hits} of {of} ({low:.0%} to {high:.0%})"


@click.command()
@jobs_option
@save_option
@click.option("--seconds", default=60.0, show_default=True, help="Of each `verify` and `audit`.")
def main(jobs: int, save: Path | None, seconds: float) -> None:
    """Try every case, and count."""
    print_provenance()
    names = [case.name for case in CASES]
    rows = [Row(**each) for each in resumable(partial(tried, seconds=seconds), names, jobs, save)]
    print_table(
        ("case", "truth", "verify", "audit", "id", "line"),
        [
            (
                row.name,
                "sound" if row.sound else "broken",
                row.verified,
                row.audited,
                "" if row.sound else ("yes" if row.right_id else "no"),
                "" if row.sound else ("yes" if row.right_line else "no"),
            )
            for row in rows
        ],
    )
    broken = [row for row in rows if not row.sound]
    found = [row for row in broken if row.audited == "REFUTED"]
    right = {True: ("VERIFIED",), False: ("REFUTED",)}
    held = [row for row in rows if row.sound and row.audited in ("VERIFIED", "NOT_REFUTED")]
    wrong = [row for row in rows if _WRONG[row.sound].name in (row.verified, row.audited)]
    decided = sum(row.verified in right[row.sound] for row in rows)
    summary = [
        _share("verify decides rightly", decided, len(rows)),
        _share("audit is right", len(found) + len(held), len(rows)),
        _share("refuted with a right id", sum(row.right_id for row in found), len(found)),
        _share("refuted with the very line", sum(row.right_line for row in found), len(found)),
        _share("wrong", len(wrong), len(rows)),
    ]
    print_table(("on the wild set", "share"), summary)
    for row in wrong:
        print(f"WRONG: {row.name} is {'sound' if row.sound else 'broken'}")


if __name__ == "__main__":
    main()
