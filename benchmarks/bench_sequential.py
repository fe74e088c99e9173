"""Pairs of draws until rejection, beside published sequential auditors.

Releases s/n + noise of scale 2/(nε) on [0] against [0, 1] (n the count, s the sum) at level .05,
claimed to be ε-DP. In the rows NonDP1 the scale tells n; in NonDP2 it tells the noisy count
ñ = max(1e-12, n + Lap(2/ε)), whose sum is released unprotected; DPLaplace divides s by ñ too and
is sound. Published figures draw independently from the two datasets.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
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
from numpy.typing import NDArray

import dpaudit
from dpaudit import Pairs, PureDP, Verdict
from dpaudit.statistical import StatisticalEngine

LEVEL = 0.05
MOST_PAIRS = 2_000
MULTIPLE = 4  # of the limit, where there is no other goal
PROBES = 21  # calls that show how to call the mechanism and whether it keeps state; none is bet on
Data = NDArray[np.float64]
PAIR = Pairs([(np.array([0.0]), np.array([0.0, 1.0]))])


def noisy_count(data: Data, rng: np.random.Generator, epsilon: float) -> float:
    return max(1e-12, len(data) + rng.laplace(scale=2 / epsilon))


def non_dp_laplace_1(data: Data, rng: np.random.Generator, *, epsilon: float) -> float:
    n = len(data)
    return float(data.sum() / n + rng.laplace(scale=2 / (n * epsilon)))


def non_dp_gaussian_1(data: Data, rng: np.random.Generator, *, epsilon: float) -> float:
    n = len(data)
    return float(data.sum() / n + rng.normal(scale=2 / (n * epsilon)))


def non_dp_laplace_2(data: Data, rng: np.random.Generator, *, epsilon: float) -> float:
    noisy = noisy_count(data, rng, epsilon)
    return float(data.sum() / len(data) + rng.laplace(scale=2 / (noisy * epsilon)))


def non_dp_gaussian_2(data: Data, rng: np.random.Generator, *, epsilon: float) -> float:
    noisy = noisy_count(data, rng, epsilon)
    return float(data.sum() / len(data) + rng.normal(scale=2 / (noisy * epsilon)))


def dp_laplace(data: Data, rng: np.random.Generator, *, epsilon: float) -> float:
    noisy = noisy_count(data, rng, epsilon)
    return float(data.sum() / noisy + rng.laplace(scale=2 / (noisy * epsilon)))


@dataclass(frozen=True, slots=True)
class Row:
    """A mechanism with the figures to compare with, all in pairs of draws.

    Attributes
    ----------
    limit : float or None
        Least expected pairs of independent draws.
    published : str
        Sequential MMD / sequential f-DP auditor, or one figure for both, with its power.
    goal : float or None
        Mean pairs at most; None where it is a multiple of the limit.
    """

    name: str
    mechanism: Callable[..., float]
    epsilon: float
    limit: float | None
    published: str
    goal: float | None = None


ROWS = (
    Row("NonDPGaussian1", non_dp_gaussian_1, 0.01, 16.4, "264 / 61", 40),
    Row("NonDPGaussian1", non_dp_gaussian_1, 0.1, 18.8, "562 / 72", 46),
    Row("NonDPLaplace1", non_dp_laplace_1, 0.01, 28.5, "331 / 81", 64),
    Row("NonDPLaplace1", non_dp_laplace_1, 0.1, 34.6, "920 / 115", 78),
    Row("NonDPGaussian2", non_dp_gaussian_2, 0.01, 138, "1139 (85 %)"),
    Row("NonDPGaussian2", non_dp_gaussian_2, 0.1, 189, "4776 (5 %)"),
    Row("NonDPLaplace2", non_dp_laplace_2, 0.01, 116, "192"),
    Row("NonDPLaplace2", non_dp_laplace_2, 0.1, 152, "770"),
    Row("DPLaplace, sound", dp_laplace, 0.01, None, ""),
    Row("DPLaplace, sound", dp_laplace, 0.1, None, ""),
)


def pairs_until(work: tuple[int, bool, int]) -> tuple[bool, float]:
    """Return whether the claim was refuted, and the pairs of calls that were bet on."""
    index, coupled, seed = work
    row = ROWS[index]
    report = dpaudit.audit(
        partial(row.mechanism, epsilon=row.epsilon),
        PureDP(row.epsilon),
        PAIR,
        engines=[StatisticalEngine(coupled=coupled)],
        alpha=LEVEL,
        max_calls=2 * MOST_PAIRS + PROBES,
        seed=seed,
    )
    return report.verdict is Verdict.REFUTED, (report.calls - PROBES) / 2


def verdict_on(row: Row, rejected: int, runs: int, mean: float) -> str:
    """Return whether the row's goal is met."""
    if row.limit is None:
        return f"≤ {LEVEL * runs:.0f} expected"
    if row.goal is None:
        return f"≤ {MULTIPLE}×: {met(rejected == runs and mean <= MULTIPLE * row.limit)}"
    return f"≤ {row.goal:.0f}: {met(rejected == runs and mean <= row.goal)}"


@click.command()
@click.option("--runs", default=200, show_default=True, help="Seeds a row.")
@click.option("--only", default="", help="Rows whose name holds this text.")
@click.option("--draws", default="both", type=click.Choice(["both", "coupled", "independent"]))
@seed_option
@jobs_option
@save_option
def main(runs: int, only: str, draws: str, seed: int, jobs: int, save: Path | None) -> None:
    """Print mean pairs until rejection."""
    print_provenance()
    started = time.perf_counter()
    streams = [draws == "coupled"] if draws != "both" else [True, False]
    work = [
        (i, coupled, seed * runs + k)
        for k in range(runs)
        for coupled in streams
        for i, row in enumerate(ROWS)
        if only in row.name
    ]
    results = dict(zip(work, resumable(pairs_until, work, jobs, save), strict=True))
    for coupled in streams:
        print("as the engine runs" if coupled else "\nindependent draws alone")
        table = []
        for i in sorted({i for i, _, _ in work}):
            row = ROWS[i]
            mine = [found for at, found in results.items() if at[:2] == (i, coupled)]
            rejected = sum(refuted for refuted, _ in mine)
            drawn = np.array([pairs for _, pairs in mine])
            error = drawn.std(ddof=1) / np.sqrt(runs) if runs > 1 else float("nan")
            table.append(
                [
                    f"{row.name}, ε = {row.epsilon}",
                    f"{rejected}/{runs}",
                    f"{drawn.mean():.1f} ± {error:.1f}",
                    "" if row.limit is None else f"{row.limit:g}",
                    row.published,
                    verdict_on(row, rejected, runs, float(drawn.mean())),
                ]
            )
        print_table(("", "rejected", "mean pairs", "limit", "published", "goal"), table)
    print(
        f"\n{PROBES} calls of each audit are not bet on, nor counted here"
        f"\nlevel {LEVEL}, at most {MOST_PAIRS:,} pairs; published: sequential MMD / sequential "
        f"f-DP; {time.perf_counter() - started:.0f} s"
    )


if __name__ == "__main__":
    main()
