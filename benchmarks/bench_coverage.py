"""Coverage: how often the intervals of the estimates miss the truth, at nominal 95 %.

An end is counted as missed where it lies on the wrong side of the mechanism's own divergence,
which is known in closed form or by enumeration. The upper end is judged where it is valid for the
mechanism: where all outcomes are named, or few. An estimate passes where a binomial test at 1e-3
does not tell its rate of misses from one of 5 %: at most 131 in 2,000.

Equal distributions are where others miscover, most of all the greatest of many log-ratios.
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
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import logsumexp
from scipy.stats import binom, norm

from dpaudit.estimates.divergences import (
    approximate_max_divergence,
    hockey_stick,
    kl_divergence,
    max_divergence,
    total_variation,
)
from dpaudit.estimates.gaussian import gdp_parameter
from dpaudit.estimates.renyi import renyi_divergence, zcdp_parameter
from dpaudit.estimates.tradeoff import privacy_profile, tradeoff_curve

CONFIDENCE = 0.95
DELTA = 0.05
EPSILON = 0.25
ALPHAS = np.array([0.05, 0.2, 0.5])
EPSILONS = np.array([0.0, 0.25, 0.5, 0.9])
ORDERS = np.array([2.0, 8.0])
ALL_ORDERS = 1 + np.geomspace(1e-3, 1e4, 20_000)
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of a pair: its trade-off, profile, Rényi divergences, and four numbers."""

    profile: Callable[[float], float]
    tradeoff: Callable[[float], float]
    renyi: Callable[[Floats], Floats]
    largest: float
    approximate: float
    kl: float
    mu: float

    @property
    def rho(self) -> float:
        """The zCDP parameter; every pair below is as far apart in one direction as in the other."""
        return max(self.kl, float((self.renyi(ALL_ORDERS) / ALL_ORDERS).max()))  # KL: order 1


@dataclass(frozen=True, slots=True)
class Case:
    """A pair of distributions."""

    name: str
    draw: Callable[[np.random.Generator, int], tuple[Any, Any]]
    truth: Truth
    support: tuple[int, ...] | None = None
    continuous: bool = False


def discrete_truth(p: Floats, q: Floats) -> Truth:
    """Return the truth about two distributions with positive probabilities."""
    order = np.argsort(-p / q)
    power, level = np.cumsum(p[order]), np.cumsum(q[order])
    back = np.argsort(-q / p)
    alarm = np.concatenate([[0.0], np.cumsum(p[back])])
    miss = 1 - np.concatenate([[0.0], np.cumsum(q[back])])
    logs = np.log(p / q)
    sizes = np.concatenate([power, 1 - miss]), np.concatenate([level, alarm])
    inner = (np.minimum(*sizes) > 1e-9) & (np.maximum(*sizes) < 1 - 1e-9)
    distances = norm.ppf(sizes[0][inner]) - norm.ppf(sizes[1][inner])
    above = np.where(power > DELTA, np.log(np.maximum(power - DELTA, 1e-300) / level), -np.inf)
    return Truth(
        lambda epsilon: float(np.maximum(p - np.exp(epsilon) * q, 0).sum()),
        lambda alpha: float(np.interp(alpha, alarm, miss)),
        lambda orders: logsumexp(np.outer(orders - 1, logs), b=p, axis=1) / (orders - 1),
        float(logs.max()),
        float(above.max()),
        float((p * logs).sum()),
        float(np.abs(distances).max()),
    )


def laplace_tradeoff(alpha: float) -> float:
    """Dong, Roth & Su 2022, Laplace noise of scale 1 and a shift of 1."""
    if alpha < np.exp(-1) / 2:
        return float(1 - np.e * alpha)
    return float(np.exp(-1) / (4 * alpha) if alpha <= 0.5 else np.exp(-1) * (1 - alpha))


def laplace_renyi(orders: Floats) -> Floats:
    """Mironov 2017, Proposition 6, scale 1."""
    weights = np.log(np.stack([orders, orders - 1]) / (2 * orders - 1))
    logs = logsumexp(weights + np.stack([orders - 1, -orders]), axis=0)
    return np.asarray(logs / (orders - 1))


def gaussian_profile(epsilon: float) -> float:
    """Balle & Wang 2018, μ = 1."""
    return float(norm.cdf(0.5 - epsilon) - np.exp(epsilon) * norm.cdf(-0.5 - epsilon))


