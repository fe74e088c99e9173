"""How many sound reference mechanisms are proved, and how many of the certificates are accepted.

Every sound audit is given to the formal engine, with the limit of an audit; the certificate of each
proof goes to the checker. The goal: no certificate is rejected, and none goes beyond what the
checker understands.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache
from typing import Any

import click
from common import in_processes, jobs_option, met, print_provenance, print_table

import dpaudit
from dpaudit.checker import check

SLOW = 10.0  # seconds of a proof or of its check, from which on they are listed


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one audit; `accepted` is None where nothing was proved."""

    name: str
    proving: float
    checking: float
    accepted: bool | None
    why: str


@cache
def sound() -> dict[str, Any]:
    """Return the sound audits by their names."""
    from dpaudit.collect import collect
    from tools.declared import AUDITS, kind_of

    return {
        found.name: found.audit
        for found in collect([AUDITS]).audits
        if kind_of(found.audit) == "sound" and found.audit.claim is not None
    }


def tried(name: str) -> Row:
    """Prove one audit, and check the certificate."""
    audit = sound()[name]
    began = time.process_time()
    report = dpaudit.verify(audit.mechanism, audit.claim, audit.neighbors)
    proving = time.process_time() - began
    if report.certificate is None:
        return Row(name, proving, 0.0, None, report.reason)
    found = check(report.certificate.to_dict(), mechanism=audit.mechanism)
    return Row(name, proving, time.process_time() - began - proving, found.accepted, found.reason)


@click.command()
@jobs_option
def main(jobs: int) -> None:
    """Prove all sound audits, and check what comes of it."""
    print_provenance()
    rows = in_processes(tried, list(sound()), jobs)
    proved = [row for row in rows if row.accepted is not None]
    others = [row for row in proved if not row.accepted]
    slow = [row for row in rows if max(row.proving, row.checking) >= SLOW]
    if others:
        print_table(("audit", "not accepted"), [(row.name, row.why) for row in others])
    for row in slow:
        print(f"{row.name}: {row.proving:.1f} s to prove, {row.checking:.1f} s to check")
    print(f"{len(proved)} of {len(rows)} sound audits proved")
    rejected = [row for row in others if not row.why.startswith("not checked")]
    print(f"{len(proved) - len(others)} certificates accepted, {len(rejected)} rejected")
    print(f"all accepted: {met(not others)}")


if __name__ == "__main__":
    main()
