"""Calls and bounds on the query-vector mechanisms, beside DP-Sniper and the information limit.

Two audits at α = 1e-6 on all published pairs of answers, and no other: of the claim ε = 0.1, until
it is refuted; and of the claim 0.9 times the best ε that an event of probability 0.01 shows (9 and
4 where rarer events show more), refuting which proves that lower bound. DP-Sniper used .6 to 1.3
billion samples a mechanism for its bounds, at 90 %.

The limit holds for independent draws on the best of the pairs; draws with a common seed
(`--coupled`) may go below it. With `--results FILE` every audit is written down as it ends; the
same command goes on where it was stopped.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import click
from common import met, print_provenance, print_table, seed_option
from query_laws import LAWS, information_limit
from query_vectors import EPSILON, ROWS, Row

import dpaudit
from dpaudit import Pairs, PureDP, Verdict
from dpaudit.statistical import StatisticalEngine

ALPHA = 1e-6
SHARE = 0.9  # of the best epsilon
AIMS = {"NoisyHist2": 9.0, "SVT5": 4.0}  # rare events show more than those of probability .01
PATIENT = {"SVT1": 4, "SVT2": 4, "SVT3": 4, "SVT4": 4}  # times the calls of the others
REFUTED_WITHIN, BOUND_WITHIN = 4, 10  # times the limit
SECONDS = 60.0  # of processor time
COUPLED_GOALS = {"SVT4": 250_000, "ReportNoisyMax3": 40_000}  # median calls
BY_NAME = {row.name: row for row in ROWS}
Work = tuple[str, str, bool, int]  # name, "claim" or "aim", coupled, seed


def audited_claim(row: Row, kind: str) -> float | None:
    """Return the epsilon that is audited; None where there is no aim."""
    if kind == "claim":
        return EPSILON
    if row.best is None:
        return None
    return AIMS.get(row.name, SHARE * row.best)


@cache
def limit(name: str, epsilon: float) -> float | None:
    """Return the least calls that refute ε on the best of the pairs; None where not computed."""
    if name not in LAWS:
        return None
    every = (LAWS[name](pair) for pair in BY_NAME[name].pairs)
    return min(information_limit(masses, epsilon, ALPHA) for masses in every)


def audited(work: Work, calls: int) -> dict[str, Any]:
    """Run one audit and return what is written down of it."""
    name, kind, coupled, seed = work
    row = BY_NAME[name]
    epsilon = audited_claim(row, kind)
    assert epsilon is not None
    started = time.process_time()
    report = dpaudit.audit(
        row.mechanism,
        PureDP(epsilon),
        Pairs(list(row.pairs)),
        engines=[StatisticalEngine(coupled=coupled)],
        alpha=ALPHA,
        max_calls=calls * PATIENT.get(name, 1),
        seed=seed,
    )
    return {
        "name": name,
        "kind": kind,
        "coupled": coupled,
        "seed": seed,
        "most": calls,
        "claimed": epsilon,
        "refuted": report.verdict is Verdict.REFUTED,
        "completed": report.completed,
        "bound": report.epsilon,
        "calls": report.calls,
        "seconds": round(time.process_time() - started, 2),
    }


def typical(rows: list[dict[str, Any]]) -> tuple[str, str, str, float]:
    """Return how many refuted, median calls, their multiple of the limit, and the multiple."""
    name, epsilon = rows[0]["name"], rows[0]["claimed"]
    refuted = sum(row["refuted"] for row in rows)
    calls = median(row["calls"] if row["refuted"] else float("inf") for row in rows)
    least = limit(name, epsilon)
    multiple = float("inf") if least is None else calls / least
    finite = calls < float("inf")
    shown = f"{calls:,.0f}" if finite else f"> {rows[0]['calls']:,}"
    return f"{refuted}/{len(rows)}", shown, f"{multiple:.2f}" if finite else "", multiple


def verdict_on(row: Row, kind: str, rows: list[dict[str, Any]], multiple: float) -> str:
    """Return whether the goal of these audits is met."""
    if any(each["bound"] > row.true for each in rows):
        return "MISSED: a bound above the truth"
    if kind == "claim" and not row.broken:
        return f"sound: {met(not any(each['refuted'] for each in rows))}"
    least = limit(row.name, rows[0]["claimed"])
    goal = REFUTED_WITHIN if kind == "claim" else BOUND_WITHIN
    reached = multiple <= goal
    most = rows[0]["most"] * PATIENT.get(row.name, 1)
    if not reached and least is not None and goal * least > most:
        return f"{goal}× is beyond the calls" + (", as is the limit" if least > most else "")
    quick = median(each["seconds"] for each in rows) <= SECONDS
    words = f"≤ {goal}×: {met(reached)}" + ("" if quick else f"; {SECONDS:.0f} s: MISSED")
    if kind == "claim" and rows[0]["coupled"] and row.name in COUPLED_GOALS:
        within = median(each["calls"] for each in rows) <= COUPLED_GOALS[row.name]
        words += f"; ≤ {COUPLED_GOALS[row.name]:,}: {met(within)}"
    return words


def summary(rows: Iterable[dict[str, Any]]) -> None:
    """Print both tables."""
    by_work = defaultdict(list)
    for row in rows:
        by_work[row["kind"], row["coupled"], row["name"]].append(row)
    for kind, coupled in sorted({(kind, coupled) for kind, coupled, _ in by_work}, reverse=True):
        what = f"claim {EPSILON}" if kind == "claim" else "lower bound"
        print(f"\n{what}, {'coupled and labelled' if coupled else 'independent'} draws")
        table = []
        for name, row in BY_NAME.items():
            each = by_work.get((kind, coupled, name))
            if not each:
                continue
            refuted, calls, shown, multiple = typical(each)
            table.append(
                [
                    name,
                    f"{row.true:.4g}",
                    "" if row.published is None else f"{row.published:g}",
                    f"{each[0]['claimed']:.4g}",
                    f"{median(r['bound'] for r in each):.4f}",
                    refuted,
                    calls,
                    f"{median(r['seconds'] for r in each):.1f}",
                    shown,
                    verdict_on(row, kind, each, multiple),
                ]
            )
        header = ("", "truth", "DP-Sniper", "audited", "bound", "refuted")
        print_table((*header, "calls", "CPU s", "× limit", "goal"), table)


@click.command()
@click.option("--only", multiple=True, help="Names of mechanisms.")
@click.option("--kind", type=click.Choice(["claim", "aim", "both"]), default="both")
@click.option("--repeats", default=1, show_default=True, help="Seeds a row.")
@click.option("--calls", default=4_000_000, show_default=True, help="At most; 4 times for SVT1-4.")
@click.option("--coupled/--independent", default=True, show_default=True)
@click.option("--results", type=click.Path(path_type=Path), help="JSON lines, to resume from.")
@seed_option
def main(
    only: tuple[str, ...],
    kind: str,
    repeats: int,
    calls: int,
    coupled: bool,
    results: Path | None,
    seed: int,
) -> None:
    """Print calls until refutation, and lower bounds."""
    print_provenance()
    unknown = [name for name in only if name not in BY_NAME]
    if unknown:
        raise click.BadParameter(f"there is no {unknown[0]!r}; there are {', '.join(BY_NAME)}")
    work: list[Work] = [
        (row.name, what, coupled, seed * repeats + repeat)
        for row in ROWS
        if not only or row.name in only
        for what in (("claim", "aim") if kind == "both" else (kind,))
        if audited_claim(row, what) is not None
        for repeat in range(repeats)
    ]
    rows = []
    if results is not None and results.exists():
        rows = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
        rows = [row for row in rows if key(row) in set(work) and row["most"] == calls]
    done = {key(row) for row in rows}
    for item in work:
        if item in done:
            continue
        rows.append(audited(item, calls))
        if results is not None:
            with results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(rows[-1]) + "\n")
    summary(rows)
    for row in rows:
        if not row["completed"]:
            print(f"not completed: {row['name']}, seed {row['seed']}")


def key(row: dict[str, Any]) -> Work:
    """Return which audit a row is of."""
    return row["name"], row["kind"], row["coupled"], row["seed"]


if __name__ == "__main__":
    main()
