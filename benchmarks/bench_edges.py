"""Calls until rejection where the supports of the outputs differ, beside the information limit.

Uniform noise gives outputs at either end that one dataset alone can produce; one-sided geometric
noise a smallest output of one dataset; a rare atom comes on one side alone. One pair of datasets is
given. The limit is that of independent draws, to the nearest pair of laws that the claim allows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
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
from scipy.optimize import minimize_scalar

import dpaudit
from dpaudit import ApproxDP, Pairs, PureDP, Verdict
from dpaudit.statistical import StatisticalEngine

MOST_CALLS = 5_000_000
RATIO, RARE_RATIO = 4.0, 2.5


@dataclass(frozen=True, slots=True)
class Row:
    """A law of outputs whose supports differ by a part of so much probability."""

    law: str
    part: float
    claim: PureDP | ApproxDP
    alpha: float
    goal: float = RATIO  # times the limit

    @property
    def name(self) -> str:
        return f"{self.law} {self.part:.3g}, {self.claim}, α {self.alpha:g}"


def geometric(epsilon: float) -> Row:
    """One-sided geometric noise, whose smallest output alone says too much."""
    return Row("geometric", -math.expm1(-epsilon), PureDP(epsilon), 0.05)


ROWS = (
    *(Row("uniform", part, PureDP(e), 0.05) for e in (0.1, 1.0) for part in (0.5, 0.05)),
    geometric(0.1),
    geometric(1.0),
    *(
        Row("atom", part, ApproxDP(math.log(3), 1e-5), 1e-6, RARE_RATIO)
        for part in (1e-2, 1e-3, 1.25e-4)
    ),
)


def outputs(row: Row, side: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """Outputs of one dataset; of both with the same random numbers."""
    if row.law == "uniform":
        return side * row.part + rng.random(size)
    if row.law == "geometric":
        return (side + rng.geometric(row.part, size) - 1).astype(float)
    found = rng.normal(size=size)
    found[(rng.random(size) < row.part) & (side == 0)] = 7.0
    return found


def limit(row: Row) -> float:
    """Return the least expected calls that refute the claim."""
    # Outputs of the left alone, of both, of the right alone.
    both = 1 - row.part
    left = np.array([row.part, both, 0.0])
    right = np.array([0.0, both, row.part]) if row.law == "uniform" else np.array([0.0, 1.0, 0.0])
    return 2 * math.log(1 / row.alpha) / distance(left, right, row.claim)


def distance(left: Sequence[float], right: Sequence[float], claim: PureDP | ApproxDP) -> float:
    """Return the least KL of a pair of draws to the pairs of laws that the claim allows.

    Parameters
    ----------
    left, right : sequence of float, shape (3,)
        Probabilities of the outputs of the left alone, of both, and of the right alone.
    claim : PureDP or ApproxDP
    """
    slope, delta = math.exp(claim.epsilon), claim.declared_delta

    def divergence(p: float, q: float) -> float:
        """Of a coin p to a coin q."""
        return float(_relative(p, q) + _relative(1 - p, 1 - q))

    if right[2]:  # a mirror image: the nearest pair is one, and both ends are alike
        share = right[2]

        def far(q: float) -> float:
            p = delta + slope * q
            if p + q >= 1:
                return math.inf
            return 2 * (_relative(share, p) + _relative(1 - share, 1 - p - q))

        most = (1 - delta) / (1 + slope)
        return float(minimize_scalar(far, (0, most), (0, most), method="bounded").fun)

    def one_sided(q: float) -> float:
        # The event too likely on the left, or its complement on the right: both have to hold.
        p = min(delta + slope * q, 1 - (1 - q - delta) / slope)
        return divergence(left[0], p) + divergence(0.0, q) if 0 < p < 1 else math.inf

    most = left[0]
    found = minimize_scalar(
        one_sided, bounds=(0, most), method="bounded", options={"xatol": 1e-12 * most}
    )
    return float(found.fun)


def _relative(p: float, q: float) -> float:
    return p * math.log(p / q) if p else 0.0


def calls_until(work: tuple[int, bool, int]) -> int:
    """Return the calls until refutation; a miss counts as more than any."""
    index, coupled, seed = work
    row = ROWS[index]

    @dpaudit.vectorized
    def mechanism(side: int, size: int, rng: np.random.Generator) -> np.ndarray:
        return outputs(row, side, size, rng)

    report = dpaudit.audit(
        mechanism,
        row.claim,
        Pairs([(0, 1)]),
        engines=[StatisticalEngine(coupled=coupled)],
        alpha=row.alpha,
        max_calls=MOST_CALLS,
        seed=seed,
    )
    return report.calls if report.verdict is Verdict.REFUTED else 2**62


@click.command()
@click.option("--repeats", default=11, show_default=True, help="Seeds a row.")
@click.option("--only", default="", help="Rows whose name holds this text.")
@seed_option
@jobs_option
@save_option
def main(repeats: int, only: str, seed: int, jobs: int, save: Path | None) -> None:
    """Print median calls until rejection."""
    print_provenance()
    rows = [i for i, row in enumerate(ROWS) if only in row.name]
    work = [(i, c, seed * repeats + k) for k in range(repeats) for i in rows for c in (False, True)]
    calls = np.array(resumable(calls_until, work, jobs, save)).reshape(repeats, len(rows), 2)
    table = []
    for i, medians in zip(rows, np.median(calls, axis=0), strict=True):
        row = ROWS[i]
        least = limit(row)
        alone, runs = (f"{m:,.0f} ({m / least:.2f})" for m in medians)
        table.append((row.name, f"{least:,.0f}", alone, runs, met(medians[1] <= row.goal * least)))
    print_table(("law", "limit", "independent", "as it runs", "goal"), table)


if __name__ == "__main__":
    main()
