"""False alarms: mechanisms exactly at their claim, audited as users do.

Every audit goes through `dpaudit.audit` with its default options, learning and bandit included,
over several pairs of datasets, at α = .05. An e-value has mean at most one under a claim that
holds; a refutation of one is a false alarm. The goal: no more alarms than a binomial test at 1e-3
allows, which is 131 in 2,000.

`--kind one-sided`: mechanisms whose rare outputs come on one side alone, by chance or because δ
allows it, so that the bets on such outputs play. H0 is the same.

`--kind edges`: mechanisms at their claim whose ends are as uneven as it allows, so that bets on
labels at the ends of single numbers play. H0 is the same.

`--kind steered`: bets on steered noise, without the rest of an audit and with all of α.

`--kind coupled`: bets on draws with a common seed, likewise, for mechanisms whose rows share noise
or whose calls keep some. Their draws are given up where an output is seen to depend on earlier
calls: e-values are then 0.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
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
from coupled_laws import laws, play
from numpy.typing import NDArray
from scipy.stats import binom, binomtest
from steered_laws import LAWS, steered_audits

import dpaudit
from dpaudit import (
    AddRemove,
    AnyPair,
    ApproxDP,
    Categorical,
    GaussianDP,
    Integer,
    Pairs,
    PureDP,
    QueryAnswers,
    Real,
)
from mechanisms.geometric import geometric
from mechanisms.noisy_max import report_noisy_max_exponential
from mechanisms.randomized_response import randomized_response
from tests.calibration import edge_laws

LEVEL = 0.05
BLOCK = 10  # audits of steered noise that a process makes at a time


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


def rare_outcomes(answer: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """A thousand outcomes, each e times as likely on one side as on the other."""
    kept = rng.random(size) < np.e / (1 + np.e)
    return 2 * rng.integers(0, 500, size) + np.where(kept, answer, 1 - answer)


def rare_counts(answer: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Three counts with geometric noise; most outputs come once."""
    noise = rng.geometric(1 - np.exp(-1), (2, size, 3))
    return np.asarray(np.array([answer, 0, 0]) + noise[0] - noise[1])


def allowed_catastrophe(answer: int, size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """The answer itself with probability δ = .05, the same noise else."""
    return np.where(rng.random(size) < 0.05, 10.0 + answer, rng.normal(size=size))


def allowed_values(answer: int, size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Five values of one's own, of total probability δ = .05, else Laplace noise at ε = 1."""
    own = 50.0 + 10 * answer + rng.integers(0, 5, size)
    return np.where(rng.random(size) < 0.05, own, answer + rng.laplace(size=size))


def allowed_end(answer: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Truncated geometric noise: one value at either end is out of the neighbor's reach."""
    return np.asarray(answer + rng.choice(len(TRUNCATED), p=TRUNCATED, size=size) - 4)


def allowed_ends(answer: int, size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Uniform noise: either end, of probability δ = .05, is out of the neighbor's reach."""
    return 0.05 * answer + rng.random(size)


def unlikely_ends(answer: int, size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Beyond either end of common outputs one side comes e times as often as the other."""
    at, own = rng.random(size), 2 * answer - 1
    beyond = np.where(at < 0.05, own, np.where(at > 1 - 0.05 / np.e, -own, 0))
    return 2.0 * beyond + rng.random(size)


def outermost(answer: int, size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Laplace noise, whose outermost draws come on any side."""
    return answer + rng.laplace(size=size)


TRUNCATED = np.exp(-np.abs(np.arange(-4.0, 5.0)))
TRUNCATED /= TRUNCATED.sum()
PAIR = Pairs([(0, 1)])
ONE_SIDED = tuple(
    Case(name, dpaudit.vectorized(mechanism), claim, PAIR)
    for name, mechanism, claim in (
        ("a thousand outcomes", rare_outcomes, PureDP(1.0)),
        ("three counts", rare_counts, PureDP(1.0)),
        ("a catastrophe of probability δ", allowed_catastrophe, ApproxDP(0.5, 0.05)),
        ("values of one's own", allowed_values, ApproxDP(1.0, 0.05)),
        ("truncated geometric", allowed_end, ApproxDP(1.0, float(TRUNCATED[-1]))),
        ("uniform noise", allowed_ends, ApproxDP(0.0, 0.05)),
        ("unlikely ends", unlikely_ends, PureDP(1.0)),
        ("Laplace noise", outermost, PureDP(1.0)),
    )
)
EDGES = tuple(
    Case(
        law.__name__.replace("_", " "),
        dpaudit.vectorized(law),
        PureDP(0.0 if law is edge_laws.no_difference else edge_laws.EPSILON),
        PAIR,
    )
    for law in edge_laws.LAWS
)
KINDS = {"all": CASES, "one-sided": ONE_SIDED, "edges": EDGES}


def audited(work: tuple[int, int], kind: str, calls: int) -> tuple[bool, float, int, int]:
    """Return (refuted, log e-value, pairs, calls) of one audit."""
    index, seed = work
    case = KINDS[kind][index]
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


def coupled(work: tuple[int, int], calls: int) -> tuple[bool, float, int, int]:
    """Return the same of bets on coupled draws alone."""
    index, seed = work
    _, make = list(laws())[index]
    played = play(make(), seed, calls, LEVEL)
    return played.refuted, played.log_e_value, 1, played.calls


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
@click.option(
    "--kind", default="all", show_default=True, type=click.Choice([*KINDS, "steered", "coupled"])
)
@seed_option
@jobs_option
@save_option
def main(audits: int, calls: int, kind: str, seed: int, jobs: int, save: Path | None) -> None:
    """Count refutations of true claims."""
    print_provenance()
    started = time.perf_counter()
    if kind == "steered":
        names = [law.name for law in LAWS]
        blocks = [(i, seed * audits + k) for k in range(0, audits, BLOCK) for i in range(len(LAWS))]
        together = partial(steered_audits, audits=min(BLOCK, audits), calls=calls, level=LEVEL)
        found = resumable(together, blocks, jobs, save)
        results = [one for i in range(len(LAWS)) for some in found[i :: len(LAWS)] for one in some]
    else:
        is_coupled = kind == "coupled"
        names = [n for n, _ in laws()] if is_coupled else [case.name for case in KINDS[kind]]
        work = [(i, seed * audits + k) for i in range(len(names)) for k in range(audits)]
        one = (
            partial(coupled, calls=calls)
            if is_coupled
            else partial(audited, kind=kind, calls=calls)
        )
        results = resumable(one, work, jobs, save)
    audits = len(results) // len(names)
    rows = [summary(name, results[i * audits : (i + 1) * audits]) for i, name in enumerate(names)]
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
