"""The reference mechanisms: every audit in audits/ over many seeds.

Sound: at α = 1e-3 each audit that expects NOT_REFUTED, with a claim that holds, is run with fresh
seeds. The goal: no more refutations than a binomial test at 1e-3 allows.

Flawed: at α = 1e-6 each audit that expects a violation must end in REFUTED within 1,000,000 calls
and 60 seconds, for 9 of 10 seeds; the median over audits is to be within 5 seconds.

With `--results FILE` every audit is written down as it ends; the same command goes on where it was
stopped.
"""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from functools import cache, partial
from pathlib import Path
from statistics import median
from typing import Any

import click
from common import each_in_processes, jobs_option, met, print_provenance, print_table, seed_option
from scipy.stats import binom

import dpaudit
from dpaudit.collect import collect
from dpaudit.declare import Audit
from tools.declared import AUDITS, kind_of

ALPHA = {"sound": 1e-3, "flawed": 1e-6}
SECONDS = 60.0

Work = tuple[str, str, int]  # kind, name, seed


@cache
def audits() -> dict[str, Audit]:
    return {found.name: found.audit for found in collect([AUDITS]).audits}


def audited(work: Work, calls: int) -> dict[str, Any]:
    """Run one audit and return what is written down of it."""
    kind, name, seed = work
    audit, started = audits()[name], time.monotonic()
    if kind == "sound":
        budget: dict[str, Any] = {"max_calls": min(calls, audit.max_calls or calls)}
    else:
        budget = {"max_calls": 1_000_000, "max_seconds": SECONDS}
    report = audit.run(alpha=ALPHA[kind], seed=seed, **budget, engines=["statistical"])
    return {
        "kind": kind,
        "name": name,
        "seed": seed,
        "refuted": report.verdict is dpaudit.Verdict.REFUTED,
        "completed": report.completed,
        "calls": report.calls,
        "seconds": round(time.monotonic() - started, 3),
    }


def sound_summary(rows: list[dict[str, Any]]) -> None:
    """Print the false alarms, and the audits that made them."""
    alarms = sum(row["refuted"] for row in rows)
    allowed = int(binom.ppf(1 - 1e-3, len(rows), ALPHA["sound"]))
    print(f"sound: {alarms} of {len(rows)} refuted, {allowed} allowed: {met(alarms <= allowed)}")
    for name, count in Counter(row["name"] for row in rows if row["refuted"]).items():
        print(f"  {name}: {count}")


def flawed_summary(rows: list[dict[str, Any]]) -> None:
    """Print the power, and the audits that miss the goal."""
    by_name = defaultdict(list)
    for row in rows:
        by_name[row["name"]].append(row)
    missed = {
        name: each
        for name, each in by_name.items()
        if sum(r["refuted"] for r in each) < 0.9 * len(each)
    }
    typical = [median(row["seconds"] for row in each) for each in by_name.values()]
    quick = sum(seconds <= 5 for seconds in typical)
    print(
        f"flawed: {len(by_name) - len(missed)} of {len(by_name)} audits refuted with 9 of 10 "
        f"seeds: {met(not missed)}; {quick} within 5 s; median {median(typical):.1f} s"
    )
    slowest = sorted(by_name.items(), key=lambda item: -median(r["seconds"] for r in item[1]))
    shown = {**missed, **dict(slowest[:12])}
    print_table(
        ("audit", "refuted", "median calls", "median s"),
        (
            (
                name,
                f"{sum(r['refuted'] for r in each)}/{len(each)}",
                f"{median(r['calls'] for r in each):,.0f}",
                f"{median(r['seconds'] for r in each):.1f}",
            )
            for name, each in shown.items()
        ),
    )


@click.command()
@click.option("--sound-seeds", default=20, show_default=True, help="Of each sound audit.")
@click.option("--flawed-seeds", default=10, show_default=True, help="Of each flawed audit.")
@click.option("--calls", default=100_000, show_default=True, help="Of a sound audit, at most.")
@click.option("--select", default="", help="Only audits whose name contains this.")
@click.option("--results", type=click.Path(path_type=Path), help="JSON lines, to resume from.")
@seed_option
@jobs_option
def main(
    sound_seeds: int,
    flawed_seeds: int,
    calls: int,
    select: str,
    results: Path | None,
    seed: int,
    jobs: int,
) -> None:
    """Count false alarms of sound mechanisms, and flawed ones that are missed."""
    print_provenance()
    seeds = {"sound": sound_seeds, "flawed": flawed_seeds, None: 0}
    work: list[Work] = [
        (str(kind_of(audit)), name, seed + 1 + repeat)
        for name, audit in audits().items()
        if select in name
        for repeat in range(seeds[kind_of(audit)])
    ]
    rows = []
    if results is not None and results.exists():
        rows = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
        rows = [row for row in rows if (row["kind"], row["name"], row["seed"]) in set(work)]
    done = {(row["kind"], row["name"], row["seed"]) for row in rows}
    todo = [item for item in work if item not in done]
    for row in each_in_processes(partial(audited, calls=calls), todo, jobs):
        rows.append(row)
        if results is not None:
            with results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
    for kind, summary in (("sound", sound_summary), ("flawed", flawed_summary)):
        of_kind = [row for row in rows if row["kind"] == kind]
        if of_kind:
            summary(of_kind)
    for row in rows:
        if not row["completed"]:
            print(f"not completed: {row['name']}, seed {row['seed']}")


if __name__ == "__main__":
    main()
