"""Calls until steered noise refutes what plain draws hardly meet.

    python benchmarks/bench_steered.py

Three goals, each over several seeds, with `engines=["trace"]` at α = 1e-6 and the pair named:
Gaussian noise of .8 of the σ that keeps (1, 1e-5)-DP within 30,000 calls, of .95 of it within two
million, and a catastrophe of probability 1e-6 behind one comparison within 1,000. `--wide` lets
the audit find its pair by itself. The last column is what any test needs that knows nothing of
what the program does with its noise: log(1/α)/r calls, r being the probability by which the event
would have to grow on the neighbor for the claim to hold.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import click
import numpy as np
from common import met, print_provenance, print_table
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr

import dpaudit
from dpaudit import AddRemove, ApproxDP, Pairs, PureDP, Real

ALPHA = 1e-6
EPSILON, DELTA, RARE = 1.0, 1e-5, 1e-6


def delta_of(sigma: float) -> float:
    """Return δ(1) of Gaussian noise for sensitivity 1 (Balle & Wang 2018, Theorem 8)."""
    upper, lower = 0.5 / sigma - EPSILON * sigma, -0.5 / sigma - EPSILON * sigma
    return float(ndtr(upper) - math.exp(EPSILON) * ndtr(lower))


SIGMA = float(brentq(lambda sigma: delta_of(sigma) - DELTA, 0.1, 100.0))


def gaussian_sum(data: NDArray[np.float64], rng: np.random.Generator, part: float) -> float:
    return float(np.sum(data)) + rng.normal(scale=part * SIGMA)


def catastrophe(data: NDArray[np.float64], rng: np.random.Generator) -> float:
    if rng.random() < RARE:
        return float(np.sum(data))
    return float(np.sum(data)) + rng.laplace()


@dataclass(frozen=True, slots=True)
class Goal:
    """A mechanism, its false claim, and the calls within which it is to fall."""

    name: str
    mechanism: Callable[..., Any]
    claim: Any
    calls: int
    missing: float  # the probability r


GOALS = (
    Goal(
        ".8 of its σ",
        partial(gaussian_sum, part=0.8),
        ApproxDP(EPSILON, DELTA),
        30_000,
        (delta_of(0.8 * SIGMA) - DELTA) / math.e,
    ),
    Goal(
        ".95 of its σ",
        partial(gaussian_sum, part=0.95),
        ApproxDP(EPSILON, DELTA),
        2_000_000,
        (delta_of(0.95 * SIGMA) - DELTA) / math.e,
    ),
    Goal("catastrophe of 1e-6", catastrophe, PureDP(EPSILON), 1_000, RARE / math.e),
)


def refuted(goal: Goal, seed: int, *, wide: bool) -> tuple[bool, int, str]:
    """Return whether an audit refutes by steered noise, its calls and its finding."""
    pair = Pairs([(np.array([1.0, 1.0]), np.array([1.0]))])
    report = dpaudit.audit(
        goal.mechanism,
        goal.claim,
        AddRemove(Real(0, 1)) if wide else pair,
        engines=["trace"],
        alpha=ALPHA,
        seed=seed,
    )
    steered = report.evidence[0].reason.startswith("steered noise")
    found = report.findings[0].id if report.findings else ""
    return steered and report.verdict is dpaudit.Verdict.REFUTED, report.calls, found


@click.command()
@click.option("--seeds", default=5, show_default=True, help="Seeds 0 to SEEDS − 1.")
@click.option("--wide", is_flag=True, help="Let the audit find its pair.")
def main(seeds: int, wide: bool) -> None:
    """Count calls until refutation."""
    print_provenance()
    began = time.perf_counter()
    rows, reached = [], True
    for goal in GOALS:
        results = [refuted(goal, seed, wide=wide) for seed in range(seeds)]
        calls = sorted(made for _, made, _ in results)
        fell = all(one for one, *_ in results)
        reached &= fell and calls[-1] <= goal.calls
        rows.append(
            [
                goal.name,
                f"{sum(one for one, *_ in results)} of {seeds}",
                f"{calls[len(calls) // 2]:,}",
                f"{calls[0]:,}..{calls[-1]:,}",
                f"{goal.calls:,}",
                ", ".join(sorted({found for *_, found in results})),
                f"{math.log(1 / ALPHA) / goal.missing:,.0f}",
            ]
        )
    header = ("mechanism", "refuted", "median calls", "range", "goal", "finding", "blind limit")
    print_table(header, rows)
    print(f"\nall within their goals: {met(reached)}; {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