LAPLACE = Truth(
    lambda epsilon: 1 - float(np.exp((min(epsilon, 1) - 1) / 2)),
    laplace_tradeoff, laplace_renyi, 1.0, 1 + 2 * float(np.log(1 - DELTA)), float(np.exp(-1)),
    2 * float(norm.ppf(1 - np.exp(-0.5) / 2)),
)  # fmt: skip
GAUSSIAN = Truth(
    gaussian_profile, lambda alpha: float(norm.cdf(norm.isf(alpha) - 1)),
    lambda orders: orders / 2, float("inf"),
    float(brentq(lambda e: gaussian_profile(e) - DELTA, 0, 9)), 0.5, 1.0,
)  # fmt: skip


def same(size: int) -> Truth:
    """Return the truth about equal distributions."""
    return discrete_truth(np.full(size, 1 / size), np.full(size, 1 / size))


def from_cells(p: Floats, q: Floats) -> Callable[[np.random.Generator, int], tuple[Any, Any]]:
    """Return a sampler of cell numbers."""
    return lambda rng, n: (rng.choice(len(p), n, p=p), rng.choice(len(q), n, p=q))


def geometric_masses(center: int, ends: int) -> Floats:
    """Return two-sided geometric noise, ε = 1, clamped to −ends..ends."""
    r = np.exp(-1.0)
    x = np.arange(-ends, ends + 1)
    masses = (1 - r) / (1 + r) * r ** np.abs(x - center)
    masses[0] = r ** (center + ends) / (1 + r)
    masses[-1] = r ** (ends - center) / (1 + r)
    return np.asarray(masses)


