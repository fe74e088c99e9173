"""False alarms of families: one mechanism at several settings, exactly at their claims.

`--kind audits`: whole family audits through `dpaudit.audit`, at α = .05. All rows are at their
claim, or half of the rows are false, so that calls go where the evidence is and closed testing asks
less of the true rows. A false alarm is a true row that is refuted, or a family that is refuted
although every row is true.

`--kind fair`: rows that are fair games (see `fair_families`), which spend all of α. The goal of
both: no more alarms than a binomial test at 1e-3 allows, which is 131 in 2,000.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import click
import numpy as np
from common import (
    jobs_option,
    met,
    print_provenance,
    print_table,
    resumable,
    save_option,
    seed_option,
)
from fair_families import FAMILIES, LEVEL, audited, errs, played
from scipy.stats import binom, binomtest

import dpaudit

FAIR = {"four true": (0.5,) * 4, "two of four": (0.5, 0.5, 0.56, 0.56), "eight true": (0.5,) * 8}


def fair(work: tuple[str, int], calls: int) -> tuple[bool, bool, int]:
    """Return the same of one family of games."""
    name, seed = work
    report = played(seed, FAIR[name], LEVEL, calls)
    return errs(report), report.verdict is dpaudit.Verdict.REFUTED, report.calls


@click.command(help=__doc__)
@click.option("--kind", type=click.Choice(["audits", "fair"]), default="audits")
@click.option("--families", default=700, show_default=True, help="Families of each kind.")
@click.option("--calls", default=2_400, show_default=True, help="Calls a family, at most.")
@seed_option
@jobs_option
@save_option
def main(kind: str, families: int, calls: int, seed: int, jobs: int, save: Path | None) -> None:
    """Count what is refuted although it is true."""
    print_provenance()
    began = time.perf_counter()
    names = list(FAMILIES if kind == "audits" else FAIR)
    work = [(name, seed * families + k) for name in names for k in range(families)]
    one = partial(audited if kind == "audits" else fair, calls=calls)
    results = resumable(one, work, jobs, save)
    rows, total = [], 0
    for place, name in enumerate(names):
        some = results[place * families : (place + 1) * families]
        alarms = sum(alarm for alarm, *_ in some)
        total += alarms
        interval = binomtest(alarms, len(some)).proportion_ci(0.95, method="exact")
        refuted, made = sum(r for _, r, _ in some), np.mean([calls for *_, calls in some])
        spread = f"{interval.low:.4f}..{interval.high:.4f}"
        rows.append([name, str(len(some)), str(alarms), spread, str(refuted), f"{made:,.0f}"])
    print_table(("family", "audits", "false alarms", "95 %", "refuted", "calls"), rows)
    allowed = int(binom.isf(1e-3, len(results), LEVEL))
    print(
        f"\nα = {LEVEL}: {total} false alarms in {len(results)}, at most {allowed} allowed "
        f"(binomial test at 1e-3): {met(total <= allowed)}; {time.perf_counter() - began:.0f} s"
    )


if __name__ == "__main__":
    main()
