"""Peak memory of a long audit of a vectorized mechanism, measured in a process of its own."""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import click
import numpy as np
from common import met, print_provenance, print_table, seed_option
from numpy.typing import NDArray

import dpaudit
from dpaudit import Pairs, PureDP, vectorized

MOST_MEGABYTES = 400


@vectorized
def laplace(answer: float, size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    return answer + rng.laplace(size=size)


def measured(calls: int, seed: int) -> tuple[int, str, float, float]:
    """Return (calls, verdict, seconds, peak resident megabytes of this process)."""
    started = time.perf_counter()
    report = dpaudit.audit(
        laplace,
        PureDP(1.0),
        Pairs([(0.0, 1.0)]),
        max_calls=calls,
        seed=seed,
        engines=["statistical"],
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    megabytes = peak / 2**20 if sys.platform == "darwin" else peak / 2**10
    return report.calls, str(report.verdict), time.perf_counter() - started, megabytes


@click.command()
@click.option("--calls", default=100_000_000, show_default=True)
@seed_option
def main(calls: int, seed: int) -> None:
    """Print peak memory for a hundredth of the calls, and for all of them."""
    print_provenance()
    table = []
    peak = 0.0
    for size in (max(1, calls // 100), calls):
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            made, verdict, seconds, peak = pool.submit(measured, size, seed).result()
        table.append([f"{made:,} calls", verdict, f"{seconds:.1f}", f"{peak:.0f}"])
    print_table(("", "verdict", "seconds", "peak MB"), table)
    print(f"\ngoal: under {MOST_MEGABYTES} MB: {met(peak < MOST_MEGABYTES)}")


if __name__ == "__main__":
    main()
