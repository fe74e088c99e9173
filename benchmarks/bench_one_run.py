"""How often the bounds from one training run exceed the truth, at the null and elsewhere.

Each case tosses the coins of its canaries and makes scores with a known privacy; the bound must not
exceed it in more than one in twenty repetitions, whatever the direction of the scores.
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
from common import in_processes, jobs_option, met, print_provenance, print_table, seed_option
from numpy.typing import NDArray
from scipy.stats import binom, binomtest

from dpaudit.claims import GaussianDP, PureDP
from dpaudit.estimates.one_run import one_run
from dpaudit.estimates.one_run.audit import epsilon_at

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
LEVEL = 0.05
DELTA = 1e-5
CAUGHT = 0.02  # how often the catastrophe shows all coins


def nothing(coins: Bools, rng: np.random.Generator) -> Floats:
    return rng.normal(size=len(coins))


def constant(coins: Bools, _: np.random.Generator) -> Floats:
    return np.zeros(len(coins))


def responses(coins: Bools, rng: np.random.Generator, epsilon: float, sign: float = 1.0) -> Floats:
    lies = rng.random(len(coins)) > 1 / (1 + math.exp(-epsilon))
    return sign * np.where(coins ^ lies, 1.0, 0.0)


def gaussian(coins: Bools, rng: np.random.Generator, mu: float, sign: float = 1.0) -> Floats:
    return sign * (mu * coins + rng.normal(size=len(coins)))


def laplace(coins: Bools, rng: np.random.Generator, epsilon: float, sign: float = 1.0) -> Floats:
    return sign * (coins + rng.laplace(scale=1 / epsilon, size=len(coins)))


def catastrophe(coins: Bools, rng: np.random.Generator) -> Floats:
    return coins.astype(float) if rng.random() < CAUGHT else np.zeros(len(coins))


@dataclass(frozen=True, slots=True)
class Case:
    """Scores with the epsilon that they truly have at `delta`."""

    name: str
    scores: Callable[[Bools, np.random.Generator], Floats]
    truth: float
    options: dict[str, Any]
    delta: float = DELTA


def cases() -> list[Case]:
    """Return all cases; each method in both directions."""
    ways: dict[str, dict[str, Any]] = {"dp": {}, "fdp": {"method": "fdp"}}
    ours = {"method": "fdp", "family": GaussianDP(1.0)}
    every_guess = {"guesses": 200}
    found = []
    for name, options in ways.items():
        found += [
            Case(f"nothing, {name}", nothing, 0.0, options),
            Case(f"ties, {name}", constant, 0.0, options),
            Case(f"all coins with probability .02, {name}", catastrophe, 0.0, options, CAUGHT),
        ]
        for epsilon in (1.0, 3.0):
            truth = epsilon_at(PureDP(epsilon), DELTA)
            for way, sign in (("", 1.0), (" reversed", -1.0)):
                scores = partial(responses, epsilon=epsilon, sign=sign)
                found.append(
                    Case(f"randomized response {epsilon:g}{way}, {name}", scores, truth, options)
                )
                scores = partial(laplace, epsilon=epsilon, sign=sign)
                found.append(Case(f"Laplace {epsilon:g}{way}, {name}", scores, truth, options))
    for way, sign in (("", 1.0), (" reversed", -1.0)):
        scores = partial(gaussian, mu=1.0, sign=sign)
        truth = epsilon_at(GaussianDP(1.0), DELTA)
        found.append(Case(f"Gaussian 1{way}, dp", scores, truth, {}))
        found.append(Case(f"Gaussian 1{way}, fdp of Gaussians", scores, truth, ours))
    found.append(Case("nothing, fdp of Gaussians", nothing, 0.0, ours))
    exact = {**every_guess, "delta": 0.0}
    truthful = partial(responses, epsilon=1.0)
    found.append(Case("randomized response 1, all guessed", truthful, 1.0, exact, 0.0))
    found.append(Case("nothing, all guessed", nothing, 0.0, exact, 0.0))
    return found


def bound(work: tuple[int, int], canaries: int) -> float:
    """Return the lower bound of one repetition."""
    index, seed = work
    case = cases()[index]
    rng = np.random.default_rng([seed, index])
    coins = rng.random(canaries) < 0.5
    options = {"delta": case.delta, **case.options}
    found = one_run(case.scores(coins, rng), coins, seed=seed, confidence=1 - LEVEL, **options)
    return float(found.value)


@click.command()
@click.option("--repetitions", default=2_000, show_default=True, help="A case.")
@click.option("--canaries", default=200, show_default=True)
@seed_option
@jobs_option
def main(repetitions: int, canaries: int, seed: int, jobs: int) -> None:
    """Count bounds above the truth."""
    print_provenance()
    started = time.perf_counter()
    every = cases()
    work = [(i, seed * repetitions + k) for i in range(len(every)) for k in range(repetitions)]
    results = np.array(in_processes(partial(bound, canaries=canaries), work, jobs))
    allowed = int(binom.isf(1e-3, repetitions, LEVEL))
    rows, worst = [], 0
    for case, found in zip(every, results.reshape(len(every), -1), strict=True):
        misses = int((found > case.truth + 1e-9).sum())
        worst = max(worst, misses)
        interval = binomtest(misses, repetitions).proportion_ci(0.95, method="exact")
        rows.append(
            [
                case.name,
                f"{case.truth:.3f}",
                f"{misses / repetitions:.4f}",
                f"{interval.low:.4f}..{interval.high:.4f}",
                f"{np.median(found):.3f}",
                f"{found.max():.3f}",
            ]
        )
    print_table(("case", "true ε", "above", "95 %", "median", "greatest"), rows)
    print(
        f"\n{repetitions:,} repetitions of {canaries} canaries, nominal {LEVEL}: at most {worst} "
        f"above the truth, {allowed} allowed (binomial test at 1e-3): {met(worst <= allowed)}; "
        f"{time.perf_counter() - started:.0f} s"
    )


if __name__ == "__main__":
    main()
