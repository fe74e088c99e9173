"""Low-order bits: releases whose floats tell neighbors apart, and releases that are safe.

Every mechanism keeps its claim over the real numbers. `arithmetic="float"` asks for the numbers as
they are. A broken release must be refuted within 100,000 calls, as DPA111 or by a value that one
side alone has; a safe one must not be. Those of diffprivlib and OpenDP take part where they are
installed (`make audit-libraries` makes an environment that has them).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
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

import dpaudit
from dpaudit import AnyPair, ApproxDP, Integer, PureDP, Real, Verdict
from mechanisms.discrete_gaussian import discrete_gaussian, tight_delta
from mechanisms.discrete_laplace import discrete_laplace
from mechanisms.flawed.snapping_without_rounding import snapping_without_rounding
from mechanisms.randomized_response import randomized_response
from mechanisms.snapping import snapping

REALS, INTEGERS = AnyPair(Real(0, 1)), AnyPair(Integer(0, 1))
MOST_CALLS = 100_000
PURE, APPROXIMATE = PureDP(1.0), ApproxDP(1.0, 1e-5)
SIGMA = math.sqrt(2 * math.log(1.25e5))  # of the classic Gaussian mechanism, for APPROXIMATE
PUBLIC_GRID = 2.0**-20


@dataclass(frozen=True, slots=True)
class Case:
    """A mechanism on one answer, with a claim that it keeps over the real numbers."""

    name: str
    mechanism: Callable[..., Any]
    claim: PureDP | ApproxDP
    broken: bool
    neighbors: Any = REALS


def numpy_laplace(answer: float, rng: np.random.Generator) -> float:
    return answer + rng.laplace()


def inversion(answer: float, rng: np.random.Generator) -> float:
    u = rng.random() - 0.5
    return answer - math.copysign(1.0, u) * math.log(1 - 2 * abs(u))


def exponentials(answer: float, rng: np.random.Generator) -> float:
    return answer + rng.exponential() - rng.exponential()


def python_laplace(answer: float, rng: np.random.Generator) -> float:
    generator = random.Random(int(rng.integers(2**63)))
    sign = 1 if generator.random() < 0.5 else -1
    return answer + sign * generator.expovariate(1.0)


def box_muller(answer: float, rng: np.random.Generator) -> float:
    radius = math.sqrt(-2 * math.log(1 - rng.random()))
    return answer + SIGMA * radius * math.cos(2 * math.pi * rng.random())


def polar(answer: float, rng: np.random.Generator) -> float:
    square = 0.0
    while not 0 < square < 1:
        u, v = rng.uniform(-1, 1, 2)
        square = u * u + v * v
    return answer + SIGMA * float(u) * math.sqrt(-2 * math.log(square) / square)


def ziggurat(answer: float, rng: np.random.Generator) -> float:
    return answer + rng.normal(0, SIGMA)


def clamped(answer: float, rng: np.random.Generator) -> float:
    return min(max(answer + rng.laplace(), -2.0), 3.0)


def rounded_too_finely(answer: float, rng: np.random.Generator) -> float:
    return round((answer + rng.laplace()) * 2.0**52) / 2.0**52


def decimals(answer: float, rng: np.random.Generator) -> float:
    return round(answer + rng.laplace(), 16)


def scaled_afterwards(answer: float, rng: np.random.Generator) -> float:
    return (answer + rng.laplace()) / 3


def geometric_steps(answer: float, rng: np.random.Generator) -> float:
    """Two-sided geometric noise on steps of .1, from logarithms of floats."""
    steps = [math.floor(math.log(1 - rng.random()) / -0.1) for _ in range(2)]
    return answer + (steps[0] - steps[1]) * 0.1


def noise_on_a_grid(answer: float, rng: np.random.Generator) -> float:
    """Only the noise is rounded; the answer is not on its grid."""
    return answer / 3 + round(rng.laplace(0, 1 / 3) / PUBLIC_GRID) * PUBLIC_GRID


def on_a_grid(answer: float, rng: np.random.Generator) -> float:
    return float(np.round((answer + rng.laplace()) / PUBLIC_GRID) * PUBLIC_GRID)


def gaussian_on_a_grid(answer: float, rng: np.random.Generator) -> float:
    return float(np.round((answer + rng.normal(0, SIGMA)) / PUBLIC_GRID) * PUBLIC_GRID)


def three_decimals(answer: float, rng: np.random.Generator) -> float:
    return round(answer + rng.laplace(), 3)


def as_integer(answer: float, rng: np.random.Generator) -> int:
    return round(answer + rng.laplace())


def large_answer(answer: float, rng: np.random.Generator) -> float:
    """A public offset: all outputs lie on the grid of large numbers, coarser than the noise's."""
    return (answer + rng.laplace()) + 2.0**30


def transposed(answer: int, rng: np.random.Generator) -> float:
    """Discrete noise on steps of 1/8: sums of such numbers are exact."""
    return answer + (rng.geometric(1 - math.exp(-1 / 8)) - rng.geometric(1 - math.exp(-1 / 8))) / 8


def binary_choice(answer: int, rng: np.random.Generator) -> int:
    return int(randomized_response(answer, rng, epsilon=1.0))


def diffprivlib_noise(name: str, answer: float, rng: np.random.Generator, **options: Any) -> float:
    from diffprivlib import mechanisms

    state = np.random.RandomState(int(rng.integers(2**32)))
    noise = getattr(mechanisms, name)(sensitivity=1, random_state=state, **options)
    return noise.randomise(answer)


