"""False alarms of families: one mechanism at several settings, exactly at their claims.

`--kind audits`: whole family audits through `dpaudit.audit`, at α = .05: all rows at their claim, and
families in which half of the rows are false, so that calls go where the evidence is and closed
testing asks less of the true rows. A false alarm is a true row that is refuted, or a family that is
refuted although every row is true.

`--kind fair`: rows that are fair games (see `fair_families`), which spend all of α. The goal of
both: no more alarms than a binomial test at 1e-3 allows, which is 131 in 2,000.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Any

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
from fair_families import errs, played
from numpy.typing import NDArray
from scipy.stats import binom, binomtest

import dpaudit
from dpaudit import Pairs, PureDP

LEVEL = 0.05
PAIR = Pairs([(0.0, 1.0)])
FAIR = {"four true": (0.5,) * 4, "two of four": (0.5, 0.5, 0.56, 0.56), "eight true": (0.5,) * 8}


def laplace(
    data: float, size: int, rng: np.random.Generator, *, epsilon: float, factor: float = 1.0
) -> NDArray[np.float64]:
    return data + rng.laplace(scale=1 / (epsilon * factor), size=size)


def coin(
    data: float, size: int, rng: np.random.Generator, *, epsilon: float, factor: float = 1.0
) -> NDArray[np.float64]:
    kept = rng.random(size) < 1 / (1 + np.exp(-epsilon * factor))
    return np.where(kept, data, 1 - data)


FAMILIES: dict[str, tuple[Any, dict[str, list[float]]]] = {
    "Laplace noise": (laplace, {"epsilon": [0.1, 0.5, 1.0, 2.0]}),
    "randomized response": (coin, {"epsilon": [0.1, 0.5, 1.0, 2.0]}),
    "half of them false": (coin, {"epsilon": [0.5, 1.0], "factor": [1.0, 1.6]}),
}


def audited(work: tuple[str, int], calls: int) -> tuple[bool, bool, int]:
    """Return (false alarm, refuted, calls) of one family."""
    name, seed = work
    mechanism, over = FAMILIES[name]
    report = dpaudit.audit(
        dpaudit.vectorized(mechanism),
        PureDP,
        PAIR,
        over=over,
        alpha=LEVEL,
        max_calls=calls,
        seed=seed,
        engines=["statistical"],
        progress=False,
    )
    refuted = report.verdict is dpaudit.Verdict.REFUTED
    true = [row for row in report.rows if row.setting.get("factor", 1.0) == 1.0]
    wrong = any(row.report.verdict is dpaudit.Verdict.REFUTED for row in true)
    return wrong or (refuted and len(true) == len(report.rows)), refuted, report.calls


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
