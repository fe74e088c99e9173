"""Calls until rejection at α = 1e-6 on Laplace noise, as a multiple of the information limit.

The limit holds for independent draws, one from each dataset: no test rejects with fewer than
2·log(1/α)/KL expected calls, KL being the distance of one pair of draws from (P, Q) to the nearest
pair that the claim allows. Draws that share their seed may go below it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
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
from scipy.integrate import quad

import dpaudit
from dpaudit import Pairs, PureDP, Verdict
from dpaudit.statistical import StatisticalEngine
from mechanisms.laplace import laplace_many

ALPHA = 1e-6
MOST_CALLS = 1_000_000
RATIO = 1.7


@dataclass(frozen=True, slots=True)
class Row:
    """Laplace noise that is (true)-DP and claims less; `goal` is in calls, where there is one."""

    true: float
    claimed: float
    goal: float | None = None

    @property
    def name(self) -> str:
        return f"{self.true:g} claimed {self.claimed:g}"


ROWS = (
    Row(2, 1),
    Row(1.5, 1),
    Row(1.2, 1),
    Row(1.1, 1),
    Row(0.2, 0.1, 3_500),
    Row(0.15, 0.1, 10_000),
)


def information_limit(
    log_p: Callable[[float], float],
    log_q: Callable[[float], float],
    breaks: Sequence[float],
    claimed: float,
    alpha: float,
) -> float:
    """Return the least expected calls that reject ε-DP at level alpha.

    Parameters
    ----------
    log_p, log_q : callable
        Log densities of the two datasets' outputs.
    breaks : sequence of float
        Increasing points between which both are smooth; beyond them they are negligible.
    claimed, alpha : float

    Notes
    -----
    Flip a fair coin and draw from its side: one call. Given the output z the coin has a posterior
    π(z); the claim allows those within [1/(1+e^ε), e^ε/(1+e^ε)], and the nearest is π clipped.
    By symmetry the clipped posteriors belong to a pair of distributions, so the expected
    divergence is half the distance of a pair of draws.
    """

    def divergence(z: float) -> float:
        p, q = log_p(z), log_q(z)
        odds = p - q
        allowed = float(np.clip(odds, -claimed, claimed))
        log_pi = -np.logaddexp(0, [-odds, odds])
        log_allowed = -np.logaddexp(0, [-allowed, allowed])
        return float(np.exp(np.logaddexp(p, q)) / 2 * np.exp(log_pi) @ (log_pi - log_allowed))

    a_call = sum(quad(divergence, a, b)[0] for a, b in pairwise(breaks))
    return float(np.log(1 / alpha) / a_call)


def laplace_limit(true: float, claimed: float) -> float:
    """Return the limit for Laplace noise of scale 1/true on answers 0 and 1."""

    def log_density(z: float, center: float) -> float:
        return float(np.log(true / 2) - true * abs(z - center))

    # The odds cross the claim where they are linear, between 0 and 1.
    crossings = (0.5 - claimed / (2 * true), 0.5 + claimed / (2 * true))
    breaks = (-40 / true, 0.0, *crossings, 1.0, 1 + 40 / true)
    first, second = partial(log_density, center=0.0), partial(log_density, center=1.0)
    return information_limit(first, second, breaks, claimed, ALPHA)


def calls_until(work: tuple[int, bool, int]) -> int:
    """Return the calls until refutation; a miss counts as more than any."""
    index, coupled, seed = work
    row = ROWS[index]
    report = dpaudit.audit(
        dpaudit.vectorized(partial(laplace_many, epsilon=row.true)),
        PureDP(row.claimed),
        Pairs([(0.0, 1.0)]),
        engines=[StatisticalEngine(coupled=coupled)],
        alpha=ALPHA,
        max_calls=MOST_CALLS,
        seed=seed,
    )
    return report.calls if report.verdict is Verdict.REFUTED else 2**62


@click.command()
@click.option("--repeats", default=41, show_default=True, help="Seeds a row.")
@seed_option
@jobs_option
@save_option
def main(repeats: int, seed: int, jobs: int, save: Path | None) -> None:
    """Print median calls until rejection."""
    print_provenance()
    started = time.perf_counter()
    work = [
        (i, coupled, seed * repeats + k)
        for k in range(repeats)
        for i in range(len(ROWS))
        for coupled in (False, True)
    ]
    calls = np.array(resumable(calls_until, work, jobs, save)).reshape(repeats, len(ROWS), 2)
    medians = np.median(calls, axis=0)
    table = []
    for i, row in enumerate(ROWS):
        limit = laplace_limit(row.true, row.claimed)
        alone, runs = (float(median) for median in medians[i])
        reached = runs <= RATIO * limit and (row.goal is None or runs < row.goal)
        goal = f"≤ {RATIO}×" + ("" if row.goal is None else f" and < {row.goal:,.0f}")
        table.append(
            [
                row.name,
                f"{limit:,.0f}",
                f"{alone:,.0f}",
                f"{alone / limit:.2f}",
                f"{runs:,.0f}",
                f"{runs / limit:.2f}",
                f"{goal}: {met(reached)}",
            ]
        )
    header = ("Laplace ε", "limit", "independent", "ratio", "as it runs", "ratio", "goal")
    print_table(header, table)
    seconds = time.perf_counter() - started
    print(f"\nmedian calls of {repeats} audits at α = {ALPHA:g}; {seconds:.0f} s")


if __name__ == "__main__":
    main()
