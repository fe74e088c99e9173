"""False alarms: mechanisms exactly at their claim, audited as users do.

Every audit goes through `dpaudit.audit` with its default options, learning and bandit included,
over several pairs of datasets, at α = .05. An e-value has mean at most one under a claim that
holds; a refutation of one is a false alarm. The goal: no more alarms than a binomial test at 1e-3
allows, which is 131 in 2,000.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import click
import numpy as np
from common import in_processes, jobs_option, met, print_provenance, print_table, seed_option
from numpy.typing import NDArray
from scipy.stats import binom, binomtest

import dpaudit
from dpaudit import AddRemove, AnyPair, Categorical, GaussianDP, Integer, PureDP, QueryAnswers, Real
from mechanisms.geometric import geometric
from mechanisms.noisy_max import report_noisy_max_exponential
from mechanisms.randomized_response import randomized_response

LEVEL = 0.05


def laplace_sum(data: NDArray[np.float64], rng: np.random.Generator) -> float:
    return float(data.sum() + rng.laplace())


def gaussian_sum(data: NDArray[np.float64], rng: np.random.Generator) -> float:
    return float(data.sum() + rng.normal())


@dataclass(frozen=True, slots=True)
class Case:
    """A mechanism with the strongest claim that it keeps."""

    name: str
    mechanism: Callable[..., Any]
    claim: Any
    neighbors: Any


CASES = (
    Case("Laplace sum", laplace_sum, PureDP(1.0), AddRemove(Real(0, 1))),
    Case("Gaussian sum", gaussian_sum, GaussianDP(1.0), AddRemove(Real(0, 1))),
    Case(
        "randomized response",
        randomized_response,
        PureDP(float(np.log(3))),
        AnyPair(Categorical([0, 1])),
    ),
    Case("report noisy max", report_noisy_max_exponential, PureDP(1.0), QueryAnswers(4)),
    Case("geometric count", geometric, PureDP(1.0), AddRemove(Integer(0, 1))),
)


def audited(work: tuple[int, int], calls: int) -> tuple[bool, float, int, int]:
    """Return (refuted, log e-value, pairs, calls) of one audit."""
    index, seed = work
    case = CASES[index]
    report = dpaudit.audit(
        case.mechanism,
        case.claim,
        case.neighbors,
        alpha=LEVEL,
        max_calls=calls,
        seed=seed,
        engines=["statistical"],
    )
    refuted = report.verdict is dpaudit.Verdict.REFUTED
    return refuted, report.evidence[0].log_e_value, report.pairs_tried, report.calls


def summary(name: str, results: list[tuple[bool, float, int, int]]) -> list[str]:
    """Return a row of the table."""
    alarms = sum(refuted for refuted, *_ in results)
    interval = binomtest(alarms, len(results)).proportion_ci(0.95, method="exact")
    e_values = np.exp([log for _, log, *_ in results])
    error = e_values.std(ddof=1) / np.sqrt(len(results)) if len(results) > 1 else float("nan")
    return [
        name,
        str(len(results)),
        str(alarms),
        f"{alarms / len(results):.4f}",
        f"{interval.low:.4f}..{interval.high:.4f}",
        f"{e_values.mean():.3f} ± {error:.3f}",
        f"{np.mean([pairs for _, _, pairs, _ in results]):.1f}",
        f"{np.mean([made for *_, made in results]):,.0f}",
    ]


@click.command()
@click.option("--audits", default=400, show_default=True, help="Audits a mechanism.")
@click.option("--calls", default=20_000, show_default=True, help="Calls an audit, at most.")
@seed_option
@jobs_option
def main(audits: int, calls: int, seed: int, jobs: int) -> None:
    """Count refutations of true claims."""
    print_provenance()
    started = time.perf_counter()
    work = [(i, seed * audits + k) for i in range(len(CASES)) for k in range(audits)]
    results = in_processes(partial(audited, calls=calls), work, jobs)
    rows = [
        summary(case.name, results[i * audits : (i + 1) * audits]) for i, case in enumerate(CASES)
    ]
    rows.append(summary("all", results))
    header = (
        "at their claim", "audits", "refuted", "rate", "95 %", "mean e-value", "pairs", "calls",
    )  # fmt: skip
    print_table(header, rows)
    alarms = sum(refuted for refuted, *_ in results)
    allowed = int(binom.isf(1e-3, len(results), LEVEL))
    print(
        f"\nα = {LEVEL}: {alarms} false alarms, at most {allowed} allowed (binomial test at "
        f"1e-3): {met(alarms <= allowed)}; {time.perf_counter() - started:.0f} s"
    )


if __name__ == "__main__":
    main()
