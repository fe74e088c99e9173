"""What a trace costs, and what its pairs save.

    python benchmarks/bench_trace.py

Overhead: the time of a traced run over that of a plain call, both in this process, by turns; on
NumPy code of 1,000 and of 100,000 records. Calls: those of an audit by sampling alone, and of one
that traces pairs first, on flawed mechanisms; the same seed, claim and budget.
"""

from __future__ import annotations

import argparse
import time
from functools import partial

import numpy as np

import dpaudit
from dpaudit import AddRemove, PureDP, Real, ReplaceOne
from dpaudit.subject import Subject
from dpaudit.trace.record import Bench
from mechanisms.flawed.count_suppresses_small import count_suppresses_small
from mechanisms.flawed.mean_clip_after import mean_clip_after
from mechanisms.flawed.mean_data_bounds import mean_data_bounds
from mechanisms.flawed.mean_forgets_removal import mean_forgets_removal
from mechanisms.flawed.sum_overflow import sum_overflow
from mechanisms.mean import mean_private_size


def release(data: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return noisy moments and a noisy histogram of clipped records."""
    clipped = np.clip(data, 0.0, 100.0)
    counts = np.histogram(clipped, bins=20, range=(0.0, 100.0))[0]
    moments = np.array([clipped.sum(), np.square(clipped).sum(), np.median(clipped)])
    noisy = moments + rng.laplace(scale=[100.0, 1e4, 10.0])
    return np.concatenate([noisy, counts + rng.laplace(size=20), np.quantile(data, [0.1, 0.9])])


def seconds(call, repeats: int) -> float:
    """Return the least time of a call."""
    best = float("inf")
    for _ in range(repeats):
        began = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - began)
    return best


def overhead(repeats: int) -> None:
    """Print the ratio of a traced run to a plain call."""
    for mechanism, size in ((release, 1_000), (release, 100_000), (mean_private_size, 1_000)):
        data, rng = np.linspace(0.0, 100.0, size), np.random.default_rng(0)
        plain = seconds(partial(mechanism, data, rng), repeats)
        with Bench(Subject.of(mechanism)) as bench:
            traced = seconds(partial(bench.run, data, (1,)), repeats)
        print(f"{mechanism.__name__:22s} {size:8,} records: {traced / plain:6.1f} times a call")


FLAWED = {
    "count_suppresses_small": (count_suppresses_small, AddRemove(Real(0, 100), max_size=16)),
    "mean_clip_after": (
        mean_clip_after,
        ReplaceOne(Real(0, 100, enforced=False), size=5),
    ),
    "mean_data_bounds": (mean_data_bounds, ReplaceOne(Real(0, 100), size=5)),
    "mean_forgets_removal": (mean_forgets_removal, AddRemove(Real(0, 100), max_size=16)),
    "sum_overflow": (sum_overflow, AddRemove(dpaudit.Integer(0, 10**9), max_size=8)),
}


def calls(most: int) -> None:
    """Print calls until refutation with and without traces."""
    for name, (mechanism, neighbors) in FLAWED.items():
        both = []
        for engines in (["statistical"], ["trace", "statistical"]):
            report = dpaudit.audit(
                mechanism, PureDP(1.0), neighbors, engines=engines, max_calls=most
            )
            both.append((report.calls, [f.id for f in report.findings]))
        (alone, found), (first, traced) = both
        print(f"{name:24s} {alone:8,} {found} alone, {first:8,} {traced} with traces: "
              f"{first / alone:.2f}")  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--calls", type=int, default=100_000)
    chosen = parser.parse_args()
    overhead(chosen.repeats)
    calls(chosen.calls)
