"""Two worker processes against one on an audit of more than two seconds, and the import's time."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

import click
import numpy as np
from common import met, print_provenance, print_table, seed_option

import dpaudit
from dpaudit import Pairs, PureDP

MOST_IMPORT_SECONDS = 0.5


def slow_laplace(answer: float, rng: np.random.Generator, *, turns: int = 1_000) -> float:
    """Return a noisy answer after some 50 µs of arithmetic."""
    total = 0
    for turn in range(turns):
        total += turn
    return answer + rng.laplace() + 0 * total


def timed(workers: int, calls: int, seed: int) -> tuple[float, str, int]:
    """Return (seconds, verdict, calls) of one audit, the start of its workers included."""
    started = time.perf_counter()
    report = dpaudit.audit(
        slow_laplace, PureDP(1.0), Pairs([(0.0, 1.0)]), isolation="process", workers=workers,
        max_calls=calls, seed=seed, engines=["statistical"],)  # fmt: skip
    return time.perf_counter() - started, str(report.verdict), report.calls


def import_seconds(code: str, repeats: int) -> float:
    """Return the median time of an import, the interpreter's own start taken off."""

    def median(code: str) -> float:
        seconds = []
        for _ in range(repeats):
            started = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            seconds.append(time.perf_counter() - started)
        return statistics.median(seconds)

    return median(code) - median("pass")


@click.command()
@click.option("--calls", default=100_000, show_default=True)
@click.option("--rounds", default=3, show_default=True)
@seed_option
def main(calls: int, rounds: int, seed: int) -> None:
    """Print the seconds of the same audit with one worker and with two, taken by turns."""
    print_provenance()
    timed(1, 1_000, seed)
    runs: dict[int, list[tuple[float, str, int]]] = {1: [], 2: []}
    for _ in range(rounds):
        for workers, done in runs.items():
            done.append(timed(workers, calls, seed))
    seconds = {workers: statistics.median(s for s, *_ in done) for workers, done in runs.items()}
    table = [
        [f"{workers} worker{'s' * (workers > 1)}", done[0][1], f"{done[0][2]:,}",
         f"{seconds[workers]:.2f}"]
        for workers, done in runs.items()
    ]  # fmt: skip
    print_table(("", "verdict", "calls", "seconds"), table)
    same = len({(verdict, made) for done in runs.values() for _, verdict, made in done}) == 1
    ratio = seconds[2] / seconds[1]
    print(f"\nratio {ratio:.2f}, goal at most 1: {met(ratio <= 1)}; same result: {met(same)}")
    took = import_seconds("import dpaudit", 7)
    goal = f"goal under {MOST_IMPORT_SECONDS} s: {met(took < MOST_IMPORT_SECONDS)}"
    names = "import dpaudit; [getattr(dpaudit, name) for name in dpaudit.__all__]"
    print(f"import dpaudit: {took:.3f} s, {goal}; with all names {import_seconds(names, 7):.3f} s")


if __name__ == "__main__":
    main()
