"""Audits in tiers: false alarms, mechanisms whose calls are slow, and what tiers cost.

`alarms` audits mechanisms exactly at their claim by traces, steered noise and sampling, with tiers
so small that all engines go on in later ones. H0: at most α of the audits refute. The goal: no more
than a binomial test at 1e-3 allows.

`slow` audits a count by traces, steered noise and sampling, within 60 seconds of a clock that goes
on by 2 to 200 ms with each call, and else stands still. So the figures are the same on any machine.
A second audit, without a limit, repeats the last complete tier. The goal: where time ended nothing
within the first tier, both say the same.

`cost` gives a sample of the audits of `audits/` to this checkout and to an earlier one, each in a
process of its own, in turn. The goal: the sum of processor time grows by no more than a tenth, and
all verdicts are the same.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import click
import numpy as np
from common import (
    in_processes,
    jobs_option,
    met,
    print_provenance,
    print_table,
    resumable,
    save_option,
    seed_option,
)
from scipy.stats import binom

import dpaudit
from dpaudit import AddRemove, PureDP, Real, auditor, real_clocks, staged
from dpaudit.auditor import audit_in_stages
from dpaudit.staged import Limit
from dpaudit.statistical import race
from dpaudit.trace import engine, known_noise, search
from dpaudit.trace.steered import conclude
from dpaudit.worker import deadline
from tests.calibration.tier_laws import CALLS, LAWS, played

LEVEL = 0.05
SECONDS = 60.0
DELAYS = (2, 10, 50, 200)  # ms
SCALES = {"at its claim": 1.0, "half the noise": 0.5}
TIMED = (race, auditor, staged, engine, known_noise, search, conclude)
MOST = 1.1  # times the processor time of before
VALUES = AddRemove(Real(0, 1), max_size=4)
COST = """
import json, resource
from bench_steps import audits
report = audits()[{name!r}].run(max_calls={calls}, max_seconds=None, seed=0, progress=False)
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
seconds = sum(each.ru_utime + each.ru_stime for each in used)
print(json.dumps([report.verdict.name, report.calls, seconds]))
"""  # of an audit, with the code of any checkout


def audited(work: tuple[str, int]) -> tuple[bool, int, int, int]:
    """Return (refuted, tiers, tiers with traces, calls) of one audit."""
    law, seed = work
    found = played(law, seed, LEVEL)
    return found.refuted, found.tiers, found.traced, found.calls


class Clock:
    """A clock that goes on by so many seconds with each call of a count."""

    def __init__(self, delay: float) -> None:
        self.now, self.delay = 1e6, delay

    def read(self) -> float:
        """Return the time in seconds."""
        return self.now

    def count(self, data: Any, rng: np.random.Generator, scale: float) -> float:
        """Return a count with Laplace noise, which takes its time."""
        self.now += self.delay
        return len(data) + float(rng.laplace(scale=scale))


def slowed(work: tuple[str, int]) -> list[str]:
    """Return a row of the table of slow calls."""
    name, delay = work
    clock = Clock(delay / 1000)
    given = {"engines": ["trace", "statistical"], "claim": PureDP(1.0), "neighbors": VALUES}
    mechanism = partial(clock.count, scale=SCALES[name])
    with ExitStack() as patches:
        for module in TIMED:
            own = SimpleNamespace(monotonic=clock.read)
            patches.enter_context(patch.object(module, "time", own))
        for module in (deadline, real_clocks):
            patches.enter_context(patch.object(module, "now", clock.read))
        began = clock.now
        *_, last = audit_in_stages(
            mechanism, **given, limit=Limit(), progress=lambda told: None, max_seconds=SECONDS
        )
        seconds, report = clock.now - began, last.report
        is_cut = any(each.cut_short for each in report.evidence[:1])
        same = "no tier"
        if last.tier:
            again = dpaudit.audit(
                mechanism, **given, tier=last.tier, max_seconds=None, progress=False
            )
            same = "same" if _said(again) == _said(report) else "other"
    return [
        f"{name}, {delay} ms", report.verdict.name, f"{last.tier} of {last.tiers}",
        f"{report.calls:,}", f"{seconds:.0f}", "yes" if is_cut else "no", same,
    ]  # fmt: skip


def _said(report: Any) -> tuple[Any, ...]:
    return report.verdict, report.epsilon, report.detectable_epsilon, str(report.witness)


@click.group()
def main() -> None:
    """Measure audits in tiers."""
    print_provenance()


@main.command()
@click.option("--audits", default=20, show_default=True, help="Audits a mechanism.")
@seed_option
@jobs_option
@save_option
def alarms(audits: int, seed: int, jobs: int, save: Path | None) -> None:
    """Count refutations of true claims over all tiers."""
    work = [(law, seed * audits + k) for law in LAWS for k in range(audits)]
    found = resumable(audited, work, jobs, save)
    rows = []
    for at, law in enumerate(LAWS):
        own = np.array(found[at * audits : (at + 1) * audits], dtype=float)
        refuted, *means = own.sum(0)[0], *own.mean(0)[1:]
        rows.append([law, str(audits), f"{refuted:.0f}", *(f"{mean:,.1f}" for mean in means)])
    print(f"At most {CALLS:,} calls.")
    print_table(("at their claim", "audits", "refuted", "tiers", "with traces", "calls"), rows)
    total, allowed = sum(each[0] for each in found), int(binom.isf(1e-3, len(found), LEVEL))
    print(f"α = {LEVEL}: {total} of {len(found)}, {allowed} allowed: {met(total <= allowed)}")


@main.command()
@jobs_option
def slow(jobs: int) -> None:
    """Audit counts whose calls take 2 to 200 ms."""
    rows = in_processes(slowed, [(name, delay) for name in SCALES for delay in DELAYS], jobs)
    header = ("calls that take", "verdict", "tiers", "calls", "seconds", "tier 1 cut", "repeated")
    print_table(header, rows)
    print(f"goal: {met(not any(row[-1] == 'other' and row[-2] == 'no' for row in rows))}")


@main.command()
@click.option("--before", required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--sample", default=20, show_default=True, help="Audits, evenly spread.")
@click.option("--calls", default=20_000, show_default=True, help="Calls an audit, at most.")
def cost(before: Path, sample: int, calls: int) -> None:
    """Compare processor time with that of another checkout."""
    from bench_steps import audits

    names, here = sorted(audits()), Path(__file__).resolve().parents[1]
    rows, sums, differ = [], np.zeros(2), []
    for name in names[len(names) // (2 * sample) :: max(len(names) // sample, 1)][:sample]:
        told = [_elsewhere(path, name, calls) for path in (before.resolve(), here)]
        sums += [each[2] for each in told]
        differ += [name] if told[0][0] != told[1][0] else []
        cells = [f"{verdict}, {made:,}, {used:.1f} s" for verdict, made, used in told]
        rows.append([name, *cells])
        print(*rows[-1], flush=True)
    print_table(("audit", "before", "in tiers"), rows)
    ratio = sums[1] / sums[0]
    print(f"{sums[0]:.0f} s before, {sums[1]:.0f} s in tiers, {ratio:.2f} times", end="; ")
    print(f"other verdicts: {', '.join(differ) or 'none'}: {met(ratio <= MOST and not differ)}")


def _elsewhere(checkout: Path, name: str, calls: int) -> list[Any]:
    """Return the costs of an audit in a new process, with the code of a checkout."""
    code = COST.format(name=name, calls=calls)
    paths = os.pathsep.join([str(checkout), str(checkout / "benchmarks")])
    ran = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": paths}, cwd=checkout,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return list(json.loads(ran.stdout.splitlines()[-1]))


if __name__ == "__main__":
    main()
