"""What the trace engine finds in the reference mechanisms, what it costs, and what it saves.

`flawed`: the trace alone (no sampling, 200 pairs) on every audit of a flawed reference mechanism
whose defect lies in the glue, not in its noise (DPA106, DPA111, and what `causes.py` lists as
such). Goal: the id that the file states, or one of `causes.EITHER`, at the line that `causes.py`
names, within 2 seconds of processor time.

`sound`: the trace with its confirmation on every audit of a sound reference mechanism, over 2,000
pairs each. Goal: no finding.

`overhead`: the time of a traced run over that of a plain call, both in this process, by turns, on
NumPy code. Goal: at most 20 times.

`calls`: calls of an audit by sampling alone, and of one that traces pairs first, on flawed
mechanisms that only special pairs betray; the same seed, claim and budget. Goal: a third. Where
the first pairs show the leak, traces must not cost much: at most a quarter more.
"""

from __future__ import annotations

import linecache
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click
import numpy as np
from causes import CAUSES, EITHER, LAW
from common import (
    jobs_option,
    met,
    print_provenance,
    print_table,
    resumable,
    save_option,
)
from numpy.typing import NDArray

from dpaudit import Audit
from dpaudit.collect import collect
from dpaudit.evidence import Budget
from dpaudit.subject import Subject
from dpaudit.trace.engine import TraceEngine
from dpaudit.trace.record import Bench
from dpaudit.worker import InPlace
from mechanisms.mean import mean_private_size
from tools.declared import AUDITS, all_declared, kind_of

PAIRS, SECONDS, RATIO = 200, 2.0, 20.0
NOISE = ("DPA106", "DPA111")  # defects of the noise, not of the glue
SOUND_PAIRS, SOUND_CALLS = 2_000, 20_000
Row = list[str]


def audits(folder: str) -> Iterator[tuple[str, str, Audit]]:
    """Yield name, mechanism's file and audit, of the sound or of the flawed mechanisms."""
    told = {each.name: each.mechanisms for each in all_declared()}
    for found in collect([AUDITS]).audits:
        if kind_of(found.audit) != ("flawed" if folder == "flawed" else "sound"):
            continue
        name = f"audits/{found.name.rpartition('audits/')[2]}"
        inner = [m.split(".")[2] for m in sorted(told.get(name, ())) if ".flawed." in m]
        if (folder == "flawed") == bool(inner):
            yield name, inner[0] if inner else "", found.audit


def _audit(name: str) -> Audit:
    """Return an audit by the name that `audits` gives it."""
    (found,) = collect([AUDITS.parent / name]).audits
    return found.audit


def traced_flawed(item: tuple[str, str]) -> Row:
    """Return the row of a flawed mechanism: what is suspected first, and where."""
    name, mechanism = item
    audit = _audit(name)
    subject = Subject.of(audit.mechanism)
    began = time.process_time()
    evidence = TraceEngine(pairs=PAIRS, share=0.0).examine(
        subject, audit.claim, audit.neighbors, Budget(seed=audit.seed or 0), runner=InPlace(subject)
    )
    seconds = time.process_time() - began
    short = f"{name.partition('::')[2]} ({mechanism})"
    first = evidence.suspects[0].finding if evidence.suspects else None
    if first is None:
        return [short, audit.expect, "", "", f"{seconds:.1f}", str(evidence.pairs_tried), "no"]
    line = linecache.getline(first.file or "", first.line or 0).strip()
    ids = {audit.expect, *EITHER.get(mechanism, ())}
    right = [first.id in ids, any(line.startswith(c) for c in CAUSES.get(mechanism, ()))]
    judged = "yes" if all(right) else "id" if right[0] else "line" if right[1] else "no"
    return [short, audit.expect, first.id, f"{Path(first.file or '').stem}:{first.line} {line:.60}",
            f"{seconds:.1f}", str(evidence.pairs_tried), judged]  # fmt: skip


def traced_sound(name: str) -> Row:
    """Return the row of a sound mechanism: what is suspected, and what is found."""
    audit = _audit(name)
    subject = Subject.of(audit.mechanism)
    budget = Budget(seed=audit.seed or 0, max_calls=SOUND_CALLS)
    began = time.process_time()
    engine = TraceEngine(pairs=SOUND_PAIRS, share=0.5, every_pair=True)
    evidence = engine.examine(
        subject, audit.claim, audit.neighbors, budget, runner=InPlace(subject)
    )
    found = " ".join(f.id for f in evidence.findings)
    suspected = " ".join(s.finding.id for s in evidence.suspects if s.finding)
    return [name, str(evidence.pairs_tried), suspected, found or "none",
            f"{time.process_time() - began:.0f}", evidence.reason[:150]]  # fmt: skip