def two_sided_geometric(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Return counts 0 and 1 with noise, unbounded."""
    left, right = (
        rng.geometric(1 - np.exp(-1.0), n) - rng.geometric(1 - np.exp(-1.0), n) for _ in range(2)
    )
    return left, right + 1


def laplace_cells(shift: float) -> Floats:
    """Return the probabilities of eight intervals under Laplace noise."""
    edges = np.linspace(-2, 3, 7) - shift
    cdf = np.where(edges < 0, np.exp(edges) / 2, 1 - np.exp(-np.abs(edges)) / 2)
    return np.diff(np.concatenate([[0.0], cdf, [1.0]]))


def cells_case(name: str, p: Floats, q: Floats, *, named: bool = True) -> Case:
    """Return a case of two distributions over cells."""
    support = tuple(range(len(p))) if named else None
    return Case(name, from_cells(p, q), discrete_truth(p, q), support)


COINS = np.array([0.75, 0.25])
SKEWED = np.array([0.99, 0.009, 0.0009, 0.0001])
CASES = (
    Case("Laplace", lambda rng, n: (rng.laplace(size=n), rng.laplace(1, size=n)), LAPLACE,
         continuous=True),
    cells_case("Laplace in 7 cells", laplace_cells(0), laplace_cells(1)),
    Case("Gaussian", lambda rng, n: (rng.normal(size=n), rng.normal(1, size=n)), GAUSSIAN,
         continuous=True),
    cells_case("randomized response", COINS, COINS[::-1]),
    cells_case("the same, not named", COINS, COINS[::-1], named=False),
    Case("geometric", two_sided_geometric,
         discrete_truth(geometric_masses(0, 60), geometric_masses(1, 60))),
    cells_case("geometric in −3..3", geometric_masses(0, 3), geometric_masses(1, 3)),
    cells_case("geometric in −9..9", geometric_masses(0, 9), geometric_masses(1, 9)),
    cells_case("skewed", SKEWED, SKEWED[[0, 3, 2, 1]]),
    Case("ε = 0, Laplace", lambda rng, n: (rng.laplace(size=n), rng.laplace(size=n)), same(2),
         continuous=True),
    cells_case("ε = 0, 2 cells", np.full(2, 0.5), np.full(2, 0.5)),
    cells_case("ε = 0, 20 cells", np.full(20, 0.05), np.full(20, 0.05)),
)  # fmt: skip
ESTIMATES: dict[str, tuple[Callable[..., Any], Callable[[Truth], Any]]] = {
    "max": (max_divergence, lambda t: t.largest),
    "approximate max": (
        partial(approximate_max_divergence, delta=DELTA), lambda t: t.approximate,
    ),
    "hockey stick": (partial(hockey_stick, epsilon=EPSILON), lambda t: t.profile(EPSILON)),
    "total variation": (total_variation, lambda t: t.profile(0.0)),
    "KL": (kl_divergence, lambda t: t.kl),
    "trade-off": (
        partial(tradeoff_curve, alphas=ALPHAS),
        lambda t: np.array([t.tradeoff(float(a)) for a in ALPHAS]),
    ),
    "profile": (
        partial(privacy_profile, epsilons=EPSILONS),
        lambda t: np.array([t.profile(float(e)) for e in EPSILONS]),
    ),
    "Rényi": (partial(renyi_divergence, order=ORDERS), lambda t: t.renyi(ORDERS)),
    "ρ": (zcdp_parameter, lambda t: t.rho),
    "μ": (gdp_parameter, lambda t: t.mu),
}  # fmt: skip
Missed = tuple[bool, bool, float, float]
BLOCK = 25  # repetitions that are one piece of work


def missed(
    work: tuple[int, int], names: tuple[str, ...], draws: int, method: str
) -> dict[str, Missed]:
    """Return, for each estimate, (lower end missed, upper end missed, low, high)."""
    index, seed = work
    case = CASES[index]
    p, q = case.draw(np.random.default_rng([index, seed]), draws)
    results = {}
    for name in names:
        estimate, truth_of = ESTIMATES[name]
        found = estimate(
            p, q, confidence=CONFIDENCE, seed=seed, support=case.support, method=method
        )
        low, high = found.confidence_interval
        truth = truth_of(case.truth)
        off = 1e-9  # of the truths above
        wrong_low, wrong_high = bool(np.any(low > truth + off)), bool(np.any(high < truth - off))
        if case.continuous:  # one end speaks of the partition alone
            wrong_low, wrong_high = (
                (False, wrong_high) if name == "trade-off" else (wrong_low, False)
            )
        results[name] = (wrong_low, wrong_high, float(np.mean(low)), float(np.mean(high)))
    return results


def block(work: tuple[int, int, int], **options: Any) -> list[dict[str, Missed]]:
    """Return the results of one case for the seeds of a range."""
    index, first, after = work
    return [missed((index, seed), **options) for seed in range(first, after)]


@click.command()
@click.option("--repetitions", default=2000, show_default=True, help="Of each case.")
@click.option("--draws", default=1000, show_default=True, help="Of each side.")
@click.option("--method", default="fixed", show_default=True, help="fixed or anytime.")
@click.option("--only", multiple=True, type=click.Choice(list(ESTIMATES)), help="Estimates.")
@seed_option
@jobs_option
@save_option
def main(
    repetitions: int,
    draws: int,
    method: str,
    only: tuple[str, ...],
    seed: int,
    jobs: int,
    save: Path | None,
) -> None:
    """Count intervals that miss the truth."""
    print_provenance()
    started = time.perf_counter()
    names = only or tuple(ESTIMATES)
    first, after = seed * repetitions, (seed + 1) * repetitions
    work = [
        (i, k, min(k + BLOCK, after)) for k in range(first, after, BLOCK) for i in range(len(CASES))
    ]
    blocks = resumable(partial(block, names=names, draws=draws, method=method), work, jobs, save)
    by_case: list[list[dict[str, Missed]]] = [[] for _ in CASES]
    for (i, *_), results in zip(work, blocks, strict=True):
        by_case[i] += results
    allowed = int(binom.isf(1e-3, repetitions, 1 - CONFIDENCE))
    rows, worst = [], 0
    for i, case in enumerate(CASES):
        for name in names:
            found = [result[name] for result in by_case[i]]
            either = sum(low or high for low, high, *_ in found)
            worst = max(worst, either)
            rows.append([
                f"{case.name}: {name}",
                str(sum(low for low, *_ in found)),
                str(sum(high for _, high, *_ in found)),
                f"{1 - either / repetitions:.4f}",
                f"{np.mean([low for *_, low, _ in found]):.4f}",
                f"{np.median([high for *_, high in found]):.4f}",
                f"{np.mean(ESTIMATES[name][1](case.truth)):.4f}",
            ])  # fmt: skip
    header = ("", "low missed", "high missed", "covered", "mean low", "median high", "truth")
    print_table(header, rows)
    print(
        f"\n{repetitions} repetitions of {draws} draws a side, {method}: at most {worst} misses of "
        f"{allowed} allowed (binomial test at 1e-3): {met(worst <= allowed)}; "
        f"{time.perf_counter() - started:.0f} s"
    )


if __name__ == "__main__":
    main()