def opendp_noise(kind: str, answer: float) -> float:
    """Return a release of OpenDP, whose noise takes no seed."""
    return _opendp(kind)(answer)


@cache
def _opendp(kind: str) -> Callable[[Any], Any]:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    of = int if kind.endswith("integer") else float
    domain = dp.atom_domain(T=int) if of is int else dp.atom_domain(T=float, nan=False)
    space = domain, dp.absolute_distance(T=of)
    if kind.startswith("gaussian"):
        return dp.m.make_gaussian(*space, scale=SIGMA)
    return dp.m.make_laplace(*space, scale=1.0)


CASES = [
    *(
        Case(mechanism.__name__.replace("_", " "), mechanism, claim, True)
        for mechanism, claim in (
            (numpy_laplace, PURE),
            (inversion, PURE),
            (exponentials, PURE),
            (python_laplace, PURE),
            (box_muller, APPROXIMATE),
            (polar, APPROXIMATE),
            (ziggurat, APPROXIMATE),
            (clamped, PURE),
            (rounded_too_finely, PURE),
            (decimals, PURE),
            (scaled_afterwards, PURE),
            (geometric_steps, PURE),
            (noise_on_a_grid, PURE),
        )
    ),
    Case("snapping that only clamps", snapping_without_rounding, PURE, True),
    *(
        Case(mechanism.__name__.replace("_", " "), mechanism, claim, False)
        for mechanism, claim in (
            (on_a_grid, PURE),
            (gaussian_on_a_grid, APPROXIMATE),
            (three_decimals, PURE),
            (as_integer, PURE),
            (large_answer, PURE),
            (snapping, PURE),
        )
    ),
    *(
        Case(mechanism.__name__.replace("_", " "), mechanism, claim, False, INTEGERS)
        for mechanism, claim in (
            (transposed, PURE),
            (binary_choice, PURE),
            (discrete_laplace, PURE),
            (discrete_gaussian, ApproxDP(1.0, tight_delta(1.0, 16.0))),
        )
    ),
]
LIBRARIES = {
    "diffprivlib": [
        Case(f"diffprivlib {name}", partial(diffprivlib_noise, name, **options), *rest)
        for name, options, *rest in (
            ("Laplace", {"epsilon": 1.0}, PURE, True),
            ("Staircase", {"epsilon": 1.0}, PURE, True),
            ("GaussianAnalytic", {"epsilon": 1.0, "delta": 1e-5}, APPROXIMATE, True),
            ("Snapping", {"epsilon": 1.0, "lower": -10.0, "upper": 10.0}, PURE, False),
            ("Geometric", {"epsilon": 1.0}, PURE, False, INTEGERS),
            ("GaussianDiscrete", {"epsilon": 1.0, "delta": 1e-5}, APPROXIMATE, False, INTEGERS),
        )
    ],
    "opendp": [
        Case(f"OpenDP {kind}", partial(opendp_noise, kind), claim, False, neighbors)
        for kind, claim, neighbors in (
            ("laplace", PURE, REALS),
            ("gaussian", APPROXIMATE, REALS),
            ("laplace integer", PURE, INTEGERS),
        )
    ],
}
CASES += [case for library, cases in LIBRARIES.items() if find_spec(library) for case in cases]


def audited(work: tuple[int, int]) -> tuple[str, int, str, float]:
    """Return (verdict, calls, id of the finding, log e-value) of one audit by sampling."""
    index, seed = work
    case = CASES[index]
    report = dpaudit.audit(
        case.mechanism,
        case.claim,
        case.neighbors,
        arithmetic="float",
        engines=["statistical"],
        max_calls=MOST_CALLS,
        max_seconds=None,
        seed=seed,
    )
    found = report.findings[0].id if report.findings else ""
    return report.verdict.name, report.calls, found, report.evidence[0].log_e_value


@click.command()
@click.option("--seeds", default=3, show_default=True, help="Audits of each mechanism.")
@click.option("--only", default="", help="Mechanisms whose name holds this text.")
@seed_option
@jobs_option
@save_option
def main(seeds: int, only: str, seed: int, jobs: int, save: Path | None) -> None:
    """Print how many audits refute, after how many calls, and with which finding."""
    print_provenance()
    chosen = [i for i, case in enumerate(CASES) if only in case.name]
    work = [(i, seed * seeds + k) for i in chosen for k in range(seeds)]
    results = resumable(audited, work, jobs, save)
    rows, right = [], 0
    for place, index in enumerate(chosen):
        case, some = CASES[index], results[place * seeds : (place + 1) * seeds]
        refuted = [each for each in some if each[0] == Verdict.REFUTED.name]
        fine = len(refuted) == (seeds if case.broken else 0)
        right += fine
        calls = f"{np.median([each[1] for each in refuted]):,.0f}" if refuted else ""
        ids = ", ".join(sorted({each[2] for each in refuted}))
        rows.append(
            (case.name, "broken" if case.broken else "sound", f"{len(refuted)} of {seeds}",
             calls, ids, met(fine))
        )  # fmt: skip
    print_table(("release", "floats", "refuted", "calls", "finding", "goal"), rows)
    print(f"\n{right} of {len(chosen)} as they should be")


if __name__ == "__main__":
    main()
