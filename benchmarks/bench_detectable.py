"""What a report says would have been caught, beside what is caught of planted events.

An event of one probability is planted into outputs that are otherwise identical, with the epsilon
that an audit of sound outputs said it would have caught with probability .9, and with that epsilon
divided by 1.15. The first must be caught in .9 of the audits, the second in fewer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache

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
from scipy.stats import binom

import dpaudit
from dpaudit import Pairs, PureDP, Report, Verdict
from dpaudit.statistical.detection import ROWS as PROBABILITIES

WITHIN = 1.15  # times what is caught
CERTAIN = 1e-3  # probability of a miss of either goal by chance


@dataclass(frozen=True, slots=True)
class Row:
    """Audits of one claim with so many calls; events of one probability."""

    claim: float
    calls: int
    alpha: float
    probability: float

    @property
    def name(self) -> str:
        return f"{self.claim:g}, {self.calls:,} calls, α {self.alpha:g}, p {self.probability:g}"


ROWS = tuple(
    Row(*audit, probability)
    for audit in ((1.0, 30_000, 1e-6), (0.3, 3_000, 0.05), (1.0, 1_000_000, 1e-6))
    for probability in PROBABILITIES
)


def planted(
    side: int, size: int, rng: np.random.Generator, rates: tuple[float, float], common: bool
) -> np.ndarray:
    """Standard normal outputs, with NaN as the event."""
    uniform = rng.random(size) if common else rng.random((2, size))[side]
    outputs = rng.normal(size=size)
    outputs[uniform < rates[side]] = np.nan
    return outputs


def audited(row: Row, rates: tuple[float, float], common: bool, seed: int) -> Report:
    """Return the report of an audit of planted events."""

    @dpaudit.vectorized
    def mechanism(side: int, size: int, rng: np.random.Generator) -> np.ndarray:
        return planted(side, size, rng, rates, common)

    return dpaudit.audit(
        mechanism,
        PureDP(row.claim),
        Pairs([(0, 1)]),
        alpha=row.alpha,
        max_calls=row.calls,
        seed=seed,
        engines=["statistical"],
    )


@cache
def sound(row: Row, common: bool, seed: int) -> Report:
    """Return the report of an audit without an event; the row's probability does not matter."""
    return audited(row, (0.0, 0.0), common, seed)


def said(item: tuple[Row, bool], seed: int) -> float | None:
    """Return the epsilon that would have been caught, as an audit of sound outputs says."""
    row, common = item
    report = sound(replace(row, probability=0.0), common, seed)
    found = next(each for each in report.detectable if each.probability == row.probability)
    return found.coupled if common else found.independent


def caught(item: tuple[Row, bool, float, int]) -> bool:
    """Whether an audit of planted events refutes."""
    row, common, epsilon, seed = item
    rates = row.probability, row.probability * math.exp(-epsilon)
    return audited(row, rates, common, seed).verdict is Verdict.REFUTED


@click.command()
@seed_option
@jobs_option
@save_option
@click.option("--seeds", default=400, show_default=True, help="Audits of each planted event.")
@click.option("--only", default="", help="Rows whose name holds this text.")
def main(seed: int, jobs: int, save: str | None, seeds: int, only: str) -> None:
    """Compare what is said with what is caught."""
    print_provenance()
    kinds = [(row, common) for row in ROWS for common in (True, False) if only in row.name]
    sizes = [said(kind, seed) for kind in kinds]
    factors = (1.0, WITHIN)
    items = [
        (*kind, size / factor, seed + 1 + i)
        for kind, size in zip(kinds, sizes, strict=True)
        if size is not None
        for factor in factors
        for i in range(seeds)
    ]
    hits = iter(resumable(caught, items, jobs, save))
    least = float(binom.ppf(CERTAIN, seeds, 0.9))
    most = float(binom.isf(CERTAIN, seeds, 0.9))
    rows = []
    for (row, common), size in zip(kinds, sizes, strict=True):
        draws = "coupled" if common else "independent"
        if size is None:
            rows.append((row.name, draws, "none", "", "", ""))
            continue
        there, below = (sum(next(hits) for _ in range(seeds)) for _ in factors)
        fine = met(there >= least and below <= most)
        shares = f"{there / seeds:.3f}", f"{below / seeds:.3f}"
        rows.append((row.name, draws, f"{size:.2f}", *shares, fine))
    header = ("claim", "draws", "said", "caught there", f"at 1/{WITHIN:g} of it", "goal")
    print_table(header, rows)


if __name__ == "__main__":
    main()