def release(data: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Return noisy moments and a noisy histogram of clipped records."""
    clipped = np.clip(data, 0.0, 100.0)
    counts = np.histogram(clipped, bins=20, range=(0.0, 100.0))[0]
    moments = np.array([clipped.sum(), np.square(clipped).sum(), np.median(clipped)])
    noisy = moments + rng.laplace(scale=[100.0, 1e4, 10.0])
    return np.concatenate([noisy, counts + rng.laplace(size=20), np.quantile(data, [0.1, 0.9])])


def least_seconds(call: Callable[[], object], repeats: int) -> float:
    """Return the least time of a call."""
    best = float("inf")
    for _ in range(repeats):
        began = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - began)
    return best


# Audits of flawed mechanisms that few pairs betray: counts at a limit, many equal records, ranges
# that overflow, a record that nobody checks.
CALLS = (
    "count_suppresses_small",
    "count_after_join",
    "geometric_int8_overflow",
    "histogram_threshold_first",
    "mean_clip_after",
    "mean_forgets_removal",
    "noisy_vote_raw_check",
    "stability_histogram_threshold_before_noise",
    "sum_overflow",
)


# On these the first pairs tell.
EARLY = ("mean_data_bounds", "mean_local_sensitivity")


@click.group()
def main() -> None:
    """Measure the trace engine."""


@main.command()
@click.option("--only", multiple=True, help="Audits whose name has this; may be repeated.")
@jobs_option
@save_option
def flawed(only: tuple[str, ...], jobs: int, save: Path | None) -> None:
    """Trace flawed reference mechanisms."""
    print_provenance()
    items = [
        (name, mechanism)
        for name, mechanism, audit in audits("flawed")
        if audit.expect not in NOISE and mechanism not in LAW
        if not only or any(part in name for part in only)
    ]
    rows = resumable(traced_flawed, items, jobs, save)
    print_table(("audit", "stated", "found", "line", "s", "pairs", "right"), rows)
    right = sum(row[6] == "yes" for row in rows)
    slow = sum(float(row[4]) > SECONDS for row in rows)
    named = sum(row[6] in ("yes", "id") for row in rows)
    print(f"of {len(rows)}, {named} have the id, {right} the line too: {met(right == len(rows))}")
    print(f"{slow} took more than {SECONDS:g} s: {met(not slow)}")


@main.command()
@click.option("--only", multiple=True, help="Audits whose name has this; may be repeated.")
@jobs_option
@save_option
def sound(only: tuple[str, ...], jobs: int, save: Path | None) -> None:
    """Trace sound reference mechanisms."""
    print_provenance()
    names = [n for n, _, _ in audits("") if not only or any(part in n for part in only)]
    rows = resumable(traced_sound, names, jobs, save)
    print_table(("audit", "pairs", "suspected", "found", "s", "reason"), rows)
    wrong = sum(row[3] != "none" for row in rows)
    print(f"{wrong} findings on {len(rows)} sound mechanisms: {met(not wrong)}")


@main.command()
@click.option("--repeats", default=200, show_default=True)
def overhead(repeats: int) -> None:
    """Print the ratio of a traced run to a plain call."""
    print_provenance()
    rows = []
    for mechanism, size in ((release, 1_000), (release, 100_000), (mean_private_size, 1_000)):
        data, rng = np.linspace(0.0, 100.0, size), np.random.default_rng(0)
        plain = least_seconds(partial(mechanism, data, rng), repeats)
        with Bench(Subject.of(mechanism)) as bench:
            traced = least_seconds(partial(bench.run, data, (1,)), repeats)
        ratio = traced / plain
        rows.append((mechanism.__name__, f"{size:,}", f"{ratio:.1f}", met(ratio <= RATIO)))
    print_table(("mechanism", "records", "times a call", "goal"), rows)


@main.command()
@click.option("--most", default=100_000, show_default=True, help="Calls of an audit.")
def calls(most: int) -> None:
    """Print calls until refutation with and without traces."""
    print_provenance()
    rows = []
    for name, mechanism, _ in audits("flawed"):
        if mechanism not in (*CALLS, *EARLY):
            continue
        both = []
        for engines in (["statistical"], ["trace", "statistical"]):
            report = _audit(name).run(engines=engines, max_calls=most)
            both.append((report.calls, " ".join(f.id for f in report.findings)))
        (alone, found), (first, traced) = both
        share = first / alone
        goal = met(share <= (1 / 3 if mechanism in CALLS else 1.25))
        rows.append((mechanism, f"{alone:,}", found or "nothing", f"{first:,}", traced or "nothing",
                     f"{share:.2f}", goal))  # fmt: skip
    print_table(("mechanism", "alone", "found", "traced", "found", "share", "goal"), rows)


if __name__ == "__main__":
    main()
